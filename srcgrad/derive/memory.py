"""Memory, reversed: stores, shadows, names that change places.

    u[1:] = y    ->    new_bar = u_bar[1:].copy(); u_bar[1:] = 0; y_bar += new_bar        (Restore u before)

A store takes the adjoint of the place out and leaves zero there: what was there before has no part in what was stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.analysis.contents import contents_of
from srcgrad.analysis.memory import Memory, Plan, bound_to
from srcgrad.analysis.objects import VIEWS, leaves, makes_anew
from srcgrad.analysis.uses import Use
from srcgrad.derive.names import Shadows, paths, taken_from
from srcgrad.derive.template import Template, call, minus
from srcgrad.errors import refuse
from srcgrad.function import VALUE, Function, is_ours
from srcgrad.ir import (
    Assign,
    Attr,
    Binary,
    Block,
    Call,
    Const,
    Effect,
    Expr,
    Item,
    Name,
    Object,
    Restore,
    Seq,
    Slice,
    Stmt,
    Zero,
    binds,
    blocks,
    map_exprs,
    reads,
    statements,
    substitute,
    targets,
)
from srcgrad.simplify.owners import as_object
from srcgrad.types import Array, ListOf, Number, Struct, Type, adjoint_type


def contents_name(m: Memory) -> str:
    """What stands for the contents of a class in the liveness of names."""
    web, path = m.root
    return f"·contents {web} {path}"


# Views that NumPy hands out as read-only; their shadows are added to. Those of `broadcast_to` show an entry many times
# over and cannot be.
READ_ONLY = {"diagonal", "linalg_diagonal", "diag_of_matrix"}


def shadow_like(function: Function, bars: Shadows, s: Assign, bar_of: Any) -> Expr | None:
    """The view of shadows that a binding of a view makes, or None where it is no view."""
    use: Use = function.uses[id(s)]
    value = s.value
    if use.kind in ("copy", "detach"):
        return bar_of(value) if isinstance(value, Name) else None
    if use.kind == "rule" and not makes_anew(use) and use.what != ".flat":
        assert use.rule is not None
        param, base = next(iter(use.bound.items()))
        if not isinstance(base, Name):
            return None
        tangent = [line for line in use.rule.lines if line.role == "tangent"]
        if use.rule.name in ("getitem",):
            return Item(bar_of(base), use.bound["i"])
        if len(tangent) != 1 or len(use.rule.results) != 1:
            return None
        steps = {line.target for line in use.rule.lines if line.role == "temporary"}
        if steps & reads(tangent[0].value) or use.rule.name == "broadcast_to":
            return None
        template = Template(function, use, {use.rule.results[0]: s.target}, {f"{param}_dot": bar_of(base)})
        made = template.line(tangent[0].value)
        return call(runtime.writable, "writable", made) if use.rule.name in READ_ONLY else made
    return None


def check_views(function: Function, block: Block) -> Block:
    """Where an operation makes a view or a copy, as the array lies in memory, the run says which: a copy is refused."""
    out: Block = []
    for s in block:
        for inner in blocks(s):
            inner[:] = check_views(function, inner)
        out.append(s)
        if isinstance(s, Assign) and isinstance(s.target, Name) and id(s) in function.uses:
            use, m = function.uses[id(s)], function.plan.shadow(s.target.id)
            if m is None or use.kind != "rule" or s.target.id == VALUE:
                continue
            if makes_anew(use) or use.rule.name in VIEWS:
                continue
            base = next(iter(use.bound.values()))
            if isinstance(base, Name) and base.id in m.webs and isinstance(function.types[base.id], Array):
                out.append(
                    Effect(Call(Object(runtime.check_view, "check_view"), (s.target, base)), loc=s.loc)
                )
    return out


def zeros(function: Function, web: str) -> Expr:
    """A new shadow for a name."""
    t = function.types[web]
    if isinstance(t, Array) and adjoint_type(t) == t:
        return call(np.zeros_like, "np.zeros_like", Name(web))
    return call(np.zeros, "np.zeros", Attr(Name(web), "shape"))


class MemoryPart:
    """What the reverse sweep does about memory; a part of `_Adjoint`."""

    f: Function
    bars: Shadows
    active: set[str]
    types: dict[str, Type]
    guards: dict[str, Any]
    homes: Any

    @property
    def plan(self) -> Plan:
        return self.f.plan  # type: ignore[no-any-return]

    # ---------------------------------------------------------------------------------------- the forward sweep
    def settle_indices(self, block: Block) -> Block:
        """Views are made again in the reverse sweep: what their indices are made of must be bound once."""
        from srcgrad.analysis.homes import homes

        places = homes(self.f)
        out: Block = []
        for s in block:
            for inner in blocks(s):
                inner[:] = self.settle_indices(inner)
            if isinstance(s, Assign) and isinstance(s.target, Name):
                m = self.plan.of(s.target.id)
                if m is not None and s.target.id in m.views:
                    values: dict[str, Expr] = {}
                    for n in sorted(reads(s.value)):
                        if n in self.types and n not in places.local and n not in m.webs:
                            t = Name(self.f.temp(self.f.spelled(n)))
                            self.types[t.id] = self.types[n]
                            copy = Assign(t, Name(n), loc=s.loc)
                            self.f.uses[id(copy)] = Use("copy", result=self.types[n])
                            self.f.keep_alive.append(copy)
                            out.append(copy)
                            values[n] = t
                    if values:
                        s.value = substitute(s.value, values)
                        use = self.f.uses[id(s)]
                        use.bound = {p: substitute(e, values) for p, e in use.bound.items()}
            out.append(s)
        return out

    def bind_shadows(self, block: Block) -> Block:
        """Shadows of dynamic classes, bound in the forward sweep beside the arrays."""
        out: Block = []
        for s in block:
            for inner in blocks(s):
                inner[:] = self.bind_shadows(inner)
            out.append(s)
            if isinstance(s, Assign) and not isinstance(s.target, Item):
                self.beside(s, out)
            elif isinstance(s, Effect):
                use = self.f.uses.get(id(s))
                if use is not None and use.kind in ("append", "insert") and isinstance(s.value, Call):
                    owner, item = s.value.fn.value.id, s.value.args[-1]  # type: ignore[attr-defined]
                    if self.is_dynamic(owner, ("*",)):
                        shadow: Expr = Const(None)
                        if isinstance(item, Name) and isinstance(self.types[item.id], Array):
                            shadow = self.bars.name(item.id)
                        else:
                            self.refuse_nested(s)
                        fn = Attr(self.bars.name(owner), use.kind)
                        push = Call(fn, (*s.value.args[:-1], shadow))
                        out.append(Effect(push, loc=s.loc))
        return out

    def is_dynamic(self, web: str, path: tuple[Any, ...] = ()) -> bool:
        """Whether the shadow of a name, or of an entry, is bound in the forward sweep."""
        m = self.plan.of(web, path)
        if m is None or m.static or not m.active or web not in self.active:
            return False
        if path != () and (web, path) not in m.nested:
            return False
        return web not in m.reads and web not in m.passing

    def refuse_nested(self, s: Stmt) -> None:
        refuse(
            "unknown-type",
            "arrays that are written are nested here in a way that is not differentiated yet",
            s.loc,
            hint="keep them in one list, or in variables of their own",
        )

    def beside(self, s: Assign, out: Block) -> None:
        """The shadows of what a statement binds."""
        bound: list[tuple[Name, Expr]] = []
        names = targets(s.target)
        if isinstance(s.target, Seq) and isinstance(s.value, Seq):
            for t, v in zip(s.target.items, s.value.items, strict=True):
                assert isinstance(t, Name)
                if self.any_dynamic(t.id):
                    bound += self.pairs(t.id, (), v, (), s)
        elif len(names) == 1 and isinstance(s.target, Name) and self.any_dynamic(names[0]):
            bound = self.sources(s, names[0])
        elif any(self.any_dynamic(n) for n in names):
            bound = self.unpacked(s)
        if not bound:
            return
        target: Expr = bound[0][0] if len(bound) == 1 else Seq("tuple", tuple(a for a, _ in bound))
        value: Expr = bound[0][1] if len(bound) == 1 else Seq("tuple", tuple(b for _, b in bound))
        shadow = Assign(target, value, loc=s.loc)
        s.shadow = shadow  # type: ignore[attr-defined]
        out.append(shadow)

    def own_leaves(self, web: str) -> list[Name]:
        """The adjoints of a name that the reverse sweep makes: not those that the forward sweep has bound."""
        t = self.types.get(web)
        if isinstance(t, ListOf):
            return [] if self.is_dynamic(web, ("*",)) else self.bars.leaves(web)
        return [self.bars.name(web, p) for p in paths(t) if not self.is_dynamic(web, p)]

    def any_dynamic(self, web: str) -> bool:
        t = self.types.get(web)
        if isinstance(t, ListOf):
            return self.is_dynamic(web, ("*",))
        return any(self.is_dynamic(web, p) for p in paths(t))

    def pairs(self, y: str, py: tuple, v: Expr, pv: tuple, s: Stmt) -> list[tuple[Name, Expr]]:
        """Shadows of entries of `y` that are those of `v`."""
        from srcgrad.derive.names import leaf_type

        out: list[tuple[Name, Expr]] = []
        t = leaf_type(self.types[y], py)
        for p in paths(t):
            full = (*py, *p)
            listed = isinstance(leaf_type(t, p), ListOf)
            if not self.is_dynamic(y, (*full, "*") if listed else full):
                continue
            if not isinstance(v, Name) or listed and full != ():
                self.refuse_nested(s)
            assert isinstance(v, Name)
            out.append((self.bars.name(y, full), self.bars.name(v.id, (*pv, *p))))
        return out

    def sources(self, s: Assign, y: str) -> list[tuple[Name, Expr]]:
        use: Use = self.f.uses[id(s)]
        value, t = s.value, self.types[y]
        if use.kind in ("copy", "detach", "relist"):
            source = next(iter(reads(value)), None)
            return self.pairs(y, (), Name(source), (), s) if source is not None else []
        if use.kind == "display":
            items = value.items if isinstance(value, Seq) else value.values  # type: ignore[attr-defined]
            if isinstance(t, ListOf):
                shadows = []
                for item in items:
                    if not isinstance(item, Name) or not isinstance(self.types[item.id], Array):
                        self.refuse_nested(s)
                    shadows.append(self.bars.name(item.id))  # type: ignore[union-attr]
                return [(self.bars.name(y), Seq("list", tuple(shadows)))]
            return [pair for k, item in enumerate(items) for pair in self.pairs(y, (k,), item, (), s)]
        if use.kind == "entry":
            source_e = taken_from(value)
            if isinstance(source_e, Name) and isinstance(self.types[source_e.id], Struct):
                return self.pairs(y, (), source_e, (use.key,), s)
        if use.kind == "slice" and isinstance(t, Struct):
            source_e = taken_from(value)
            return [pair for k, j in enumerate(use.key) for pair in self.pairs(y, (k,), source_e, (j,), s)]
        if use.kind == "pop" and isinstance(value, Call) and isinstance(t, Array):
            owner = value.fn.value.id  # type: ignore[attr-defined]
            return [(self.bars.name(y), Call(Attr(self.bars.name(owner), "pop"), value.args))]
        if use.kind in ("list item", "entry") and isinstance(value, Item) and isinstance(value.value, Name):
            if isinstance(t, Array):
                return [(self.bars.name(y), Item(self.bars.name(value.value.id), value.index))]
        if isinstance(t, Array):
            made = shadow_like(self.f, self.bars, s, lambda e: self.bars.name(e.id))
            m = self.plan.of(y)
            assert m is not None
            if (
                made is not None
                and use.kind == "rule"
                and any(isinstance(e, Name) and e.id in m.webs for e in use.bound.values())
            ):
                return [(self.bars.name(y), made)]
            return [(self.bars.name(y), zeros(self.f, y))]
        self.refuse_nested(s)
        raise AssertionError

    def unpacked(self, s: Assign) -> list[tuple[Name, Expr]]:
        use: Use = self.f.uses[id(s)]
        assert isinstance(s.target, Seq)
        if isinstance(s.value, Name) and all(isinstance(i, Name) for i in s.target.items):
            out = []
            for k, item in enumerate(s.target.items):
                assert isinstance(item, Name)
                if isinstance(use.result, Struct):
                    out += self.pairs(item.id, (), s.value, (k,), s)
                elif self.is_dynamic(item.id) and isinstance(use.result, Array | ListOf):
                    out.append((self.bars.name(item.id), Item(self.bars.name(s.value.id), Const(k))))
            return out
        self.refuse_nested(s)
        raise AssertionError

    # ---------------------------------------------------------------------------------------- the reverse sweep
    def is_shadowed(self, web: str, path: tuple[Any, ...] = ()) -> bool:
        """Whether what is added to the adjoint of a name is added to memory: its binding hands on nothing."""
        m = self.plan.shadow(web) if path == () else self.plan.of(web, path)
        return m is not None and web != VALUE

    def has_listed(self, web: str) -> bool:
        m = self.plan.of(web, ("*",)) if isinstance(self.types.get(web), ListOf) else None
        return m is not None and (web, ("*",)) in m.nested

    def is_view(self, s: Assign) -> bool:
        """Whether the statement binds a name to memory that something else is bound to."""
        if id(s) not in self.f.uses:
            return False
        if not isinstance(s.target, Name):
            return False
        use: Use = self.f.uses[id(s)]
        y = s.target.id
        m = self.plan.shadow(y)
        if m is None or y == VALUE:
            return False
        if y in m.views:
            return True
        if not m.static and use.kind in ("copy", "entry", "list item", "detach", "pop"):
            return True
        if not m.static and use.kind == "rule" and not makes_anew(use):
            return any(isinstance(e, Name) and e.id in m.webs for e in use.bound.values())
        return False

    def is_held(self, web: str) -> bool:
        """Whether a name of several that a statement binds has a shadow that is memory."""
        m = self.plan.shadow(web)
        return m is not None and web != VALUE and (not m.static or web in m.views)

    def store(self, s: Assign, out: Block) -> None:
        assert isinstance(s.target, Item) and isinstance(s.target.value, Name)
        web, index, use = s.target.value.id, s.target.index, self.f.uses[id(s)]
        m = self.plan.of(web)
        if m is None:
            self.store_entry(s, out)
            return
        if m.restore:
            out.append(Restore(contents_name(m), s, self.is_whole(m, web, index), loc=s.loc))
        if web not in self.active:
            return
        bar = self.bars.name(web)
        place = Item(bar, index)
        whole = index == Const(Ellipsis)
        value = s.value
        if self.added_to(s, web, place, use, out):
            self.guards[bar.id] = None
            return
        if isinstance(value, Name) and value.id in self.active:
            new = Name(self.f.temp("new_bar"))
            t: Type = use.result if isinstance(use.result, Number | Array) else Array("float64", None)
            self.types[new.id] = adjoint_type(t)
            taken: Expr = place
            if use.key == "IntArray":
                taken = Call(Object(runtime.last_written, "last_written"), (bar, as_object(index)))
            elif isinstance(use.result, Array) and use.key == "Basic":
                taken = Call(Attr(bar if whole else place, "copy"), ())
            if self.is_whole(m, web, index):
                out += [Assign(new, bar), Zero(bar, web)]
            else:
                out += [Assign(new, taken), Assign(place, Const(0))]
            t_value = self.types[value.id]
            given: Expr = new
            from srcgrad.types import same_shape

            if not same_shape(t_value, t):
                given = self.unbroadcast(new, value, t_value, t)  # type: ignore[attr-defined]
            self.add(value, given, out)  # type: ignore[attr-defined]
        elif self.is_whole(m, web, index):
            out.append(Zero(bar, web))
        else:
            out.append(Assign(place, Const(0)))
        self.guards[bar.id] = None

    def added_to(self, s: Assign, web: str, place: Item, use: Use, out: Block) -> bool:
        """`a[i] += v`: the adjoint of the place stays as it is, and is v's too."""
        if s.via is None or s.via[0] != "aug" or s.via[1] not in ("+", "-") or use.key == "IntArray":
            return False
        total = self.only_definition(s.value)
        if total is None or not isinstance(total.value, Binary) or total.value.op != s.via[1]:
            return False
        old = total.value.left
        if old == Name(web) and place.index == Const(Ellipsis):
            skipped = [total]
        else:
            read = self.only_definition(old)
            if read is None or read.value != s.target:
                return False
            if not isinstance(self.types.get(old.id), Array) and self.is_written_between(read, s):  # type: ignore
                return False  # what was read is not what is there now
            skipped = [total, read]
        self.skipped |= {id(t) for t in skipped}
        value, t = total.value.right, use.result
        if isinstance(value, Name) and value.id in self.active and isinstance(t, Number | Array):
            from srcgrad.types import same_shape

            new = Name(self.f.temp("new_bar"))
            self.types[new.id] = adjoint_type(t)
            basic = isinstance(t, Array) and use.key == "Basic"
            whole = place.index == Const(Ellipsis)
            source: Expr = place.value if whole else place
            out.append(Assign(new, Call(Attr(source, "copy"), ()) if basic else place))
            given: Expr = new
            t_value = self.types[value.id]
            if not same_shape(t_value, t):
                given = self.unbroadcast(new, value, t_value, t)  # type: ignore[attr-defined]
            self.add(value, minus(given) if s.via[1] == "-" else given, out)  # type: ignore[attr-defined]
        return True

    def is_written_between(self, first: Stmt, last: Stmt) -> bool:
        """Whether the memory that a store writes is written between two statements, by a call."""
        order, by = self.homes.order, self.f.objects.written_by
        mine = by.get(id(last), set())
        return any(
            order[id(first)] < order.get(id(t), -1) < order[id(last)] and by.get(id(t), set()) & mine
            for t in statements(self.f.body)
        )

    skipped: set[int]

    def only_definition(self, e: Expr) -> Assign | None:
        """The definition of a temporary of ours that is read once."""
        if not isinstance(e, Name) or not is_ours(e.id) or self.read_count.get(e.id) != 1:  # type: ignore
            return None
        made = self.homes.bound_by.get(e.id, [])
        return made[0] if len(made) == 1 and isinstance(made[0], Assign) else None

    def is_whole(self, m: Memory, web: str, index: Expr) -> bool:
        """Whether a store writes all of the memory that the class is."""
        only = m.webs - m.reads - m.passing == {web} and web in self.homes.local
        own = m.static and (web, ()) not in self.f.handed
        return only and own and index in (Const(Ellipsis), Slice(None, None, None))

    def store_entry(self, s: Assign, out: Block) -> None:
        """`xs[i] = v` of a list."""
        from srcgrad.ir import Unbind

        assert isinstance(s.target, Item) and isinstance(s.target.value, Name)
        web, index, value = s.target.value.id, s.target.index, s.value
        out.append(Unbind(web, s, loc=s.loc))
        if web not in self.active:
            return
        t = self.types[web]
        item = t.item if isinstance(t, ListOf) else None
        if not isinstance(item, Number | Array) or self.has_listed(web):
            self.refuse_nested(s)
        place = Item(self.bars.name(web), index)
        zero: Expr = Const(0.0)
        if isinstance(item, Array):
            zero = call(np.zeros, "np.zeros", call(np.shape, "np.shape", place))
        if isinstance(value, Name) and value.id in self.active:
            new = Name(self.f.temp("new_bar"))
            self.types[new.id] = adjoint_type(item)  # type: ignore[arg-type]
            out.append(Assign(new, place))
            out.append(Assign(place, zero))
            self.add(value, new, out)  # type: ignore[attr-defined]
        else:
            out.append(Assign(place, zero))
        self.guards[self.bars.name(web).id] = None

    def move(self, s: Assign, out: Block) -> None:
        """Names that change places change back, and their shadows with them."""
        pairs = self.plan.moves[id(s)]
        sources, names = tuple(map(Name, pairs.values())), tuple(map(Name, pairs))
        out.append(Assign(Seq("tuple", sources), Seq("tuple", names), loc=s.loc))
        if any(n.id in self.active for n in names):
            bars = tuple(self.bars.name(n.id) for n in names)
            back = tuple(self.bars.name(n.id) for n in sources)
            out.append(Assign(Seq("tuple", back), Seq("tuple", bars), loc=s.loc))

    def views_at_start(self, block: int) -> Block:
        """The shadows of views of memory that live in this block."""
        out: Block = []
        found = sorted(
            (
                w
                for m in self.plan.classes.values()
                if m.static
                for w in m.views
                if self.homes.block.get(w) == block
            ),
            key=lambda w: self.homes.order[id(self.homes.bound_by[w][0])],
        )
        for w in found:
            (s,) = self.homes.bound_by[w]
            if w in self.active:
                value = bound_to(s, w)
                made: Expr | None = None
                if isinstance(s.target, Seq):
                    made = self.bars.name(value.id) if isinstance(value, Name) else None
                else:
                    made = shadow_like(self.f, self.bars, s, lambda e: self.bars.name(e.id))
                if made is None:
                    refuse(
                        "alias",
                        "a view that is written, or read after its array was written, is made here in a way that is "
                        "not covered",
                        s.loc,
                        hint="write the array itself, or take the view by an index",
                    )
                shadow = Assign(self.bars.name(w), made, loc=s.loc)
                shadow.is_view = True  # type: ignore[attr-defined]
                out.append(shadow)
        return out

    def capture(self, s: Stmt, emitted: Block) -> None:
        """Where old contents are not put back, what the reverse of a statement reads of memory is copied there."""
        bound = set(binds(s))
        values: dict[str, Expr] = {}
        for t in (u for e in emitted for u in statements([e])):
            for n in contents_of(t):
                m = self.plan.of(n)
                if m is None or m.restore or n in values:
                    continue
                kept = Name(self.f.temp(f"{self.f.spelled(n)}_old" if n not in bound else self.f.spelled(n)))
                self.types[kept.id] = self.types[n]
                copy = Assign(kept, Call(Attr(Name(n), "copy"), ()), loc=s.loc)
                self.f.keep_alive.append(copy)
                (self.captures_behind if n in bound else self.captures_before).setdefault(id(s), []).append(
                    copy
                )
                values[n] = kept
            for n in contents_of(t):
                # a container holds the arrays themselves, which may hold something else by then
                if any(p != () and self.plan.of(n, p) is not None for p in leaves(self.types.get(n))):
                    self.refuse_nested(s)
        if values:
            for t in (u for e in emitted for u in statements([e])):
                map_exprs(t, lambda e: substitute(e, values))

    captures_before: dict[int, Block]
    captures_behind: dict[int, Block]

    def insert_captures(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            for inner in blocks(s):
                inner[:] = self.insert_captures(inner)
            out += self.captures_before.get(id(s), [])
            out.append(s)
            out += self.captures_behind.get(id(s), [])
        return out
