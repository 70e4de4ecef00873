/* the module daedal._core: types and tables */
#include "core.h"

PyTypeObject *problem_type, *solver_type, *model_type, *solution_type, *tape_type;

/* options(): [(key, type, default, meaning)] */
static PyObject *option_table(PyObject *self, PyObject *unused) {
  (void)self;
  (void)unused;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && dae_option_key(i); i++) {
    PyObject *row = Py_BuildValue("ssss", dae_option_key(i), dae_option_type(i),
                                  dae_option_default(i), dae_option_meaning(i));
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

/* methods(): [(name, order, stages, implicit, adaptive, when)] */
static PyObject *method_table(PyObject *self, PyObject *unused) {
  (void)self;
  (void)unused;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && dae_method_at(i); i++) {
    const dae_method *m = dae_method_at(i);
    PyObject *row =
        Py_BuildValue("siiOOs", m->name, m->order, m->stages, m->implicit ? Py_True : Py_False,
                      m->estimate > 0 ? Py_True : Py_False, m->when);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

/* choices(): {"form": [(name, formula, when)], "direction": .., "stabilize": ..} */
static PyObject *choice_table(PyObject *self, PyObject *unused) {
  (void)self;
  (void)unused;
  const dae_choice *(*const at[])(int) = {dae_form_at, dae_direction_at, dae_stabilizer_at};
  const char *const key[] = {"form", "direction", "stabilize"};
  PyObject *d = PyDict_New();
  for (int k = 0; d && k < 3; k++) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && at[k](i); i++) {
      const dae_choice *c = at[k](i);
      PyObject *row = Py_BuildValue("szz", c->name, c->formula, c->when);
      if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
      Py_XDECREF(row);
    }
    if (set_item(d, key[k], list) < 0) Py_CLEAR(d);
  }
  return d;
}

/* statuses(): {number: (name, meaning, advice)} */
static PyObject *status_table(PyObject *self, PyObject *unused) {
  (void)self;
  (void)unused;
  PyObject *d = PyDict_New();
#define STATUS_ROW(constant, value, name, meaning, advice)            \
  if (d) {                                                            \
    PyObject *key = PyLong_FromLong(value);                           \
    PyObject *row = Py_BuildValue("sss", name, meaning, advice);      \
    if (!key || !row || PyDict_SetItem(d, key, row) < 0) Py_CLEAR(d); \
    Py_XDECREF(key);                                                  \
    Py_XDECREF(row);                                                  \
  }
  DAE_STATUS_LIST(STATUS_ROW)
  return d;
}

static PyMethodDef functions[] = {
    {"option_table", option_table, METH_NOARGS, "options of the library"},
    {"method_table", method_table, METH_NOARGS, "methods"},
    {"choice_table", choice_table, METH_NOARGS, "forms, directions, stabilizers"},
    {"status_table", status_table, METH_NOARGS, "what statuses mean"},
    {"bvp_solve", bvp_solve, METH_VARARGS, "boundary value problems"},
    {"gallery_problem", gallery_problem, METH_VARARGS, "a problem of the gallery"},
    {"gallery_list", gallery_list, METH_NOARGS, "the gallery"},
    {"papers_list", papers_list, METH_NOARGS, "published tables"},
    {"papers_row", papers_row_of, METH_VARARGS, "a row of a table, computed"},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "daedal._core",
                                        "libdaedal for Python",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

static int add_type(PyObject *module, const char *name, PyTypeObject **to,
                    PyObject *(*make)(void)) {
  PyObject *type = make();
  if (!type) return -1;
  *to = (PyTypeObject *)type;
  return PyModule_AddObjectRef(module, name, type);
}

PyMODINIT_FUNC PyInit__core(void) {
  PyObject *module = PyModule_Create(&definition);
  if (!module) return NULL;
  if (add_type(module, "Problem", &problem_type, new_problem_type) < 0 ||
      add_type(module, "Solver", &solver_type, new_solver_type) < 0 ||
      add_type(module, "Model", &model_type, new_model_type) < 0 ||
      add_type(module, "Solution", &solution_type, new_solution_type) < 0 ||
      add_type(module, "Tape", &tape_type, new_tape_type) < 0 ||
      PyModule_AddStringConstant(module, "version", dae_version()) < 0) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
