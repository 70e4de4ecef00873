"""What was traced before: a function need not be traced again while nothing that it reads changed.

A function is known by its code and by all that the code can reach: defaults, closures, globals,
attributes, functions that it calls. `key` reads these anew at each call. What cannot be read
completely (files, C objects with a state, iterators) has no key, and is traced each time.
"""

import builtins
import dis
import functools
import itertools
import os
import threading
import types
from collections import OrderedDict

import numpy as np

from . import Noise, agrees, copies, flat, random_points, same, samples

MOST_TOKENS, MOST_BYTES = 20000, 1000000  # of what functions read; more is traced each time
ENTRIES = 64
CODES_MOST = 1000  # whose names are kept

# packages whose functions keep no state that a formula could depend on
KNOWN = {"numpy", "math", "cmath", "operator", "functools", "itertools", "sympy", "daedal"}
PLAIN = {getattr(builtins, name) for name in (
    "abs all any bool complex dict divmod enumerate float frozenset int isinstance iter len list "
    "map max min next pow print range reversed round set slice sorted str sum tuple zip super "
    "property staticmethod classmethod type object hasattr").split()}
SECRET = {name for name, value in vars(builtins).items()  # eval, getattr, open ..
          if not (isinstance(value, type) and issubclass(value, BaseException))
          and not (callable(value) and value in PLAIN)}
SCALARS = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), range)


IMPORT = dis.opmap["IMPORT_NAME"]


class Plain:
    pass


class Unreadable(Exception):
    pass


def package(x):
    return (getattr(x, "__module__", None) or "").split(".")[0]


def imports_known(code):
    return all(i.argval.split(".")[0] in KNOWN for i in dis.get_instructions(code)
               if i.opname == "IMPORT_NAME")


def names_in(code):
    """The names that a code and those inside it mention, each once; None: it imports what is not
    known."""
    found, stack = {}, [code]
    while stack:
        one = stack.pop()
        found.update(dict.fromkeys(one.co_names))
        stack += [c for c in one.co_consts if isinstance(c, types.CodeType)]
        if IMPORT in one.co_code[::2] and not imports_known(one):
            return None
    return tuple(found)


CODES = {}  # id -> (code, its names, its number): a code does not change, but to hash it is slow
NUMBERS = itertools.count()


def known_code(code):
    """(code, its names, a number that is its own)."""
    kept = CODES.get(id(code))
    if kept is None:
        if len(CODES) > CODES_MOST:
            CODES.clear()
        kept = CODES[id(code)] = code, names_in(code), next(NUMBERS)
    if kept[1] is None:
        raise Unreadable
    return kept


class Reader:
    """A flat list of tokens for a value and all that it reaches."""

    def __init__(self):
        self.out, self.bytes, self.seen = [], 0, {}
        self.names, self.modules, self.keep = set(), {}, []

    def finish(self):
        """Modules of the user: what is under any name that some code mentions."""
        if not self.modules:
            return tuple(self.out)
        done = set()
        while True:
            todo = [(m, n) for m in list(self.modules.values()) for n in sorted(self.names)
                    if (id(m), n) not in done and n in vars(m)]
            if not todo:
                return tuple(self.out)
            for module, name in todo:
                done.add((id(module), name))
                self.add(name)
                self.read(vars(module)[name])

    def add(self, *tokens):
        self.out.extend(tokens)
        if len(self.out) > MOST_TOKENS or self.bytes > MOST_BYTES:
            raise Unreadable

    def read(self, x):
        kind = type(x)
        if kind in SCALARS:
            # 0.0 and -0.0, 1 and True and 1.0 are equal as keys
            plain = x and kind is not complex or kind is str
            return self.add(kind, x if plain else repr(x))
        if isinstance(x, np.generic):
            return self.add(kind, x.tobytes())
        if id(x) in self.seen:
            return self.add("again", self.seen[id(x)])
        self.seen[id(x)] = len(self.seen)
        self.keep.append(x)  # its id stays its own
        reader = DIRECT.get(kind)
        if reader is not None:
            return reader(self, x)
        for check, reader in READERS:
            if check(x, kind):
                return reader(self, x)
        raise Unreadable

    def each(self, values):
        if len(values) > MOST_TOKENS:
            raise Unreadable
        self.add(len(values))
        for value in values:
            if type(value) is float and value:
                self.out += (float, value)
            else:
                self.read(value)

    def sequence(self, x):
        self.add(type(x))
        self.each(x)

    def mapping(self, x):
        self.add(dict)
        self.each([part for item in x.items() for part in item])

    def array(self, x):
        if x.dtype.kind not in "biufc":
            raise Unreadable
        self.bytes += x.nbytes
        self.add(np.ndarray, x.dtype.str, x.shape)
        self.add(x.tobytes() if self.bytes <= MOST_BYTES else None)

    def module(self, x):
        self.add(types.ModuleType, x.__name__)
        if x.__name__.split(".")[0] not in KNOWN:
            self.modules[id(x)] = x

    def known(self, x):
        self.add("known", x.__module__, getattr(x, "__qualname__", None) or x.__name__)

    def plain(self, x):
        self.add("plain", x.__name__)

    def ufunc(self, x):
        self.add(np.ufunc, x.__name__)

    def function(self, x):
        if package(x) in KNOWN and "<locals>" not in x.__qualname__:
            return self.known(x)
        _, names, number = known_code(x.__code__)
        self.names.update(names)
        self.add(types.FunctionType, number)
        for more in (x.__defaults__, x.__kwdefaults__, x.__dict__):
            self.read(more) if more else self.out.append(None)
        for cell in x.__closure__ or ():
            try:
                self.read(cell.cell_contents)
            except ValueError:
                self.add("empty")
        known = x.__globals__
        for name in names:
            if name in known:
                self.out.append(name)
                self.read(known[name])
            elif name in SECRET:
                raise Unreadable

    def method(self, x):
        self.add(types.MethodType)
        self.each([x.__func__, x.__self__])

    def partial(self, x):
        self.add(functools.partial)
        self.each([x.func, x.args, x.keywords])

    def wrapped(self, x):
        self.add(type(x))
        if isinstance(x, property):
            self.each([x.fget])
        else:
            self.each([x.__func__])

    def type(self, x):
        """A class of the user: everything that stands in it and in its bases."""
        self.add(x)
        for base in x.__mro__[:-1]:
            if package(base) in KNOWN:
                self.add(base)
                continue
            for name, value in vars(base).items():
                if name in ("__dict__", "__weakref__", "__doc__", "__module__", "__qualname__",
                            "__annotations__", "__firstlineno__", "__static_attributes__"):
                    continue
                self.add(name)
                self.read(value)

    def instance(self, x):
        kind = type(x)
        if kind.__basicsize__ != Plain.__basicsize__ or hasattr(kind, "__getattr__") \
                or kind.__getattribute__ is not object.__getattribute__:
            raise Unreadable  # a state that cannot be seen
        self.add("instance")
        self.each([kind, vars(x)])


DIRECT = {tuple: Reader.sequence, list: Reader.sequence, dict: Reader.mapping,
          types.MappingProxyType: Reader.mapping, np.ndarray: Reader.array,
          np.ufunc: Reader.ufunc, types.ModuleType: Reader.module,
          types.FunctionType: Reader.function, types.MethodType: Reader.method,
          functools.partial: Reader.partial, property: Reader.wrapped,
          staticmethod: Reader.wrapped, classmethod: Reader.wrapped}
FUNCTIONS = (types.BuiltinFunctionType, type)
READERS = (
    (lambda x, kind: isinstance(x, tuple), Reader.sequence),
    (lambda x, kind: isinstance(x, types.ModuleType), Reader.module),
    (lambda x, kind: isinstance(x, FUNCTIONS) and x in PLAIN, Reader.plain),
    (lambda x, kind: (isinstance(x, FUNCTIONS) or "_ArrayFunctionDispatcher" in kind.__name__)
     and package(x) in KNOWN and "<locals>" not in x.__qualname__, Reader.known),
    (lambda x, kind: isinstance(x, type) and package(x) != "builtins", Reader.type),
    (lambda x, kind: kind is types.SimpleNamespace, lambda self, x: self.each(
        [types.SimpleNamespace, vars(x)])),
    (lambda x, kind: hasattr(x, "__dict__") and isinstance(kind, type)
     and package(kind) != "builtins", Reader.instance),
)


def key(*values):
    """A hashable value that is equal only while nothing that `values` read has changed, or None."""
    reader = Reader()
    try:
        for value in values:
            reader.read(value)
        found = reader.finish()
        return Key(found)
    except (Unreadable, RecursionError, TypeError, AttributeError):
        return None


class Key:
    """A tuple whose hash is computed once."""

    __slots__ = ("value", "number")

    def __init__(self, value):
        self.value, self.number = value, hash(value)

    def __hash__(self):
        return self.number

    def __eq__(self, other):
        return isinstance(other, Key) and self.value == other.value


class Memory:
    """The last things that were made, by their keys."""

    def __init__(self, entries=ENTRIES):
        self.entries, self.found = entries, OrderedDict()
        self.renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.renew)

    def renew(self):
        """A lock that no other thread holds: after a fork there are no other threads."""
        self.lock = threading.Lock()

    def get(self, key):
        if key is None:
            return None
        with self.lock:
            value = self.found.get(key)
            if value is not None:
                self.found.move_to_end(key)
            return value

    def put(self, key, value):
        if key is None:
            return
        with self.lock:
            self.found[key] = value
            self.found.move_to_end(key)
            while len(self.found) > self.entries:
                self.found.popitem(last=False)


STARTS_MOST = 64  # initial values near which traces were compared with the functions


class Parts:
    """What traces gave: made once, used again while the functions are what they were.

    check() keeps the tape of a function; `hold` compares these with the functions.
    """

    def __init__(self):
        self.tapes, self.starts, self.texts = [], {}, {}

    def text(self, make, *start):
        """make(), a text that depends on these arrays (or None): the last ones are kept."""
        known = tuple(None if x is None else x.tobytes() for x in start)
        found = self.texts.get(known)
        if found is None:
            if len(self.texts) >= STARTS_MOST:
                self.texts.clear()
            found = self.texts[known] = make()
        return found

    def check(self, role, nodes, tape, arguments):
        """role: the place of the function among those that `hold` gets; arguments: which it takes
        of a point."""
        if nodes:
            self.tapes.append((role, tape, len(nodes), arguments))

    def hold(self, functions, point):
        """Near initial values that are new: the tapes against the functions, at a random point.
        Near known ones: the functions against what they gave at that point."""
        first = point(None)
        start = b"".join(np.asarray(x).tobytes() for x in first)
        try:
            known = self.starts.get(start)
            if known is not None:
                return all(unchanged(functions[role], *sample) for role, *sample in known)
            near, known = point(Noise()), []
            for role, tape, size, arguments in self.tapes:
                inputs, results = samples(functions[role], "", [near[arguments]], size)
                if not agrees(tape, inputs, results):
                    return False
                known.append((role, near[arguments], results[0]))
            if len(self.starts) >= STARTS_MOST:
                self.starts.clear()
            self.starts[start] = known
            return True
        except Exception:  # whatever it is, a new trace meets it again and says it
            return False


def unchanged(fun, arguments, result):
    """Equal bit by bit, or up to the rounding of sums in another order."""
    found = flat(fun(*copies(arguments)))
    return found.tobytes() == result.tobytes() or \
        found.shape == result.shape and same(found[None], result[None], 1e-9)


MEMORY = Memory()


def recalled(known, functions, point, make):
    """Parts that are known and still hold, or new ones: make(points).

    point(noise or None): arguments of the functions near the start."""
    parts = MEMORY.get(known)
    if parts is None or not parts.hold(functions, point):
        parts = make(random_points(point))
        MEMORY.put(known, parts)
    return parts
