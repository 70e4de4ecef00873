/* the binding: what its files share. Only the limited API of Python 3.11 and daedal's headers */
#ifndef DAEDAL_PYTHON_CORE_H
#define DAEDAL_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <daedal/daedal.h>

/* the functions of a problem that may be Python's or a C pointer's */
typedef enum slot {
  SLOT_F,          /* ODE: f(t, z); mechanical: force(t, q, v); implicit: F(t, x, x') or f(t, x) */
  SLOT_F_Z,        /* ODE: df/dz; implicit: dF/dx or df/dx */
  SLOT_H,          /* ODE: invariants h(t, z); mechanical: g(t, q) */
  SLOT_H_Z,        /* dh/dz; mechanical: G(t, q) */
  SLOT_MASS,       /* M(t, q) */
  SLOT_CURVE,      /* curvature(t, q, v) */
  SLOT_W,          /* W(t, q) */
  SLOT_W_0,        /* w(t, q) */
  SLOT_W_RATE,     /* d/dt (W v + w) without W v' */
  SLOT_G_T,        /* dg/dt; ODE: dh/dt */
  SLOT_FORCE_Q,    /* d force / dq */
  SLOT_FORCE_V,    /* d force / dv */
  SLOT_VELOCITY_Q, /* d/dq (G v + g_t) */
  SLOT_F_DX,       /* implicit: dF/dx' */
  SLOT_COUNT
} slot;

enum { EVENTS_MOST = 64 };

/* an array of doubles that lives in NumPy: filled here, copied for each call of a function */
typedef struct template_array {
  PyObject *copy; /* its method copy */
  double *data;
  Py_buffer buffer;
} template_array;

/* a problem: what the solver sees, and the functions behind it */
typedef struct problem {
  PyObject_HEAD
  dae_problem p;
  const dae_problem *inner; /* of a model or the gallery; forwarded when events are added */
  PyObject *owner;          /* whom `inner` belongs to, as a Python object */
  const char *gallery;      /* name of the entry to close, or NULL */
  PyObject *function[SLOT_COUNT];
  PyObject *tape[SLOT_COUNT];
  void *pointer[SLOT_COUNT];
  void *user; /* what C functions get as their last argument */
  PyObject *convert;
  template_array whole, first, second; /* z; q and v, or x and x' */
  PyObject *event[EVENTS_MOST], *change[EVENTS_MOST];
  dae_event events[EVENTS_MOST];
  double *mass; /* constant */
  double *z0, *y0, *dx0;
  unsigned char *fixed;
  char **names; /* z, then constraints */
  int n_names;
  int *pattern;
  dae_pattern jacobian;
  int python; /* a Python function may be called: the lock is kept */
  PyObject *error[3];
  int busy;
} problem;

typedef struct solver {
  PyObject_HEAD
  dae_solver *s;
  problem *problem;
  double *hits;
} solver;

typedef struct model {
  PyObject_HEAD
  dae_model *m;
} model;

extern PyTypeObject *problem_type, *solver_type, *model_type, *solution_type, *tape_type;

/* value.c */
/* n doubles of an object with a buffer, or NULL with an exception that names the argument */
double *doubles(PyObject *object, Py_ssize_t n, const char *name);
Py_ssize_t doubles_count(PyObject *object);
PyObject *bytes_of(const double *data, Py_ssize_t n);
/* sets options from a dict of text; -1 with an exception */
int read_options(PyObject *dict, dae_options *o);
PyObject *report_dict(const dae_report *r);
PyObject *audit_dict(const dae_audit *a);
int set_item(PyObject *dict, const char *key, PyObject *value);

/* calls.c */
extern const char *const slot_name[SLOT_COUNT];
/* the functions of a kind that are given, once its sizes and a constant mass are there */
void bind_ode(problem *b);
void bind_mechanical(problem *b);
void bind_implicit(problem *b);
/* events know nothing of their number: one function for each */
extern int (*const event_value_of[EVENTS_MOST])(double, const double *, const double *, double *,
                                                void *);
extern int (*const event_change_of[EVENTS_MOST])(double, double *, void *);
int problem_failed(problem *b); /* a function raised: the exception is set again */
int take_array(template_array *a, PyObject *array);
void drop_array(template_array *a);
/* calls a function with arrays; its result, n doubles, goes to out. 0, or -1 and the exception is
   kept in b */
int call_function(problem *b, PyObject *function, const char *name, double t,
                  PyObject *const *arrays, double *out, int rows, int cols);
PyObject *filled(template_array *a, const double *from, int n);
/* tape.c */
int tape_run(PyObject *object, double t, const double *first, int n_first, const double *second,
             int n_second, double *out);
int tape_fits(PyObject *object, int n_in, int n_out);
PyObject *new_tape_type(void);
/* forward.c */
void forward_all(problem *b);

PyObject *new_problem_type(void);
PyObject *new_solver_type(void);
PyObject *new_model_type(void);
PyObject *new_solution_type(void);
PyObject *bvp_solve(PyObject *self, PyObject *args);
PyObject *gallery_problem(PyObject *self, PyObject *args);
PyObject *gallery_list(PyObject *self, PyObject *args);
PyObject *papers_list(PyObject *self, PyObject *unused);
PyObject *papers_row_of(PyObject *self, PyObject *args);

#endif
