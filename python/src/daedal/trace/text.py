"""Nodes as model text: expressions, shared parts as variables of their own."""

from .node import order, refuse

BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^", "lt": "<", "le": "<=",
          "gt": ">", "ge": ">=", "and": "and", "or": "or"}
STRENGTH = {"or": 1, "and": 2, "not": 3, "lt": 4, "le": 4, "gt": 4, "ge": 4, "add": 5, "sub": 5,
            "neg": 5, "mul": 6, "div": 6, "pow": 8}
ATOM = 9
DEEP = 30  # levels of an expression before a part becomes a variable
LARGE = 4  # operations in a part that is worth a variable when it is used twice


def number_text(value):
    if value != value or value in (float("inf"), float("-inf")):
        refuse("an infinite constant")
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


class Writer:
    """Text of nodes; parameters for numbers, auxiliary variables for shared parts."""

    def __init__(self, roots, smooth=False, names=None):
        self.smooth = smooth  # no events where a `where` switches
        self.names = names or {}  # texts of symbols that are no variables: derivatives
        self.parameters, self.shared, self.lines = {}, {}, []
        self.texts = {}
        nodes = order(roots)
        uses = {}
        for node in nodes:
            for a in node.args:
                uses[id(a)] = uses.get(id(a), 0) + 1
        for root in roots:
            uses[id(root)] = uses.get(id(root), 0) + 1
        size, depth = {}, {}
        within = set()  # what holds a derivative stays in its equation
        for node in nodes:
            if node.op == "symbol" and node.value in self.names or \
                    any(id(a) in within for a in node.args):
                within.add(id(node))
            size[id(node)] = min(10**9, bool(node.args) + sum(size[id(a)] for a in node.args))
            depth[id(node)] = bool(node.args) + max((depth[id(a)] for a in node.args), default=0)
            self._write(node)
            often = uses.get(id(node), 0) > 1 and size[id(node)] >= LARGE
            part = node.args and id(node) not in within and STRENGTH.get(node.op, ATOM) > 4
            if part and (often or depth[id(node)] > DEEP):
                name = f"'s{len(self.shared)}'"
                self.lines.append(f"  {name} = {self.texts[id(node)][0]};")
                self.shared[id(node)] = name
                self.texts[id(node)] = (name, ATOM)
                size[id(node)], depth[id(node)] = 1, 0

    def _number(self, value):
        if value == int(value) and abs(value) <= 1024 if abs(value) < 1e300 else False:
            return number_text(value)
        name = self.parameters.setdefault(abs(value), f"'c{len(self.parameters)}'")
        return f"-{name}" if value < 0 else name

    def _write(self, node):
        op = node.op
        if op == "symbol":
            own = node.value if node.value == "time" else f"'{node.value}'"
            out = (self.names.get(node.value, own), ATOM)
        elif op == "constant":
            if abs(node.number) == float("inf"):
                refuse("an infinite constant")
            text = self._number(node.number)
            out = (text, 5 if text.startswith("-") else ATOM)
        elif op == "pow" and node.args[1].op == "constant":
            exponent = number_text(node.args[1].number)
            if exponent.startswith("-"):
                exponent = f"({exponent})"
            out = (f"{self._inside(node.args[0], 9)}^{exponent}", 8)
        elif op in BINARY:
            level = STRENGTH[op]
            left = self._inside(node.args[0], 9 if op == "pow" else level + (level == 4))
            right = self._inside(node.args[1], level + 1)
            out = (f"{left} {BINARY[op]} {right}", level)
        elif op == "neg":
            out = (f"-{self._inside(node.args[0], 6)}", 5)
        elif op == "not":
            out = (f"not {self._inside(node.args[0], 9)}", 3)
        elif op == "where":
            c, a, b = (self.texts[id(x)][0] for x in node.args)
            text = f"(if {c} then {a} else {b})"
            out = (f"noEvent{text}" if self.smooth else text, ATOM)
        else:
            args = ", ".join(self.texts[id(a)][0] for a in node.args)
            text = f"{op}({args})"
            kinked = op in ("abs", "sign", "min", "max", "floor", "ceil")
            out = (f"noEvent({text})" if self.smooth and kinked else text, ATOM)
        self.texts[id(node)] = out

    def _inside(self, node, level):
        text, strength = self.texts[id(node)]
        return text if strength >= level else f"({text})"

    def text(self, node, level=0):
        return self._inside(node, level)

    def declarations(self):
        lines = [f"  parameter Real {name} = {number_text(value)};"
                 for value, name in self.parameters.items()]
        names = list(self.shared.values())
        lines += [f"  Real {', '.join(names[i:i + 20])};" for i in range(0, len(names), 20)]
        return lines
