"""C functions: numba's cfunc, ctypes functions, addresses."""

import ctypes
import numbers
import types


def address(fun):
    """The address of a C function as int, or None when `fun` is a Python function."""
    if type(fun) is types.FunctionType:
        return None
    if isinstance(fun, numbers.Integral) and not isinstance(fun, bool):
        if fun <= 0:
            raise ValueError("an address of a C function must be positive")
        return int(fun)
    found = getattr(fun, "address", None)  # numba.cfunc
    if isinstance(found, int) and hasattr(fun, "ctypes"):
        return found
    if isinstance(fun, ctypes._CFuncPtr):
        return ctypes.cast(fun, ctypes.c_void_p).value
    if isinstance(fun, ctypes.c_void_p):
        return fun.value
    return None
