/* tapes: traced formulas as lists of operations, evaluated without Python */
#include "core.h"

#include <math.h>
#include <string.h>

/* the order is that of TAPE in trace/tape.py */
typedef enum operation {
  OP_INPUT,
  OP_CONSTANT,
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_POW,
  OP_NEG,
  OP_SIN,
  OP_COS,
  OP_TAN,
  OP_ASIN,
  OP_ACOS,
  OP_ATAN,
  OP_ATAN2,
  OP_SINH,
  OP_COSH,
  OP_TANH,
  OP_EXP,
  OP_LOG,
  OP_LOG10,
  OP_SQRT,
  OP_ABS,
  OP_SIGN,
  OP_MIN,
  OP_MAX,
  OP_FLOOR,
  OP_CEIL,
  OP_WHERE,
  OP_LT,
  OP_LE,
  OP_GT,
  OP_GE,
  OP_AND,
  OP_OR,
  OP_NOT,
  OP_COUNT
} operation;

typedef struct instruction {
  int op, a, b, c;
} instruction;

typedef struct tape {
  PyObject_HEAD
  int n_in, n, n_out, n_constant;
  instruction *code;
  double *constant, *value;
  int *out;
} tape;

/* one instruction; x are the values so far */
static double apply(const instruction *i, const double *x, const double *constant) {
  double a = x[i->a], b = x[i->b];
  switch ((operation)i->op) {
    case OP_CONSTANT: return constant[i->a];
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_POW: return pow(a, b);
    case OP_NEG: return -a;
    case OP_SIN: return sin(a);
    case OP_COS: return cos(a);
    case OP_TAN: return tan(a);
    case OP_ASIN: return asin(a);
    case OP_ACOS: return acos(a);
    case OP_ATAN: return atan(a);
    case OP_ATAN2: return atan2(a, b);
    case OP_SINH: return sinh(a);
    case OP_COSH: return cosh(a);
    case OP_TANH: return tanh(a);
    case OP_EXP: return exp(a);
    case OP_LOG: return log(a);
    case OP_LOG10: return log10(a);
    case OP_SQRT: return sqrt(a);
    case OP_ABS: return fabs(a);
    case OP_SIGN: return (a > 0) - (a < 0);
    case OP_MIN: return a < b ? a : b;
    case OP_MAX: return a > b ? a : b;
    case OP_FLOOR: return floor(a);
    case OP_CEIL: return ceil(a);
    case OP_WHERE: return a != 0 ? b : x[i->c];
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    case OP_GE: return a >= b;
    case OP_AND: return a != 0 && b != 0;
    case OP_OR: return a != 0 || b != 0;
    case OP_NOT: return a == 0;
    default: return NAN;
  }
}

/* the tape's outputs at (t, first, second) */
int tape_run(PyObject *object, double t, const double *first, int n_first, const double *second,
             int n_second, double *out) {
  tape *p = (tape *)object;
  double *x = p->value;
  x[0] = t;
  memcpy(x + 1, first, (size_t)n_first * sizeof *x);
  if (second) memcpy(x + 1 + n_first, second, (size_t)n_second * sizeof *x);
  for (int i = 0; i < p->n; i++) x[p->n_in + i] = apply(&p->code[i], x, p->constant);
  for (int i = 0; i < p->n_out; i++) out[i] = x[p->out[i]];
  return 0;
}

int tape_fits(PyObject *object, int n_in, int n_out) {
  return ((tape *)object)->n_in == n_in && ((tape *)object)->n_out == n_out;
}

static void *copy_of(const char *from, Py_ssize_t size) {
  void *to = PyMem_Malloc((size_t)size + sizeof(double));
  if (to) memcpy(to, from, (size_t)size);
  return to;
}

/* operands must stand before, constants and outputs must exist */
static int code_is_valid(const tape *p) {
  for (int i = 0; i < p->n; i++) {
    const instruction *c = &p->code[i];
    int before = p->n_in + i;
    if (c->op <= OP_INPUT || c->op >= OP_COUNT) return 0;
    if (c->op == OP_CONSTANT ? c->a < 0 || c->a >= p->n_constant || c->b != 0
                             : c->a < 0 || c->a >= before || c->b < 0 || c->b >= before ||
                                   c->c < 0 || c->c >= before)
      return 0;
  }
  for (int i = 0; i < p->n_out; i++)
    if (p->out[i] < 0 || p->out[i] >= p->n_in + p->n) return 0;
  return 1;
}

/* Tape(inputs, code as int32 bytes of 4 each, constants as bytes, outputs as int32 bytes) */
static int tape_init(PyObject *me, PyObject *args, PyObject *kw) {
  (void)kw;
  tape *p = (tape *)me;
  const char *code, *constant, *out;
  Py_ssize_t n_code, n_constant, n_out;
  if (p->value) {
    PyErr_SetString(PyExc_TypeError, "a tape is made once");
    return -1;
  }
  if (!PyArg_ParseTuple(args, "iy#y#y#", &p->n_in, &code, &n_code, &constant, &n_constant, &out,
                        &n_out))
    return -1;
  p->n = (int)(n_code / (Py_ssize_t)sizeof *p->code);
  p->n_out = (int)(n_out / (Py_ssize_t)sizeof *p->out);
  p->n_constant = (int)(n_constant / (Py_ssize_t)sizeof *p->constant);
  p->code = copy_of(code, n_code);
  p->constant = copy_of(constant, n_constant);
  p->out = copy_of(out, n_out);
  p->value = PyMem_Calloc((size_t)p->n_in + (size_t)p->n + 1, sizeof *p->value);
  if (!p->code || !p->constant || !p->out || !p->value) return PyErr_NoMemory(), -1;
  if (p->n_in < 1 || !code_is_valid(p)) {
    PyErr_SetString(PyExc_ValueError, "the tape is not valid");
    return -1;
  }
  return 0;
}

/* tape(points): rows of inputs in, rows of outputs out, as bytes */
static PyObject *tape_call(PyObject *me, PyObject *args, PyObject *kw) {
  (void)kw;
  tape *p = (tape *)me;
  PyObject *points;
  if (!PyArg_ParseTuple(args, "O", &points)) return NULL;
  Py_ssize_t count = doubles_count(points);
  if (count < 0) return NULL;
  if (count % p->n_in != 0) {
    PyErr_SetString(PyExc_ValueError, "the points have another size");
    return NULL;
  }
  Py_ssize_t rows = count / p->n_in;
  double *in = doubles(points, count, "points");
  PyObject *out =
      in ? PyByteArray_FromStringAndSize(NULL, rows * p->n_out * (Py_ssize_t)sizeof *in) : NULL;
  for (Py_ssize_t i = 0; out && i < rows; i++)
    tape_run(me, in[i * p->n_in], in + i * p->n_in + 1, p->n_in - 1, NULL, 0,
             (double *)PyByteArray_AsString(out) + i * p->n_out);
  PyMem_Free(in);
  return out;
}

/* copy(): the same formulas with memory of their own, for another thread */
static PyObject *tape_copy(PyObject *me, PyObject *unused) {
  (void)unused;
  const tape *p = (tape *)me;
  tape *c = (tape *)PyType_GenericNew(tape_type, NULL, NULL);
  if (!c) return NULL;
  c->n_in = p->n_in, c->n = p->n, c->n_out = p->n_out;
  c->code = copy_of((const char *)p->code, p->n * (Py_ssize_t)sizeof *p->code);
  c->constant = copy_of((const char *)p->constant, p->n_constant * (Py_ssize_t)sizeof *p->constant);
  c->n_constant = p->n_constant;
  c->out = copy_of((const char *)p->out, p->n_out * (Py_ssize_t)sizeof *p->out);
  c->value = PyMem_Calloc((size_t)p->n_in + (size_t)p->n + 1, sizeof *c->value);
  if (c->code && c->constant && c->out && c->value) return (PyObject *)c;
  Py_DECREF(c);
  return PyErr_NoMemory();
}

static PyMethodDef tape_methods[] = {
    {"copy", tape_copy, METH_NOARGS, "the same formulas with memory of their own"},
    {NULL, NULL, 0, NULL}};

static void tape_dealloc(PyObject *me) {
  tape *p = (tape *)me;
  PyTypeObject *type = Py_TYPE(me);
  PyMem_Free(p->code);
  PyMem_Free(p->constant);
  PyMem_Free(p->out);
  PyMem_Free(p->value);
  PyObject_Free(me);
  Py_DECREF(type);
}

PyObject *new_tape_type(void) {
  PyType_Slot slots[] = {{Py_tp_init, tape_init},
                         {Py_tp_new, PyType_GenericNew},
                         {Py_tp_dealloc, tape_dealloc},
                         {Py_tp_call, tape_call},
                         {Py_tp_methods, tape_methods},
                         {Py_tp_doc, "formulas without Python"},
                         {0, NULL}};
  PyType_Spec spec = {"daedal._core.Tape", sizeof(tape), 0, Py_TPFLAGS_DEFAULT, slots};
  return PyType_FromSpec(&spec);
}
