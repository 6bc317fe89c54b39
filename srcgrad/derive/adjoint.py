"""Adjoint: the reverse sweep, statement by statement, as if every name still held what it held in the forward sweep.

    y = np.sin(x)    ->    x_bar += y_bar * np.cos(x)        (Add; then Unbind y, Zero y_bar)

`Unbind` marks where the binding has been reversed: `record` puts the old value back there where somebody reads it.
What is bound once in its block has its adjoint zero where the reverse of that block starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.analysis.homes import Homes, homes
from srcgrad.analysis.uses import Use
from srcgrad.derive.calls import plain_step
from srcgrad.derive.checkpoints import CheckpointPart
from srcgrad.derive.memory import check_views, zeros
from srcgrad.derive.names import Shadows, leaf_type, paths, taken_from
from srcgrad.derive.template import Template, call, has_complex, is_flag, is_real, minus, times
from srcgrad.errors import refuse
from srcgrad.function import VALUE, Function
from srcgrad.ir import (
    Add,
    AddAt,
    Assign,
    Attr,
    AugAssign,
    Binary,
    Block,
    Break,
    Call,
    Const,
    Effect,
    Expr,
    For,
    If,
    IfExp,
    Item,
    Name,
    Object,
    Raise,
    Seq,
    Slice,
    Star,
    Stmt,
    Unbind,
    While,
    Zero,
    all_binds,
    reads,
    statements,
    targets,
    walk,
)
from srcgrad.normal.unnest import is_guard
from srcgrad.simplify.stretch import expr_shape
from srcgrad.types import (
    Array,
    Data,
    ListOf,
    Number,
    Struct,
    Type,
    is_numeric,
    same_shape,
    shape_of,
)


@dataclass
class Derived:
    """What the adjoint is made of: the forward sweep (instrumented in place), and the reverse sweep."""

    function: Function
    forward: Block
    reverse: Block
    shadows: Shadows
    homes: Homes
    reverse_of: dict[int, Block]  # block of the forward sweep (by id) -> its reverse
    fixed: set[str]  # adjoints that are memory seen by several names: none of them is ever bound anew
    inplace: set[str]  # adjoints that are memory
    bound: set[str]  # adjoints that the forward sweep binds, or the caller gives
    calls: dict[int, Any]  # id of a call of the user's -> the version of the callee


def adjoint(function: Function) -> Derived:
    """Make the reverse sweep of a function."""
    work = _Adjoint(function)
    reverse = work.block(function.body)
    if work.captures_before or work.captures_behind:
        function.body[:] = work.insert_captures(function.body)
        work.homes = homes(function)
    return Derived(
        function, function.body, reverse, work.bars, work.homes, work.reverse_of, *work.kinds(), work.calls
    )


class _Adjoint(CheckpointPart):
    def __init__(self, function: Function):
        self.f = function
        self.types = function.types
        self.active = function.active
        self.complex = has_complex(function.types)
        self.bars = Shadows(function, "bar")
        self.captures_before: dict[int, Block] = {}
        self.captures_behind: dict[int, Block] = {}
        function.body[:] = check_views(function, self.settle_indices(function.body))
        self.begun_shadows()
        self.instrument()
        self.homes = homes(function)
        self.guards: dict[str, list[Expr] | None] = {}
        self.indexed: dict[str, tuple[Expr, Expr, str, Expr | None, bool]] = {}
        self.here = 0
        self.reverse_of: dict[int, Block] = {}
        self.read_count: dict[str, int] = {}
        self.skipped: set[int] = set()
        for s in statements(function.body):
            for n in _all_reads(s):
                self.read_count[n] = self.read_count.get(n, 0) + 1

    def begun_shadows(self) -> None:
        """The shadows of dynamic classes: of parameters at the start, of all else beside what binds it."""
        start: Block = []
        for w in (*self.f.params, *self.f.captured):
            if self.any_dynamic(w):
                if not isinstance(self.types[w], Array) or (w, ()) in self.f.handed:
                    loc = self.f.source.location(self.f.source.tree)
                    refuse(
                        "alias",
                        f"{self.f.spelled(w)} is written, and gets other names on the way",
                        loc,
                        hint="keep one name for an array that is handed to a function and written there",
                    )
                start.append(Assign(self.bars.name(w), zeros(self.f, w)))
        self.f.body[:] = start + self.bind_shadows(self.f.body)

    # ---------------------------------------------------------------------------------------- the forward sweep
    def instrument(self) -> None:
        """Count trips where a loop may be left early; call the forward halves of active callees."""
        self.trips: dict[int, str] = {}
        self.kept: dict[int, str] = {}
        self.calls: dict[int, Any] = {}
        self.plans: dict[int, tuple[str, tuple[str, ...]]] = {}
        self.result_of: dict[int, str] = {}
        self.f.body[:] = self.instrumented(self.f.body, False)

    def instrumented(self, block: Block, nested: bool) -> Block:
        out: Block = []
        for s in block:
            match s:
                case If():
                    s.then[:], s.other[:] = (
                        self.instrumented(s.then, nested),
                        self.instrumented(s.other, nested),
                    )
                    out.append(s)
                case For() | While():
                    s.body[:] = self.instrumented(s.body, True)
                    if isinstance(s, For) and self.is_checkpointed(s) and self.is_live(s):
                        self.planned(s, out)
                        continue
                    counted = isinstance(s, While) or _breaks(s.body)
                    if counted and self.is_live(s):
                        count = trips = self.f.temp("trips")
                        if nested:  # one count for each run of the loop, to be kept
                            trips = self.f.temp("trips")
                        for n in (count, trips):
                            self.types[n] = Number("i")
                        out.append(Assign(Name(count), Const(0), loc=s.loc))
                        s.body.insert(0, AugAssign(Name(count), "+", Const(1), loc=s.loc))
                        out.append(s)
                        if nested:
                            out.append(Assign(Name(trips), Name(count), loc=s.loc))
                        self.trips[id(s)] = trips
                    else:
                        out.append(s)
                case Assign() if self.is_split(s):
                    self.split(s)
                    out.append(s)
                case Assign():
                    plain_step(self.f, s)
                    out.append(s)
                case _:
                    out.append(s)
        return out

    def is_live(self, s: Stmt) -> bool:
        """Whether anything in a statement has to be reversed."""
        for t in statements([s]):
            if isinstance(t, Assign | For) and any(n in self.active for n in targets(t.target)):
                return True
            use = self.f.uses.get(id(t))
            if isinstance(t, Effect) and use is not None and use.kind in ("append", "insert"):
                return True
            if use is not None and use.kind == "pop":
                return True
            if id(t) in self.f.objects.written_by or isinstance(t, Assign) and isinstance(t.target, Item):
                return True
            if isinstance(t, Assign) and id(t) in self.plan.moves:
                return True
        return False

    def kinds(self) -> tuple[set[str], set[str], set[str]]:
        """Which adjoints are memory: fixed, inplace, bound (see `Derived`)."""
        fixed: set[str] = set()
        inplace: set[str] = set()
        bound: set[str] = set()
        for m in self.plan.classes.values():
            if not m.active:
                continue
            real = {w for w in m.webs - m.reads - m.passing if w in self.active}
            names = {self.bars.name(w).id for w in real}
            inplace |= names
            if m.views or not m.static:
                fixed |= names
            if not m.static:
                bound |= names
            bound |= {self.bars.name(w).id for w in real if (w, ()) in self.f.handed}
            bound |= {self.bars.name(w).id for w, _ in m.nested if self.any_dynamic(w) and self.listed(w)}
            for w, p in m.nested:
                if "*" not in p and self.any_dynamic(w):
                    bound.add(self.bars.name(w, p).id)
                    inplace.add(self.bars.name(w, p).id)
        return fixed | bound, inplace, bound

    def listed(self, web: str) -> bool:
        return isinstance(self.types.get(web), ListOf)

    # ---------------------------------------------------------------------------------------- the reverse sweep
    def block(self, block: Block) -> Block:
        out: Block = []
        outer, self.here = self.here, id(block)
        for s in reversed(block):
            before = len(out)
            self.statement(s, out)
            self.capture(s, out[before:])
            for t in out[before:]:
                if t.loc is None:
                    t.loc = s.loc
                t.origin = s  # type: ignore[attr-defined]
        start: Block = []
        for web, home in self.homes.block.items():
            if (
                home == id(block)
                and web in self.homes.local
                and web in self.active
                and web not in self.f.params
                and web != VALUE
            ):
                m = self.plan.of(web)
                if m is None or web not in m.views | m.passing:
                    start += [Zero(b, web) for b in self.own_leaves(web)]
        self.here = outer
        start += self.views_at_start(id(block))
        whole = start + out
        self.reverse_of[id(block)] = whole
        return whole

    def statement(self, s: Stmt, out: Block) -> None:
        match s:
            case Assign(Item()):
                self.stmt = s
                self.store(s, out)
            case Assign(Name(name)) if name == VALUE and self.f.quiet:
                pass  # nobody uses the result
            case Assign() if id(s) in self.plan.moves:
                self.move(s, out)
            case Assign(Name(name)) if self.is_passing(name) or id(s) in self.skipped:
                pass
            case Assign(target) if any("·bar" in n for n in targets(target)):
                pass  # a shadow that the forward sweep binds: it ends with what it belongs to
            case Assign():
                self.stmt = s
                if self.is_pop(s):
                    self.popped(s, s.target, out)  # type: ignore[arg-type]
                elif id(s) in self.calls:
                    if not self.is_idle(s):
                        self.user(s, out)
                elif any(n in self.active for n in targets(s.target)) and not self.is_view(s):
                    self.assign(s, out)
                if id(s) not in self.calls:
                    self.written_by_call(s, out)
                self.unbind(targets(s.target), s, out)
            case AugAssign(Name(name)):
                self.unbind([name], s, out)  # our own counter of trips
            case Effect():
                use = self.f.uses.get(id(s))
                if use is not None and use.kind in ("append", "insert"):
                    self.append(s, out)
            case If() | For() | While() if not self.is_live(s) and not (
                isinstance(s, If) and is_guard(s.cond)
            ):
                self.unbind(sorted(all_binds([s])), s, out)
            case If():
                self.branch(s, out)
            case For() if id(s) in self.plans:
                self.unplanned(s, out)
            case For():
                body = self.block(s.body)
                iterable: Expr = s.iterable
                if id(s) in self.trips:
                    iterable = Item(iterable, Slice(None, Name(self.trips[id(s)]), None))
                out.append(For(s.target, Call(Object(reversed, "reversed"), (iterable,)), body))
                outside = [n for n in targets(s.target) if n not in self.homes.local]
                self.unbind(outside, s, out)
            case While():
                if self.is_live_block(s.pre):
                    refuse(
                        "syntax",
                        "the condition of a while loop computes what the result depends on",
                        s.loc,
                        hint="write `while True:` with the condition's value first in the body, and a break",
                    )
                body = self.block(s.body)
                trips = Call(Object(range, "range"), (Name(self.trips[id(s)]),))
                out.append(For(Name(self.f.temp("_")), trips, body))
                self.unbind(sorted(all_binds(s.pre)), s, out)

    def is_live_block(self, block: Block) -> bool:
        return any(self.is_live(t) for t in block)

    def unbind(self, webs: list[str], s: Stmt, out: Block) -> None:
        shadow = getattr(s, "shadow", None)
        if shadow is not None:
            out += [Unbind(b, shadow, loc=s.loc) for b in targets(shadow.target) if b not in self.homes.local]
        for web in webs:
            if web in self.homes.local:
                continue
            out.append(Unbind(web, s, loc=s.loc))
            if web in self.active:
                out += [Zero(b, web, loc=s.loc) for b in self.own_leaves(web)]

    def branch(self, s: If, out: Block) -> None:
        then, other = self.block(s.then), self.block(s.other)
        if _ends_raising(s.then):
            out.append(If(Const(True), other, []))
        elif _ends_raising(s.other):
            out.append(If(Const(True), then, []))
        elif _is_flagged(s.then):
            flag = s.then[0].target  # type: ignore[attr-defined]
            if other:
                lower: Block = [Assign(flag, Const(False), loc=s.loc)]
                out.append(If(flag, lower, other, loc=s.loc))
        elif then or other:
            out.append(If(s.cond, then, other, loc=s.loc))

    def is_pop(self, s: Assign) -> bool:
        use = self.f.uses.get(id(s))
        return use is not None and use.kind == "pop"

    def is_passing(self, web: str) -> bool:
        """Whether a temporary is on the way of names that change places."""
        m = self.plan.of(web)
        return m is not None and web in m.passing

    # ---------------------------------------------------------------------------------------- contributions
    def add(
        self, operand: Expr, value: Expr, out: Block, guard: Expr | None = None, path: tuple[int, ...] = ()
    ) -> None:
        """A contribution to the adjoint of an operand (a name that is active; anything else has none)."""
        if not isinstance(operand, Name) or operand.id not in self.active:
            return
        bar = self.bars.name(operand.id, path)
        t = leaf_type(self.types[operand.id], path)
        if isinstance(t, Data):
            return
        if isinstance(t, Number | Array) and t.kind != "c" and not self.is_real(value):
            value = Attr(value, "real") if isinstance(value, Name) else call(np.real, "np.real", value)
        out.append(Add(bar, value))
        self.guarded(operand.id, bar, guard)

    def guarded(self, web: str, bar: Name, guard: Expr | None) -> None:
        """Note where the contribution may be other than zero; one without a condition lifts them all."""
        at_home = web in self.homes.local and self.homes.block[web] == self.here
        if guard is None or not at_home or self.plan.shadow(web) is not None:
            self.guards[bar.id] = None
        elif self.guards.get(bar.id, []) is not None:
            found = self.guards.setdefault(bar.id, [])
            assert found is not None
            if guard not in found:
                found.append(guard)

    def guard_of(self, bar: Name) -> Expr | None:
        conditions = self.guards.get(bar.id)
        if not conditions:
            return None
        out = conditions[0]
        for c in conditions[1:]:
            out = Binary("|", out, c)
        return out

    def is_real(self, e: Expr) -> bool:
        if not self.complex:
            return not any(isinstance(x, Const) and isinstance(x.value, complex) for x in walk(e))
        return is_real(e, self.types)

    def add_all(self, operand: Expr, web: str, out: Block) -> None:
        """`operand` was bound to `web` as it is: its adjoint takes the whole of the other's."""
        if not isinstance(operand, Name) or operand.id not in self.active:
            return
        t = self.types[operand.id]
        if isinstance(t, ListOf):
            refuse(
                "alias",
                f"a list that is differentiated gets a second name, {self.f.spelled(web)}",
                self.stmt.loc,
                hint="keep one name for the list",
            )
        for path in paths(t):
            bar = self.bars.name(web, path)
            self.add(operand, bar, out, self.guard_of(bar), path)

    def assign(self, s: Assign, out: Block) -> None:
        self.stmt = s
        if isinstance(s.target, Seq) and isinstance(s.value, Seq):
            for t, v in zip(s.target.items, s.value.items, strict=True):
                if t.id in self.active and not self.is_held(t.id):  # type: ignore[attr-defined]
                    self.add_all(v, t.id, out)  # type: ignore[attr-defined]
            return
        use = self.f.uses[id(s)]
        if self.is_idle(s):
            return
        if use.kind == "unpack":
            self.unpack(s, use, out)
            return
        y = s.target.items[0] if isinstance(s.target, Seq) else s.target
        assert isinstance(y, Name)
        match use.kind:
            case "copy":
                self.add_all(s.value, y.id, out)
            case "display":
                self.display(y, s.value, out)
            case "entry":
                self.entry(y, s.value, use, out)
            case "slice":
                source = taken_from(s.value)
                for k, from_k in enumerate(use.key):
                    for path in paths(use.result.items[k]):  # type: ignore[union-attr]
                        self.add(source, self.bars.name(y.id, (k, *path)), out, None, (from_k, *path))
            case "joined":
                self.joined(y, s.value, out)
            case "list item":
                self.list_item(y, s.value, out)
            case "rule":
                self.rule(y, use, out)
            case "repeated":
                self.repeated(y, s.value, out)
            case "detach" | "user" | "constant" | "data" | "pop":
                pass
            case _ if any(n in self.active for n in reads(s.value)):
                from srcgrad.analysis.activity import refuse_use

                hot = sorted(n for n in reads(s.value) if n in self.active)
                refuse_use(self.f, s, use, hot or ["?"], s.value.loc or s.loc)  # type: ignore[attr-defined]
                raise AssertionError(f"{use.kind} of {s.value!r}")

    def is_idle(self, s: Assign) -> bool:
        """Whether nothing was added to the adjoints of what the statement binds: they are zero, and add nothing."""
        if id(s) in self.f.objects.written_by:
            return False
        for web in targets(s.target):
            if web not in self.active:
                continue
            if web not in self.homes.local or self.homes.block[web] != self.here or web == VALUE:
                return False
            if self.plan.of(web) is not None:
                return False
            if web in self.indexed or any(b.id in self.guards for b in self.bars.leaves(web)):
                return False
        return True

    # ---------------------------------------------------------------------------------------- structures and lists
    def is_list(self, web: str) -> bool:
        return isinstance(self.types[web], ListOf)

    def display(self, y: Name, value: Expr, out: Block) -> None:
        items = value.items if isinstance(value, Seq) else value.values  # type: ignore[attr-defined]
        if self.has_listed(y.id):
            return
        for k, item in enumerate(items):
            if self.is_list(y.id):
                self.add(item, Item(self.bars.name(y.id), Const(k)), out)
            elif isinstance(item, Name) and item.id in self.active:
                if isinstance(self.types[item.id], ListOf):
                    self.add_all(item, y.id, out)
                for path in paths(self.types[item.id]):
                    if not self.is_dynamic(y.id, (k, *path)):
                        self.add(item, self.bars.name(y.id, (k, *path)), out, None, path)

    def repeated(self, y: Name, value: Expr, out: Block) -> None:
        """`[a, b] * n`: the adjoint of an item is the sum over its copies."""
        assert isinstance(value, Binary)
        source = next(
            (e for e in (value.left, value.right) if isinstance(e, Name) and e.id in self.active), None
        )
        if source is None:
            return
        t, bar = self.types[source.id], self.bars.name(y.id)
        if not isinstance(t, Struct):
            refuse(
                "unknown-type",
                "a list whose length only the run knows is repeated",
                value.loc or self.stmt.loc,
                hint="append to a list in a loop",
            )
        for k in range(len(t.items)):
            copies: Expr = bar
            if len(t.items) > 1:
                copies = Item(bar, Slice(Const(k), None, Const(len(t.items))))
            self.add(source, Call(Object(sum, "sum"), (copies,)), out, None, (k,))

    def joined(self, y: Name, value: Expr, out: Block) -> None:
        """`a + b` of tuples or lists whose entries are known."""
        assert isinstance(value, Binary)
        k = 0
        for source in (value.left, value.right):
            t = self.types.get(source.id) if isinstance(source, Name) else None
            if not isinstance(t, Struct):
                refuse(
                    "unknown-type",
                    "a list that grows is joined with +",
                    value.loc or self.stmt.loc,
                    hint="use append",
                )
            for j, item in enumerate(t.items):
                for path in paths(item):
                    bar = (
                        Item(self.bars.name(y.id), Const(k))
                        if self.is_list(y.id)
                        else self.bars.name(y.id, (k, *path))
                    )
                    self.add(source, bar, out, None, (j, *path))
                k += 1

    def entry(self, y: Name, value: Expr, use: Use, out: Block) -> None:
        source = taken_from(value)
        if isinstance(source, Name) and self.is_list(source.id):
            self.list_item(y, value, out)
            return
        for path in paths(use.result):
            bar = self.bars.name(y.id, path)
            self.add(source, bar, out, self.guard_of(bar), (use.key, *path))

    def list_item(self, y: Name, value: Expr, out: Block) -> None:
        assert isinstance(value, Item)
        source = value.value
        if not isinstance(source, Name) or source.id not in self.active:
            return
        if not self.is_list(source.id):
            refuse(
                "unknown-type",
                f"{self.f.spelled(source.id)} is a tuple whose entry is chosen by the run",
                value.loc or self.stmt.loc,
                hint="make it a list, with entries of one type",
            )
        bar = self.bars.name(source.id)
        place = Item(bar, value.index)
        if isinstance(self.types[y.id], Struct):
            refuse(
                "unknown-type",
                "a list of tuples is not differentiated yet",
                value.loc or self.stmt.loc,
                hint="use a list for each part",
            )
        out.append(Assign(place, Binary("+", place, self.bars.name(y.id))))
        self.guards[bar.id] = None

    def append(self, s: Effect, out: Block) -> None:
        assert isinstance(s.value, Call)
        owner = s.value.fn.value  # type: ignore[attr-defined]
        *at, item = s.value.args
        out.append(Unbind(owner.id, s, loc=s.loc))
        if self.has_listed(owner.id):
            return
        if owner.id in self.active:
            popped = Call(Attr(self.bars.name(owner.id), "pop"), tuple(at))
            if isinstance(item, Name) and item.id in self.active:
                if isinstance(self.types[item.id], Struct | ListOf):
                    refuse(
                        "unknown-type",
                        "a list of tuples is not differentiated yet",
                        s.loc,
                        hint="use a list for each part",
                    )
                new = Name(self.f.temp("new_bar"))
                self.types[new.id] = self.types[self.bars.name(item.id).id]
                out.append(Assign(new, popped))
                self.add(item, new, out)
            else:
                out.append(Effect(popped))

    def popped(self, s: Assign, y: Name, out: Block) -> None:
        """What was taken from a list is put back there."""
        assert isinstance(s.value, Call)
        owner = s.value.fn.value.id  # type: ignore[attr-defined]
        out.append(Unbind(owner, s, loc=s.loc))
        if owner not in self.active or self.has_listed(owner):
            return
        t = self.types[y.id]
        if isinstance(t, Struct | ListOf):
            refuse("unknown-type", "a list of tuples is not differentiated yet", s.loc,
                   hint="use a list for each part")  # fmt: skip
        bar: Expr = (
            Const(0.0) if isinstance(t, Number) else call(np.zeros, "np.zeros", call(np.shape, "np.shape", y))
        )
        if y.id in self.active:
            bar = self.bars.name(y.id)
        out.append(put_back(self.bars.name(owner), s.value, bar))
        self.guards[self.bars.name(owner).id] = None

    def unpack(self, s: Assign, use: Use, out: Block) -> None:
        assert isinstance(s.target, Seq)
        source, t = s.value, use.result
        items = s.target.items
        star = next((k for k, i in enumerate(items) if isinstance(i, Star)), None)
        for k, item in enumerate(items):
            if isinstance(item, Star):
                name = item.value
                assert isinstance(name, Name)
                if name.id not in self.active:
                    continue
                if not isinstance(t, Struct):
                    refuse("unpack", "a starred target takes part of something of unknown length", s.loc,
                           hint="slice it: first, rest = x[0], x[1:]")  # fmt: skip
                for j, sub in enumerate(self.types[name.id].items):  # type: ignore[union-attr]
                    for path in paths(sub):
                        self.add(source, self.bars.name(name.id, (j, *path)), out, None, (k + j, *path))
                continue
            assert isinstance(item, Name)
            if item.id not in self.active or self.is_held(item.id):
                continue
            place = k if star is None or k < star else k - len(items)
            if isinstance(t, Struct):
                index = place % len(t.items)
                for path in paths(self.types[item.id]):
                    self.add(source, self.bars.name(item.id, path), out, None, (index, *path))
            elif isinstance(t, Array):
                assert isinstance(source, Name)
                if source.id in self.active:
                    out.append(AddAt(self.bars.name(source.id), Const(place), self.bars.name(item.id)))
                    self.guards[self.bars.name(source.id).id] = None
            elif isinstance(source, Name) and source.id in self.active:
                place_bar = Item(self.bars.name(source.id), Const(place))
                out.append(Assign(place_bar, Binary("+", place_bar, self.bars.name(item.id))))
                self.guards[self.bars.name(source.id).id] = None

    # ---------------------------------------------------------------------------------------- rules
    def results(self, y: Name, use: Use) -> tuple[dict[str, Expr], dict[str, Expr]]:
        """The rule's names for its results and their adjoints."""
        assert use.rule is not None
        names = use.rule.results
        if len(names) == 1:
            bar: Expr = self.bars.structure(y.id)
            if isinstance(bar, Seq):
                bar = Seq("list", bar.items)
            return {names[0]: y}, {f"{names[0]}_bar": bar}
        values: dict[str, Expr] = {}
        bars: dict[str, Expr] = {}
        for k, n in enumerate(names):
            values[n] = Item(y, Const(k))
            bars[f"{n}_bar"] = self.bars.structure(y.id, (k,))
        return values, bars

    def rule(self, y: Name, use: Use, out: Block) -> None:
        assert use.rule is not None
        if use.rule.name in ("getitem", "getitem_gathered", "getitem_masked"):
            self.read(y, use, out)
            return
        if use.rule.elementwise:
            self.elementwise(y, use, out)
            return
        values, bars = self.results(y, use)
        template = Template(self.f, use, values, bars)
        wanted = {p for p, e in use.bound.items() if self.is_active(e)}
        lines = [line for line in use.rule.lines if line.role == "adjoint" and line.target in wanted]
        here = y.id in self.homes.local and self.homes.block[y.id] == self.here and y.id != VALUE
        if len(use.rule.results) > 1 and here:
            # a result that nobody used has the adjoint zero: its lines add nothing
            idle = {
                f"{n}_bar"
                for k, n in enumerate(use.rule.results)
                if not any(
                    self.bars.name(y.id, (k, *p)).id in self.guards for p in paths(use.result.items[k])
                )  # type: ignore
            }
            lines = [
                line
                for line in lines
                if not (reads(line.value) & set(bars)) or reads(line.value) & set(bars) - idle
            ]
        selected = {line.target: line.value for line in use.rule.lines if line.role == "selected"}
        needed = {n for line in lines for n in reads(line.value)} | {
            n for p, e in selected.items() if p in wanted for n in reads(e)
        }
        needed = use.rule.with_temporaries(needed)
        for line in use.rule.lines:
            if line.role == "temporary" and line.target in needed:
                t = Name(self.f.temp(line.target))
                out.append(Assign(t, template.line(line.value)))
                template.values[line.target] = t
                self.types[t.id] = Data(object)
            elif line in lines:
                e = use.bound[line.target]
                value = template.line(line.value)
                guard = (
                    self.settled(template.line(selected[line.target]), out)
                    if line.target in selected
                    else None
                )
                self.contribution(use, line.target, e, minus(value) if line.sign < 0 else value, guard, out)

    def is_active(self, e: Expr) -> bool:
        return any(n in self.active for n in reads(e))

    def contribution(
        self, use: Use, param: str, e: Expr, value: Expr, guard: Expr | None, out: Block
    ) -> None:
        """One adjoint line: of an array's adjoint, or of a sequence's, item by item."""
        if isinstance(e, Name) and isinstance(self.types[e.id], Struct):
            self.sequence(e, value, self.types[e.id], (), out)
        elif isinstance(e, Name) and isinstance(self.types[e.id], ListOf):
            out.append(Add(self.bars.name(e.id), call(list, "list", value)))
            self.guards[self.bars.name(e.id).id] = None
        elif isinstance(e, Name):
            self.add(e, value, out, guard)

    def sequence(self, e: Name, value: Expr, t: Type, path: tuple[int, ...], out: Block) -> None:
        assert isinstance(t, Struct)
        if not isinstance(value, Name) and len(t.items) > 1 and not isinstance(value, Seq):
            shared = Name(self.f.temp("items_bar"))
            self.types[shared.id] = Data(object)
            out.append(Assign(shared, value))
            value = shared
        for k, item in enumerate(t.items):
            if isinstance(value, Seq):
                part = value.items[k]
            elif isinstance(value, Item) and isinstance(value.index, Const):
                part = Item(value.value, Seq("tuple", (value.index, Const(k))))
            elif isinstance(value, Item) and isinstance(value.index, Seq):
                part = Item(value.value, Seq("tuple", (*value.index.items, Const(k))))
            else:
                part = Item(value, Const(k))
            if isinstance(item, Struct):
                self.sequence(e, part, item, (*path, k), out)
            elif is_numeric(item):
                self.add(e, part, out, None, (*path, k))

    def elementwise(self, y: Name, use: Use, out: Block) -> None:
        assert use.rule is not None
        index: Expr | None = None
        repeats = False
        values: dict[str, Expr] = {use.rule.results[0]: y}
        g: Expr = self.bars.name(y.id)
        guard = self.guard_of(self.bars.name(y.id))
        use_here = use
        if y.id in self.indexed:  # only a place of the result is read: so only that place of the operands is
            index, g, read, guard, repeats = self.indexed.pop(y.id)
            bound = {p: self.at(e, index) for p, e in use.bound.items()}
            values = {use.rule.results[0]: Name(read)}
            use_here = Use("rule", rule=use.rule, bound=bound, result=self.types[read])
        template = Template(self.f, use_here, values, {f"{use.rule.results[0]}_bar": g})
        partials = {line.target: line.value for line in use.rule.lines if line.role == "partial"}
        selected = {line.target: line.value for line in use.rule.lines if line.role == "selected"}
        wanted = [p for p, e in use.bound.items() if self.is_active(e) and (p in partials or p in selected)]
        needed = {n for p in wanted for d in (partials, selected) if p in d for n in reads(d[p])}
        needed = use.rule.with_temporaries(needed)
        for line in use.rule.lines:
            if line.role == "temporary" and line.target in needed:
                t = Name(self.f.temp(line.target))
                self.types[t.id] = Data(object)
                out.append(Assign(t, template.line(line.value)))
                template.values[line.target] = t
        y_type = self.types[y.id]
        # with one operand alone the result has its shape, whatever that is
        operands = [e for e in use.bound.values() if not isinstance(e, Const)]
        alone = len(set(operands)) == 1
        for p in wanted:
            e = use.bound[p]
            partial = template.line(partials[p]) if p in partials else Const(1)
            if partial == Const(0):
                continue
            value = times(g, partial)
            condition = guard if guard is not None and not isinstance(partial, Const) else None
            chosen = self.settled(template.line(selected[p]), out) if p in selected else None
            both = [c for c in (chosen, condition) if c is not None]
            if both:
                test = both[0] if len(both) == 1 else Binary("&", both[0], both[1])
                value = self.where(test, value, y_type)
            carried: Expr | None = None
            if chosen is not None or guard is not None:
                known = [c for c in (chosen, guard) if c is not None]
                carried = known[0] if len(known) == 1 else Binary("&", known[0], known[1])
            assert isinstance(e, Name)
            if index is not None:
                self.add_indexed(e, index, value, carried, repeats, out)
                continue
            t = self.types[e.id]
            if not same_shape(t, y_type) and not alone:
                value, carried = self.unbroadcast(value, e, t, y_type), self.any_of(carried, t, y_type)
            self.add(e, value, out, carried)

    def where(self, test: Expr, value: Expr, t: Type) -> Expr:
        if isinstance(t, Number):
            return IfExp(test, value, Const(0.0))
        return call(np.where, "np.where", test, value, Const(0.0))

    def unbroadcast(self, value: Expr, e: Name, t: Type, y_type: Type) -> Expr:
        """Sum a contribution over the axes along which the operand was stretched."""
        have, full = shape_of(t), shape_of(y_type)
        helper = Call(Object(runtime.unbroadcast, "unbroadcast"), (value, e))
        if have is None or full is None or len(have) > len(full):
            return helper
        if isinstance(t, Number):
            return call(np.sum, "np.sum", value)
        lead = len(full) - len(have)
        ones = [k for k, (a, b) in enumerate(zip(have, full[lead:], strict=True)) if a == 1 and b != 1]
        unsure = [a for a, b in zip(have, full[lead:], strict=True) if a != 1 and (a is None or a != b)]
        if unsure or (lead and ones):
            return helper
        if ones:
            axis: Expr = Const(ones[0]) if len(ones) == 1 else Seq("tuple", tuple(Const(k) for k in ones))
            return call(np.sum, "np.sum", value, axis=axis, keepdims=Const(True))
        axis = Const(0) if lead == 1 else Seq("tuple", tuple(Const(k) for k in range(lead)))
        return call(np.sum, "np.sum", value, axis=axis)

    def settled(self, condition: Expr, out: Block) -> Expr:
        """A condition that holds further down the chain too, when what it compares has been put back."""
        names = [n for n in reads(condition) if n in self.homes.block]
        if all(n in self.homes.local for n in names):
            return condition
        t = Name(self.f.temp("selected"))
        shape = expr_shape(condition, self.f)
        flag = is_flag(condition, self.types)
        self.types[t.id] = (
            Number("b") if flag else Array("bool", shape) if shape is not None else Data(object)
        )
        out.append(Assign(t, condition))
        return t

    def any_of(self, condition: Expr | None, t: Type, y_type: Type) -> Expr | None:
        """The condition of a contribution that was summed over a broadcast: any of what was summed."""
        have, full = shape_of(t), shape_of(y_type)
        if condition is None or have is None or full is None or len(have) > len(full):
            return None
        shape = expr_shape(condition, self.f)
        if shape is None or None in full or len(shape) > len(full):
            return None
        if any(a not in (1, b) for a, b in zip(shape[::-1], full[::-1], strict=False)):
            return None
        if isinstance(t, Number):
            return call(np.any, "np.any", condition)
        lead = len(full) - len(have)
        ones = [k for k, (a, b) in enumerate(zip(have, full[lead:], strict=True)) if a == 1 and b != 1]
        unsure = [a for a, b in zip(have, full[lead:], strict=True) if a != 1 and (a is None or a != b)]
        if unsure or (lead and ones):
            return None
        missing = len(full) - len(shape)  # axes along which the condition itself is stretched
        axes = [k - missing for k in (ones or range(lead)) if k >= missing]
        if not axes:
            return condition
        axis: Expr = Const(axes[0]) if len(axes) == 1 else Seq("tuple", tuple(Const(k) for k in axes))
        keep = {"keepdims": Const(True)} if ones else {}
        return call(np.any, "np.any", condition, axis=axis, **keep)

    # ---------------------------------------------------------------------------------------- reads of places
    def read(self, y: Name, use: Use, out: Block) -> None:
        assert use.rule is not None
        x, i = use.bound["x"], use.bound["i"]
        assert isinstance(x, Name)
        if x.id not in self.active:
            return
        bar = self.bars.name(y.id)
        repeats = use.rule.name == "getitem_gathered"
        if self.can_index(x, i):
            g = Name(self.f.temp(f"{self.f.spelled(y.id)}_bar"))
            self.types[g.id] = self.types[bar.id]
            out.append(Assign(g, bar))
            self.indexed[x.id] = (i, g, y.id, self.guard_of(bar), repeats)
            return
        out.append(AddAt(self.bars.name(x.id), i, bar, repeats))
        self.guards[self.bars.name(x.id).id] = None

    def can_index(self, x: Name, i: Expr) -> bool:
        """Whether the operand is an elementwise intermediate of this block that is read at this one place only."""
        web = x.id
        if self.plan.of(web) is not None:
            return False
        if web not in self.homes.local or self.homes.block[web] != self.here or self.read_count.get(web) != 1:
            return False
        (s,) = self.homes.bound_by.get(web, [None])
        if not isinstance(s, Assign) or any(not self.homes.single(n) for n in reads(i)):
            return False
        use = self.f.uses.get(id(s))
        if use is None or use.kind != "rule" or use.rule is None or not use.rule.elementwise:
            return False
        if all(
            line.value == Const(1) or line.value == Const(-1)
            for line in use.rule.lines
            if line.role == "partial"
        ):
            return False  # nothing there can be infinite
        t = self.types[web]
        for e in use.bound.values():
            if isinstance(e, Const):
                continue
            u = self.types.get(e.id) if isinstance(e, Name) else None
            if not isinstance(u, Number) and not same_shape(u, t):
                return False
        return True

    def at(self, e: Expr, index: Expr) -> Expr:
        if isinstance(e, Name) and isinstance(self.types[e.id], Array):
            return Item(e, index)
        return e

    def add_indexed(
        self, e: Name, index: Expr, value: Expr, guard: Expr | None, repeats: bool, out: Block
    ) -> None:
        t = self.types[e.id]
        if isinstance(t, Array):
            if self.can_index(e, index):
                g = Name(self.f.temp("part_bar"))
                self.types[g.id] = Data(object)
                out.append(Assign(g, value))
                part = Name(self.f.temp("part"))
                self.types[part.id] = Data(object)
                out.append(Assign(part, Item(e, index)))
                self.indexed[e.id] = (index, g, part.id, guard, repeats)
                return
            if not self.is_real(value) and t.kind != "c":
                value = call(np.real, "np.real", value)
            out.append(AddAt(self.bars.name(e.id), index, value, repeats))
            self.guards[self.bars.name(e.id).id] = None
        else:
            self.add(e, call(np.sum, "np.sum", value), out)


def put_back(owner: Name, pop: Call, item: Expr) -> Stmt:
    """The reverse of `owner.pop(...)`."""
    at = pop.args[0] if pop.args else Const(-1)
    if at == Const(-1):
        return Effect(Call(Attr(owner, "append"), (item,)))
    if isinstance(at, Const) and isinstance(at.value, int) and at.value < -1:
        length = Call(Object(len, "len"), (owner,))
        at = Binary("-", length, Const(-at.value - 1))
    return Effect(Call(Attr(owner, "insert"), (at, item)))


def _all_reads(s: Stmt) -> list[str]:
    from srcgrad.ir import own_exprs

    return [n.id for e in own_exprs(s) for n in walk(e) if isinstance(n, Name)]


def _breaks(block: Block) -> bool:
    """Whether a break of this loop stands in the block."""
    for s in block:
        if isinstance(s, Break):
            return True
        if isinstance(s, If) and (_breaks(s.then) or _breaks(s.other)):
            return True
    return False


def _ends_raising(block: Block) -> bool:
    return bool(block) and isinstance(block[-1], Raise)


def _is_flagged(block: Block) -> bool:
    """An arm that sets its flag and leaves the loop: only the last trip can have taken it."""
    return (
        len(block) == 2
        and isinstance(block[1], Break)
        and isinstance(block[0], Assign)
        and isinstance(block[0].value, Const)
    )
