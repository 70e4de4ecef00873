/* models as text */
#include "core.h"

#include <string.h>

/* Model(text or path, is a path, compiler or None) */
static int model_init(PyObject *me, PyObject *args, PyObject *kw) {
  (void)kw;
  model *self = (model *)me;
  const char *text, *compiler;
  Py_ssize_t size;
  int path;
  if (!PyArg_ParseTuple(args, "s#pz", &text, &size, &path, &compiler)) return -1;
  if (self->m) {
    PyErr_SetString(PyExc_TypeError, "a model is read once");
    return -1;
  }
  dae_model_options o = {.compiler = compiler};
  dae_status status;
  dae_model *m = NULL;
  PyThreadState *saved = PyEval_SaveThread();
  if (path) status = dae_model_read_file(&m, text, &o);
  else status = dae_model_read_text(&m, "model", text, (size_t)size, &o);
  PyEval_RestoreThread(saved);
  self->m = m;
  if (status == DAE_OK) return 0;
  if (!m || status == DAE_E_MEMORY) PyErr_NoMemory();
  else if (status == DAE_E_IO) PyErr_Format(PyExc_OSError, "%s", dae_model_messages(m));
  else PyErr_Format(PyExc_ValueError, "%s", dae_model_messages(m));
  return -1;
}

static void model_dealloc(PyObject *me) {
  PyTypeObject *type = Py_TYPE(me);
  dae_model_free(((model *)me)->m);
  PyObject_Free(me);
  Py_DECREF(type);
}

static int is_read(model *self) {
  if (self->m) return 1;
  PyErr_SetString(PyExc_ValueError, "there is no model");
  return 0;
}

static PyObject *text_or_none(const char *text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* set(name, value), set_start(name, value, fixed) */
static PyObject *model_set(PyObject *me, PyObject *args) {
  const char *name;
  double value;
  if (!PyArg_ParseTuple(args, "sd", &name, &value) || !is_read((model *)me)) return NULL;
  return PyLong_FromLong(dae_model_set(((model *)me)->m, name, value));
}
static PyObject *model_set_start(PyObject *me, PyObject *args) {
  const char *name;
  double value;
  int fixed;
  if (!PyArg_ParseTuple(args, "sdp", &name, &value, &fixed) || !is_read((model *)me)) return NULL;
  return PyLong_FromLong(dae_model_set_start(((model *)me)->m, name, value, fixed));
}

static PyObject *model_set_time(PyObject *me, PyObject *args) {
  double t0;
  if (!PyArg_ParseTuple(args, "d", &t0) || !is_read((model *)me)) return NULL;
  return PyLong_FromLong(dae_model_set_time(((model *)me)->m, t0));
}

static PyObject *model_build(PyObject *me, PyObject *unused) {
  (void)unused;
  if (!is_read((model *)me)) return NULL;
  dae_model *m = ((model *)me)->m;
  PyThreadState *saved = PyEval_SaveThread();
  dae_status status = dae_model_build(m);
  PyEval_RestoreThread(saved);
  return PyLong_FromLong(status);
}

static PyObject *model_names(dae_model *m, int parameters) {
  PyObject *list = PyList_New(0);
  int n = parameters ? 0 : dae_model_variables(m);
  for (int i = 0; list && (parameters ? dae_model_parameter_name(m, i) != NULL : i < n); i++) {
    PyObject *name = PyUnicode_FromString(parameters ? dae_model_parameter_name(m, i)
                                                     : dae_model_variable_name(m, i));
    if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

/* info(): messages, names, index, explanation, code .. as a dict */
static PyObject *model_info(PyObject *me, PyObject *unused) {
  (void)unused;
  if (!is_read((model *)me)) return NULL;
  dae_model *m = ((model *)me)->m;
  const dae_problem *p = dae_model_problem(m);
  PyObject *d = Py_BuildValue(
      "{s:N,s:N,s:N,s:N,s:i,s:N,s:N,s:O,s:O,s:d,s:d,s:d,s:d}", "messages",
      text_or_none(dae_model_messages(m)), "parameters", model_names(m, 1), "variables",
      p ? model_names(m, 0) : PyList_New(0), "explain", text_or_none(dae_model_explain(m)), "index",
      dae_model_index(m), "interpreted", text_or_none(dae_model_interpreted(m)), "code",
      text_or_none(dae_model_code(m)), "boundary", p && p->boundary ? Py_True : Py_False,
      "discrete", p && (p->discrete || p->n_event > 0) ? Py_True : Py_False, "t0", p ? p->t0 : 0.0,
      "t1", p ? p->t1 : 0.0, "tolerance", dae_model_tolerance(m), "interval",
      dae_model_interval(m));
  if (!d || !p) return d;
  PyObject *units = PyDict_New(), *said = PyDict_New();
  for (int i = 0, n = dae_model_variables(m); units && said && i < n; i++) {
    const char *name = dae_model_variable_name(m, i), *unit = dae_model_variable_unit(m, i);
    const char *text = dae_model_variable_description(m, i);
    if (unit && *unit && set_item(units, name, text_or_none(unit)) < 0) Py_CLEAR(units);
    if (text && *text && set_item(said, name, text_or_none(text)) < 0) Py_CLEAR(said);
  }
  if (set_item(d, "units", units) < 0 || set_item(d, "descriptions", said) < 0) {
    Py_DECREF(d);
    return NULL;
  }
  PyObject *values = PyDict_New();
  for (int i = 0; values && i < p->n_par; i++)
    if (set_item(values, p->par_name[i], PyFloat_FromDouble(p->par[i])) < 0) Py_CLEAR(values);
  if (set_item(d, "values", values) < 0) Py_CLEAR(d);
  return d;
}

/* values(t, z, y) of n points: all variables, n rows */
static PyObject *model_values(PyObject *me, PyObject *args) {
  PyObject *times, *zs, *ys, *out = NULL;
  if (!PyArg_ParseTuple(args, "OOO", &times, &zs, &ys) || !is_read((model *)me)) return NULL;
  dae_model *m = ((model *)me)->m;
  const dae_problem *p = dae_model_problem(m);
  if (!p) {
    PyErr_SetString(PyExc_ValueError, "the model is not built");
    return NULL;
  }
  int nz = dae_problem_nz(p), ny = dae_problem_ny(p), nv = dae_model_variables(m);
  Py_ssize_t n = doubles_count(times);
  double *t = n < 0 ? NULL : doubles(times, n, "t");
  double *z = t ? doubles(zs, n * nz, "z") : NULL, *y = z ? doubles(ys, n * ny, "y") : NULL;
  if (y) out = PyByteArray_FromStringAndSize(NULL, n * nv * (Py_ssize_t)sizeof(double));
  if (out) {
    double *v = (double *)PyByteArray_AsString(out);
    for (Py_ssize_t i = 0; i < n; i++)
      dae_model_values(m, t[i], z + i * nz, y + i * ny, v + i * nv);
  }
  PyMem_Free(t);
  PyMem_Free(z);
  PyMem_Free(y);
  return out;
}

/* singular(t, z): a sentence on why the equations are singular there, or None */
static PyObject *model_singular(PyObject *me, PyObject *args) {
  double t;
  PyObject *array;
  char text[2 * DAE_TEXT_MAX];
  if (!PyArg_ParseTuple(args, "dO", &t, &array) || !is_read((model *)me)) return NULL;
  dae_model *m = ((model *)me)->m;
  const dae_problem *p = dae_model_problem(m);
  double *z = p ? doubles(array, dae_problem_nz(p), "z") : NULL;
  if (!z) return NULL;
  int found = dae_model_singular(m, t, z, text, sizeof text);
  PyMem_Free(z);
  return text_or_none(found ? text : NULL);
}

static PyMethodDef model_methods[] = {
    {"set", model_set, METH_VARARGS, "a parameter"},
    {"set_start", model_set_start, METH_VARARGS, "a start value"},
    {"set_time", model_set_time, METH_VARARGS, "the time of the start"},
    {"build", model_build, METH_NOARGS, "analysis"},
    {"info", model_info, METH_NOARGS, "what is known of the model"},
    {"values", model_values, METH_VARARGS, "all variables at points"},
    {"singular", model_singular, METH_VARARGS, "are the equations singular there"},
    {NULL, NULL, 0, NULL}};

PyObject *new_model_type(void) {
  PyType_Slot slots[] = {{Py_tp_init, model_init},       {Py_tp_new, PyType_GenericNew},
                         {Py_tp_dealloc, model_dealloc}, {Py_tp_methods, model_methods},
                         {Py_tp_doc, "a model in C"},    {0, NULL}};
  PyType_Spec spec = {"daedal._core.Model", sizeof(model), 0, Py_TPFLAGS_DEFAULT, slots};
  return PyType_FromSpec(&spec);
}
