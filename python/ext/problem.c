/* problems whose functions are Python's, C pointers, or those of a model with events beside them */
#include "core.h"

#include <string.h>

#include "gallery.h"

/* what stands in a spec under a key: borrowed, NULL when it is missing or None */
static PyObject *item(PyObject *spec, const char *key) {
  PyObject *found = PyDict_GetItemString(spec, key);
  return found == Py_None ? NULL : found;
}

static int number(PyObject *spec, const char *key) {
  PyObject *found = item(spec, key);
  return found ? (int)PyLong_AsLong(found) : 0;
}

static int read_functions(problem *b, PyObject *functions) {
  for (int i = 0; i < SLOT_COUNT; i++) {
    PyObject *f = item(functions, slot_name[i]);
    if (!f) continue;
    if (PyLong_Check(f)) {
      b->pointer[i] = PyLong_AsVoidPtr(f);
      if (!b->pointer[i]) return -1;
    } else if (Py_TYPE(f) == tape_type) {
      b->tape[i] = Py_NewRef(f);
    } else {
      b->function[i] = Py_NewRef(f);
      b->python = 1;
    }
  }
  return 0;
}

/* a list of (function, direction, terminal, change or None) */
static int read_events(problem *b, PyObject *list) {
  Py_ssize_t n = PyList_Size(list);
  if (n < 0) return -1;
  if (n > EVENTS_MOST) {
    PyErr_Format(PyExc_ValueError, "events: at most %d, got %zd", EVENTS_MOST, n);
    return -1;
  }
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *f, *change;
    int direction, terminal;
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "OiiO", &f, &direction, &terminal, &change))
      return -1;
    b->event[i] = Py_NewRef(f);
    if (change != Py_None) b->change[i] = Py_NewRef(change);
    b->events[i] = (dae_event){.name = "event",
                               .value = event_value_of[i],
                               .direction = direction,
                               .terminal = terminal,
                               .change = b->change[i] ? event_change_of[i] : NULL};
    b->python = 1;
  }
  b->p.n_event = (int)n;
  b->p.event = n > 0 ? b->events : NULL;
  return 0;
}

/* names of z, of the constraints and of implicit equations, as lists of text */
static int read_names(problem *b, PyObject *z, PyObject *g, PyObject *e) {
  Py_ssize_t nz = z ? PyList_Size(z) : 0, ng = g ? PyList_Size(g) : 0, ne = e ? PyList_Size(e) : 0;
  if (nz < 0 || ng < 0 || ne < 0) return -1;
  if (nz + ng + ne == 0) return 0;
  b->names = PyMem_Calloc((size_t)(nz + ng + ne), sizeof *b->names);
  if (!b->names) return PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0; i < nz + ng + ne; i++) {
    PyObject *name = i < nz        ? PyList_GetItem(z, i)
                     : i < nz + ng ? PyList_GetItem(g, i - nz)
                                   : PyList_GetItem(e, i - nz - ng);
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);
    b->names[i] = text ? PyMem_Malloc((size_t)size + 1) : NULL;
    if (!b->names[i]) return -1;
    memcpy(b->names[i], text, (size_t)size + 1);
    b->n_names = (int)i + 1;
  }
  if (nz > 0) b->p.z_name = (const char *const *)b->names;
  if (ng > 0) b->p.g_name = (const char *const *)(b->names + nz);
  if (ne > 0) b->p.implicit.equation_name = (const char *const *)(b->names + nz + ng);
  return 0;
}

/* places of df/dz: int32 arrays start (n + 1) and column */
static int read_pattern(problem *b, PyObject *pair, int n) {
  PyObject *start, *column;
  Py_buffer s, c;
  if (!PyArg_ParseTuple(pair, "OO", &start, &column)) return -1;
  if (PyObject_GetBuffer(start, &s, PyBUF_C_CONTIGUOUS) < 0) return -1;
  if (PyObject_GetBuffer(column, &c, PyBUF_C_CONTIGUOUS) < 0) {
    PyBuffer_Release(&s);
    return -1;
  }
  b->pattern = PyMem_Malloc((size_t)(s.len + c.len) + sizeof(int));
  if (b->pattern) {
    memcpy(b->pattern, s.buf, (size_t)s.len);
    memcpy(b->pattern + n + 1, c.buf, (size_t)c.len);
    b->jacobian = (dae_pattern){n, n, b->pattern, b->pattern + n + 1};
  }
  PyBuffer_Release(&s);
  PyBuffer_Release(&c);
  return b->pattern ? 0 : (PyErr_NoMemory(), -1);
}

/* tapes have the sizes of what they stand for: inputs (t, ..) and results */
static int tapes_fit(const problem *b) {
  int mechanical = b->p.kind == DAE_MECHANICAL, implicit = b->p.kind == DAE_IMPLICIT;
  const dae_mechanical *m = &b->p.mechanical;
  int n = dae_problem_nx(&b->p), nw = mechanical ? m->nw : 0;
  int h = mechanical ? m->ng : implicit ? b->p.implicit.nh : b->p.ode.nh;
  int dense = mechanical && m->mass_kind == DAE_MASS_DENSE;
  int entries = b->pattern ? b->jacobian.start[n] : n * n;
  int rows[SLOT_COUNT] = {n,     entries, h,     h * n, dense ? n * n : n, h, nw * n, nw, nw, h,
                          n * n, n * n,   h * n, n * n};
  for (int i = 0; i < SLOT_COUNT; i++) {
    int both = i == SLOT_CURVE || i >= SLOT_FORCE_Q || i == SLOT_W_RATE ||
               (mechanical && i == SLOT_F) ||
               (implicit && b->p.implicit.F && (i == SLOT_F || i == SLOT_F_Z));
    if (b->tape[i] && !tape_fits(b->tape[i], both ? 1 + 2 * n : 1 + n, rows[i])) {
      PyErr_Format(PyExc_ValueError, "the tape of %s has another size", slot_name[i]);
      return 0;
    }
  }
  return 1;
}

static int make_ode(problem *b, PyObject *spec) {
  int n = number(spec, "n");
  dae_ode *o = &b->p.ode;
  b->p.kind = DAE_ODE;
  *o = (dae_ode){.n = n, .nh = number(spec, "nh")};
  bind_ode(b);
  PyObject *pattern = item(spec, "pattern");
  if (pattern && read_pattern(b, pattern, n) < 0) return -1;
  if (pattern) o->f_pattern = &b->jacobian;
  return tapes_fit(b) ? 0 : -1;
}

/* F(t, x, x') = 0, or M x' = f(t, x) when there is a mass */
static int make_implicit(problem *b, PyObject *spec) {
  int n = number(spec, "n");
  dae_implicit *m = &b->p.implicit;
  b->p.kind = DAE_IMPLICIT;
  *m = (dae_implicit){.n = n, .nh = number(spec, "nh"), .mass_constant = true};
  m->mass_kind = number(spec, "mass_dense") ? DAE_MASS_DENSE : DAE_MASS_DIAGONAL;
  PyObject *mass = item(spec, "mass"), *dx0 = item(spec, "dx0");
  PyObject *pattern = item(spec, "pattern");
  Py_ssize_t count = m->mass_kind == DAE_MASS_DENSE ? (Py_ssize_t)n * n : n;
  if (mass && !(b->mass = doubles(mass, count, "mass"))) return -1;
  if (dx0 && !(b->dx0 = doubles(dx0, n, "xdot0"))) return -1;
  if (pattern && read_pattern(b, pattern, n) < 0) return -1;
  m->dx0 = b->dx0;
  bind_implicit(b);
  if (pattern && mass) m->f_pattern = &b->jacobian;
  else if (pattern) m->pattern = &b->jacobian;
  return tapes_fit(b) ? 0 : -1;
}

static int make_mechanical(problem *b, PyObject *spec) {
  dae_mechanical *m = &b->p.mechanical;
  b->p.kind = DAE_MECHANICAL;
  *m = (dae_mechanical){
      .nq = number(spec, "nq"), .ng = number(spec, "ng"), .nw = number(spec, "nw")};
  m->mass_kind = number(spec, "mass_dense") ? DAE_MASS_DENSE : DAE_MASS_DIAGONAL;
  PyObject *mass = item(spec, "mass");
  if (mass) {
    Py_ssize_t count = m->mass_kind == DAE_MASS_DENSE ? (Py_ssize_t)m->nq * m->nq : m->nq;
    b->mass = doubles(mass, count, "mass");
    if (!b->mass) return -1;
    m->mass_constant = true;
  }
  bind_mechanical(b);
  return tapes_fit(b) ? 0 : -1;
}

static int make_forwarded(problem *b, PyObject *owner, const dae_problem *inner) {
  if (!inner) {
    PyErr_SetString(PyExc_ValueError, "the model is not built");
    return -1;
  }
  int n_event = b->p.n_event;
  const dae_event *event = b->p.event;
  b->owner = Py_NewRef(owner);
  b->inner = inner;
  b->p = *inner;
  if (n_event == 0) return 0;
  if (inner->discrete || inner->n_event > 0) {
    PyErr_SetString(PyExc_ValueError, "events: the model has events of its own already");
    return -1;
  }
  b->p.n_event = n_event;
  b->p.event = event;
  forward_all(b);
  return 0;
}

static int read_start(problem *b, PyObject *spec) {
  PyObject *z0 = item(spec, "z0"), *fixed = item(spec, "fixed"), *times = item(spec, "t_span");
  int nz = dae_problem_nz(&b->p);
  if (z0 && !(b->z0 = doubles(z0, nz, "the initial values"))) return -1;
  if (z0) b->p.z0 = b->z0;
  if (fixed) {
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(fixed, &bytes, &size) < 0) return -1;
    b->fixed = PyMem_Calloc((size_t)nz + 1, 1);
    if (!b->fixed) return PyErr_NoMemory(), -1;
    memcpy(b->fixed, bytes, (size_t)(size < nz ? size : nz));
    b->p.fixed = b->fixed;
  }
  return times && !PyArg_ParseTuple(times, "dd", &b->p.t0, &b->p.t1) ? -1 : 0;
}

static int read_arrays(problem *b, PyObject *spec) {
  PyObject *whole = item(spec, "whole"), *first = item(spec, "first"),
           *second = item(spec, "second"), *convert = item(spec, "convert");
  if (convert) b->convert = Py_NewRef(convert);
  if (whole && take_array(&b->whole, whole) < 0) return -1;
  if (first && take_array(&b->first, first) < 0) return -1;
  return second ? take_array(&b->second, second) : 0;
}

static int problem_init(PyObject *self, PyObject *args, PyObject *kw) {
  (void)kw;
  problem *b = (problem *)self;
  PyObject *spec, *functions, *list;
  if (!PyArg_ParseTuple(args, "O!", &PyDict_Type, &spec)) return -1;
  if (b->convert || b->owner) {
    PyErr_SetString(PyExc_TypeError, "a problem is made once");
    return -1;
  }
  b->p.ctx = b;
  if ((functions = item(spec, "functions")) && read_functions(b, functions) < 0) return -1;
  if ((list = item(spec, "events")) && read_events(b, list) < 0) return -1;
  if (read_arrays(b, spec) < 0) return -1;
  PyObject *owner = item(spec, "model"), *user = item(spec, "user"), *kind = item(spec, "kind");
  if (user) b->user = PyLong_AsVoidPtr(user);
  if (PyErr_Occurred()) return -1;
  const char *k = kind ? PyUnicode_AsUTF8AndSize(kind, NULL) : "";
  if (!k) return -1;
  int status;
  if (owner && Py_TYPE(owner) == model_type)
    status = make_forwarded(b, owner, dae_model_problem(((model *)owner)->m));
  else if (owner && Py_TYPE(owner) == problem_type)
    status = make_forwarded(b, owner, &((problem *)owner)->p);
  else if (strcmp(k, "implicit") == 0) status = make_implicit(b, spec);
  else status = strcmp(k, "mechanical") == 0 ? make_mechanical(b, spec) : make_ode(b, spec);
  if (status < 0 || PyErr_Occurred()) return -1;
  PyObject *autonomous = item(spec, "autonomous");
  if (autonomous) b->p.autonomous = PyObject_IsTrue(autonomous);
  PyObject *equations = b->p.kind == DAE_IMPLICIT ? item(spec, "equation_names") : NULL;
  if (read_names(b, item(spec, "z_names"), item(spec, "g_names"), equations) < 0) return -1;
  if (read_start(b, spec) < 0) return -1;
  char message[DAE_TEXT_MAX];
  if (dae_problem_valid(&b->p, message, sizeof message) == DAE_OK) return 0;
  PyErr_SetString(PyExc_ValueError, message);
  return -1;
}

static int problem_traverse(PyObject *self, visitproc visit, void *arg) {
  problem *b = (problem *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(b->owner);
  Py_VISIT(b->convert);
  for (int i = 0; i < SLOT_COUNT; i++) Py_VISIT(b->function[i]);
  for (int i = 0; i < EVENTS_MOST; i++) {
    Py_VISIT(b->event[i]);
    Py_VISIT(b->change[i]);
  }
  return 0;
}

static int problem_clear(PyObject *self) {
  problem *b = (problem *)self;
  Py_CLEAR(b->convert);
  for (int i = 0; i < SLOT_COUNT; i++) Py_CLEAR(b->function[i]);
  for (int i = 0; i < EVENTS_MOST; i++) {
    Py_CLEAR(b->event[i]);
    Py_CLEAR(b->change[i]);
  }
  return 0;
}

static void problem_dealloc(PyObject *self) {
  problem *b = (problem *)self;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  problem_clear(self);
  if (b->gallery) gallery_close(b->gallery, (dae_problem *)b->inner);
  Py_CLEAR(b->owner);
  drop_array(&b->whole);
  drop_array(&b->first);
  drop_array(&b->second);
  for (int i = 0; i < 3; i++) Py_CLEAR(b->error[i]);
  for (int i = 0; i < SLOT_COUNT; i++) Py_CLEAR(b->tape[i]);
  for (int i = 0; i < b->n_names; i++) PyMem_Free(b->names[i]);
  PyMem_Free(b->names);
  PyMem_Free(b->mass);
  PyMem_Free(b->z0);
  PyMem_Free(b->dx0);
  PyMem_Free(b->fixed);
  PyMem_Free(b->pattern);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

static PyObject *problem_describe(PyObject *self, PyObject *unused) {
  (void)unused;
  const dae_problem *p = &((problem *)self)->p;
  char text[DAE_NAME_MAX];
  int nz = dae_problem_nz(p), ny = dae_problem_ny(p);
  PyObject *z = PyList_New(nz), *y = PyList_New(ny);
  for (int i = 0; z && i < nz; i++)
    PyList_SetItem(z, i, PyUnicode_FromString(dae_problem_z_name(p, i, text, sizeof text)));
  for (int i = 0; y && i < ny; i++)
    PyList_SetItem(y, i, PyUnicode_FromString(dae_problem_y_name(p, i, text, sizeof text)));
  const char *const kinds[] = {"", "ode", "hessenberg", "mechanical", "implicit"};
  return Py_BuildValue("{s:s,s:O,s:i,s:i,s:i,s:i,s:i,s:d,s:d,s:N,s:N,s:N,s:s,s:s}", "kind",
                       kinds[p->kind], "boundary", p->boundary ? Py_True : Py_False, "nx",
                       dae_problem_nx(p), "nz", nz, "ny", ny, "nh", dae_problem_nh(p), "index",
                       dae_problem_index(p), "t0", p->t0, "t1", p->t1, "z0",
                       p->z0 ? bytes_of(p->z0, nz) : Py_NewRef(Py_None), "z_names", z, "y_names", y,
                       "name", p->name ? p->name : "problem", "title", p->title ? p->title : "");
}

/* diagnose(options): what kind of problem it is, from a short trial run */
static PyObject *problem_diagnose(PyObject *self, PyObject *args) {
  problem *b = (problem *)self;
  PyObject *dict;
  dae_options o;
  dae_diagnosis d;
  if (!PyArg_ParseTuple(args, "O!", &PyDict_Type, &dict) || read_options(dict, &o) < 0) return NULL;
  dae_status status = dae_diagnose(&b->p, &o, &d);
  if (problem_failed(b)) return NULL;
  if (status != DAE_OK) {
    PyErr_SetString(PyExc_ValueError, dae_status_meaning(status));
    return NULL;
  }
  return Py_BuildValue("{s:i,s:s,s:d,s:d,s:i,s:i,s:d,s:d,s:s,s:s,s:s,s:s,s:s,s:s}", "index",
                       d.index, "case", dae_case_name(d.kind), "t0", d.t0, "t1", d.t1, "rank",
                       d.rank, "rows", d.rows, "condition", d.condition, "smallest", d.smallest,
                       "form", d.form, "direction", d.direction, "method", d.method, "stabilize",
                       d.stabilize, "reason", d.reason, "message", d.message);
}

static PyMethodDef problem_methods[] = {
    {"describe", problem_describe, METH_NOARGS, "sizes and names"},
    {"diagnose", problem_diagnose, METH_VARARGS, "kind of problem and recommended method"},
    {NULL, NULL, 0, NULL}};

PyObject *new_problem_type(void) {
  PyType_Slot slots[] = {{Py_tp_init, problem_init},       {Py_tp_new, PyType_GenericNew},
                         {Py_tp_dealloc, problem_dealloc}, {Py_tp_traverse, problem_traverse},
                         {Py_tp_clear, problem_clear},     {Py_tp_methods, problem_methods},
                         {Py_tp_doc, "a problem in C"},    {0, NULL}};
  PyType_Spec spec = {"daedal._core.Problem", sizeof(problem), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  return PyType_FromSpec(&spec);
}

/* gallery_problem(name, {parameter: value}) */
PyObject *gallery_problem(PyObject *self, PyObject *args) {
  (void)self;
  const char *name;
  PyObject *set, *key, *value;
  if (!PyArg_ParseTuple(args, "sO!", &name, &PyDict_Type, &set)) return NULL;
  enum { MOST = 64 };
  const char *names[MOST];
  double values[MOST];
  int n = 0;
  Py_ssize_t place = 0;
  while (PyDict_Next(set, &place, &key, &value) && n < MOST) {
    names[n] = PyUnicode_AsUTF8AndSize(key, NULL);
    values[n] = PyFloat_AsDouble(value);
    if (!names[n] || PyErr_Occurred()) return NULL;
    n++;
  }
  dae_problem *p;
  char message[DAE_TEXT_MAX] = "";
  if (gallery_open(&p, name, n, names, values, message, sizeof message) != DAE_OK) {
    PyErr_SetString(PyExc_ValueError, message);
    return NULL;
  }
  for (int i = 0; gallery_at(i); i++)
    if (strcmp(gallery_at(i)->name, name) == 0) name = gallery_at(i)->name;
  problem *b = (problem *)PyType_GenericNew(problem_type, NULL, NULL);
  if (!b) {
    gallery_close(name, p);
    return NULL;
  }
  b->inner = p;
  b->gallery = name;
  b->p = *p;
  return (PyObject *)b;
}

/* gallery_list(): (name, title, source, {parameter: (default, meaning)}) of all entries */
PyObject *gallery_list(PyObject *self, PyObject *args) {
  (void)self;
  (void)args;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && gallery_at(i); i++) {
    const gallery_entry *e = gallery_at(i);
    PyObject *par = PyDict_New();
    for (int k = 0; par && k < e->n_par; k++)
      if (set_item(par, e->par[k].name, Py_BuildValue("ds", e->par[k].value, e->par[k].meaning)) <
          0)
        Py_CLEAR(par);
    PyObject *row = par ? Py_BuildValue("sssN", e->name, e->title, e->source, par) : NULL;
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}
