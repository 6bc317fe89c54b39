"""Memory: how the arrays of each class that is written are differentiated.

A *read* is a view that is used before anything writes the class again: to the reverse sweep it is a value. Any other
view has a shadow that is the same view of its base's shadow. Where every name is bound once, or names only change
places (`u, v = v, u`), shadows are made in the reverse sweep (a *static* class); else the forward sweep binds them
beside the arrays (a *dynamic* one). What is read in the reverse sweep is put back where it was overwritten, or, where
the bindings cannot be made again in text or the array may be seen from outside, copied where it is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from srcgrad.analysis.homes import Homes, homes
from srcgrad.analysis.objects import WORLD, Node, Objects, makes_anew
from srcgrad.analysis.uses import Use
from srcgrad.errors import refuse
from srcgrad.function import VALUE, Function, is_ours
from srcgrad.ir import (
    Assign,
    Call,
    Effect,
    Expr,
    For,
    Item,
    Name,
    Seq,
    Stmt,
    While,
    blocks,
    own_exprs,
    reads,
    statements,
    targets,
)
from srcgrad.types import Array


@dataclass
class Memory:
    """One class of arrays that is written."""

    root: Node
    webs: set[str]  # the names that are bound to arrays of it
    nested: set[Node]  # the entries of containers that are
    static: bool = True
    restore: bool = True  # old contents are put back; else they are copied where they are read
    active: bool = False
    returned: bool = False
    contents: bool = False  # the reverse sweep may read what is in it
    reads: set[str] = field(default_factory=set)
    views: set[str] = field(default_factory=set)  # names with shadows that are views of other shadows
    moved: set[str] = field(default_factory=set)  # names that change places
    passing: set[str] = field(default_factory=set)  # our temporaries on the way of it
    outside: set[str] = field(default_factory=set)  # names that are bound to what the caller can reach


@dataclass
class Plan:
    """The classes of a function, and which statement writes which."""

    objects: Objects
    classes: dict[Node, Memory]
    moves: dict[int, dict[str, str]]  # id of a statement that permutes names -> target: source

    def of(self, web: str, path: tuple[Any, ...] = ()) -> Memory | None:
        root = self.objects.class_of(web, path)
        return self.classes[root] if root is not None else None

    def shadow(self, web: str) -> Memory | None:
        """The class of a name whose shadow is memory: not that of one that is only read."""
        m = self.of(web)
        return None if m is None or web in m.reads or web in m.passing else m

    def written(self, s: Stmt) -> list[Memory]:
        return [self.classes[r] for r in sorted(self.objects.written_by.get(id(s), ()), key=str)]


def bound_to(s: Assign, web: str) -> Expr:
    """The value that an assignment binds to one of its names: of `a, b = x, y` to a, x."""
    if isinstance(s.target, Seq) and isinstance(s.value, Seq):
        return next(v for t, v in zip(s.target.items, s.value.items, strict=True) if t == Name(web))
    return s.value


def memory(function: Function) -> Function:
    """Decide for each class."""
    function.plan = _Memory(function).run()
    return function


class _Memory:
    def __init__(self, function: Function):
        self.f = function
        self.o: Objects = function.objects
        self.homes: Homes = homes(function)
        self.users: dict[str, list[Stmt]] = {}
        self.loops: dict[int, frozenset[int]] = {}
        self.enclose(function.body, frozenset())
        for s in statements(function.body):
            for e in own_exprs(s):
                for n in reads(e):
                    self.users.setdefault(n, []).append(s)

    def enclose(self, block: list[Stmt], around: frozenset[int]) -> None:
        for s in block:
            self.loops[id(s)] = around
            inside = around | {id(s)} if isinstance(s, For | While) else around
            for inner in blocks(s):
                self.enclose(inner, inside)

    def run(self) -> Plan:
        plan = Plan(self.o, {}, {})
        for root in sorted(self.o.memory, key=str):
            nodes = self.o.members[root]
            bound = {w for w, p in nodes if p == () and w != WORLD}
            inside = {n for n in nodes if n[1] != () and not self.is_handed_out(n, root)}
            plan.classes[root] = Memory(root, bound, inside)
        for m in plan.classes.values():
            m.active = any(w in self.f.active for w in m.webs | {w for w, _ in m.nested})
            self.moves(m, plan)
            self.find_reads(m)
            self.decide(m)
            if not m.static and m.moved:
                m.moved, m.passing = set(), set()
                plan.moves = {k: v for k, v in plan.moves.items() if not set(v) & m.webs}
                self.find_reads(m)
                self.decide(m)
            if m.active:
                self.check(m)
        return plan

    def is_handed_out(self, n: Node, root: Node) -> bool:
        """Whether an entry is of a display that one operation takes at once, or that is returned: it is read there."""
        web, _ = n
        if web == VALUE:
            return True
        made = self.homes.bound_by.get(web, [])
        use: Use | None = self.f.uses.get(id(made[0])) if len(made) == 1 else None
        users = self.users.get(web, [])
        if not is_ours(web) or use is None or use.kind != "display" or len(users) != 1:
            return False
        taken: Use | None = self.f.uses.get(id(users[0]))
        if taken is None or self.homes.of_stmt[id(made[0])] != self.homes.of_stmt[id(users[0])]:
            return False
        fits = taken.kind == "rule" and makes_anew(taken)
        handed = isinstance(users[0], Assign) and users[0].target == Name(VALUE)
        order = self.homes.order
        between = any(
            order[id(made[0])] < order[id(s)] < order[id(users[0])]
            for s in statements(self.f.body)
            if root in self.o.written_by.get(id(s), ())
        )
        return (fits or handed) and not between

    # ---------------------------------------------------------------------------------------- names that change places
    def moves(self, m: Memory, plan: Plan) -> None:
        found: dict[int, tuple[dict[str, str], set[str]]] = {}
        for s in statements(self.f.body):
            if not (isinstance(s, Assign) and isinstance(s.target, Seq) and isinstance(s.value, Seq)):
                continue
            names = targets(s.target)
            pairs: dict[str, str] = {}
            passing: set[str] = set()
            for t, v in zip(names, s.value.items, strict=False):
                if t not in m.webs or not isinstance(v, Name):
                    continue
                source = v.id
                made = self.homes.bound_by.get(source, [])
                if is_ours(source) and len(made) == 1 and isinstance(made[0], Assign):
                    if isinstance(made[0].value, Name) and len(self.users.get(source, [])) == 1:
                        passing.add(source)
                        source = made[0].value.id
                pairs[t] = source
            if pairs and set(pairs) == set(pairs.values()) and len(pairs) == len(names):
                found[id(s)] = pairs, passing
        moved = {w for pairs, _ in found.values() for w in pairs}
        for w in moved:
            others = [s for s in self.homes.bound_by.get(w, []) if id(s) not in found]
            given = w in self.f.params
            first = others[0] if len(others) == 1 else None
            at_root = first is not None and self.homes.of_stmt[id(first)] == id(self.f.body)
            ahead = first is not None and all(
                self.homes.order[id(first)] < self.homes.order[id(s)]
                for s in self.homes.bound_by[w]
                if s is not first
            )
            if not (given and not others) and not (not given and at_root and ahead and self.fresh(first)):
                return
        m.moved = moved
        for key, (pairs, passing) in found.items():
            plan.moves[key] = pairs
            m.passing |= passing

    def fresh(self, s: Stmt | None) -> bool:
        """Whether a binding makes its object."""
        if not isinstance(s, Assign) or not isinstance(s.target, Name):
            return False
        use: Use | None = self.f.uses.get(id(s))
        if use is not None and use.kind == "user":
            does = getattr(use.callee, "summary", None)
            groups = does.groups if does is not None else None
            return groups is not None and not any(
                any(n[0] == VALUE for n in g) and any(n[0] != VALUE for n in g) for g in groups
            )
        if makes_anew(use):
            return True
        return (
            use is not None
            and use.kind in ("rule", "unknown", "lazy", "opaque", "data")
            and not any(
                n in self.f.types and self.o.find((n, p)) == self.o.find((s.target.id, ()))
                for n in reads(s.value)
                for p in self.paths(n)
            )
        )

    def paths(self, web: str) -> list[Any]:
        from srcgrad.analysis.objects import leaves

        return list(leaves(self.f.types.get(web)))

    # ---------------------------------------------------------------------------------------- reads
    def base(self, web: str) -> str | None:
        """What a name that is bound once is a view of (or another name for)."""
        made = self.homes.bound_by.get(web, [])
        if len(made) != 1 or not isinstance(made[0], Assign):
            return None
        s = made[0]
        use: Use | None = self.f.uses.get(id(s))
        if use is None:
            return None
        if isinstance(s.target, Seq):
            value = bound_to(s, web) if use.kind == "parallel" else None
            return value.id if isinstance(value, Name) and value.id in self.f.types else None
        if use.kind in ("copy", "detach"):
            return next((n for n in sorted(reads(s.value)) if n in self.f.types), None)
        if use.kind == "rule" and not makes_anew(use):
            first = next(iter(use.bound.values()))
            return first.id if isinstance(first, Name) else None
        return None

    def find_reads(self, m: Memory) -> None:
        writers = [s for s in statements(self.f.body) if m.root in self.o.written_by.get(id(s), ())]
        candidates = {w for w in m.webs if self.may_read(m, w, writers)}
        derived: dict[str, list[str]] = {}
        for s in statements(self.f.body):
            if isinstance(s, Assign) and isinstance(s.target, Seq) and isinstance(s.value, Seq):
                for t, v in zip(targets(s.target), s.value.items, strict=False):
                    if isinstance(v, Name):
                        derived.setdefault(v.id, []).append(t)
            elif isinstance(s, Assign) and not isinstance(s.target, Item) and not self.fresh(s):
                for x in reads(s.value) & m.webs:
                    derived.setdefault(x, []).extend(t for t in targets(s.target) if t in m.webs)
        changed = True
        while changed:
            changed = False
            for w in sorted(candidates):
                if any(d not in candidates and d not in m.passing for d in derived.get(w, [])):
                    candidates.discard(w)
                    changed = True
        m.reads = candidates

    def may_read(self, m: Memory, web: str, writers: list[Stmt]) -> bool:
        """Whether a name's uses all come before the class is written again."""
        if web == VALUE:
            return True
        if web in m.passing or web in self.f.params or web in self.f.captured or web not in self.homes.local:
            return False
        if (web, ()) in self.o.written:
            return False
        (s,) = self.homes.bound_by[web]
        use: Use | None = self.f.uses.get(id(s))
        entry = use is not None and use.kind == "entry"
        called = use is not None and use.kind == "user" and not self.fresh(s)
        unpacked = use is not None and use.kind == "unpack" and isinstance(use.result, Array)
        if self.base(web) is None and not entry and not called and not unpacked:
            return False
        order, begin = self.homes.order, self.homes.order[id(s)]
        around = self.loops[id(s)]
        for u in self.users.get(web, []):
            use = self.f.uses.get(id(u))
            kind = use.kind if use is not None else ""
            if kind == "display" and isinstance(u, Assign) and isinstance(u.target, Name):
                y = u.target.id
                if all(self.is_handed_out((y, p), m.root) for p in self.paths(y)):
                    continue
            if kind in ("display", "append", "insert", "user", "joined") or isinstance(u, Effect):
                return False
            if isinstance(u, For):
                return False
            deeper = self.loops[id(u)] - around
            for w in writers:
                if begin < order[id(w)] < order[id(u)] or deeper & self.loops[id(w)]:
                    return False
        return True

    # ---------------------------------------------------------------------------------------- deciding
    def decide(self, m: Memory) -> None:
        f = self.f
        real = m.webs - m.reads - m.passing
        m.outside = {w for w in real if w in f.params or w in f.captured}
        m.views = {
            w for w in real if self.base(w) is not None and w in self.homes.local and w not in f.params
        }
        roots = real - m.views
        static = not m.nested
        for w in roots:
            others = [s for s in self.homes.bound_by.get(w, []) if not self.is_move(m, s)]
            if not all(self.fresh(s) for s in others):
                static = False
            if w in f.params and others:
                static = False
            if m.views and (w in m.moved or (w not in self.homes.local)):
                static = False
        for w in m.views:
            b = self.base(w)
            if b not in real:
                static = False
        m.static = static
        returned = m.returned = any(w == VALUE for w, _ in self.o.members[m.root])
        at_root = all(
            w in m.moved or w in f.params or (w in self.homes.local and self.homes.block[w] == id(f.body))
            for w in roots
        )
        captured = any(w in f.captured for w in m.webs) or (WORLD, ()) in self.o.members[m.root]
        outside = returned or any(w in f.params and (w, ()) not in f.handed for w in m.outside)
        m.restore = static and not captured and (at_root or not outside)
        if any(w in f.copying for w in m.outside):
            m.restore = False
        m.contents = reads_contents(f, m.webs)

    def is_move(self, m: Memory, s: Stmt) -> bool:
        return isinstance(s, Assign) and isinstance(s.target, Seq) and bool(set(targets(s.target)) & m.moved)

    def check(self, m: Memory) -> None:
        """Refuse what has no adjoint here."""
        from srcgrad.analysis.activity import depends

        if (WORLD, ()) in self.o.members[m.root]:
            at = min(
                (s for w in m.webs for s in self.homes.bound_by.get(w, [])),
                key=lambda s: self.homes.order[id(s)],
            )
            refuse(
                "captured",
                "an array that is not this function's own is written under another name",
                at.loc,
                hint="write it by the name that it has in the module, or pass it as an argument",
            )
        for w in sorted(m.webs):
            made = self.homes.bound_by.get(w, [])
            loc = made[0].loc if made else None
            t = self.f.types.get(w)
            if w in m.passing:
                continue
            name = self.f.spelled(w)
            for s in made:
                use = self.f.uses.get(id(s))
                if use is not None and use.kind == "detach" and w not in m.reads:
                    args = s.value.args if isinstance(s.value, Call) else ()
                    given = [self.f.spelled(n.id) for n in args if isinstance(n, Name) and not is_ours(n.id)]
                    refuse(
                        "detach-write",
                        "what detach gives is written, or read after it was written",
                        s.loc,
                        hint=f"detach a copy: detach({given[0] if given else name}.copy())",
                    )
                if use is not None and use.kind == "user" and w not in m.reads and not self.fresh(s):
                    refuse(
                        "alias",
                        f"the result of {use.what} may be a view of what it is given, and the array is written",
                        s.loc,
                        hint="return a copy, or take the view in the function that writes it",
                    )
            if not isinstance(t, Array) or t.shape is None:
                what = name if not is_ours(w) else "what is written here"
                refuse(
                    "unknown-type",
                    f"{what} is written in place, and its rank is not known",
                    loc or (self.f.source.location(self.f.source.tree) if loc is None else loc),
                    note=depends(self.f, w),
                    hint="srcgrad explain unknown-type tells what gives a value a known type",
                )


def reads_contents(function: Function, webs: set[str]) -> bool:
    """Whether the reverse of any operation on these names may read what they hold."""
    from srcgrad.analysis.contents import contents

    for s in statements(function.body):
        use: Use | None = function.uses.get(id(s))
        if use is None:
            continue
        if isinstance(s, Assign) and isinstance(s.target, Item) and reads(s.target.index) & webs:
            return True
        if use.kind == "user":
            does = getattr(use.callee, "summary", None)
            for p, e in use.bound.items():
                if reads(e) & webs and (does is None or p in does.contents):
                    return True
        if use.kind != "rule":
            if use.kind in ("lazy", "opaque", "unknown") and reads(getattr(s, "value", None)) & webs:
                return True
            continue
        assert use.rule is not None
        own = {p for p, e in use.bound.items() if reads(e) & webs}
        if isinstance(s, Assign) and set(targets(s.target)) & webs:
            own |= set(use.rule.results)
        for line in use.rule.lines:
            if line.role == "tangent":
                continue
            if set(contents(line.value)) & own:
                return True
            if line.role == "adjoint" and "i" in own and use.rule.name.startswith("getitem"):
                return True
    return False
