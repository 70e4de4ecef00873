/* the solver object, and the loop that records a run */
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* rows of numbers that grow */
typedef struct rows {
  double *data;
  size_t count, capacity;
} rows;

/* room for n more numbers, NULL when there is no memory */
static double *more(rows *r, size_t n) {
  if (r->count + n > r->capacity) {
    size_t capacity = 2 * r->capacity + n + 256;
    double *data = realloc(r->data, capacity * sizeof *data);
    if (!data) return NULL;
    r->data = data;
    r->capacity = capacity;
  }
  double *place = r->data + r->count;
  r->count += n;
  return place;
}

static PyObject *rows_bytes(rows *r) {
  PyObject *out = bytes_of(r->data, (Py_ssize_t)r->count);
  free(r->data);
  *r = (rows){0};
  return out;
}

typedef struct recorder {
  solver *self;
  int nz, ny, nh, order;
  double t_end;
  const double *t_eval; /* NULL: all accepted points */
  Py_ssize_t n_eval, i_eval;
  int nodes; /* inner points of a step that are kept for a continuous solution, 0: none */
  const double *node;
  rows points; /* t, z, y */
  rows accepted; /* the same, where steps ended, when t_eval is given and `keep` is set */
  int keep;
  rows pieces; /* t_old, t, then z, y at the nodes */
  rows hits;   /* event, t, z, y */
  double drift[DAE_ORDER_MAX]; /* over output points */
  int n_hit, n_event;
  long terminal[EVENTS_MOST], met[EVENTS_MOST];
  long steps, steps_most;
} recorder;

static int at_point(recorder *r, rows *to, double first, double t, int dense) {
  dae_solver *s = r->self->s;
  double *row = more(to, (size_t)(1 + (to == &r->hits) + r->nz + r->ny));
  if (!row) return DAE_E_MEMORY;
  if (to == &r->hits) *row++ = first;
  *row = t;
  if (dense) return dae_solver_eval(s, t, row + 1, row + 1 + r->nz);
  memcpy(row + 1, dae_solver_z(s), (size_t)r->nz * sizeof *row);
  if (r->ny > 0) memcpy(row + 1 + r->nz, dae_solver_y(s), (size_t)r->ny * sizeof *row);
  return DAE_OK;
}

/* the points of t_eval that the last step has passed; the accepted point itself without t_eval */
static int output_points(recorder *r) {
  dae_solver *s = r->self->s;
  double t = dae_solver_time(s), sign = r->t_end < dae_solver_previous_time(s) ? -1 : 1;
  if (!r->t_eval) return at_point(r, &r->points, 0, t, 0);
  if (r->keep) {
    int status = at_point(r, &r->accepted, 0, t, 0);
    if (status != DAE_OK) return status;
  }
  for (; r->i_eval < r->n_eval && sign * (r->t_eval[r->i_eval] - t) <= 0; r->i_eval++) {
    double at = r->t_eval[r->i_eval], drift[DAE_ORDER_MAX] = {0};
    int status = at_point(r, &r->points, 0, at, at != t);
    if (status != DAE_OK) return status;
    if (r->nh == 0 || at == t) continue;
    const double *row = r->points.data + r->points.count - r->nz - r->ny;
    if (dae_solver_drift(s, at, row, drift) != DAE_OK) continue;
    for (int l = 0; l < r->order; l++) r->drift[l] = fmax(r->drift[l], drift[l]);
  }
  return DAE_OK;
}

/* a piece of the continuous solution: values at nodes of the last step */
static int keep_piece(recorder *r, double t_old) {
  dae_solver *s = r->self->s;
  double t = dae_solver_time(s);
  size_t width = (size_t)(r->nz + r->ny);
  double *row = more(&r->pieces, 2 + (size_t)r->nodes * width);
  if (!row) return DAE_E_MEMORY;
  row[0] = t_old;
  row[1] = t;
  row += 2;
  for (int i = 0; i < r->nodes; i++, row += width) {
    double at = t_old + r->node[i] * (t - t_old);
    int status = dae_solver_eval(s, i == r->nodes - 1 ? t : at, row, row + r->nz);
    if (status != DAE_OK) return status;
  }
  return DAE_OK;
}

/* events that the last step has met: > 0 ends the run */
static int new_events(recorder *r) {
  dae_solver *s = r->self->s;
  int count = 0;
  const dae_event_hit *hit = dae_solver_events(s, &count);
  for (; r->n_hit < count; r->n_hit++) {
    int e = hit[r->n_hit].event;
    double t = hit[r->n_hit].t;
    int status = at_point(r, &r->hits, e, t, t != dae_solver_time(s));
    if (status != DAE_OK) return status;
    if (e >= 0 && e < r->n_event && r->terminal[e] > 0 && ++r->met[e] >= r->terminal[e])
      return DAE_EVENT;
  }
  return DAE_OK;
}

/* Ctrl-C while no Python function runs: asked for every so often. -1 with an exception */
static int interrupted(problem *b, PyThreadState *saved, struct timespec *last) {
  enum { PERIOD = 20 * 1000 * 1000 }; /* ns */
  struct timespec now;
  if (b->python) return 0;
  timespec_get(&now, TIME_UTC);
  if (now.tv_sec == last->tv_sec && labs(now.tv_nsec - last->tv_nsec) < PERIOD) return 0;
  *last = now;
  PyEval_RestoreThread(saved);
  int status = PyErr_CheckSignals();
  PyEval_SaveThread();
  return status;
}

/* one step and what is to be kept of it */
static int one_step(recorder *r) {
  dae_solver *s = r->self->s;
  double t_old = dae_solver_time(s);
  int status = dae_solver_step(s, r->t_end);
  double t = dae_solver_time(s);
  if (status != DAE_OK && status != DAE_EVENT) return status;
  if (t != t_old) {
    int kept = r->nodes > 0 ? keep_piece(r, t_old) : DAE_OK;
    if (kept == DAE_OK) kept = output_points(r);
    if (kept != DAE_OK) return kept;
  }
  int met = new_events(r);
  if (met < 0 || met == DAE_EVENT) return met;
  /* a terminal event of a model is one; one of ours goes on until it has been met often enough */
  return status == DAE_EVENT && r->n_event == 0 ? status : DAE_OK;
}

/* steps to the end; DAE_OK, DAE_EVENT, an error, or RAISED by Python */
enum { RAISED = 1000 };
static int run_loop(recorder *r, PyThreadState *saved) {
  dae_solver *s = r->self->s;
  struct timespec last;
  timespec_get(&last, TIME_UTC);
  while (dae_solver_time(s) != r->t_end) {
    if (r->steps++ >= r->steps_most) return DAE_E_LIMIT;
    int status = one_step(r);
    if (status != DAE_OK) return status;
    if (interrupted(r->self->problem, saved, &last) < 0) return RAISED;
  }
  int status = dae_solver_advance(s, r->t_end);
  return status == DAE_OK ? (int)dae_solver_finish(s) : status;
}

static int is_open(solver *self) {
  if (!self->s) PyErr_SetString(PyExc_ValueError, "the solver is closed");
  else if (self->problem->busy)
    PyErr_SetString(PyExc_RuntimeError, "the solver is at work already: a function that it calls, "
                                        "or another thread, must not use it");
  else return 1;
  return 0;
}

/* the lock is given back unless a Python function may be called */
static PyThreadState *begin_work(solver *self) {
  self->problem->busy = 1;
  return self->problem->python ? NULL : PyEval_SaveThread();
}

static int end_work(solver *self, PyThreadState *saved) {
  if (saved) PyEval_RestoreThread(saved);
  self->problem->busy = 0;
  return problem_failed(self->problem) || PyErr_Occurred() ? -1 : 0;
}

/* Solver(problem, options, absolute tolerances or None) */
static int solver_init(PyObject *me, PyObject *args, PyObject *kw) {
  (void)kw;
  solver *self = (solver *)me;
  PyObject *p, *dict, *atols;
  dae_options o;
  dae_report report;
  double *each = NULL;
  if (!PyArg_ParseTuple(args, "O!O!O", problem_type, &p, &PyDict_Type, &dict, &atols)) return -1;
  if (self->problem) {
    PyErr_SetString(PyExc_TypeError, "a solver is made once");
    return -1;
  }
  if (read_options(dict, &o) < 0) return -1;
  int nz = dae_problem_nz(&((problem *)p)->p);
  if (atols != Py_None && !(each = doubles(atols, nz, "atol"))) return -1;
  if (each) o.atols = each, o.n_atols = nz;
  self->problem = (problem *)Py_NewRef(p);
  dae_status status = dae_solver_new(&self->s, &self->problem->p, &o, &report);
  PyMem_Free(each);
  if (problem_failed(self->problem)) return -1;
  if (status == DAE_OK) return 0;
  if (status == DAE_E_MEMORY) PyErr_NoMemory();
  else PyErr_Format(PyExc_ValueError, "%s", report.message);
  return -1;
}

static void solver_dealloc(PyObject *me) {
  solver *self = (solver *)me;
  PyTypeObject *type = Py_TYPE(me);
  PyObject_GC_UnTrack(me);
  dae_solver_free(self->s);
  PyMem_Free(self->hits);
  Py_CLEAR(self->problem);
  PyObject_GC_Del(me);
  Py_DECREF(type);
}

static int solver_traverse(PyObject *me, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(me));
  Py_VISIT(((solver *)me)->problem);
  return 0;
}

/* start(t0, z or None): status */
static PyObject *solver_start(PyObject *me, PyObject *args) {
  solver *self = (solver *)me;
  double t0, *z = NULL;
  PyObject *array;
  if (!PyArg_ParseTuple(args, "dO", &t0, &array) || !is_open(self)) return NULL;
  if (array != Py_None && !(z = doubles(array, dae_problem_nz(&self->problem->p), "z")))
    return NULL;
  PyThreadState *saved = begin_work(self);
  dae_status status = dae_solver_start(self->s, t0, z, NULL);
  int failed = end_work(self, saved);
  PyMem_Free(z);
  return failed ? NULL : PyLong_FromLong(status);
}

/* hit(times): times that must be hit exactly */
static PyObject *solver_hit(PyObject *me, PyObject *array) {
  solver *self = (solver *)me;
  if (!is_open(self)) return NULL;
  Py_ssize_t n = doubles_count(array);
  double *times = n < 0 ? NULL : doubles(array, n, "hit");
  if (!times) return NULL;
  PyMem_Free(self->hits);
  self->hits = times;
  return PyLong_FromLong(dae_solver_hit(self->s, times, (int)n));
}

/* run(t_end, t_eval or None, nodes or None, terminal counts, most steps, keep accepted points):
   (status, points, pieces, hits, drift of output points, accepted points) */
static PyObject *solver_run(PyObject *me, PyObject *args) {
  solver *self = (solver *)me;
  PyObject *t_eval, *nodes, *terminal;
  recorder r = {.self = self};
  if (!PyArg_ParseTuple(args, "dOOO!lp", &r.t_end, &t_eval, &nodes, &PyList_Type, &terminal,
                        &r.steps_most, &r.keep) ||
      !is_open(self))
    return NULL;
  const dae_problem *p = &self->problem->p;
  r.nz = dae_problem_nz(p), r.ny = dae_problem_ny(p), r.nh = dae_problem_nh(p);
  r.order = dae_problem_order(p);
  r.n_event = (int)PyList_Size(terminal);
  for (int i = 0; i < r.n_event && i < EVENTS_MOST; i++)
    r.terminal[i] = PyLong_AsLong(PyList_GetItem(terminal, i));
  double *times = NULL, *places = NULL;
  if (t_eval != Py_None) {
    r.n_eval = doubles_count(t_eval);
    if (r.n_eval < 0 || !(times = doubles(t_eval, r.n_eval, "t_eval"))) return NULL;
    r.t_eval = times;
  }
  if (nodes != Py_None) {
    Py_ssize_t n = doubles_count(nodes);
    if (n < 0 || !(places = doubles(nodes, n, "nodes"))) {
      PyMem_Free(times);
      return NULL;
    }
    r.nodes = (int)n;
    r.node = places;
  }
  PyThreadState *saved = begin_work(self);
  int status = output_points(&r);
  if (status == DAE_OK) status = run_loop(&r, saved);
  int failed = end_work(self, saved);
  PyMem_Free(times);
  PyMem_Free(places);
  PyObject *points = rows_bytes(&r.points), *pieces = rows_bytes(&r.pieces),
           *hits = rows_bytes(&r.hits), *accepted = rows_bytes(&r.accepted);
  if (failed == 0 && status != RAISED)
    return Py_BuildValue("iNNNNN", status, points, pieces, hits, bytes_of(r.drift, r.order),
                         accepted);
  Py_XDECREF(accepted);
  Py_XDECREF(points);
  Py_XDECREF(pieces);
  Py_XDECREF(hits);
  return NULL;
}

static PyObject *solver_move(solver *self, PyObject *args,
                             dae_status (*move)(dae_solver *, double)) {
  double t;
  if (!PyArg_ParseTuple(args, "d", &t) || !is_open(self)) return NULL;
  PyThreadState *saved = begin_work(self);
  dae_status status = move(self->s, t);
  return end_work(self, saved) < 0 ? NULL : PyLong_FromLong(status);
}
static PyObject *solver_step(PyObject *me, PyObject *args) {
  return solver_move((solver *)me, args, dae_solver_step);
}
static PyObject *solver_advance(PyObject *me, PyObject *args) {
  return solver_move((solver *)me, args, dae_solver_advance);
}

/* eval(t): (status, z, y) within the last step */
static PyObject *solver_eval(PyObject *me, PyObject *args) {
  solver *self = (solver *)me;
  double t;
  if (!PyArg_ParseTuple(args, "d", &t) || !is_open(self)) return NULL;
  int nz = dae_problem_nz(&self->problem->p), ny = dae_problem_ny(&self->problem->p);
  double *z = PyMem_Calloc((size_t)(nz + ny + 1), sizeof *z);
  if (!z) return PyErr_NoMemory();
  PyThreadState *saved = begin_work(self);
  dae_status status = dae_solver_eval(self->s, t, z, z + nz);
  PyObject *out = end_work(self, saved) < 0 ? NULL
                                            : Py_BuildValue("iNN", status, bytes_of(z, nz),
                                                            bytes_of(z + nz, ny));
  PyMem_Free(z);
  return out;
}

/* project(t, z of one or many points, times as many): (status, z, largest distance) */
static PyObject *solver_project(PyObject *me, PyObject *args) {
  solver *self = (solver *)me;
  PyObject *times, *array;
  if (!PyArg_ParseTuple(args, "OO", &times, &array) || !is_open(self)) return NULL;
  int nz = dae_problem_nz(&self->problem->p);
  Py_ssize_t n = doubles_count(times);
  double *t = n < 0 ? NULL : doubles(times, n, "t");
  double *z = t ? doubles(array, n * nz, "z") : NULL, most = 0;
  PyObject *out = NULL;
  if (z) {
    dae_status status = DAE_OK;
    PyThreadState *saved = begin_work(self);
    for (Py_ssize_t i = 0; i < n && status == DAE_OK; i++) {
      double distance = 0;
      status = dae_solver_project(self->s, t[i], z + i * nz, &distance);
      most = fmax(most, distance);
    }
    if (end_work(self, saved) == 0) out = Py_BuildValue("iNd", status, bytes_of(z, n * nz), most);
  }
  PyMem_Free(t);
  PyMem_Free(z);
  return out;
}

/* drift(t, z): (status, numbers) */
static PyObject *solver_drift(PyObject *me, PyObject *args) {
  solver *self = (solver *)me;
  PyObject *array;
  double t, drift[DAE_ORDER_MAX] = {0};
  if (!PyArg_ParseTuple(args, "dO", &t, &array) || !is_open(self)) return NULL;
  double *z = doubles(array, dae_problem_nz(&self->problem->p), "z");
  if (!z) return NULL;
  PyThreadState *saved = begin_work(self);
  dae_status status = dae_solver_drift(self->s, t, z, drift);
  int failed = end_work(self, saved);
  PyMem_Free(z);
  if (failed) return NULL;
  return Py_BuildValue("iN", status, bytes_of(drift, dae_problem_order(&self->problem->p)));
}

/* point(): (t, t_old, z, y) */
static PyObject *solver_point(PyObject *me, PyObject *unused) {
  (void)unused;
  solver *self = (solver *)me;
  if (!is_open(self)) return NULL;
  const dae_problem *p = &self->problem->p;
  return Py_BuildValue("ddNN", dae_solver_time(self->s), dae_solver_previous_time(self->s),
                       bytes_of(dae_solver_z(self->s), dae_problem_nz(p)),
                       bytes_of(dae_solver_y(self->s), dae_problem_ny(p)));
}

static PyObject *solver_report(PyObject *me, PyObject *unused) {
  (void)unused;
  return is_open((solver *)me) ? report_dict(dae_solver_report(((solver *)me)->s)) : NULL;
}

static PyObject *solver_stats(PyObject *me, PyObject *unused) {
  (void)unused;
  solver *self = (solver *)me;
  if (!is_open(self)) return NULL;
  const dae_stats *c = dae_solver_stats(self->s);
  PyObject *d = PyDict_New();
  if (!d) return NULL;
#define COUNT(name)                                               \
  if (set_item(d, #name, PyLong_FromLong((long)c->name)) < 0) { \
    Py_DECREF(d);                                                 \
    return NULL;                                                  \
  }
#define REAL(name)                                               \
  if (set_item(d, #name, PyFloat_FromDouble(c->name)) < 0) {   \
    Py_DECREF(d);                                                \
    return NULL;                                                 \
  }
  COUNT(steps) COUNT(rejected) COUNT(evaluations) COUNT(constraints) COUNT(jacobians)
  COUNT(factorizations) COUNT(solves) COUNT(newton) COUNT(stabilizations) COUNT(restarts)
  COUNT(events) COUNT(switches) COUNT(singular_passed) COUNT(second_derivatives) COUNT(differences)
  REAL(h_first) REAL(h_last) REAL(h_min) REAL(h_max) REAL(smallest) REAL(t_smallest)
  int order = dae_problem_order(&self->problem->p);
  if (set_item(d, "drift_max", bytes_of(c->drift_max, order)) < 0 ||
      set_item(d, "drift_last", bytes_of(c->drift_last, order)) < 0 ||
      set_item(d, "audit", audit_dict(&c->audit)) < 0) {
    Py_DECREF(d);
    return NULL;
  }
  return d;
}

/* choices(): (method, form, stabilizer) that are in use */
static PyObject *solver_choices(PyObject *me, PyObject *unused) {
  (void)unused;
  solver *self = (solver *)me;
  if (!is_open(self)) return NULL;
  return Py_BuildValue("sss", dae_solver_method(self->s), dae_solver_form(self->s),
                       dae_solver_stabilize(self->s));
}

/* history(): (switches, passages) */
static PyObject *solver_history(PyObject *me, PyObject *unused) {
  (void)unused;
  solver *self = (solver *)me;
  if (!is_open(self)) return NULL;
  int n = 0;
  const dae_switch *w = dae_solver_switches(self->s, &n);
  PyObject *switches = PyList_New(n);
  for (int i = 0; switches && i < n; i++)
    PyList_SetItem(switches, i, Py_BuildValue("{s:d,s:s,s:s,s:s,s:d,s:d}", "t", w[i].t, "from",
                                              w[i].from, "to", w[i].to, "form", w[i].form, "h",
                                              w[i].h, "rate", w[i].rate));
  const dae_passage *g = dae_solver_passages(self->s, &n);
  PyObject *passages = PyList_New(n);
  for (int i = 0; passages && i < n; i++)
    PyList_SetItem(passages, i, Py_BuildValue("{s:d,s:d,s:d}", "t", g[i].t, "smallest",
                                              g[i].smallest, "accuracy", g[i].accuracy));
  return Py_BuildValue("NN", switches, passages);
}

/* save(): the whole state as bytes */
static PyObject *solver_save(PyObject *me, PyObject *unused) {
  (void)unused;
  solver *self = (solver *)me;
  size_t size = 0;
  if (!is_open(self)) return NULL;
  dae_status status = dae_solver_save(self->s, NULL, &size);
  PyObject *out =
      status == DAE_OK ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size) : NULL;
  if (out) status = dae_solver_save(self->s, PyBytes_AsString(out), &size);
  if (status == DAE_OK || PyErr_Occurred()) return out;
  Py_XDECREF(out);
  PyErr_SetString(PyExc_ValueError, dae_solver_report(self->s)->message);
  return NULL;
}

/* restore(bytes) */
static PyObject *solver_restore(PyObject *me, PyObject *bytes) {
  solver *self = (solver *)me;
  char *data;
  Py_ssize_t size;
  if (!is_open(self) || PyBytes_AsStringAndSize(bytes, &data, &size) < 0) return NULL;
  if (dae_solver_restore(self->s, data, (size_t)size) == DAE_OK) Py_RETURN_NONE;
  PyErr_Format(PyExc_ValueError, "state: %s", dae_solver_report(self->s)->message);
  return NULL;
}

static PyObject *solver_close(PyObject *me, PyObject *unused) {
  (void)unused;
  solver *self = (solver *)me;
  if (self->s && !is_open(self)) return NULL;
  dae_solver_free(self->s);
  self->s = NULL;
  Py_RETURN_NONE;
}

static PyMethodDef solver_methods[] = {
    {"start", solver_start, METH_VARARGS, "consistent start"},
    {"hit", solver_hit, METH_O, "times that must be hit"},
    {"run", solver_run, METH_VARARGS, "steps to the end, recorded"},
    {"step", solver_step, METH_VARARGS, "one step"},
    {"advance", solver_advance, METH_VARARGS, "steps to a time"},
    {"eval", solver_eval, METH_VARARGS, "values within the last step"},
    {"project", solver_project, METH_VARARGS, "nearest consistent points"},
    {"drift", solver_drift, METH_VARARGS, "residuals at a point"},
    {"point", solver_point, METH_NOARGS, "the present point"},
    {"report", solver_report, METH_NOARGS, "why a call came back"},
    {"stats", solver_stats, METH_NOARGS, "counts"},
    {"choices", solver_choices, METH_NOARGS, "method, form, stabilizer"},
    {"history", solver_history, METH_NOARGS, "switches and passages"},
    {"save", solver_save, METH_NOARGS, "the whole state"},
    {"restore", solver_restore, METH_O, "back to a saved state"},
    {"close", solver_close, METH_NOARGS, "gives the memory back"},
    {NULL, NULL, 0, NULL}};

PyObject *new_solver_type(void) {
  PyType_Slot slots[] = {{Py_tp_init, solver_init},         {Py_tp_new, PyType_GenericNew},
                         {Py_tp_dealloc, solver_dealloc},   {Py_tp_traverse, solver_traverse},
                         {Py_tp_methods, solver_methods},   {Py_tp_doc, "a solver in C"},
                         {0, NULL}};
  PyType_Spec spec = {"daedal._core.Solver", sizeof(solver), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  return PyType_FromSpec(&spec);
}
