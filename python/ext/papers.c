/* published tables, and computing them again */
#include "core.h"

#include <math.h>
#include <string.h>

#include "papers.h"

/* papers_list(): [(id, paper, title, problem, [row label])] */
PyObject *papers_list(PyObject *self, PyObject *unused) {
  (void)self;
  (void)unused;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && papers_at(i); i++) {
    const papers_table *t = papers_at(i);
    PyObject *labels = PyList_New(t->n_row);
    for (int k = 0; labels && k < t->n_row; k++)
      PyList_SetItem(labels, k, PyUnicode_FromString(t->row[k].label ? t->row[k].label : ""));
    PyObject *row =
        labels ? Py_BuildValue("szzzN", t->id, t->paper, t->title, t->problem, labels) : NULL;
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

/* papers_row(id, row): (status, message, [(quantity, printed, computed, verdict, reason)]) */
PyObject *papers_row_of(PyObject *self, PyObject *args) {
  (void)self;
  const char *id;
  int k;
  if (!PyArg_ParseTuple(args, "si", &id, &k)) return NULL;
  const papers_table *table = papers_find(id);
  if (!table || k < 0 || k >= table->n_row) {
    PyErr_Format(PyExc_ValueError, "there is no row %d of a table '%s'", k, id);
    return NULL;
  }
  const papers_row *row = &table->row[k];
  double values[PAPERS_CELLS];
  char message[DAE_TEXT_MAX] = "";
  for (int i = 0; i < PAPERS_CELLS; i++) values[i] = NAN;
  PyThreadState *saved = PyEval_SaveThread();
  dae_status status = table->evaluate ? table->evaluate(table, row, values, message, sizeof message)
                                      : papers_run(table, row, values, message, sizeof message);
  PyEval_RestoreThread(saved);
  PyObject *cells = PyList_New(0);
  for (int i = 0; cells && i < PAPERS_CELLS && row->cell[i].quantity; i++) {
    const papers_cell *c = &row->cell[i];
    PyObject *cell =
        Py_BuildValue("sddsz", c->quantity, c->printed, values[i],
                      papers_verdict_name(papers_judge(c, values[i], status)), c->reason);
    if (!cell || PyList_Append(cells, cell) < 0) Py_CLEAR(cells);
    Py_XDECREF(cell);
  }
  return cells
             ? Py_BuildValue("iNN", status,
                             PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace"),
                             cells)
             : NULL;
}
