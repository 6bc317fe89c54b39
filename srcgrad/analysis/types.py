"""Types: forward through the function, to a fixed point; and with them what each operation means.

A type belongs to a web: the join of the types of its bindings. Branches that types decide (`is None`, `.ndim == 2`,
mode strings) are followed on the decided side only.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.analysis.uses import Use, Uses
from srcgrad.errors import refuse
from srcgrad.function import Function, is_ours
from srcgrad.ir import (
    Assign,
    Attr,
    Binary,
    Block,
    Bool,
    Break,
    Call,
    Compare,
    Const,
    Dict,
    Effect,
    Expr,
    For,
    If,
    IfExp,
    Item,
    Name,
    Object,
    Opaque,
    Raise,
    Seq,
    Slice,
    Star,
    Stmt,
    Unary,
    While,
    binds,
    reads,
    statements,
)
from srcgrad.types import (
    Array,
    Data,
    ListOf,
    Maybe,
    Number,
    Struct,
    Sym,
    Type,
    Unknown,
    certain,
    forget,
    join,
    known,
)

BINARY: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
UNARY: dict[str, Callable[..., Any]] = {
    "-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_,
}  # fmt: skip
COMPARE: dict[str, Callable[..., Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "is": operator.is_, "is not": operator.is_not, "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip
_COUNTED = {"+", "-", "*", "//", "%"}


def types(function: Function) -> Function:
    """Find the types of all webs, and the meaning of all operations."""
    while True:
        before = len(function.uniform)
        given = {p: function.types[p] for p in function.params}
        _Types(function).run()
        if len(function.uniform) == before:
            return function
        function.types = given


def atom_types(function: Function) -> Callable[[Expr], Type]:
    """The types of atoms, once they have settled."""
    work = _Types(function)
    work.env = function.types
    return work.type_of


def is_ours_flag(f: Function, s: Stmt) -> bool:
    """A flag of ours: set where a loop or an arm is left."""
    return (
        isinstance(s, Assign)
        and isinstance(s.target, Name)
        and is_ours(s.target.id)
        and isinstance(s.value, Const)
        and isinstance(s.value.value, bool)
        and f.names.get(s.target.id) in ("returned", "stopped", "skipped")
    )


Env = dict[str, Type]  # the types of the webs at one point of the program


def merged(a: Env, b: Env) -> Env:
    """The types where two paths meet; a web that only one of them binds has its type."""
    out = dict(a)
    for n, t in b.items():
        out[n] = join(a.get(n), t)
    return out


class _Types:
    def __init__(self, function: Function):
        self.f = function
        self.context = function.context
        self.uses = Uses(function, self.type_of)
        self.env: Env = {}

    def run(self) -> None:
        f = self.f
        given = {p: f.types[p] for p in f.params}
        f.types.clear()
        f.types.update(given)
        f.uses.clear()
        f.reached.clear()
        bound = {n for s in statements(f.body) for n in binds(s)}
        self.env: Env = dict(given)
        for n in f.captured:
            f.types[n] = self.env[n] = self.context.global_type(f, Name(n))
        for n in f.names:
            if n not in bound and n not in given and n not in f.captured and not n.endswith(("·bar", "·dot")):
                f.types[n] = self.env[n] = Unknown("never bound")
        self.breaks: list[list[Env]] = []
        self.tests: dict[
            str, tuple[str, bool]
        ] = {}  # condition -> the web that it tests, and whether for None
        self.block(f.body)
        f.maybe_none = {n for n, t in f.types.items() if isinstance(t, Maybe)}
        f.types.update({n: certain(t) for n, t in f.types.items()})

    # ---------------------------------------------------------------------------------------- statements
    def bind(self, name: str, t: Type) -> None:
        """The name holds a value of this type from here on; its web has the join of what it ever holds."""
        if name in self.f.uniform and isinstance(t, Struct) and t.keys is None:
            t = ListOf(_joined(t.items) if t.items else None)
        self.env[name] = t
        for condition in [c for c, (web, _) in self.tests.items() if web == name]:
            del self.tests[condition]
        self.f.types[name] = join(self.f.types.get(name), t)

    def block(self, block: Block) -> bool:
        """Follows a block from the types in `env`; whether its end is reached."""
        for s in block:
            self.f.reached.add(id(s))
            match s:
                case Assign(Name(name), value):
                    self.tested: tuple[str, bool] | None = None
                    t = self.assign(s, value)
                    if t is not None:
                        self.bind(name, t)
                    if self.tested is not None:
                        self.tests[name] = self.tested
                case Assign(Seq() as target, Seq("tuple", items)) if len(target.items) == len(items):
                    self.f.uses[id(s)] = Use("parallel")
                    if self.ready(s.value):
                        for t, v in zip(target.items, items, strict=True):
                            self.bind(t.id, self.type_of(v))  # type: ignore[attr-defined]
                case Assign(Seq() as target, value):
                    if self.ready(value):
                        self.unpack(s, target, self.type_of(value))
                case Assign(Item() as target, value):
                    if self.ready(target) and self.ready(value):
                        self.store(s, target, value)
                case Effect(value):
                    self.effect(s, value)
                case If(cond=cond):
                    if not self.branch(s, self.decided(cond)):
                        return False
                case For() | While():
                    if not self.loop(s):
                        return False
                case Break():
                    self.breaks[-1].append(self.env)
                    return False
                case Raise():
                    return False
        return True

    def ready(self, e: Expr) -> bool:
        """Whether all names have a type here: in a loop's first round some do not have one yet."""
        return all(n in self.env for n in reads(e) if n in self.f.names)

    def narrowed(self, cond: Expr, holds: bool) -> None:
        """What `x is None` tells of x on the side of a branch."""
        web, none = self.tests.get(cond.id, ("", True)) if isinstance(cond, Name) else ("", True)
        t = self.env.get(web)
        if isinstance(t, Maybe):
            self.env[web] = known(None) if none == holds else t.item

    def branch(self, s: If, decided: bool | None) -> bool:
        before = self.env
        tests = dict(self.tests)
        ends: list[Env] = []
        for arm, taken in ((s.then, decided is not False), (s.other, decided is not True)):
            if taken:
                self.env = dict(before)
                self.tests = dict(tests)
                self.narrowed(s.cond, arm is s.then)
                if self.block(arm):
                    ends.append(self.env)
        self.tests = {}
        if not ends:
            return False
        self.env = ends[0] if len(ends) == 1 else merged(ends[0], ends[1])
        return True

    def loop(self, s: For | While) -> bool:
        """A loop to its fixed point: what the body makes has another extent in each trip, and is not promised."""
        inside = {id(t) for t in statements(s.body)}
        sites = self.context.sites

        def made_inside(symbol: str) -> bool:
            return sites.get(symbol) in inside

        head = self.env
        for _ in range(60):
            self.tests = {}
            self.env = dict(head)
            self.breaks.append([])
            if isinstance(s, While):
                self.block(s.pre)
                decided = self.decided(s.cond)
            else:
                decided = None
                self.f.uses[id(s)] = Use("for")
            after = dict(self.env)
            end: Env | None = None
            if decided is not False:
                if isinstance(s, For) and isinstance(s.target, Name) and self.ready(s.iterable):
                    self.bind(s.target.id, self.item_type(self.type_of(s.iterable)))
                if self.block(s.body):
                    end = self.env
            left = self.breaks.pop()
            new = head if end is None else merged(head, {n: forget(t, made_inside) for n, t in end.items()})
            if new == head:
                outs = ([after] if decided is not True else []) + left
                if not outs:
                    return False
                self.env = outs[0]
                for e in outs[1:]:
                    self.env = merged(self.env, e)
                self.env = {n: forget(t, made_inside) for n, t in self.env.items()}
                return True
            head = new
        raise AssertionError("types did not settle")

    def unpack(self, s: Stmt, target: Seq, t: Type) -> None:
        items = target.items
        self.f.uses[id(s)] = Use("unpack", result=t)
        star = next((k for k, i in enumerate(items) if isinstance(i, Star)), None)
        if isinstance(t, Struct) and t.keys is None:
            parts = list(t.items)
            if star is not None:
                rest = len(items) - 1 - star
                middle = parts[star : len(parts) - rest]
                parts = [*parts[:star], Struct("list", tuple(middle)), *parts[len(parts) - rest :]]
        else:
            item = self.item_type(t)
            parts = [ListOf(item) if isinstance(i, Star) else item for i in items]
        for i, p in zip(items, parts, strict=False):
            name = i.value if isinstance(i, Star) else i
            self.bind(name.id, p)  # type: ignore[attr-defined]

    def store(self, s: Assign, target: Item, value: Expr) -> None:
        """A write of a place: of an array, or of an entry of a list or dict."""
        owner, v = self.type_of(target.value), self.type_of(value)
        assert isinstance(target.value, Name)
        web = target.value.id
        use = self.uses.store(target, owner, v)
        named = isinstance(target.index, Const) and isinstance(target.index.value, int)
        if isinstance(owner, Struct) and owner.kind == "list" and not named:
            self.f.uniform.add(web)
            owner = ListOf(_joined(owner.items) if owner.items else None)
        if isinstance(owner, ListOf) and use.kind == "store":
            self.bind(web, ListOf(join(owner.item, v)))
        self.f.uses[id(s)] = use

    def effect(self, s: Stmt, value: Expr) -> None:
        call_of_local = (
            isinstance(value, Call) and isinstance(value.fn, Attr) and isinstance(value.fn.value, Name)
        )
        if call_of_local and self.uses.is_local(value.fn):  # type: ignore[attr-defined]
            owner = self.type_of(value.fn.value)
            name, args = value.fn.name, value.args
            listed = isinstance(owner, ListOf) or (isinstance(owner, Struct) and owner.kind == "list")
            if listed and not value.keywords and (name, len(args)) in (("append", 1), ("insert", 2)):
                self.f.uses[id(s)] = Use(name)
                if isinstance(owner, Struct):
                    owner = ListOf(_joined(owner.items) if owner.items else None)
                if self.ready(args[-1]):
                    assert isinstance(owner, ListOf)
                    self.bind(value.fn.value.id, ListOf(join(owner.item, self.type_of(args[-1]))))
                return
        self.assign(s, value)

    # ---------------------------------------------------------------------------------------- expressions
    def assign(self, s: Stmt, value: Expr) -> Type | None:
        """The type that the statement binds; None while an operand has none yet (a loop's first round)."""
        if not self.ready(value) and not isinstance(value, IfExp | Bool):
            return None
        use = self.operation(s, value)
        if use.kind == "user" and use.result is None:
            self.f.uses[id(s)] = use
            return None
        self.f.uses[id(s)] = use
        t = use.result
        if is_ours_flag(self.f, s):
            t = Number("b")  # the flow knows more here than the reverse sweep may
        if isinstance(t, Array) and t.shape is not None and None in t.shape:
            t = Array(t.dtype, tuple(self.site(s, k) if e is None else e for k, e in enumerate(t.shape)))
            use.result = t
        return t

    def site(self, s: Stmt, axis: int) -> Sym:
        """An extent that only the run knows: the same for all that is made of this one object."""
        names = self.context.site_names
        key = (id(s), axis)
        if key not in names:
            names[key] = f"e{len(names)}"
            self.context.sites[names[key]] = id(s)
            self.context.keep_alive.append(s)  # the id stays this statement's
        return Sym(names[key])

    def type_of(self, e: Expr) -> Type:
        """The type of an atom (or of an index)."""
        match e:
            case Name(id) if id in self.env:
                return self.env[id]
            case Const(value):
                if isinstance(value, bool | int | float | complex):
                    kind = {bool: "b", int: "i", float: "f", complex: "c"}[type(value)]
                    return Number(kind, None, value)
                return known(value) if value is not Ellipsis else known(Ellipsis)
            case Object(value):
                return known(value)
            case Attr(Object(value), name):
                return known(getattr(value, name))
            case Attr() | Name():
                if self.uses.is_local(e):
                    return Unknown("not bound yet")
                return self.context.global_type(self.f, e)
            case Slice(lower, upper, step):
                parts = [None if p is None else self.constant(p) for p in (lower, upper, step)]
                return known(slice(*parts)) if "?" not in parts else Data(slice)
            case Seq("tuple", items):
                return Struct("tuple", tuple(self.type_of(i) for i in items))
        return Unknown()

    def constant(self, e: Expr) -> Any:
        t = self.type_of(e)
        if isinstance(t, Number) and t.value is not None and not isinstance(t.value, Sym):
            return t.value
        return None if t == known(None) else "?"

    def decided(self, cond: Expr) -> bool | None:
        t = self.type_of(cond)
        if isinstance(t, Number) and t.value is not None and not isinstance(t.value, Sym):
            return bool(t.value)
        if isinstance(t, Data) and t.known and (t.value is None or isinstance(t.value, str)):
            return bool(t.value)
        return None

    def item_type(self, t: Type) -> Type:
        match t:
            case Array(dtype, shape):
                if shape is None:
                    return Unknown()
                if len(shape) == 1:
                    kind = np.dtype(dtype).kind
                    return Number("i" if kind == "u" else kind, dtype)
                return Array(dtype, shape[1:])
            case ListOf(item):
                return item or Unknown("an empty list")
            case Struct(_, items, keys):
                return _joined([known(k) for k in keys] if keys is not None else items)
            case Data(items=Type() as item):
                return item
            case Data(cls) if cls is str:
                return Data(str)
        return Unknown()

    def operation(self, s: Stmt, e: Expr) -> Use:
        t = self.type_of
        match e:
            case Name() | Const():
                return Use("copy", result=t(e))
            case Attr() if not self.uses.is_local(e):
                return Use("data", result=t(e))
            case Attr(value, name):
                return self.uses.attribute(e, t(value), name)
            case Item(value, index):
                use = self.uses.item(e, t(value), index)
                if use.kind == "list item" and isinstance(value, Name) and isinstance(t(value), Struct):
                    self.f.uniform.add(value.id)
                return use
            case Seq(kind, items):
                if not items and kind == "list":
                    return Use("display", result=ListOf(None))
                return Use("display", result=Struct(kind, tuple(t(i) for i in items)))
            case Dict(keys, values):
                constants = [k.value for k in keys if isinstance(k, Const)]
                if len(set(constants)) < len(constants):
                    refuse(
                        "syntax", "a key stands twice in a dict", e.loc, hint="leave out the first of the two"
                    )
                if len(constants) == len(keys):
                    return Use(
                        "display", result=Struct("dict", tuple(t(v) for v in values), tuple(constants))
                    )
                return Use("data", result=Data(dict))
            case Unary("not", operand):
                decided = self.decided(operand)
                if isinstance(operand, Name) and operand.id in self.tests:
                    web, none = self.tests[operand.id]
                    self.tested = (web, not none)
                return Use("constant", result=Number("b", None, None if decided is None else not decided))
            case Unary(op, operand):
                return self.uses.operator("u" + op, UNARY[op], e, (operand,), counted=True)
            case Binary(op, left, right):
                return self.uses.operator(op, BINARY[op], e, (left, right), counted=op in _COUNTED)
            case Compare((op,), (left, right)):
                return self.compare(e, op, left, right)
            case Compare() | Bool() | IfExp():
                return Use("lazy", result=self.lazy(e))
            case Opaque(what):
                return Use("opaque", result=_OPAQUE_TYPES.get(what, Unknown(f"a {what}")))
            case Call():
                return self.uses.call(s, e)
        raise AssertionError(f"no meaning for {e!r}")

    def compare(self, e: Expr, op: str, left: Expr, right: Expr) -> Use:
        a, b = self.type_of(left), self.type_of(right)
        if op in ("is", "is not"):
            value = None
            if isinstance(a, Maybe) and b == known(None) and isinstance(left, Name):
                self.tested = (left.id, op == "is")
                return Use("constant", result=Number("b"))
            if isinstance(b, Data) and b.known and b.value is None and not isinstance(a, Unknown):
                if not (isinstance(a, Data) and a.cls is None):
                    value = (a == b) == (op == "is")
            return Use("constant", result=Number("b", None, value))
        x, y = self.constant(left), self.constant(right)
        if "?" not in (x, y) if not isinstance(x, np.ndarray) else False:
            if x is not None and y is not None:
                return Use("constant", result=Number("b", None, bool(COMPARE[op](x, y))))
        if isinstance(a, Data) and isinstance(b, Data) and a.cls is b.cls is str and a.known and b.known:
            return Use("constant", result=Number("b", None, bool(COMPARE[op](a.value, b.value))))
        result = self.context.example.result(COMPARE[op], [_valueless(a), _valueless(b)])
        if isinstance(result, Data | Unknown) and op in ("in", "not in"):
            result = Number("b")
        return Use("constant", result=_valueless(result))

    def lazy(self, e: Expr) -> Type:
        """The type of a lazily evaluated tree; None of a part that reads what no path has bound yet."""
        if not isinstance(e, IfExp | Bool) and not self.ready(e):
            return None  # type: ignore[return-value]
        match e:
            case IfExp(test, then, other):
                decided = self.decided_tree(test)
                if decided is not None:
                    return self.lazy(then if decided else other)
                return join(self.lazy(then), self.lazy(other))
            case Bool(op, items):
                decided = [self.decided_tree(i) for i in items]
                if None not in decided:
                    return Number("b", None, all(decided) if op == "and" else any(decided))
                if (False if op == "and" else True) in decided[:1]:
                    return Number("b", None, op != "and")
                out: Type | None = None
                for i in items:
                    out = join(out, self.lazy(i))
                return _valueless(out)
            case Compare((op,), (left, right)):
                a, b = self.lazy(left), self.lazy(right)
                if op in ("is", "is not") and b == known(None) and not isinstance(a, Unknown):
                    return Number("b", None, (a == b) == (op == "is"))
                return _valueless(self.context.example.result(COMPARE[op], [_valueless(a), _valueless(b)]))
            case Compare():
                return Number("b")
            case Name() | Const():
                return self.type_of(e)
            case Attr() if not self.uses.is_local(e):
                return self.type_of(e)
            case Unary("not", operand):
                decided_one = self.decided_tree(operand)
                return Number("b", None, None if decided_one is None else not decided_one)
        return self.uses.nested(e, self.lazy)

    def decided_tree(self, e: Expr) -> bool | None:
        t = self.lazy(e) if self.ready(e) else None
        if isinstance(t, Number) and t.value is not None and not isinstance(t.value, Sym):
            return bool(t.value)
        if isinstance(t, Data) and t.known and (t.value is None or isinstance(t.value, str)):
            return bool(t.value)
        return None


_OPAQUE_TYPES: dict[str, Type] = {"f-string": Data(str)}


def _valueless(t: Type | None) -> Type:
    if isinstance(t, Number):
        return Number(t.kind, t.dtype)
    return t or Unknown()


def _joined(items: Any) -> Type:
    out: Type | None = None
    for i in items:
        out = join(out, i)
    return out or Unknown()
