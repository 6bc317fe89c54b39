"""Objects: which names may be bound to the same array, and which arrays are memory.

    v = a[1:]; b = a; v[0] = x    ->    a, v and b are of one class, and the class is written: memory

Names, entries of containers and results of calls are put into classes: two that may be bound to one array, or to
views of it, are of the same class. A class that anybody writes is memory; the arrays of all others are values.
Whatever is not known to make a new array joins what it is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.analysis.uses import Use
from srcgrad.function import VALUE, Function
from srcgrad.ir import (
    Assign,
    Binary,
    Block,
    Call,
    Effect,
    Expr,
    For,
    Item,
    Name,
    Seq,
    Star,
    Stmt,
    reads,
    statements,
    targets,
)
from srcgrad.types import Array, Data, ListOf, Maybe, Struct, Type, Unknown

WORLD = "·world"  # stands for all that is reached through names of the module, or of functions around
Path = tuple[Any, ...]
Node = tuple[str, Path]  # a web and the entry of it; ("*",) is any entry of a list

# Rules whose result is, or may be, a view of what they are given. `tests/analysis/test_objects.py` runs the whole
# table: no other rule gives memory of its arguments.
VIEWS = {
    "getitem", "transpose", "transpose_method", "transposed", "matrix_transpose", "swapaxes", "moveaxis", "flip",
    "fliplr", "flipud", "rot90", "expand_dims", "squeeze", "diagonal", "linalg_diagonal", "broadcast_to",
    "einsum_view",
}  # fmt: skip
MAYBE = {
    "reshape", "reshape_method", "ravel", "array_or_view", "atleast_1d", "atleast_2d", "atleast_3d", "asarray",
    "ascontiguousarray", "asarray_chkfinite", "diag_of_matrix", "split", "array_split", "hsplit", "vsplit", "dsplit",
    "unstack", "real", "imag", "conj", "diff_repeated", "matrix_power", "to_complex", "to_complex128", "to_float",
    "to_float32", "to_float64",
}  # fmt: skip


def makes_anew(use: Use | None) -> bool:
    """Whether the operation's result is an object that nothing else is bound to."""
    if use is None:
        return True
    if use.kind == "rule":
        assert use.rule is not None
        if use.rule.module.endswith(".helpers") and use.rule.name != "spread_":
            return False  # sums over no axis give back what they are given
        if use.rule.name == "conj" and not use.what.startswith("the method"):
            return True  # np.conjugate is a ufunc; the method gives a real array back
        return use.rule.name not in VIEWS and use.rule.name not in MAYBE and use.what != ".flat"
    return use.kind in ("creation", "constant")


@dataclass
class Summary:
    """What a call of a function does to the objects that it is handed: node by node of its parameters and its value."""

    groups: tuple[frozenset[Node], ...] = ()  # which may be one object afterwards
    writes: frozenset[Node] = frozenset()
    same: str | None = None  # the parameter that the result is
    contents: frozenset[str] = frozenset()  # the parameters of which the reverse may read what they hold


@dataclass
class Objects:
    """The classes of one function."""

    function: Function
    parent: dict[Node, Node] = field(default_factory=dict)
    written: set[Node] = field(default_factory=set)  # of which somebody writes the array
    writers: dict[int, set[Node]] = field(default_factory=dict)  # id of a statement -> what it writes

    def find(self, n: Node) -> Node:
        root = n
        while self.parent.setdefault(root, root) != root:
            root = self.parent[root]
        while self.parent[n] != root:
            self.parent[n], n = root, self.parent[n]
        return root

    def join(self, a: Node, b: Node) -> None:
        x, y = sorted((self.find(a), self.find(b)))
        self.parent[y] = x

    def finish(self) -> None:
        self.memory = {self.find(n) for n in self.written}
        self.members: dict[Node, list[Node]] = {}
        for n in list(self.parent):
            root = self.find(n)
            if root in self.memory:
                self.members.setdefault(root, []).append(n)
        self.written_by: dict[int, set[Node]] = {
            s: {self.find(n) for n in found} for s, found in self.writers.items()
        }

    def class_of(self, web: str, path: Path = ()) -> Node | None:
        """The memory that a name (or an entry of it) is bound to; None of a value."""
        n = (web, path)
        if n not in self.parent:
            return None
        root = self.find(n)
        return root if root in self.memory else None

    def webs_with(self, web: str) -> frozenset[str]:
        """The names that may be bound to the memory of `web`, itself among them."""
        root = self.class_of(web)
        if root is None:
            return frozenset((web,))
        return frozenset(w for w, _ in self.members[root]) | {web}

    def writes_between(self, root: Node, block: Block) -> bool:
        """Whether a statement of the block, or one inside it, writes the class."""
        return any(root in self.written_by.get(id(s), ()) for s in statements(block))


def leaves(t: Type | None) -> Iterator[Path]:
    """The paths to the arrays in a value of a type."""
    match t:
        case Array() | Unknown() | None:
            yield ()
        case Data(cls=cls) if cls is np.ndarray or cls is None:
            yield ()
        case Struct(items=items):
            for k, item in enumerate(items):
                for p in leaves(item):
                    yield (k, *p)
        case ListOf(item):
            for p in leaves(item) if item is not None else ():
                yield ("*", *p)
        case Maybe(item):
            yield from leaves(item)
        case Data(items=Type() as item):
            for p in leaves(item):
                yield ("*", *p)


def matches(given: Path, wanted: Path) -> bool:
    """Whether two entries may be the same: any entry of a list is each of a display."""
    return len(given) == len(wanted) and all(
        a == b or "*" in (a, b) for a, b in zip(given, wanted, strict=True)
    )


def objects(function: Function) -> Function:
    """Find the classes."""
    function.objects = _Build(function).run()
    return function


class _Build:
    def __init__(self, function: Function):
        self.f = function
        self.out = Objects(function)
        self.changed = True

    def run(self) -> Objects:
        f = self.f
        for group in f.groups:
            first, *rest = sorted(group, key=str)
            for n in rest:
                self.out.join(first, n)
        self.out.written |= set(f.handed)
        for web, t in f.types.items():
            for p in leaves(t):
                self.out.find((web, p))
        for s in statements(f.body):
            self.statement(s)
        self.out.finish()
        return self.out

    # ---------------------------------------------------------------------------------------- joining
    def nodes(self, web: str, prefix: Path = ()) -> list[Path]:
        """The entries of a web below a prefix, without it."""
        k = len(prefix)
        return [p[k:] for p in leaves(self.f.types.get(web)) if len(p) >= k and matches(p[:k], prefix)]

    def whole(self, web: str, prefix: Path, path: Path) -> Node:
        full = (*prefix, *path)
        own = next((p for p in leaves(self.f.types.get(web)) if matches(p, full)), full)
        return web, own

    def same(self, a: str, pa: Path, b: str, pb: Path) -> None:
        """What is below two entries is the same objects."""
        for p in leaves(self.f.types.get(a)):
            if not (len(p) >= len(pa) and matches(p[: len(pa)], pa)):
                continue
            for q in leaves(self.f.types.get(b)):
                if not (len(q) >= len(pb) and matches(q[: len(pb)], pb)):
                    continue
                if matches(p[len(pa) :], q[len(pb) :]):
                    self.out.join((a, p), (b, q))

    def all_of(self, names: list[str], e: Expr | None) -> None:
        """Nothing is known of how they hang together: every array of the one may be one of the other's."""
        sources = [n for n in sorted(reads(e)) if n in self.f.types]
        for y in names:
            for x in sources:
                for p in leaves(self.f.types.get(y)):
                    for q in leaves(self.f.types.get(x)):
                        self.out.join((y, p), (x, q))

    # ---------------------------------------------------------------------------------------- statements
    def statement(self, s: Stmt) -> None:
        use: Use | None = self.f.uses.get(id(s))
        match s:
            case Assign(Item(Name(web)), value):
                if isinstance(self.f.types.get(web), ListOf | Struct):
                    if isinstance(value, Name):
                        self.same(web, ("*",), value.id, ())
                else:
                    self.write(s, (web, ()))
            case Assign(Seq(_, names), Seq(_, items)) if len(names) == len(items):
                for t, v in zip(names, items, strict=True):
                    if isinstance(v, Name) and isinstance(t, Name):
                        self.same(t.id, (), v.id, ())
            case Assign(target, value) if use is not None:
                self.binding(s, target, value, use)
            case For(target, iterable):
                for y in targets(target):
                    for x in reads(iterable):
                        if isinstance(self.f.types.get(x), Array):
                            self.all_of([y], iterable)
                        else:
                            self.same(y, (), x, ("*",))
            case Effect(value) if use is not None and use.kind in ("append", "insert"):
                item = value.args[-1]  # type: ignore[attr-defined]
                owner = value.fn.value.id  # type: ignore[attr-defined]
                if isinstance(item, Name):
                    self.same(owner, ("*",), item.id, ())
            case Effect(value) if use is not None and use.kind == "user":
                self.call(s, [], use)

    def write(self, s: Stmt, n: Node) -> None:
        self.out.find(n)
        self.out.written.add(n)
        self.out.writers.setdefault(id(s), set()).add(n)

    def binding(self, s: Stmt, target: Expr, value: Expr, use: Use) -> None:
        names = targets(target)
        y = names[0] if isinstance(target, Name) else None
        match use.kind:
            case "creation" | "constant" | "repeated":
                return
            case "copy" | "detach" if y is not None:
                given = value.args[0] if isinstance(value, Call) else value  # type: ignore[assignment]
                for x in reads(given):
                    self.same(y, (), x, ())
                    if x not in self.f.types:
                        self.world(y)
            case "data" if y is not None:
                self.world(y)
                self.all_of(names, value)
            case "display" if y is not None:
                items = value.items if isinstance(value, Seq) else value.values  # type: ignore[attr-defined]
                for k, item in enumerate(items):
                    if isinstance(item, Name):
                        self.same(y, (k,), item.id, ())
            case "entry" if y is not None:
                from srcgrad.derive.names import taken_from

                source = taken_from(value)
                if isinstance(source, Name):
                    self.same(y, (), source.id, (use.key,))
            case "slice" if y is not None:
                from srcgrad.derive.names import taken_from

                source = taken_from(value)
                for k, j in enumerate(use.key):
                    if isinstance(source, Name):
                        self.same(y, (k,), source.id, (j,))
            case "list item" if y is not None and isinstance(value, Item) and isinstance(value.value, Name):
                self.same(y, (), value.value.id, ("*",))
            case "pop" if y is not None and isinstance(value, Call):
                self.same(y, (), value.fn.value.id, ("*",))  # type: ignore[attr-defined]
            case "relist" if y is not None:
                for x in reads(value):
                    self.same(y, (), x, ())
            case "joined" if y is not None and isinstance(value, Binary):
                offset = 0
                for source in (value.left, value.right):
                    assert isinstance(source, Name)
                    t = self.f.types[source.id]
                    for k in range(len(t.items)):  # type: ignore[attr-defined]
                        self.same(y, (offset + k,), source.id, (k,))
                    offset += len(t.items)  # type: ignore[attr-defined]
            case "unpack" if isinstance(target, Seq):
                self.unpack(target, value)
            case "rule":
                if not makes_anew(use):
                    assert use.rule is not None
                    for p, e in use.bound.items():
                        if isinstance(e, Name) and (use.rule.differentiable(p) or e.id in names):
                            self.all_of(names, e)
            case "user":
                self.call(s, names, use)
            case _:
                self.all_of(names, value)

    def world(self, y: str) -> None:
        """The name is bound to something of the module's, or of an object's."""
        for p in leaves(self.f.types.get(y)):
            self.out.join((y, p), (WORLD, ()))

    def unpack(self, target: Seq, value: Expr) -> None:
        star = next((k for k, i in enumerate(target.items) if isinstance(i, Star)), None)
        for x in reads(value):
            if isinstance(self.f.types.get(x), Array):
                self.all_of(targets(target), value)
                continue
            for k, item in enumerate(target.items):
                if isinstance(item, Star):
                    self.same(item.value.id, ("*",), x, ("*",))  # type: ignore[attr-defined]
                elif star is None:
                    self.same(item.id, (), x, (k,))  # type: ignore[attr-defined]
                else:
                    self.same(item.id, (), x, ("*",))  # type: ignore[attr-defined]

    def call(self, s: Stmt, names: list[str], use: Use) -> None:
        """A function of the user's: by its summary."""
        summary: Summary | None = getattr(use.callee, "summary", None)
        if summary is None:
            value = s.value if isinstance(s, Assign | Effect) else None
            self.all_of(names, value)
            return

        def own(n: Node) -> list[Node]:
            web, path = n
            if web == VALUE:
                found = [(y, path) for y in names]
            else:
                e = use.bound.get(web)
                found = [(e.id, path)] if isinstance(e, Name) else []
            return [self.whole(w, (), p) for w, p in found if w in self.f.types]

        for group in summary.groups:
            mine = sorted({n for g in group for n in own(g)}, key=str)
            for n in mine[1:]:
                self.out.join(mine[0], n)
        for n in summary.writes:
            for mine_too in own(n):
                self.write(s, mine_too)


def summary(function: Function) -> Summary:
    """What a call of the function does to the objects that it is handed."""
    o: Objects = function.objects
    outside = {*function.params, VALUE}
    groups: dict[Node, set[Node]] = {}
    for n in list(o.parent):
        if n[0] in outside:
            groups.setdefault(o.find(n), set()).add(n)
    writes = {n for n in o.parent if n[0] in function.params and o.class_of(*n) is not None}
    from srcgrad.analysis.memory import reads_contents

    held = frozenset(p for p in function.params if reads_contents(function, {w for w in _bound_to(o, p)}))
    return Summary(
        tuple(frozenset(g) for g in groups.values() if len(g) > 1), frozenset(writes), _same(function), held
    )


def _bound_to(o: Objects, param: str) -> set[str]:
    """The names that may be bound to an array of a parameter."""
    roots = {o.find(n) for n in list(o.parent) if n[0] == param}
    return {n[0] for n in list(o.parent) if o.find(n) in roots} | {param}


def _same(function: Function) -> str | None:
    """The parameter that is the function's result on every path."""
    found: set[str] = set()
    copies: dict[str, list[Expr]] = {}
    for s in statements(function.body):
        if isinstance(s, Assign | For):
            for n in targets(s.target):
                value = s.value if isinstance(s, Assign) and isinstance(s.target, Name) else None
                copies.setdefault(n, []).append(value)  # type: ignore[arg-type]

    def source(e: Expr | None) -> str | None:
        while isinstance(e, Name):
            if e.id in function.params:
                return e.id if e.id not in copies else None
            made = copies.get(e.id, [])
            if len(made) != 1:
                return None
            e = made[0]
        return None

    for e in copies.get(VALUE, []):
        found.add(source(e) or "")
    return found.pop() if len(found) == 1 and "" not in found else None


def is_only_name(function: Function, web: str) -> bool:
    """Whether nothing but a name is bound to its array, and nothing writes places of it: then `x += v` is a value."""
    o: Objects = function.objects
    n = (web, ())
    root = o.find(n)
    if root in o.memory:
        return False
    sums = {
        s.value.id
        for s in statements(function.body)
        if isinstance(s, Assign) and id(s) in function.augmented and isinstance(s.value, Name)
    }
    name = function.spelled(web)
    outside = {*function.params, *function.captured, WORLD}
    kept = {
        e.id
        for s in statements(function.body)
        if (use := function.uses.get(id(s))) is not None and use.kind == "user"
        for e in use.bound.values()
        if isinstance(e, Name)
    }  # a callee may keep what it is handed for its reverse half
    for other, path in list(o.parent):
        if o.find((other, path)) != root:
            continue
        if other in kept:
            return False
        own = other == VALUE or other in sums or function.spelled(other) == name
        if path != () or other in outside or not own:
            return False
    return True
