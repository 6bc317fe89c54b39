"""Templates: a line of a rule with the user's operands in place of its parameters."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from srcgrad import runtime, special
from srcgrad.analysis.uses import Use
from srcgrad.function import Function
from srcgrad.ir import (
    Attr,
    Binary,
    Call,
    Compare,
    Const,
    Expr,
    IfExp,
    Item,
    Name,
    Object,
    Seq,
    Unary,
    children,
    rebuild,
)
from srcgrad.rules.table import Variant
from srcgrad.types import Array, Data, Number, Type


class Template:
    """One use of a rule: instantiates its lines."""

    def __init__(self, function: Function, use: Use, results: dict[str, Expr], extra: dict[str, Expr]):
        assert use.rule is not None
        self.f = function
        self.rule: Variant = use.rule
        self.values: dict[str, Expr] = {**use.bound, **results, **extra}
        self.missing = {p: self.rule.defaults.get(p) for p in self.rule.params if p not in use.bound}

    def line(self, e: Expr) -> Expr:
        """The expression with operands for parameters; what was not given by the call is dropped."""
        match e:
            case Name(id):
                if id in self.values:
                    return self.values[id]
                if id in self.missing:
                    return constant(self.missing[id])
                return rule_object(id, self.rule)
            case Call(fn, args, keywords):
                given = list(args)
                while given and isinstance(given[-1], Name) and given[-1].id in self.missing:
                    given.pop()
                named = tuple(
                    (k, self.line(v))
                    for k, v in keywords
                    if not (isinstance(v, Name) and v.id in self.missing)
                )
                return simple(Call(self.line(fn), tuple(self.line(a) for a in given), named), self.f.types)
        old = children(e)
        if not old:
            return e
        made = rebuild(e, [self.line(c) for c in old])
        if isinstance(made, Attr) and made.name in ("size", "shape", "ndim") and isinstance(made.value, Name):
            if not isinstance(
                self.f.types.get(made.value.id), Array | Data
            ):  # a list, or a number of Python's
                return call(getattr(np, made.name), f"np.{made.name}", made.value)
        if isinstance(made, Unary) and made.op == "~" and is_flag(made.operand, self.f.types):
            return Unary("not", made.operand)  # of a bool of Python's, ~ is arithmetic
        return simple(made, self.f.types)


_ROOTS: dict[str, Any] = {"np": np, "math": math}


def rule_object(name: str, rule: Variant) -> Expr:
    """What a free name of a rule means: a module, a helper of the run time, a builtin."""
    if name in _ROOTS:
        return Object(_ROOTS[name], name)
    for home in (runtime, special):
        if name in vars(home) and callable(vars(home)[name]):
            return Object(vars(home)[name], name)
    if hasattr(builtins, name):
        return Object(getattr(builtins, name), name)
    if name in rule.namespace and callable(rule.namespace[name]):
        return Object(rule.namespace[name], name)
    raise AssertionError(f"rule {rule.name} of {rule.module} reads {name}, which means nothing")


def constant(value: Any) -> Expr:
    if isinstance(value, tuple):
        return Seq("tuple", tuple(constant(v) for v in value))
    return Const(value)


def call(fn: Any, path: str, *args: Expr, **keywords: Expr) -> Call:
    """A call of a function of NumPy (`path` "np.sum") or of the run time."""
    root, _, rest = path.partition(".")
    head: Expr = Object(np if root == "np" else fn, root) if rest else Object(fn, path)
    for part in rest.split(".") if rest else ():
        head = Attr(head, part)
    return Call(head, args, tuple(keywords.items()))


_REAL = {"conj", "conjugate", "real"}


def has_complex(types: dict[str, Type]) -> bool:
    """Whether any name is complex."""
    return any(isinstance(t, Number | Array) and t.kind == "c" for t in types.values())


def is_real(e: Expr, types: dict[str, Type]) -> bool:
    """Whether an expression is proved real: nothing complex stands in it."""
    from srcgrad.ir import walk

    if not has_complex(types):
        return not any(isinstance(x, Const) and isinstance(x.value, complex) for x in walk(e))
    for x in walk(e):
        if isinstance(x, Call) and isinstance(x.fn, Object) and type(x.fn.value).__name__ == "Half":
            return True  # a reverse half gives real adjoints to real arguments
        if isinstance(x, Name):
            t = types.get(x.id)
            if not isinstance(t, Number | Array) or t.kind == "c":
                return False
        elif isinstance(x, Const) and isinstance(x.value, complex):
            return False
    return True


def is_floating(e: Expr, types: dict[str, Type]) -> bool:
    """Whether an expression is proved to give floats: an adjoint of integers would be one of integers itself."""
    match e:
        case Name(name):
            t = types.get(name)
            return isinstance(t, Number | Array) and t.kind in "fc"
        case Const(value):
            return isinstance(value, float | complex)
        case Binary("/", _, _):
            return True
        case Binary("+" | "-" | "*" | "@" | "**", a, b):
            return is_floating(a, types) or is_floating(b, types)
        case Unary("-" | "+", x) | Item(x, _):
            return is_floating(x, types)
        case Attr(x, "T" | "real"):
            return is_floating(x, types)
        case IfExp(_, a, b):
            return is_floating(a, types) and is_floating(b, types)
        case Call(Attr(Object(value), name), args, _) if value is np or value is math:
            if name in ("where",):
                return any(is_floating(a, types) for a in args[1:])
            if name in _FLOATING:
                return True
            return any(is_floating(a, types) for a in args)
    return False


def is_flag(e: Expr, types: dict[str, Type]) -> bool:
    """Whether a condition is one truth value, not an array of them."""
    match e:
        case Name(name):
            return isinstance(types.get(name), Number)
        case Const(bool()):
            return True
        case Compare(_, operands):
            return all(_is_scalar(o, types) for o in operands)
        case Unary("not", _):
            return True
        case Binary("&" | "|", a, b):
            return is_flag(a, types) and is_flag(b, types)
    return False


def _is_scalar(e: Expr, types: dict[str, Type]) -> bool:
    return isinstance(e, Const) or (isinstance(e, Name) and isinstance(types.get(e.id), Number))


_FLOATING = {
    "sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "cosh", "sinh", "ones", "zeros", "exp2", "log2", "log10", "log1p",
    "expm1", "arctan", "float64", "pi",
}  # fmt: skip


def simple(e: Expr, types: dict[str, Type]) -> Expr:
    """Literal arithmetic, conjugates of reals and full slices, as a person would write them.

    >>> simple(Binary("-", Const(3), Const(1)), {})
    Const(value=2)
    """
    match e:
        case Binary("*", Const(1 | 1.0 as c), x) | Binary("*", x, Const(1 | 1.0 as c)) if not isinstance(
            c, bool
        ):
            if isinstance(x, Const) and isinstance(x.value, int | float) and not isinstance(x.value, bool):
                return Const(x.value * c)
            return x if type(c) is int or is_floating(x, types) else e
        case Binary("*", Const(float() as c), x) if c in (2.0, 3.0, 4.0, 6.0, 8.0) and is_floating(x, types):
            return Binary("*", Const(int(c)), x)
        case Binary(op, Const(int() | float() as a), Const(int() | float() as b)) if not (
            isinstance(a, bool) or isinstance(b, bool)
        ):
            if op in ("+", "-", "*"):
                return Const({"+": a + b, "-": a - b, "*": a * b}[op])
        case Binary("**", base, Const(1)):
            return base
        case Call(Attr(Object(), name), (x,), ()) if name in _REAL and is_real(x, types):
            return x
        case Unary("-", Const(int() | float() as c)) if not isinstance(c, bool):
            return Const(-c)
        case Unary("-", Unary("-", x)):
            return x
        case Binary("*" | "/" as op, Unary("-", x), y):
            return minus(Binary(op, x, y))
        case Binary("*" | "/" as op, x, Unary("-", y)):
            return minus(Binary(op, x, y))
        case Binary("+", x, Unary("-", y)):
            return Binary("-", x, y)
        case Binary("-", x, Unary("-", y)):
            return Binary("+", x, y)
    return e


def times(g: Expr, d: Expr) -> Expr:
    """`g * d`, written as a person would: the factors from left to right, a quotient as a division.

    >>> times(Name("g"), Binary("/", Const(1), Name("b")))
    Binary(op='/', left=Name(id='g'), right=Name(id='b'))
    """
    match d:
        case Const(1 | 1.0 as c) if not isinstance(c, bool):
            return g
        case Const(-1 | -1.0):
            return minus(g)
        case Const(int() | float() as c) if c < 0:
            return minus(times(g, Const(-c)))
        case Unary("-", x):
            return minus(times(g, x))
        case Binary("/", a, b):
            return Binary("/", times(g, a), b)
        case Binary("*", a, b):
            return times(times(g, a), b)
    match g:
        case Unary("-", x):
            return minus(times(x, d))
    if isinstance(d, Const):
        return scaled(d, g)
    return Binary("*", g, d)


def scaled(c: Const, e: Expr) -> Expr:
    """`c * e` with the constant in front of the whole product.

    >>> scaled(Const(2), Binary("*", Name("a"), Name("b"))).left
    Binary(op='*', left=Const(value=2), right=Name(id='a'))
    """
    match e:
        case Const(int() | float()):
            return simple(Binary("*", c, e), {})
        case Binary("*" | "/" as op, a, b):
            return Binary(op, scaled(c, a), b)
    return Binary("*", c, e)


def minus(e: Expr) -> Expr:
    return simple(Unary("-", e), {})
