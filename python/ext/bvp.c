/* boundary value problems: functions of Python or of a model, and the solution as a function */
#include "core.h"

#include <string.h>

typedef struct solution {
  PyObject_HEAD
  dae_solution *s;
  PyObject *keep; /* whom the problem's memory belongs to */
  int nz, ny, n_parameter;
} solution;

/* functions of a boundary value problem, as Python's or as tapes of (t, z, y, p); conditions are
   tapes of (0, left, right, p) */
typedef enum part { F, F_Z, F_Y, G, G_Z, G_T, BC, BC_LEFT, BC_RIGHT, PARTS } part;
static const char *const part_name[PARTS] = {"fun", "f_z", "f_y",     "constraints", "g_z",
                                             "g_t", "bc",  "bc_left", "bc_right"};

/* one solve: the problem is ctx of its own functions */
typedef struct bvp {
  problem *b; /* conversion, errors */
  int n, m, np, conditions;
  PyObject *function[PARTS];
  template_array z, y, left, right, p;
  double *scratch; /* z or left; y or right, p */
} bvp;

static int is_tape(const bvp *v, part which) {
  return v->function[which] && Py_TYPE(v->function[which]) == tape_type;
}

/* a tape at (t, first, second, p) */
static int run_tape(bvp *v, part which, double t, const double *first, const double *second,
                    int n_second, double *out) {
  if (n_second > 0) memcpy(v->scratch, second, (size_t)n_second * sizeof *out);
  if (v->np > 0) memcpy(v->scratch + n_second, v->p.data, (size_t)v->np * sizeof *out);
  return tape_run(v->function[which], t, first, v->n, v->scratch, n_second + v->np, out);
}

/* a function at (t, z) or (t, z, y), cols 0: a vector; tapes always have y */
static int at_point(bvp *v, part which, double t, const double *z, const double *y, double *out,
                    int rows, int cols) {
  static const double none[1] = {0};
  if (is_tape(v, which)) {
    if (v->m > 0 && !y) y = v->y.data;
    return run_tape(v, which, t, z, y ? y : none, v->m, out);
  }
  PyObject *arrays[2] = {filled(&v->z, z, v->n), y ? filled(&v->y, y, v->m) : NULL};
  return call_function(v->b, v->function[which], part_name[which], t, arrays, out, rows, cols);
}

static int ode_f(double t, const double *z, double *dz, void *ctx) {
  return at_point(ctx, F, t, z, NULL, dz, ((bvp *)ctx)->n, 0);
}
static int ode_f_z(double t, const double *z, double *J, void *ctx) {
  return at_point(ctx, F_Z, t, z, NULL, J, ((bvp *)ctx)->n, ((bvp *)ctx)->n);
}
static int hess_f(double t, const double *z, const double *y, double *f, void *ctx) {
  return at_point(ctx, F, t, z, y, f, ((bvp *)ctx)->n, 0);
}
static int hess_f_z(double t, const double *z, const double *y, double *J, void *ctx) {
  return at_point(ctx, F_Z, t, z, y, J, ((bvp *)ctx)->n, ((bvp *)ctx)->n);
}
/* B = -df/dy */
static int hess_B(double t, const double *z, const double *y, double *B, void *ctx) {
  bvp *v = ctx;
  int status = at_point(v, F_Y, t, z, y, B, 0, 0);
  for (int i = 0; i < v->n * v->m; i++) B[i] = -B[i];
  return status;
}
static int hess_g(double t, const double *z, double *g, void *ctx) {
  return at_point(ctx, G, t, z, NULL, g, ((bvp *)ctx)->m, 0);
}
static int hess_G(double t, const double *z, double *J, void *ctx) {
  return at_point(ctx, G_Z, t, z, NULL, J, 0, 0);
}
static int hess_g_t(double t, const double *z, double *gt, void *ctx) {
  return at_point(ctx, G_T, t, z, NULL, gt, 0, 0);
}
/* conditions or their derivatives (cols n); they have no time: 0 stands for it */
static int at_ends(bvp *v, part which, const double *z0, const double *z1, double *out, int cols) {
  if (is_tape(v, which)) return run_tape(v, which, 0, z0, z1, v->n, out);
  PyObject *arrays[2] = {filled(&v->left, z0, v->n), filled(&v->right, z1, v->n)};
  if (!arrays[1]) Py_CLEAR(arrays[0]);
  return call_function(v->b, v->function[which], part_name[which], 0, arrays, out, v->conditions,
                       cols);
}
static int conditions(const double *z0, const double *z1, double *b, void *ctx) {
  return at_ends(ctx, BC, z0, z1, b, 0);
}
static int conditions_jacobian(const double *z0, const double *z1, double *B0, double *B1,
                               void *ctx) {
  int n = ((bvp *)ctx)->n, status = at_ends(ctx, BC_LEFT, z0, z1, B0, n);
  return status ? status : at_ends(ctx, BC_RIGHT, z0, z1, B1, n);
}

static PyObject *get(PyObject *spec, const char *key) {
  PyObject *found = PyDict_GetItemString(spec, key);
  return found == Py_None ? NULL : found;
}

static int take(template_array *a, PyObject *spec, const char *key) {
  PyObject *array = get(spec, key);
  return array ? take_array(a, array) : 0;
}

static int count(PyObject *spec, const char *key) {
  PyObject *found = get(spec, key);
  return found ? (int)PyLong_AsLong(found) : 0;
}

/* derivatives that users cannot give are tapes; each tape has the size of what it stands for */
static int read_parts(bvp *v, PyObject *spec) {
  int rows[PARTS] = {v->n,          v->n * v->n,          v->n * v->m,
                     v->m,          v->m * v->n,          v->m,
                     v->conditions, v->conditions * v->n, v->conditions * v->n};
  for (int i = 0; i < PARTS; i++) {
    v->function[i] = get(spec, part_name[i]);
    int inputs = 1 + v->n + v->np + (i >= BC ? v->n : v->m);
    int derivative = i == F_Y || i == G_Z || i == G_T;
    if (!v->function[i] || (!derivative && !is_tape(v, i))) continue;
    if (!is_tape(v, i) || !tape_fits(v->function[i], inputs, rows[i])) {
      PyErr_Format(PyExc_ValueError, "%s: the tape has another size", part_name[i]);
      return -1;
    }
  }
  return 0;
}

/* the problem: x' = f(t,x) or x' = f(t,x,y), 0 = g(t,x) */
static int make_problem(bvp *v, PyObject *spec, dae_problem *p) {
  v->n = count(spec, "n"), v->m = count(spec, "m"), v->np = count(spec, "n_parameter");
  v->conditions = count(spec, "conditions");
  if (take(&v->z, spec, "z") < 0 || take(&v->y, spec, "y") < 0 ||
      take(&v->left, spec, "left") < 0 || take(&v->right, spec, "right") < 0 ||
      take(&v->p, spec, "p") < 0 || read_parts(v, spec) < 0)
    return -1;
  v->scratch = PyMem_Calloc((size_t)(v->n + v->m + v->np + 1), sizeof *v->scratch);
  if (!v->scratch) return PyErr_NoMemory(), -1;
  p->ctx = v;
  if (v->m > 0) {
    p->kind = DAE_HESSENBERG;
    p->hessenberg = (dae_hessenberg){.order = 1,
                                     .nx = v->n,
                                     .ny = v->m,
                                     .f = hess_f,
                                     .g = hess_g,
                                     .f_z = v->function[F_Z] ? hess_f_z : NULL,
                                     .B = v->function[F_Y] ? hess_B : NULL,
                                     .G = v->function[G_Z] ? hess_G : NULL,
                                     .g_t = v->function[G_T] ? hess_g_t : NULL};
  } else {
    p->kind = DAE_ODE;
    p->ode = (dae_ode){.n = v->n, .f = ode_f, .f_z = v->function[F_Z] ? ode_f_z : NULL};
  }
  return 0;
}

static void drop(bvp *v) {
  drop_array(&v->z);
  drop_array(&v->y);
  drop_array(&v->left);
  drop_array(&v->right);
  drop_array(&v->p);
  PyMem_Free(v->scratch);
}

/* solves p with its boundary; the lock is kept when Python functions are called */
static PyObject *solve(dae_problem *p, PyObject *spec, PyObject *dict, problem *b, int python) {
  dae_options o;
  dae_report report = {0};
  if (read_options(dict, &o) < 0) return NULL;
  solution *out = (solution *)PyType_GenericNew(solution_type, NULL, NULL);
  if (!out) return NULL;
  out->nz = dae_problem_nz(p), out->ny = dae_problem_ny(p);
  out->n_parameter = p->boundary->n_parameter;
  PyThreadState *saved = python ? NULL : PyEval_SaveThread();
  dae_status status = dae_bvp_solve(p, &o, NULL, &out->s, &report);
  if (saved) PyEval_RestoreThread(saved);
  PyObject *keep = get(spec, "model");
  out->keep = Py_XNewRef(keep);
  if (problem_failed(b)) {
    Py_DECREF(out);
    return NULL;
  }
  return Py_BuildValue("iNN", status, report_dict(&report), out);
}

/* bvp_solve(spec, options): (status, report, solution) */
PyObject *bvp_solve(PyObject *self, PyObject *args) {
  (void)self;
  PyObject *spec, *dict, *out = NULL;
  if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &spec, &PyDict_Type, &dict)) return NULL;
  problem *b = (problem *)PyType_GenericNew(problem_type, NULL, NULL);
  if (!b) return NULL;
  bvp v = {.b = b};
  dae_problem p = {0};
  dae_boundary boundary = {.n_left = -1};
  PyObject *owner = get(spec, "model"), *convert = get(spec, "convert");
  b->convert = Py_XNewRef(convert);
  const dae_problem *inner = NULL;
  if (owner && Py_TYPE(owner) == model_type) inner = dae_model_problem(((model *)owner)->m);
  else if (owner && Py_TYPE(owner) == problem_type) inner = &((problem *)owner)->p;
  double *t = NULL, *z = NULL, *y = NULL, *ends = NULL;
  if (inner && inner->boundary) {
    p = *inner;
    boundary = *inner->boundary;
  } else if (owner) {
    PyErr_SetString(PyExc_ValueError, "the problem has no boundary conditions");
    goto done;
  } else if (make_problem(&v, spec, &p) < 0) goto done;
  if (!inner) {
    boundary.n = v.conditions;
    boundary.value = conditions;
    if (v.function[BC_LEFT] && v.function[BC_RIGHT]) boundary.jacobian = conditions_jacobian;
    boundary.n_parameter = v.np;
    boundary.parameter = v.p.data;
  }
  PyObject *times = get(spec, "table_t"), *span = get(spec, "t_span");
  if (times) {
    Py_ssize_t n = doubles_count(times);
    t = n < 0 ? NULL : doubles(times, n, "x");
    z = t ? doubles(get(spec, "table_z"), n * dae_problem_nz(&p), "y") : NULL;
    if (!z) goto done;
    if (get(spec, "table_y") && !(y = doubles(get(spec, "table_y"), n * dae_problem_ny(&p), "lam")))
      goto done;
    boundary.guess = NULL;
    boundary.n_table = (int)n;
    boundary.table_t = t, boundary.table_z = z, boundary.table_y = y;
  }
  if (span && (!(ends = doubles(span, 2, "the interval")))) goto done;
  if (ends) p.t0 = ends[0], p.t1 = ends[1];
  p.boundary = &boundary;
  if (PyErr_Occurred()) goto done;
  int python = !inner && !(is_tape(&v, F) && is_tape(&v, BC) && (v.m == 0 || is_tape(&v, G)));
  out = solve(&p, spec, dict, b, python);
done:
  drop(&v);
  PyMem_Free(t);
  PyMem_Free(z);
  PyMem_Free(y);
  PyMem_Free(ends);
  Py_DECREF(b);
  return out;
}

static void solution_dealloc(PyObject *me) {
  PyTypeObject *type = Py_TYPE(me);
  dae_solution_free(((solution *)me)->s);
  Py_CLEAR(((solution *)me)->keep);
  PyObject_Free(me);
  Py_DECREF(type);
}

static int there_is(solution *self) {
  if (!self->s) PyErr_SetString(PyExc_ValueError, "there is no solution");
  return self->s != NULL;
}

/* eval(times): (status, z, y, dz), a row for each time */
static PyObject *solution_eval(PyObject *me, PyObject *times) {
  solution *self = (solution *)me;
  if (!there_is(self)) return NULL;
  Py_ssize_t n = doubles_count(times);
  double *t = n < 0 ? NULL : doubles(times, n, "x");
  if (!t) return NULL;
  PyObject *z = PyByteArray_FromStringAndSize(NULL, n * self->nz * (Py_ssize_t)sizeof(double));
  PyObject *y = PyByteArray_FromStringAndSize(NULL, n * self->ny * (Py_ssize_t)sizeof(double));
  PyObject *d = PyByteArray_FromStringAndSize(NULL, n * self->nz * (Py_ssize_t)sizeof(double));
  int status = DAE_OK;
  for (Py_ssize_t i = 0; z && y && d && i < n && status == DAE_OK; i++)
    status = dae_solution_eval(self->s, t[i], (double *)PyByteArray_AsString(z) + i * self->nz,
                               (double *)PyByteArray_AsString(y) + i * self->ny,
                               (double *)PyByteArray_AsString(d) + i * self->nz);
  PyMem_Free(t);
  return Py_BuildValue("iNNN", status, z, y, d);
}

static PyObject *solution_info(PyObject *me, PyObject *unused) {
  (void)unused;
  solution *self = (solution *)me;
  if (!there_is(self)) return NULL;
  int intervals = 0, meshes = 0;
  const double *mesh = dae_solution_mesh(self->s, &intervals);
  const int *history = dae_solution_history(self->s, &meshes);
  const dae_bvp_stats *c = dae_solution_stats(self->s);
  PyObject *list = PyList_New(meshes);
  for (int i = 0; list && i < meshes; i++) PyList_SetItem(list, i, PyLong_FromLong(history[i]));
  const double *parameter = dae_solution_parameter(self->s);
  double error = dae_solution_error(self->s, NULL, NULL);
  return Py_BuildValue(
      "{s:N,s:N,s:N,s:d,s:s,s:s,s:l,s:l,s:l,s:l,s:d,s:N}", "mesh", bytes_of(mesh, intervals + 1),
      "history", list, "parameter", bytes_of(parameter, self->n_parameter), "error", error,
      "method", dae_solution_method(self->s), "form", dae_solution_form(self->s), "newton",
      c->newton, "evaluations", c->evaluations, "jacobians", c->jacobians, "factorizations",
      c->factorizations, "condition", c->condition, "audit", audit_dict(&c->audit));
}

static PyMethodDef solution_methods[] = {
    {"eval", solution_eval, METH_O, "values at times"},
    {"info", solution_info, METH_NOARGS, "mesh, error, counts"},
    {NULL, NULL, 0, NULL}};

PyObject *new_solution_type(void) {
  PyType_Slot slots[] = {{Py_tp_new, PyType_GenericNew},
                         {Py_tp_dealloc, solution_dealloc},
                         {Py_tp_methods, solution_methods},
                         {Py_tp_doc, "a solution in C"},
                         {0, NULL}};
  PyType_Spec spec = {"daedal._core.Solution", sizeof(solution), 0, Py_TPFLAGS_DEFAULT, slots};
  return PyType_FromSpec(&spec);
}
