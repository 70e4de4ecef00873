/* values that cross the border: arrays, options, reports */
#include "core.h"

#include <string.h>

/* the number of doubles in an object with a buffer of them, -1 with an exception */
Py_ssize_t doubles_count(PyObject *object) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
  Py_ssize_t n = view.len / (Py_ssize_t)sizeof(double);
  int fits = view.format && strcmp(view.format, "d") == 0;
  PyBuffer_Release(&view);
  if (fits) return n;
  PyErr_SetString(PyExc_TypeError, "an array of float64 was expected");
  return -1;
}

double *doubles(PyObject *object, Py_ssize_t n, const char *name) {
  Py_ssize_t found = doubles_count(object);
  if (found < 0) return NULL;
  if (found != n) {
    PyErr_Format(PyExc_ValueError, "%s has %zd numbers, expected %zd", name, found, n);
    return NULL;
  }
  double *copy = PyMem_Malloc((size_t)(n > 0 ? n : 1) * sizeof *copy);
  if (!copy) return (double *)PyErr_NoMemory();
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_C_CONTIGUOUS) < 0) {
    PyMem_Free(copy);
    return NULL;
  }
  memcpy(copy, view.buf, (size_t)n * sizeof *copy);
  PyBuffer_Release(&view);
  return copy;
}

PyObject *bytes_of(const double *data, Py_ssize_t n) {
  return PyByteArray_FromStringAndSize((const char *)data, n * (Py_ssize_t)sizeof *data);
}

/* dict[key] = value, which is given away; value may be NULL: an exception is set then */
int set_item(PyObject *dict, const char *key, PyObject *value) {
  if (!value) return -1;
  int status = PyDict_SetItemString(dict, key, value);
  Py_DECREF(value);
  return status;
}

int read_options(PyObject *dict, dae_options *o) {
  *o = dae_options_default();
  PyObject *key, *value;
  Py_ssize_t place = 0;
  char message[DAE_TEXT_MAX];
  while (PyDict_Next(dict, &place, &key, &value)) {
    /* the texts live as long as the dict: the library copies what it keeps */
    const char *k = PyUnicode_AsUTF8AndSize(key, NULL);
    const char *v = k ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    if (!v) return -1;
    if (dae_options_set(o, k, v, message, sizeof message) != DAE_OK) {
      PyErr_Format(PyExc_ValueError, "option %s: %s", k, message);
      return -1;
    }
  }
  return 0;
}

PyObject *audit_dict(const dae_audit *a) {
  return Py_BuildValue("{s:d,s:d,s:s}", "worst", a->worst, "time", a->time, "equation",
                       a->equation);
}

/* text of the library in a dict: bytes that are no UTF-8 must not raise */
static PyObject *text_of(const char *text) {
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *report_dict(const dae_report *r) {
  PyObject *d = PyDict_New();
  if (!d) return NULL;
  if (set_item(d, "status", PyLong_FromLong(r->status)) < 0 ||
      set_item(d, "status_name", text_of(dae_status_name(r->status))) < 0 ||
      set_item(d, "t", PyFloat_FromDouble(r->t)) < 0 ||
      set_item(d, "h", PyFloat_FromDouble(r->h)) < 0 ||
      set_item(d, "step", PyLong_FromLong(r->step)) < 0 ||
      set_item(d, "equation", text_of(r->equation)) < 0 ||
      set_item(d, "variable", text_of(r->variable)) < 0 ||
      set_item(d, "residual", PyFloat_FromDouble(r->residual)) < 0 ||
      set_item(d, "rank", PyLong_FromLong(r->rank)) < 0 ||
      set_item(d, "rows", PyLong_FromLong(r->rows)) < 0 ||
      set_item(d, "rcond", PyFloat_FromDouble(r->rcond)) < 0 ||
      set_item(d, "smallest", PyFloat_FromDouble(r->smallest)) < 0 ||
      set_item(d, "moved", PyFloat_FromDouble(r->moved)) < 0 ||
      set_item(d, "event", PyLong_FromLong(r->event)) < 0 ||
      set_item(d, "message", text_of(r->message)) < 0 ||
      set_item(d, "advice", text_of(r->advice)) < 0) {
    Py_DECREF(d);
    return NULL;
  }
  return d;
}
