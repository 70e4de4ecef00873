/* the functions of a problem as the library calls them: Python's, tapes or C pointers behind */
#include "core.h"

#include <string.h>

const char *const slot_name[SLOT_COUNT] = {"f",         "f_z",     "h",          "h_z",    "mass",
                                           "curvature", "W",       "w",          "w_rate", "g_t",
                                           "force_q",   "force_v", "velocity_q", "f_dx"};

int take_array(template_array *a, PyObject *array) {
  if (PyObject_GetBuffer(array, &a->buffer, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return -1;
  a->data = a->buffer.buf;
  a->copy = PyObject_GetAttrString(array, "copy");
  return a->copy ? 0 : -1;
}

void drop_array(template_array *a) {
  if (a->data) PyBuffer_Release(&a->buffer);
  a->data = NULL;
  Py_CLEAR(a->copy);
}

/* a new array with these numbers: the function may keep or change it */
PyObject *filled(template_array *a, const double *from, int n) {
  memcpy(a->data, from, (size_t)n * sizeof *from);
  return PyObject_CallNoArgs(a->copy);
}

/* keeps the exception that is set until the library has come back */
static int keep_error(problem *b) {
  if (b->error[0]) PyErr_Clear();
  else PyErr_Fetch(&b->error[0], &b->error[1], &b->error[2]);
  return -1;
}

int problem_failed(problem *b) {
  if (!b->error[0]) return 0;
  PyErr_Restore(b->error[0], b->error[1], b->error[2]);
  b->error[0] = b->error[1] = b->error[2] = NULL;
  return 1;
}

/* a vector or row-major matrix of float64 goes to out as it is: 1; 0 when it is something else */
static int take_plain(PyObject *result, double *out, int rows, int cols) {
  Py_buffer view;
  if (PyObject_GetBuffer(result, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
    PyErr_Clear();
    return 0;
  }
  int fits = view.format && strcmp(view.format, "d") == 0 &&
             (cols > 0 ? view.ndim == 2 && view.shape[0] == rows && view.shape[1] == cols
                       : view.ndim == 1 && view.shape[0] == rows);
  if (fits) memcpy(out, view.buf, (size_t)view.len);
  PyBuffer_Release(&view);
  return fits;
}

/* result to out; cols 0: a vector. The given-away result may be NULL */
static int take_result(problem *b, PyObject *result, const char *name, double *out, int rows,
                       int cols) {
  if (!result) return keep_error(b);
  if (take_plain(result, out, rows, cols)) {
    Py_DECREF(result);
    return 0;
  }
  PyObject *plain = PyObject_CallFunction(b->convert, "Osii", result, name, rows, cols);
  Py_DECREF(result);
  if (!plain) return keep_error(b);
  int fits = take_plain(plain, out, rows, cols);
  Py_DECREF(plain);
  if (fits) return 0;
  PyErr_Format(PyExc_TypeError, "%s: the result is no array of numbers", name);
  return keep_error(b);
}

/* function(t, arrays..), arrays are given away */
int call_function(problem *b, PyObject *function, const char *name, double t,
                  PyObject *const *arrays, double *out, int rows, int cols) {
  PyObject *time = PyFloat_FromDouble(t), *result = NULL;
  if (time && arrays[0] && arrays[1])
    result = PyObject_CallFunctionObjArgs(function, time, arrays[0], arrays[1], NULL);
  else if (time && arrays[0])
    result = PyObject_CallFunctionObjArgs(function, time, arrays[0], NULL);
  Py_XDECREF(time);
  Py_XDECREF(arrays[0]);
  Py_XDECREF(arrays[1]);
  return take_result(b, result, name, out, rows, cols);
}

typedef int (*function_1)(double, const double *, double *, void *);
typedef int (*function_2)(double, const double *, const double *, double *, void *);

/* a function of (t, one array) */
static int call_1(problem *b, slot which, template_array *a, double t, const double *x, int n,
                  double *out, int rows, int cols) {
  if (b->tape[which]) return tape_run(b->tape[which], t, x, n, NULL, 0, out);
  if (b->pointer[which]) return ((function_1)b->pointer[which])(t, x, out, b->user);
  PyObject *arrays[2] = {filled(a, x, n), NULL};
  return call_function(b, b->function[which], slot_name[which], t, arrays, out, rows, cols);
}

/* a function of (t, q, v) or (t, x, x') */
static int call_2(problem *b, slot which, double t, const double *q, const double *v, double *out,
                  int rows, int cols) {
  int n = dae_problem_nx(&b->p);
  if (b->tape[which]) return tape_run(b->tape[which], t, q, n, v, n, out);
  if (b->pointer[which]) return ((function_2)b->pointer[which])(t, q, v, out, b->user);
  PyObject *arrays[2] = {filled(&b->first, q, n), filled(&b->second, v, n)};
  if (!arrays[1]) Py_CLEAR(arrays[0]);
  return call_function(b, b->function[which], slot_name[which], t, arrays, out, rows, cols);
}

static int ode_f(double t, const double *z, double *dz, void *ctx) {
  problem *b = ctx;
  return call_1(b, SLOT_F, &b->whole, t, z, b->p.ode.n, dz, b->p.ode.n, 0);
}
static int ode_f_z(double t, const double *z, double *J, void *ctx) {
  problem *b = ctx;
  int n = b->p.ode.n;
  return call_1(b, SLOT_F_Z, &b->whole, t, z, n, J, n, n);
}
static int ode_h(double t, const double *z, double *h, void *ctx) {
  problem *b = ctx;
  return call_1(b, SLOT_H, &b->whole, t, z, b->p.ode.n, h, b->p.ode.nh, 0);
}
static int ode_h_z(double t, const double *z, double *H, void *ctx) {
  problem *b = ctx;
  return call_1(b, SLOT_H_Z, &b->whole, t, z, b->p.ode.n, H, b->p.ode.nh, b->p.ode.n);
}
static int mech_force(double t, const double *q, const double *v, double *f, void *ctx) {
  problem *b = ctx;
  return call_2(b, SLOT_F, t, q, v, f, b->p.mechanical.nq, 0);
}
static int mech_g(double t, const double *q, double *g, void *ctx) {
  problem *b = ctx;
  const dae_mechanical *m = &b->p.mechanical;
  return call_1(b, SLOT_H, &b->first, t, q, m->nq, g, m->ng, 0);
}
static int mech_G(double t, const double *q, double *G, void *ctx) {
  problem *b = ctx;
  const dae_mechanical *m = &b->p.mechanical;
  return call_1(b, SLOT_H_Z, &b->first, t, q, m->nq, G, m->ng, m->nq);
}
static int mech_mass(double t, const double *q, double *M, void *ctx) {
  problem *b = ctx;
  int n = b->p.mechanical.nq, dense = b->p.mechanical.mass_kind == DAE_MASS_DENSE;
  if (!b->mass) return call_1(b, SLOT_MASS, &b->first, t, q, n, M, n, dense ? n : 0);
  memcpy(M, b->mass, (size_t)n * (size_t)(dense ? n : 1) * sizeof *M);
  return 0;
}
static int mech_curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  problem *b = ctx;
  return call_2(b, SLOT_CURVE, t, q, v, c, b->p.mechanical.ng, 0);
}
static int mech_W(double t, const double *q, double *W, void *ctx) {
  problem *b = ctx;
  const dae_mechanical *m = &b->p.mechanical;
  return call_1(b, SLOT_W, &b->first, t, q, m->nq, W, m->nw, m->nq);
}
static int mech_w(double t, const double *q, double *w, void *ctx) {
  problem *b = ctx;
  const dae_mechanical *m = &b->p.mechanical;
  return call_1(b, SLOT_W_0, &b->first, t, q, m->nq, w, m->nw, 0);
}

static int ode_h_t(double t, const double *z, double *ht, void *ctx) {
  problem *b = ctx;
  return call_1(b, SLOT_G_T, &b->whole, t, z, b->p.ode.n, ht, b->p.ode.nh, 0);
}
static int mech_g_t(double t, const double *q, double *gt, void *ctx) {
  problem *b = ctx;
  const dae_mechanical *m = &b->p.mechanical;
  return call_1(b, SLOT_G_T, &b->first, t, q, m->nq, gt, m->ng, 0);
}
static int mech_force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  problem *b = ctx;
  return call_2(b, SLOT_FORCE_Q, t, q, v, J, b->p.mechanical.nq, b->p.mechanical.nq);
}
static int mech_force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  problem *b = ctx;
  return call_2(b, SLOT_FORCE_V, t, q, v, J, b->p.mechanical.nq, b->p.mechanical.nq);
}
static int mech_velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  problem *b = ctx;
  return call_2(b, SLOT_VELOCITY_Q, t, q, v, L, b->p.mechanical.ng, b->p.mechanical.nq);
}
static int mech_w_rate(double t, const double *q, const double *v, double *c, void *ctx) {
  problem *b = ctx;
  return call_2(b, SLOT_W_RATE, t, q, v, c, b->p.mechanical.nw, 0);
}

/* F(t, x, x'), or M x' = f(t, x) with a constant M */
static int implicit_F(double t, const double *x, const double *dx, double *F, void *ctx) {
  problem *b = ctx;
  return call_2(b, SLOT_F, t, x, dx, F, b->p.implicit.n, 0);
}
static int implicit_jacobian(double t, const double *x, const double *dx, double *Fdx, double *Fx,
                             void *ctx) {
  problem *b = ctx;
  int n = b->p.implicit.n, status = call_2(b, SLOT_F_DX, t, x, dx, Fdx, n, n);
  return status ? status : call_2(b, SLOT_F_Z, t, x, dx, Fx, n, n);
}
static int implicit_f(double t, const double *x, double *f, void *ctx) {
  problem *b = ctx;
  int n = b->p.implicit.n;
  return call_1(b, SLOT_F, &b->whole, t, x, n, f, n, 0);
}
static int implicit_f_x(double t, const double *x, double *J, void *ctx) {
  problem *b = ctx;
  int n = b->p.implicit.n;
  return call_1(b, SLOT_F_Z, &b->whole, t, x, n, J, n, n);
}
static int implicit_mass(double t, const double *x, double *M, void *ctx) {
  problem *b = ctx;
  int n = b->p.implicit.n, dense = b->p.implicit.mass_kind == DAE_MASS_DENSE;
  (void)t, (void)x;
  memcpy(M, b->mass, (size_t)n * (size_t)(dense ? n : 1) * sizeof *M);
  return 0;
}
static int implicit_h(double t, const double *x, double *h, void *ctx) {
  problem *b = ctx;
  return call_1(b, SLOT_H, &b->whole, t, x, b->p.implicit.n, h, b->p.implicit.nh, 0);
}
static int implicit_h_x(double t, const double *x, double *H, void *ctx) {
  problem *b = ctx;
  const dae_implicit *m = &b->p.implicit;
  return call_1(b, SLOT_H_Z, &b->whole, t, x, m->n, H, m->nh, m->n);
}
static int implicit_h_t(double t, const double *x, double *ht, void *ctx) {
  problem *b = ctx;
  return call_1(b, SLOT_G_T, &b->whole, t, x, b->p.implicit.n, ht, b->p.implicit.nh, 0);
}

/* the point as Python sees it: z; q and v; or all variables of a model */
static int arrays_of(problem *b, double t, const double *z, const double *y, PyObject **arrays) {
  arrays[0] = arrays[1] = NULL;
  if (b->p.kind == DAE_MECHANICAL && b->first.data) {
    int n = b->p.mechanical.nq;
    arrays[0] = filled(&b->first, z, n);
    arrays[1] = arrays[0] ? filled(&b->second, z + n, n) : NULL;
    return arrays[1] ? 0 : -1;
  }
  if (b->owner && Py_TYPE(b->owner) == model_type) {
    if (dae_model_values(((model *)b->owner)->m, t, z, y, b->whole.data) != 0) return 1;
    arrays[0] = PyObject_CallNoArgs(b->whole.copy);
  } else arrays[0] = filled(&b->whole, z, dae_problem_nz(&b->p));
  return arrays[0] ? 0 : -1;
}

static int event_value(int i, double t, const double *z, const double *y, double *value,
                       void *ctx) {
  problem *b = ctx;
  PyObject *arrays[2];
  int status = arrays_of(b, t, z, y, arrays);
  if (status > 0) return status;
  return call_function(b, b->event[i], "event", t, arrays, value, 1, 0);
}

/* the state after an event: function(t, ..) gives z anew */
static int event_change(int i, double t, double *z, void *ctx) {
  problem *b = ctx;
  PyObject *arrays[2];
  if (arrays_of(b, t, z, NULL, arrays) != 0) return keep_error(b);
  return call_function(b, b->change[i], "change", t, arrays, z, dae_problem_nz(&b->p), 0);
}

/* events know nothing of their number: one function for each */
#define EACH_8(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define EACH_64(X) \
  EACH_8(X, 00)    \
  EACH_8(X, 01) EACH_8(X, 02) EACH_8(X, 03) EACH_8(X, 04) EACH_8(X, 05) EACH_8(X, 06) EACH_8(X, 07)
#define EVENT_FUNCTIONS(i)                                                                     \
  static int value_##i(double t, const double *z, const double *y, double *value, void *ctx) { \
    return event_value(i, t, z, y, value, ctx);                                                \
  }                                                                                            \
  static int change_##i(double t, double *z, void *ctx) { return event_change(i, t, z, ctx); }
#define VALUE_NAME(i) value_##i,
#define CHANGE_NAME(i) change_##i,
EACH_64(EVENT_FUNCTIONS)
int (*const event_value_of[EVENTS_MOST])(double, const double *, const double *, double *,
                                         void *) = {EACH_64(VALUE_NAME)};
int (*const event_change_of[EVENTS_MOST])(double, double *, void *) = {EACH_64(CHANGE_NAME)};

static int given(const problem *b, slot which) {
  return b->function[which] || b->pointer[which] || b->tape[which];
}

void bind_ode(problem *b) {
  dae_ode *o = &b->p.ode;
  o->f = ode_f;
  if (given(b, SLOT_F_Z)) o->f_z = ode_f_z;
  if (given(b, SLOT_H)) o->h = ode_h;
  if (given(b, SLOT_H_Z)) o->h_z = ode_h_z;
  if (given(b, SLOT_G_T)) o->h_t = ode_h_t;
}

void bind_mechanical(problem *b) {
  dae_mechanical *m = &b->p.mechanical;
  if (given(b, SLOT_F)) m->force = mech_force;
  if (given(b, SLOT_H)) m->g = mech_g;
  if (given(b, SLOT_H_Z)) m->G = mech_G;
  if (given(b, SLOT_CURVE)) m->curvature = mech_curvature;
  if (given(b, SLOT_W)) m->W = mech_W;
  if (given(b, SLOT_W_0)) m->w = mech_w;
  if (given(b, SLOT_W_RATE)) m->w_rate = mech_w_rate;
  if (given(b, SLOT_G_T)) m->g_t = mech_g_t;
  if (given(b, SLOT_FORCE_Q)) m->force_q = mech_force_q;
  if (given(b, SLOT_FORCE_V)) m->force_v = mech_force_v;
  if (given(b, SLOT_VELOCITY_Q)) m->velocity_q = mech_velocity_q;
  if (b->mass || given(b, SLOT_MASS)) m->mass = mech_mass;
}

void bind_implicit(problem *b) {
  dae_implicit *m = &b->p.implicit;
  if (b->mass) {
    m->f = implicit_f;
    m->mass = implicit_mass;
    if (given(b, SLOT_F_Z)) m->f_x = implicit_f_x;
  } else {
    m->F = implicit_F;
    if (given(b, SLOT_F_Z) && given(b, SLOT_F_DX)) m->jacobian = implicit_jacobian;
  }
  if (given(b, SLOT_H)) m->h = implicit_h;
  if (given(b, SLOT_H_Z)) m->h_x = implicit_h_x;
  if (given(b, SLOT_G_T)) m->h_t = implicit_h_t;
}
