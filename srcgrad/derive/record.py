"""To be recorded: every name that the reverse sweep reads holds there what it held in the forward sweep.

    h = np.tanh(w @ h)    ->    h_kept.append(h); h = np.tanh(w @ h)     and in reverse     h = h_kept.pop()

What is bound once in its block is kept behind its binding, and taken back where the reverse of the block starts; a
name bound again is kept before it is overwritten, and put back at its `Unbind`, if somebody reads it from there on.
What is cheap to compute again, of operands that still hold, is computed again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.analysis.contents import contents, contents_of
from srcgrad.analysis.homes import Homes
from srcgrad.analysis.liveness import live_in
from srcgrad.analysis.memory import bound_to
from srcgrad.derive.adjoint import Derived, put_back
from srcgrad.derive.memory import contents_name
from srcgrad.function import VALUE, Function, is_ours
from srcgrad.ir import (
    Assign,
    Attr,
    Binary,
    Block,
    Call,
    Compare,
    Const,
    Effect,
    Expr,
    For,
    If,
    Item,
    Name,
    Object,
    Restore,
    Seq,
    Stmt,
    Unary,
    Unbind,
    While,
    blocks,
    map_exprs,
    reads,
    statements,
    stmt_reads,
    substitute,
)
from srcgrad.types import Array, ListOf, Number


def recompute(d: Derived, outputs: set[str]) -> Derived:
    """Replace reads of what would have to be kept by what is cheap to compute again."""
    _Record(d, outputs).prepare()
    return d


def record(d: Derived, outputs: set[str]) -> Derived:
    """Keep and put back what the reverse sweep reads."""
    _Record(d, outputs).run()
    return d


class _Record:
    def __init__(self, d: Derived, outputs: set[str]):
        self.d = d
        self.f: Function = d.function
        self.homes: Homes = d.homes
        self.outputs = outputs
        self.lists: list[tuple[str, Stmt | None]] = []
        self.before: dict[int, Block] = {}  # what is put before, behind a statement of the forward sweep
        self.behind: dict[int, Block] = {}
        self.start: Block = []
        self.copies: dict[str, str] = {}
        self.restored: set[str] = set()

    def prepare(self) -> None:
        self.views()
        self.given_back()
        self.twins()
        self.rebuild()
        self.recompute()
        again = self.restores()
        self.own_copies()
        if again:
            self.views()
            self.recompute()
        self.insert(self.d.forward)
        self.d.forward[:0] = self.start

    # ---------------------------------------------------------------------------------------- arrays, once more
    def rebuild(self) -> None:
        """Sums and products of what memory held are computed again, once its old contents are back, and not kept."""
        lists = {id(b): b for b in _all_blocks(self.d.reverse)}
        users: dict[str, set[int]] = {}
        for key, block in lists.items():
            for s in block:
                for n in stmt_reads(s):
                    users.setdefault(n, set()).add(key)
        inside = {key: {id(c) for s in statements(b) for c in blocks(s)} | {key} for key, b in lists.items()}
        insert: dict[int, list[tuple[int, Stmt]]] = {}
        plans: list[tuple[str, Block, int, Stmt, Expr, set[str]]] = []
        for web in sorted(self.reverse_reads(), key=self.text_order):
            kept = self.needs_keeping(web) or (bool(self.f.handed) and web in self.homes.local)
            if not kept or web in self.f.params or not isinstance(self.f.types.get(web), Array):
                continue
            # the innermost block in which all stand that read it, directly or deeper inside
            found_in = [key for key in lists if users.get(web, set()) <= inside[key]]
            block = lists[min(found_in, key=lambda key: len(inside[key]))]
            k = next(j for j, s in enumerate(block) if any(web in stmt_reads(t) for t in statements([s])))
            origin = getattr(block[k], "origin", None)
            held: set[str] = set()
            e = self.sum_of_memory(web, origin, 4, held) if origin is not None else None
            if e is not None:
                plans.append((web, block, k, origin, e, held))  # type: ignore[arg-type]
        read = self.reverse_reads()
        for web, block, k, origin, e, held in plans:
            # an array is kept instead of what is made of it where it is kept anyway, or more than one is made of it
            if any(h not in read and sum(h in other[5] for other in plans) < 2 for h in held):
                continue
            again = Assign(Name(web), e, loc=block[k].loc)
            again.origin = origin  # type: ignore[attr-defined]
            insert.setdefault(id(block), []).append((k, again))
            self.homes.local.discard(web)
        for key, found in insert.items():
            for k, again in sorted(found, key=lambda p: -p[0]):
                lists[key].insert(k, again)

    def sum_of_memory(self, web: str, origin: Stmt, budget: int, held: set[str]) -> Expr | None:
        """An array as sums and products of what is read of memory, or of arrays that are `held`; else None."""
        made = self.homes.bound_by.get(web, [])
        if budget <= 0 or len(made) != 1 or not isinstance(made[0], Assign):
            return None
        (s,) = made
        use, value = self.f.uses.get(id(s)), s.value
        if use is None or use.kind != "rule" or not (isinstance(value, Binary | Unary) or _is_function(use)):
            return None
        if isinstance(value, Binary) and value.op not in ("+", "-", "*"):
            return None
        values: dict[str, Expr] = {}
        memory = False
        for o in sorted(reads(value)):
            m = self.f.plan.of(o)
            if m is not None:
                if not m.restore or not self.unchanged(o, s, origin):
                    return None
                e = self.through(o, origin) if o in m.reads else Name(o)
                memory = True
            elif isinstance(self.f.types.get(o), Array) and o not in self.f.params:
                e = self.sum_of_memory(o, origin, budget - 1, held) or self.place_of(o, origin, held)
                memory = True
            elif o in self.homes.block and (
                not self.unchanged(o, s, origin) or self.needs_keeping(o) and o not in self.reverse_reads()
            ):
                return None
            else:
                continue
            if e is None:
                return None
            values[o] = e
        return substitute(value, values) if memory else None

    def place_of(self, web: str, origin: Stmt, held: set[str]) -> Expr | None:
        """An array of the user's that is bound once in its block, or a place of it."""
        made = self.homes.bound_by.get(web, [])
        if web not in self.homes.local or len(made) != 1 or not isinstance(made[0], Assign):
            return None
        (s,) = made
        if not is_ours(web):
            held.add(web)
            return Name(web)
        use = self.f.uses.get(id(s))
        if use is None or use.kind != "rule" or use.rule is None or use.rule.name != "getitem":
            return None
        match s.value:
            case Item(Name(owner), index) if not is_ours(owner) and owner in self.homes.local:
                if all(self.unchanged(o, s, origin) for o in reads(index) if o in self.homes.block):
                    if not any(self.needs_keeping(o) and o not in self.reverse_reads() for o in reads(index)):
                        held.add(owner)
                        return s.value
        return None

    # ---------------------------------------------------------------------------------------- one for two
    def twins(self) -> None:
        """Temporaries that hold the same for sure are one to the reverse sweep: `y[0]` read three times is kept once."""
        first: dict[tuple[int, Expr], str] = {}
        same: dict[str, Expr] = {}
        read = self.reverse_reads()
        for s in statements(self.d.forward):
            if not (isinstance(s, Assign) and isinstance(s.target, Name) and is_ours(s.target.id)):
                continue
            t, use = s.target.id, self.f.uses.get(id(s))
            if (
                t not in read
                or t not in self.homes.local
                or use is None
                or use.kind not in ("rule", "constant")
            ):
                continue
            key = (self.homes.of_stmt[id(s)], s.value)
            if key not in first:
                first[key] = t
                continue
            (made,) = self.homes.bound_by[first[key]]
            if all(self.unchanged(o, made, s) for o in reads(s.value) if o in self.homes.block):
                same[t] = Name(first[key])
        if same:
            for s in statements(self.d.reverse):
                map_exprs(s, lambda e: substitute(e, same))

    def run(self) -> None:
        self.keep_locals()
        self.keep_overwritten()
        self.insert(self.d.forward)
        self.d.forward[:0] = self.start
        self.d.reverse[:] = _flat(self.d.reverse)

    # ---------------------------------------------------------------------------------------- memory
    def views(self) -> None:
        """What is read through a view is read through the array itself: the sweep may work on a copy of that."""
        plan = self.f.plan
        for s in list(statements(self.d.reverse)):
            if isinstance(s, Assign) and getattr(s, "is_view", False):
                continue
            origin = getattr(s, "origin", None)
            values: dict[str, Expr] = {}
            for n in sorted(stmt_reads(s)):
                m = plan.of(n)
                if m is None or not m.restore or n not in m.reads or n == VALUE:
                    continue
                if self.is_shape_only(s, n):
                    continue
                e = self.through(n, origin)
                values[n] = e if e is not None else self.copied_at(n)
            if values:
                map_exprs(s, lambda e, v=values: substitute(e, v))  # type: ignore[misc]

    def is_shape_only(self, s: Stmt, web: str) -> bool:
        return web not in set(contents_of(s))

    def through(self, web: str, origin: Stmt | None) -> Expr | None:
        """A read of memory as an expression of what it is a view of; None where an index has changed since."""
        made = self.homes.bound_by.get(web, [])
        if len(made) != 1 or origin is None:
            return None
        (s,) = made
        use = self.f.uses.get(id(s))
        if not isinstance(s, Assign) or use is None or use.kind not in ("rule", "copy", "entry", "parallel"):
            return None
        values: dict[str, Expr] = {}
        value = bound_to(s, web)
        for o in sorted(reads(value)):
            m = self.f.plan.of(o)
            if m is not None and o in m.reads:
                inner = self.through(o, origin)
                if inner is None:
                    return None
                values[o] = inner
            elif o in self.homes.block and not self.bound_alike(o, s, origin):
                return None
        return substitute(value, values)

    def bound_alike(self, web: str, since: Stmt, until: Stmt) -> bool:
        """Whether a name is bound, where `until` is reversed, to what it was bound to at `since`."""
        m = self.f.plan.of(web)
        if m is None:
            return self.unchanged(web, since, until)
        return (
            web in self.homes.local
            or not self.homes.bound_by.get(web)
            or self.unchanged(web, since, until, False)
        )

    def copied_at(self, web: str) -> Name:
        """A copy of a read, made where it is bound."""
        if web not in self.copies:
            (s,) = self.homes.bound_by[web]
            kept = self.f.temp(f"{self.f.spelled(web)}_old")
            self.f.types[kept] = self.f.types[web]
            copy = Assign(Name(kept), Call(Attr(Name(web), "copy"), ()), loc=s.loc)
            self.behind.setdefault(id(s), []).append(copy)
            self.copies[web] = kept
            self.homes.block[kept] = self.homes.block[web]
            self.homes.bound_by[kept] = [copy]
            self.homes.local.add(kept)
            self.homes.of_stmt[id(copy)] = self.homes.of_stmt[id(s)]
            self.homes.order[id(copy)] = self.homes.order[id(s)]
        return Name(self.copies[web])

    def contents(self, s: Stmt) -> frozenset[str]:
        """The memory whose contents a statement of the reverse sweep reads."""
        if isinstance(s, Assign) and getattr(s, "is_view", False):
            return frozenset()
        out = set()
        for n in contents_of(s):
            m = self.f.plan.of(n)
            if m is not None and m.restore:
                out.add(contents_name(m))
        return frozenset(out)

    def restores(self) -> bool:
        """Keep and put back what writes overwrite, where somebody reads the contents from there on."""
        wanted = {contents_name(m) for m in self.f.plan.classes.values() if m.webs & self.f.restoring}
        after: dict[int, frozenset[str]] = {}
        live_in(self.d.reverse, frozenset(self.outputs | wanted), after, self.contents)
        lists: dict[str, Name] = {}
        for block in _all_blocks(self.d.reverse):
            new: Block = []
            for s in block:
                if isinstance(s, Restore):
                    before = len(new)
                    self.restore(s, s.web in after[id(s)], new, lists)
                    for r in new[before:]:
                        r.origin = s.stmt  # type: ignore[attr-defined]
                else:
                    new.append(s)
            block[:] = new
        return bool(self.restored | self.handed_on())

    def restore(self, s: Restore, live: bool, new: Block, lists: dict[str, Name]) -> None:
        """Keep the place that a write overwrites, and put it back."""
        if not live:
            return
        at = s.stmt
        m = next(m for m in self.f.plan.classes.values() if contents_name(m) == s.web)
        self.restored.add(s.web)
        if isinstance(at, Assign) and isinstance(at.target, Item):
            places = [at.target]
        else:
            use = self.f.uses[id(at)]
            version = self.d.calls.get(id(at))
            places = []
            for web, path in sorted(self.f.objects.writers.get(id(at), ()), key=str):
                if path != () or self.f.objects.class_of(web) != m.root:
                    continue
                params = [p for p, e in use.bound.items() if e == Name(web)]
                if version is not None and all(p in version.restore for p in params):
                    continue  # its reverse half has put it back
                places.append(Item(Name(web), Const(Ellipsis)))
        for place in places:
            owner = place.value
            assert isinstance(owner, Name)
            t = (
                self.f.uses[id(at)].result
                if isinstance(at, Assign) and at.target is place
                else Array("", None)
            )
            basic = not isinstance(t, Number) and self.f.uses[id(at)].key in (None, "Basic")
            source: Expr = owner if place.index == Const(Ellipsis) else place
            value: Expr = Call(Attr(source, "copy"), ()) if basic else place
            if self.homes.of_stmt[id(at)] in self.homes.looped:
                kept = lists.get(owner.id) or lists.setdefault(owner.id, self.list_of(owner.id))
                push: Stmt = Effect(Call(Attr(kept, "append"), (value,)))
                back: Expr = Call(Attr(kept, "pop"), ())
            else:
                old = Name(self.f.temp(f"{self.f.spelled(owner.id)}_kept"))
                push, back = Assign(old, value), old
            push.kept_place = place  # type: ignore[attr-defined]
            self.before.setdefault(id(at), []).append(push)
            new.append(Assign(place, back, loc=s.loc))

    def handed_on(self) -> set[str]:
        """The memory that reverse halves of callees are handed: they put old contents back there."""
        out = set()
        for key, version in self.d.calls.items():
            use = self.f.uses[key]
            for p in version.handed:
                m = self.f.plan.of(use.bound[p].id)
                if m is not None and version.needed(p):
                    out.add(contents_name(m))
        return out

    def own_copies(self) -> None:
        """Old contents are put back into the sweep's own copy of what the caller can see."""
        start: Block = []
        copied: list[str] = []
        # what a callee was handed goes in again: views of it are made of that
        own = {
            w
            for m in self.f.plan.classes.values()
            if any((p, ()) in self.f.handed for p in m.webs)
            for w in m.views
        }
        for m in self.f.plan.classes.values():
            if not m.restore or contents_name(m) not in self.restored | self.handed_on():
                continue
            returned = m.returned
            given = [w for w in m.outside if (w, ()) not in self.f.handed]
            if not returned and not given:
                continue
            if returned and all((w, ()) in self.f.handed for w in m.outside) and m.outside:
                continue  # the caller's, as the result is
            roots = sorted(m.webs - m.reads - m.passing - m.views, key=self.text_order)
            copied += roots
            own |= m.views
        if copied:
            names = [Name(w) for w in copied]
            copies = [Call(Attr(n, "copy"), ()) for n in names]
            one = len(names) == 1
            target: Expr = names[0] if one else Seq("tuple", tuple(names))
            value: Expr = copies[0] if one else Seq("tuple", tuple(copies))
            plural = "" if one else "s"
            note = f"old values go here, not into the caller's array{plural}"
            start = [Assign(target, value, comment=note)]
        self.bind_views(own)
        self.d.reverse[:0] = start

    def bind_views(self, own: set[str]) -> None:
        """Views that the sweep reads, or writes through, are made again: in each trip, and of a copy of its own."""
        read = self.reverse_reads()
        found: dict[int, Block] = {}
        views = {w for m in self.f.plan.classes.values() if m.static for w in m.views}
        needed = {w for w in views & read if w in own or self.looped(w)}
        while True:  # what a view is made of is made before it
            more = {
                b
                for w in needed
                for b in reads(bound_to(self.homes.bound_by[w][0], w))  # type: ignore[arg-type]
                if b in views and (b in own or self.looped(b))
            }
            if more <= needed:
                break
            needed |= more
        for w in sorted(needed, key=self.text_order):
            (s,) = self.homes.bound_by[w]
            assert isinstance(s, Assign)
            again = Assign(Name(w), bound_to(s, w), loc=s.loc)
            again.is_view = True  # type: ignore[attr-defined]
            found.setdefault(self.homes.block[w], []).append(again)
        for block, made in found.items():
            self.d.reverse_of[block][:0] = made

    # ---------------------------------------------------------------------------------------- helpers
    def looped(self, web: str) -> bool:
        block = self.homes.block.get(web)
        return block is not None and block in self.homes.looped

    def is_loop_variable(self, web: str) -> bool:
        bound = self.homes.bound_by.get(web, [])
        return len(bound) == 1 and isinstance(bound[0], For)

    def reverse_reads(self) -> set[str]:
        return {n for s in statements(self.d.reverse) for n in stmt_reads(s)} & set(self.homes.block)

    def needs_keeping(self, web: str) -> bool:
        m = self.f.plan.of(web)
        if m is not None and m.static and web in m.views:
            return False  # made again where the reverse of its block starts
        return web in self.homes.local and self.looped(web) and not self.is_loop_variable(web)

    # ---------------------------------------------------------------------------------------- h = t gives back t
    def given_back(self) -> None:
        """Reversing `h = t` first gives back t: it is what h holds."""
        wanted = {n for n in self.reverse_reads() if self.needs_keeping(n)}
        if not wanted:
            return
        for block in _all_blocks(self.d.reverse):
            k = 0
            while k < len(block):
                s = block[k]
                if isinstance(s, Unbind) and isinstance(s.stmt, Assign) and isinstance(s.stmt.value, Name):
                    t, h = s.stmt.value.id, s.web
                    if t in wanted and self.homes.block[t] == self.homes.of_stmt[id(s.stmt)]:
                        if not self.read_before(t, block, s):
                            block.insert(k, Assign(Name(t), Name(h), loc=s.loc))
                            wanted.discard(t)
                            self.homes.local.discard(t)  # it is put back here, and not kept
                            k += 1
                k += 1

    def read_before(self, t: str, block: Block, s: Stmt) -> bool:
        """Whether the reverse reads `t` before it comes to `s`."""
        for other in block:
            if other is s:
                return False
            if any(t in stmt_reads(x) for x in statements([other])):
                return True
        return False

    # ---------------------------------------------------------------------------------------- compute again
    def recompute(self) -> None:
        """Replace reads of kept names by cheap expressions of names that hold anyway."""
        read = self.reverse_reads()
        for s in statements(self.d.reverse):
            origin = getattr(s, "origin", None)
            for name in sorted(stmt_reads(s)):
                if name in self.homes.block and (self.needs_keeping(name) or self.trivial(name)):
                    e = self.expression(name, origin, read, 3)
                    if e is not None:
                        map_exprs(s, lambda x, n=name, e=e: substitute(x, {n: e}))  # type: ignore[misc]

    def expression(self, web: str, user: Stmt | None, read: set[str], budget: int) -> Expr | None:
        """A cheap expression for `web`, valid when the statement `user` is reversed."""
        (s,) = self.homes.bound_by[web]
        if budget <= 0 or not isinstance(s, Assign) or not isinstance(s.target, Name) or user is None:
            return None
        if not self.cheap(s):
            return None
        values: dict[str, Expr] = {}
        for o in sorted(reads(s.value)):
            if o not in self.homes.block:
                continue  # of the world outside
            if not self.unchanged(o, s, user, o in set(contents(s.value))):
                return None
            if (self.needs_keeping(o) and o not in read) or self.trivial(o):
                inner = self.expression(o, user, read, budget - 1)
                if inner is None:
                    return None
                values[o] = inner
            elif o not in self.homes.local and o not in read and self.bound_in_loop(o):
                return None
        return substitute(s.value, values)

    def trivial(self, web: str) -> bool:
        """A temporary of ours that is nothing to compute again: a range, a length, a shape."""
        if not web.startswith("·") or web not in self.homes.local:
            return False
        (s,) = self.homes.bound_by.get(web, [None])
        if not isinstance(s, Assign):
            return False
        match s.value:
            case Call(Object(value) | Name(value), _, ()):
                return value in (len, range, "len", "range")
            case Attr(_, "T" | "shape" | "size" | "ndim"):
                return True
            case Item(Name(owner), Const()):
                made = self.homes.bound_by.get(owner, [])
                return (
                    len(made) == 1
                    and isinstance(made[0], Assign)
                    and isinstance(made[0].value, Attr)
                    and (made[0].value.name == "shape")
                )
            case Binary("+" | "-", Name() | Const(), Name() | Const()):
                t = self.f.types.get(web)
                return isinstance(t, Number) and t.kind == "i"
        return False

    def bound_in_loop(self, web: str) -> bool:
        return any(
            self.homes.of_stmt[id(s)] in self.homes.looped or isinstance(s, For)
            for s in self.homes.bound_by.get(web, [])
        )

    def cheap(self, s: Assign) -> bool:
        use = self.f.uses.get(id(s))
        t = self.f.types.get(s.target.id)  # type: ignore[union-attr]
        if use is None or use.kind not in ("rule", "constant", "copy", "list item", "entry", "data"):
            return False
        match s.value:
            case Attr(_, "T" | "shape" | "size" | "ndim" | "dtype"):
                return True
            case Attr() | Const() | Name():
                return use.kind in ("data", "copy")
            case Item(Name(owner), index):
                source = self.f.types.get(owner)
                basic = use.kind == "list item" or (use.rule is not None and use.rule.name == "getitem")
                if use.kind in ("constant", "entry"):
                    return _plain_index(index)
                return isinstance(source, Array | ListOf) and basic
            case Unary() | Compare((_,)):
                return isinstance(t, Number)
            case Binary(op, _, _):
                return isinstance(t, Number) and op in ("+", "-", "*", "/", "//", "%")
            case Call(Object(value) | Name(value), _, ()):
                return value in (len, range, "len", "range")
        return False

    def writes(self, web: str) -> list[Stmt]:
        """The statements that write the memory that a name is bound to."""
        root = self.f.objects.class_of(web)
        if root is None:
            return []
        by = self.f.objects.written_by
        return [s for s in statements(self.d.forward) if root in by.get(id(s), ())]

    def unchanged(self, web: str, since: Stmt, until: Stmt, contents: bool = True) -> bool:
        """Whether `web` holds, when `until` is reversed, what it held at `since`."""
        order = self.homes.order
        if id(until) not in order or id(since) not in order:
            return False
        writes = self.writes(web) if contents else []
        lo, hi = order[id(since)], max(order[id(t)] for t in statements([until]))
        hi = max(hi, order[id(until)])
        if order[id(until)] < order[id(since)]:
            # a condition that is carried up a chain is read where earlier statements are reversed: what has been put
            # back by then is another value
            return web in self.homes.local and self.f.objects.class_of(web) is None
        around = set(self.homes.path[self.homes.of_stmt[id(since)]])
        inner = [b for b in self.homes.path[self.homes.of_stmt[id(until)]] if b not in around]
        loops = {
            b for b in inner if b in self.homes.looped
        }  # their later statements run before `until`, in a later trip
        if isinstance(until, For | While) and until is not since:
            loops |= {id(b) for b in blocks(until)}
        m = self.f.plan.of(web)
        if contents and m is not None and not m.restore:
            return False
        for s in (*self.homes.bound_by.get(web, []), *self.appends(web), *writes):
            if lo < order[id(s)] <= hi:
                return False
            block = id(s.body) if isinstance(s, For) else self.homes.of_stmt[id(s)]
            if loops & set(self.homes.path[block]) and not (
                isinstance(s, For) and self.is_loop_variable(web)
            ):
                return False
        if web in self.homes.local and not writes:
            return True
        # in a loop that both are in, a binding before `since` happens before it in each trip
        common = set(self.homes.path[self.homes.of_stmt[id(since)]])
        outer = self.homes.path[self.homes.of_stmt[id(until)]]
        return self.homes.of_stmt[id(since)] in outer or not (common & self.homes.looped)

    def appends(self, web: str) -> list[Stmt]:
        if not isinstance(self.f.types.get(web), ListOf):
            return []
        found = []
        for s in statements(self.d.forward):
            use = self.f.uses.get(id(s))
            if isinstance(s, Effect) and use is not None and use.kind in ("append", "insert"):
                if web in reads(s.value.fn):  # type: ignore[attr-defined]
                    found.append(s)
            elif self.is_pop(s, web):
                found.append(s)
            elif isinstance(s, Assign) and isinstance(s.target, Item) and s.target.value == Name(web):
                found.append(s)
        return found

    # ---------------------------------------------------------------------------------------- keep
    def list_of(self, web: str) -> Name:
        """The list that keeps values of a web."""
        name = self.f.temp(f"{self.f.spelled(web)}_kept")
        self.start.append(Assign(Name(name), Seq("list", ()), loc=None))
        self.f.names[name] = f"{self.f.spelled(web).removesuffix('_kept')}_kept"
        return Name(name)

    def keep_locals(self) -> None:
        starts: dict[int, Block] = {}
        for web in sorted(self.reverse_reads(), key=self.text_order):
            if not self.needs_keeping(web):
                continue
            (s,) = self.homes.bound_by[web]
            kept = self.list_of(web)
            push = Effect(Call(Attr(kept, "append"), (Name(web),)))
            self.behind.setdefault(id(s), []).append(push)
            pop = Assign(Name(web), Call(Attr(kept, "pop"), ()))
            starts.setdefault(self.homes.block[web], []).append(pop)
        for block, pops in starts.items():
            reverse = self.d.reverse_of[block]
            for p in pops:
                p.loc = next((s.loc for s in reverse if s.loc is not None), None)
            reverse[:0] = pops

    def text_order(self, web: str) -> tuple[int, int, str]:
        if web in self.f.params:
            return -1, self.f.params.index(web), web
        bound = self.homes.bound_by.get(web, [])
        return min((self.homes.order[id(s)] for s in bound), default=-1), 0, web

    def keep_overwritten(self) -> None:
        """Put back, at its `Unbind`, what somebody reads from there on."""
        after: dict[int, frozenset[str]] = {}
        live_in(self.d.reverse, frozenset(self.outputs), after)
        lists: dict[str, Name] = {}
        for block in _all_blocks(self.d.reverse):
            new: Block = []
            for s in block:
                if not isinstance(s, Unbind):
                    new.append(s)
                    continue
                if s.web not in after[id(s)]:
                    continue
                at = s.stmt
                if isinstance(at, Assign) and isinstance(at.target, Item):  # an entry of a list
                    name = f"{s.web}·entry"
                    kept = lists.get(name) or lists.setdefault(name, self.list_of(s.web))
                    self.before.setdefault(id(at), []).append(
                        Effect(Call(Attr(kept, "append"), (at.target,)))
                    )
                    new.append(Assign(at.target, Call(Attr(kept, "pop"), ()), loc=s.loc))
                    continue
                if isinstance(at, Effect):  # an append, or an insert
                    assert isinstance(at.value, Call)
                    new.append(Effect(Call(Attr(Name(s.web), "pop"), at.value.args[:-1]), loc=s.loc))
                    continue
                if isinstance(at, Assign) and self.is_pop(at, s.web):
                    back_again = put_back(Name(s.web), at.value, at.target)  # type: ignore[arg-type]
                    back_again.loc = s.loc
                    new.append(back_again)
                    continue
                looped = self.homes.of_stmt[id(at)] in self.homes.looped
                if looped:
                    kept = lists.get(s.web) or lists.setdefault(s.web, self.list_of(s.web))
                    push: Stmt = Effect(Call(Attr(kept, "append"), (Name(s.web),)))
                    back: Expr = Call(Attr(kept, "pop"), ())
                else:
                    old = Name(self.f.temp(f"{self.f.spelled(s.web)}_0"))
                    push, back = Assign(old, Name(s.web)), old
                self.before.setdefault(id(at), []).append(push)
                self.ensure_bound(s.web, at)
                new.append(Assign(Name(s.web), back, loc=s.loc))
            block[:] = new

    def is_pop(self, s: Stmt, web: str) -> bool:
        """Whether the statement takes an item from this list."""
        use = self.f.uses.get(id(s))
        pops = isinstance(s, Assign) and use is not None and use.kind == "pop"
        return pops and s.value.fn.value.id == web  # type: ignore[union-attr]

    def ensure_bound(self, web: str, at: Stmt) -> None:
        """A name that may be unbound where it is kept is bound to None at the start."""
        if web in self.f.params:
            return
        around = self.homes.path[self.homes.of_stmt[id(at)]]
        for s in self.homes.bound_by.get(web, []):
            if s is at or isinstance(s, For):  # a loop of no trips does not bind its variable
                continue
            if self.homes.order[id(s)] < self.homes.order[id(at)]:
                if self.homes.of_stmt[id(s)] in around:
                    return
        if not any(isinstance(s, Assign) and s.target == Name(web) for s in self.start):
            self.start.append(Assign(Name(web), Const(None)))

    def insert(self, block: Block) -> None:
        out: Block = []
        for s in block:
            for inner in blocks(s):
                self.insert(inner)
            out += self.before.get(id(s), [])
            out.append(s)
            out += self.behind.get(id(s), [])
        block[:] = out


def _is_function(use: Any) -> bool:
    """Whether an operation is a function of one operand, entry by entry: np.sin(u)."""
    return use.rule.elementwise and len(use.bound) == 1 and isinstance(use.function, np.ufunc)


def _plain_index(index: Expr) -> bool:
    return isinstance(index, Const | Name)


def _all_blocks(block: Block) -> list[Block]:
    out = [block]
    for s in statements(block):
        out += [b for b in blocks(s)]
    return out


def _flat(block: Block) -> Block:
    """Without the frames of arms that are always taken."""
    out: Block = []
    for s in block:
        for inner in blocks(s):
            inner[:] = _flat(inner)
        if isinstance(s, If) and s.cond == Const(True):
            out += s.then
        elif isinstance(s, If | For) and not any(blocks(s)):
            continue
        else:
            out.append(s)
    return out
