"""Owners: additions in place where the adjoint's array is its own, copies where it is not.

    x_bar = z_bar; x_bar += e      ->  x_bar = z_bar; x_bar = x_bar + e
    x_bar = z_bar; x_bar[1:] += e  ->  x_bar = z_bar.copy(); x_bar[1:] += e

Asked of the adjoint code as of any program: an array is a name's own when every expression bound to the name makes a
new one, and no other name, list or call is given it.
"""

from __future__ import annotations

import numpy as np

from srcgrad import runtime
from srcgrad.derive.template import call
from srcgrad.function import Function
from srcgrad.ir import (
    Add,
    AddAt,
    Assign,
    Attr,
    AugAssign,
    Binary,
    Block,
    Call,
    Compare,
    Const,
    Dict,
    Effect,
    Expr,
    For,
    IfExp,
    Item,
    Name,
    Object,
    Seq,
    Slice,
    Stmt,
    Unary,
    blocks,
    reads,
    statements,
    targets,
)
from srcgrad.simplify.stretch import stretched
from srcgrad.types import Array, ListOf, Number

# Functions of NumPy that always give a new array (ufuncs and reductions do too).
_FRESH = {
    "sum", "where", "outer", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "dot", "matmul", "einsum",
    "stack", "concatenate", "array", "cumsum", "cumprod", "mean", "copy", "tensordot", "kron", "cross", "eye",
    "diag", "tril", "triu", "roll", "repeat", "tile", "take_along_axis", "inner", "vdot", "trace", "prod", "convolve",
    "correlate", "argsort", "inv", "solve", "pad", "diff", "vstack", "hstack",
}  # fmt: skip


def owners(
    block: Block,
    f: Function,
    outputs: set[str],
    given: set[str],
    memory: frozenset[str] = frozenset(),
    fixed: frozenset[str] = frozenset(),
) -> Block:
    """Settle how each addition is written.

    `memory` are adjoints that are added to in place whatever is bound to them; what `fixed` ones are bound to is theirs.
    """
    work = _Owners(f, outputs, given | memory)
    work.placed |= memory
    work.fixed = fixed
    work.look(block)
    work.settle(block)
    return block


class _Owners:
    def __init__(self, f: Function, outputs: set[str], given: set[str]):
        self.f, self.outputs, self.given = f, outputs, given
        self.shared: set[str] = set()  # other names may be bound to its array
        self.fixed: frozenset[str] = frozenset()
        self.placed: set[str] = set()  # added to at places: must be its own

    def is_number(self, name: str) -> bool:
        return isinstance(self.f.types.get(name), Number)

    # ---------------------------------------------------------------------------------------- facts
    def look(self, block: Block) -> None:
        self.placed.update(s.target.id for s in statements(block) if isinstance(s, AddAt))
        self.placed.update(
            s.target.value.id
            for s in statements(block)
            if isinstance(s, Assign) and isinstance(s.target, Item) and isinstance(s.target.value, Name)
        )
        for s in statements(block):
            if hasattr(s, "is_view"):
                continue  # what it makes is meant to be seen through both
            match s:
                case Assign(target, value):
                    roots = self.roots(value)
                    names = targets(target)
                    found = stretched(value)
                    if found is not None and found[0] not in (Const(1.0), Const(1)):
                        if not set(names) & (self.placed | self.outputs):
                            self.shared.update(names)  # a stretched view cannot be added to
                    if (
                        roots
                        or isinstance(value, Call)
                        and not isinstance(target, Name)
                        and not _is_half(value.fn)
                    ):
                        copied = isinstance(target, Name) and (
                            target.id in self.placed or target.id in self.outputs
                        )
                        if not copied:
                            self.shared.update(names)
                            self.shared.update(roots)
                    if not names:  # into an entry of a list
                        self.shared.update(roots)
                case Effect(Call(_, args, _)):
                    for a in args:
                        self.shared.update(self.roots(a))
                case For():
                    self.shared.update(targets(s.target))

    def roots(self, e: Expr) -> set[str]:
        """The names whose arrays the value of an expression may be, or be a view of."""
        match e:
            case Name(id):
                return set() if self.is_number(id) else {id}
            case Attr(x, "shape" | "size" | "ndim" | "dtype"):
                return set()
            case Attr(x, _) | Item(x, _):
                return self.roots(x)
            case Binary() | Unary() | Compare() | Const():
                return set()
            case IfExp(_, a, b):
                return self.roots(a) | self.roots(b)
            case Seq(_, items):
                return {n for i in items for n in self.roots(i)}
            case Dict(_, values):
                return {n for i in values for n in self.roots(i)}
            case Call(fn, args, keywords):
                if self.makes_anew(fn):
                    return set()
                if isinstance(fn, Attr) and fn.name == "pop":
                    return self.roots(fn.value)
                out = {n for a in args for n in self.roots(a)} | {
                    n for _, v in keywords for n in self.roots(v)
                }
                if isinstance(fn, Attr):
                    out |= self.roots(fn.value)
                return out
        return reads(e)

    def makes_anew(self, fn: Expr) -> bool:
        match fn:
            case Attr(Object(value), name) if value is np:
                return isinstance(getattr(np, name, None), np.ufunc) or name in _FRESH
            case Attr(Attr(Object(value), "linalg"), name) if value is np:
                return name in _FRESH
            case Attr(_, "copy"):
                return True
            case Object(value):
                return _is_half(fn) or value is runtime.zeros_of or value in (len, float, range)
        return False

    # ---------------------------------------------------------------------------------------- edits
    def settle(self, block: Block) -> None:
        for k, s in enumerate(block):
            for inner in blocks(s):
                self.settle(inner)
            match s:
                case Add(target, value):
                    block[k] = self.addition(s, target, value)
                case AddAt(target, index, value):
                    block[k] = self.place(s, target, index, value)
                case Assign(Name(id) as target, value) if id not in self.fixed and not hasattr(s, "is_view"):
                    s.value = self.binding(id, value)
                case Effect(Call(Attr(Name(), "append") as fn, (Name(id) as arg,), ())) if id in self.placed:
                    s.value = Call(fn, (Call(Attr(arg, "copy"), ()),))

    def place(self, s: AddAt, target: Name, index: Expr, value: Expr) -> Stmt:
        found = stretched(value)
        if found is not None:
            value = found[0]
        if s.repeats:
            return _like(s, Effect(call(np.add.at, "np.add.at", target, as_object(index), value)))
        if isinstance(value, Unary) and value.op == "-":
            return _like(s, AugAssign(Item(target, index), "-", value.operand))
        return _like(s, AugAssign(Item(target, index), "+", value))

    def addition(self, s: Add, target: Name, value: Expr) -> Stmt:
        op = "+"
        t = self.f.types.get(target.id)
        own = target.id not in self.shared or target.id in self.given
        array = isinstance(t, Array) and t.shape is not None
        if isinstance(t, ListOf):
            pairs = call(runtime.add_each, "add_each", target, value)
            return _like(s, Assign(target, Call(Object(runtime.add_each, "add_each"), pairs.args)))
        in_place = isinstance(t, Number) or (array and own)
        found = stretched(value)
        if found is not None and array:
            value = found[0]
        match value:
            case Unary("-", x):
                op, value = "-", x
            case Binary("*" | "/", Unary("-", x), y) as b:
                op, value = "-", Binary(b.op, x, y)
        if in_place:
            return _like(s, AugAssign(target, op, value))
        return _like(s, Assign(target, Binary(op, target, value)))

    def binding(self, name: str, value: Expr) -> Expr:
        t = self.f.types.get(name)
        if isinstance(value, Const) and type(value.value) is int:
            value = Const(float(value.value))
        found = stretched(value)
        needs_own = name in self.placed or name in self.outputs
        if found is not None:
            g, like = found
            if g == Const(1.0) or g == Const(1):
                return (
                    call(np.ones, "np.ones", Attr(like, "shape"))
                    if not self.same_dtype(like, t)
                    else call(np.ones_like, "np.ones_like", like)
                )
            if needs_own:
                return Call(Attr(value, "copy"), ())
            return value
        if needs_own and not isinstance(t, Number | ListOf) and self.roots(value):
            if isinstance(t, Array) and t.shape is not None:
                return Call(Attr(value, "copy"), ())
            return (
                call(np.copy, "np.copy", value)
                if not isinstance(t, Array) or t.shape is not None
                else Binary("+", value, Const(0.0))
            )
        return value

    def same_dtype(self, like: Expr, t: object) -> bool:
        u = self.f.types.get(like.id) if isinstance(like, Name) else None
        return isinstance(u, Array) and isinstance(t, Array) and u.dtype == t.dtype


def _is_half(fn: Expr) -> bool:
    """A reverse half gives adjoints that are its caller's own."""
    return isinstance(fn, Object) and type(fn.value).__name__ == "Half"


def as_object(index: Expr) -> Expr:
    """An index as an argument: its slices spelled out."""
    match index:
        case Slice(lower, upper, step):
            parts = [Const(None) if p is None else p for p in (lower, upper, step)]
            if parts[2] == Const(None):
                parts.pop()
            if len(parts) == 2 and parts[0] == Const(None):
                parts.pop(0)
            return Call(Object(slice, "slice"), tuple(parts))
        case Seq(kind, items):
            return Seq(kind, tuple(as_object(i) for i in items))
    return index


def _like(old: Stmt, new: Stmt) -> Stmt:
    new.loc, new.comment = old.loc, old.comment
    return new
