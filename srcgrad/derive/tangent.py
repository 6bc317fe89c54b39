"""Tangent: forward mode, each tangent line beside its primal line; nothing is kept.

    y = np.sin(x)    ->    y_dot = np.cos(x) * x_dot; y = np.sin(x)

A tangent line stands before its primal line, or behind it where the partial reads the result; no statement of normal
form binds what it reads, so both see the same operands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.analysis.objects import makes_anew
from srcgrad.analysis.uses import Use
from srcgrad.derive.calls import handed, plain_step
from srcgrad.derive.calls import version as callee_version
from srcgrad.derive.memory import check_views
from srcgrad.derive.names import Shadows, leaf_type, paths, taken_from
from srcgrad.derive.template import Template, call, minus, times
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
    For,
    If,
    IfExp,
    Item,
    Name,
    Object,
    Seq,
    Star,
    Stmt,
    Unary,
    While,
    children,
    map_exprs,
    reads,
    rebuild,
    substitute,
    targets,
    walk,
)
from srcgrad.simplify.owners import _Owners
from srcgrad.simplify.stretch import expr_shape, stretched
from srcgrad.types import Array, ListOf, Number, Struct, Type, shape_of

ZERO = Object(None, "zero")  # a tangent that is zero, while an expression is simplified


@dataclass
class Tangent:
    body: Block
    parameter_dots: list[Name]
    value_dot: Expr
    value_dots: list[Name]
    value_display: Expr  # as the value is: with dicts for dicts
    dots: Shadows


def tangent(function: Function) -> Tangent:
    """Put the tangent lines into a function's body."""
    function.body[:] = check_views(function, function.body)
    work = _Tangent(function)
    body = work.block(function.body)
    start: Block = []
    named: dict[str, Name] = {}
    for p in function.params:
        if p not in function.wrt:
            if p in function.active:  # its web carries tangents later
                for path in paths(function.types[p]):
                    start.append(
                        Assign(
                            work.dots.name(p, path), work.zero(Name(p), leaf_type(function.types[p], path))
                        )
                    )
        elif isinstance(function.types[p], Struct):
            whole = Name(function.temp(f"{p}_dot"))
            named[p] = whole
            start.append(Assign(work.dots.structure(p), whole))
        else:
            named[p] = work.dots.name(p)
    for g in function.captured:
        if g in function.active:
            start.append(Assign(work.dots.name(g), work.zero(Name(g), function.types[g])))
    dots = [named[p] for p in function.wrt]  # in the order that was asked for
    body[:0] = start
    t = function.types.get(VALUE)
    if VALUE not in function.active:
        zero: Expr = (
            Const(0.0)
            if isinstance(t, Number)
            else call(np.zeros, "np.zeros", call(np.shape, "np.shape", Name(VALUE)))
        )
        return Tangent(body, dots, zero, [], zero, work.dots)
    return Tangent(
        body, dots, work.dots.structure(VALUE), work.dots.leaves(VALUE), work.dots.display(VALUE), work.dots
    )


class _Tangent:
    def __init__(self, function: Function):
        self.f = function
        self.types = function.types
        self.active = function.active
        self.dots = Shadows(function, "dot")
        self.owners = _Owners(function, set(), set())

    def block(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            match s:
                case Assign(Item()):
                    self.store(s, out)
                case Assign():
                    self.assign(s, out)
                case If():
                    s.then, s.other = self.block(s.then), self.block(s.other)
                    out.append(s)
                case For():
                    s.body = self.block(s.body)
                    out.append(s)
                case While():
                    s.pre, s.body = self.block(s.pre), self.block(s.body)
                    out.append(s)
                case Effect():
                    out.append(s)
                    use = self.f.uses.get(id(s))
                    if use is not None and use.kind in ("append", "insert"):
                        self.append(s, out)
                case _:
                    out.append(s)
        return out

    # ---------------------------------------------------------------------------------------- helpers
    def is_active(self, e: Expr) -> bool:
        return isinstance(e, Name) and e.id in self.active

    def zero(self, like: Expr, t: Type) -> Expr:
        if isinstance(t, Number):
            return Const(0.0)
        if isinstance(t, ListOf):
            return Call(Object(runtime.zeros_of, "zeros_of"), (like,))
        if isinstance(t, Array) and t.kind in "fc" and t.shape is not None:
            return call(np.zeros_like, "np.zeros_like", like)
        return call(np.zeros, "np.zeros", call(np.shape, "np.shape", like))

    def of(self, e: Expr, path: tuple[int, ...] = ()) -> Expr:
        """The tangent of an operand, or a zero of its shape."""
        if isinstance(e, Name) and e.id in self.active:
            return self.dots.name(e.id, path)
        if isinstance(e, Name):
            t = leaf_type(self.types[e.id], path)
            like: Expr = e
            u = self.types[e.id]
            for k in path:
                like = Item(like, Const(u.keys[k] if u.keys is not None else k))  # type: ignore[union-attr]
                u = u.items[k]  # type: ignore[union-attr]
            return self.zero(like, t)
        return Const(0.0)

    def put(self, y: str, path: tuple[int, ...], value: Expr, s: Stmt, out: Block) -> None:
        if isinstance(leaf_type(self.types[y], path), Array) and self.must_own(y, path, value, s):
            value = Call(Attr(value, "copy"), ())
        out.append(Assign(self.dots.name(y, path), value, loc=s.loc))

    # ---------------------------------------------------------------------------------------- memory
    def memory_dots(self) -> frozenset[str]:
        """The tangents that are written in place."""
        if self._memory is None:
            names = set()
            for m in self.f.plan.classes.values():
                for w in m.webs:
                    if w in self.active:
                        names.add(self.dots.name(w).id)
                for w, p in m.nested:
                    if w in self.active:
                        names.add(self.dots.name(w, p if "*" not in p else ()).id)
            self._memory = frozenset(names)
        return self._memory

    _memory: frozenset[str] | None = None

    def must_own(self, y: str, path: tuple[int, ...], value: Expr, s: Stmt) -> bool:
        """Whether a tangent has to be an array of its own: it, or what it would be a view of, is written in place."""
        if not self.f.plan.classes or isinstance(value, Const):
            return False
        found = stretched(value)
        roots = self.owners.roots(value) | ({"?"} if found is not None else set())
        if not roots:
            return False
        m = self.f.plan.of(y, path)
        if m is None:
            return bool(roots & self.memory_dots())
        use = self.f.uses.get(id(s))
        alias = use is None or use.kind not in ("rule", "user", "creation", "constant")
        if use is not None and use.kind == "rule" and not makes_anew(use):
            alias = any(isinstance(e, Name) and e.id in m.webs for e in use.bound.values())
        return not alias

    def store(self, s: Assign, out: Block) -> None:
        assert isinstance(s.target, Item) and isinstance(s.target.value, Name)
        web = s.target.value.id
        if web in self.active:
            place = Item(self.dots.name(web), s.target.index)
            value: Expr = self.dots.name(s.value.id) if self.is_active(s.value) else Const(0)  # type: ignore
            t = self.types[web]
            if isinstance(t, ListOf):
                value = self.of(s.value)
            elif isinstance(t, Array) and t.kind != "c" and isinstance(value, Name):
                value = self.real(value)
            out.append(Assign(place, value, loc=s.loc))
        out.append(s)

    # ---------------------------------------------------------------------------------------- statements
    def assign(self, s: Assign, out: Block) -> None:
        use = self.f.uses.get(id(s))
        if use is not None and use.kind == "detach" and isinstance(s.value, Call):
            s.value = s.value.args[0]
        names = [n for n in targets(s.target) if n in self.active]
        if use is not None and use.kind == "user" and any(m.active for m in self.f.plan.written(s)):
            self.user(s, s.target, use, out)  # type: ignore[arg-type]
            return
        if use is not None and use.kind == "pop" and isinstance(s.value, Call):
            owner = s.value.fn.value.id  # type: ignore[attr-defined]
            if owner in self.active:
                taken = Call(Attr(self.dots.name(owner), "pop"), s.value.args)
                out.append(Assign(self.dots.name(names[0]), taken) if names else Effect(taken, loc=s.loc))
            elif names:
                self.put(names[0], (), self.zero(s.target, self.types[names[0]]), s, later := [])  # type: ignore
                out += [s, *later]
                return
            out.append(s)
            return
        if not names or not self.params(use) if use is not None and use.kind == "user" else not names:
            plain_step(self.f, s)
        if not names:
            out.append(s)
            return
        if isinstance(s.target, Seq) and isinstance(s.value, Seq):
            pairs: list[tuple[Name, Expr]] = []
            for t, v in zip(s.target.items, s.value.items, strict=True):
                if t.id in self.active:  # type: ignore[attr-defined]
                    pairs += [(self.dots.name(t.id, p), self.of(v, p)) for p in paths(self.types[t.id])]  # type: ignore
            if len(pairs) == 1:
                out.append(Assign(pairs[0][0], pairs[0][1], loc=s.loc))
            else:
                left = Seq("tuple", tuple(a for a, _ in pairs))
                out.append(Assign(left, Seq("tuple", tuple(b for _, b in pairs)), loc=s.loc))
            out.append(s)
            return
        assert use is not None
        if use.kind == "unpack":
            out.append(s)
            self.unpack(s, use, out)
            return
        y = s.target
        assert isinstance(y, Name)
        lines: Block = []
        if use.kind == "user" and self.params(use):
            self.user(s, y, use, out)
            return
        self.operation(s, y, use, lines)
        reads_result = any(y.id in reads(t.value) for t in lines if isinstance(t, Assign))
        name = self.f.spelled(y.id)
        others = {n for n in reads(s.value) if n != y.id and not is_ours(n)}
        if reads_result and any(self.f.spelled(n) == name for n in others):
            # both what the name held and what it is to hold are read: the result has a name of its own first
            held = Name(self.f.temp(name))
            self.types[held.id] = self.types[y.id]
            for t in lines:
                map_exprs(t, lambda e: substitute(e, {y.id: held}))
            copy = Assign(y, held, loc=s.loc)
            self.f.uses[id(copy)] = Use("copy", result=self.types[y.id])
            self.f.keep_alive.append(copy)
            s.target = held
            out += [s, *lines, copy]
            return
        out += [s, *lines] if reads_result else [*lines, s]

    def operation(self, s: Assign, y: Name, use: Use, out: Block) -> None:
        value = s.value
        t = self.types[y.id]
        if isinstance(t, ListOf) and isinstance(t.item, Struct | ListOf):
            refuse(
                "unknown-type",
                "a list of tuples is not differentiated yet",
                s.loc,
                hint="use a list for each part",
            )
        if use.kind in ("rule", "copy", "repeated") and not any(n in self.active for n in reads(value)):
            for p in paths(t):  # memory that active numbers are stored into later
                like: Expr = y
                for k in p:
                    like = Item(like, Const(k))
                self.put(y.id, p, self.zero(like, leaf_type(t, p)), s, out)
            return
        match use.kind:
            case "copy":
                if isinstance(self.types[y.id], ListOf):
                    refuse(
                        "alias",
                        "a list that is differentiated gets a second name",
                        s.loc,
                        hint="keep one name for the list",
                    )
                for p in paths(self.types[y.id]):
                    if isinstance(value, Name):
                        self.put(y.id, p, self.of(value, p), s, out)
                    else:
                        self.put(y.id, p, self.zero(y, leaf_type(self.types[y.id], p)), s, out)
            case "display":
                items = value.items if isinstance(value, Seq) else value.values  # type: ignore[attr-defined]
                if isinstance(self.types[y.id], ListOf):
                    self.put(y.id, (), Seq("list", tuple(self.of(i) for i in items)), s, out)
                    return
                for k, item in enumerate(items):
                    for p in paths(self.types[y.id].items[k]):  # type: ignore[union-attr]
                        self.put(y.id, (k, *p), self.of(item, p), s, out)
            case "entry" if not (
                isinstance(taken_from(value), Name) and isinstance(self.types[taken_from(value).id], ListOf)
            ):  # type: ignore
                for p in paths(self.types[y.id]):
                    self.put(y.id, p, self.of(taken_from(value), (use.key, *p)), s, out)
            case "entry" | "list item":
                source = taken_from(value)
                if self.is_active(source):
                    assert isinstance(value, Item)
                    self.put(y.id, (), Item(self.dots.name(source.id), value.index), s, out)  # type: ignore[attr-defined]
                else:
                    self.put(y.id, (), self.zero(y, self.types[y.id]), s, out)
            case "joined":
                assert isinstance(value, Binary)
                parts = []
                for source in (value.left, value.right):
                    t = self.types.get(source.id) if isinstance(source, Name) else None
                    if not isinstance(t, Struct):
                        refuse(
                            "unknown-type", "a list that grows is joined with +", value.loc, hint="use append"
                        )
                    parts += [(source, j, p) for j, item in enumerate(t.items) for p in paths(item)]
                if isinstance(self.types[y.id], ListOf):
                    self.put(y.id, (), Seq("list", tuple(self.of(o, (j, *p)) for o, j, p in parts)), s, out)
                    return
                offset = len(self.types[value.left.id].items)  # type: ignore[attr-defined,union-attr]
                for source, j, p in parts:
                    own = source is value.left
                    self.put(y.id, (j if own else j + offset, *p), self.of(source, (j, *p)), s, out)
            case "repeated":
                assert isinstance(value, Binary)
                turned = [value.left, value.right]
                for k, e in enumerate(turned):
                    if isinstance(e, Name) and e.id in self.active and isinstance(self.types[e.id], Struct):
                        parts = self.types[e.id].items  # type: ignore[union-attr]
                        turned[k] = Seq("list", tuple(self.of(e, (j,)) for j in range(len(parts))))
                    elif isinstance(e, Name) and e.id in self.active:
                        turned[k] = self.of(e)
                self.put(y.id, (), Binary("*", *turned), s, out)
            case "slice":
                for k, j in enumerate(use.key):
                    for p in paths(use.result.items[k]):  # type: ignore[union-attr]
                        self.put(y.id, (k, *p), self.of(taken_from(value), (j, *p)), s, out)
            case "rule":
                self.rule(s, y, use, out)
            case "detach" | "constant" | "data" | "creation" | "user" | "iterator":
                for p in paths(self.types[y.id]):
                    like: Expr = y
                    for k in p:
                        like = Item(like, Const(k))
                    self.put(y.id, p, self.zero(like, leaf_type(self.types[y.id], p)), s, out)
            case _:
                if not any(n in self.f.varied for n in reads(value)):
                    for p in paths(self.types[y.id]):
                        self.put(y.id, p, self.zero(y, leaf_type(self.types[y.id], p)), s, out)
                    return
                from srcgrad.analysis.activity import refuse_use

                refuse_use(self.f, s, use, sorted(reads(value)), getattr(value, "loc", None) or s.loc)
                raise AssertionError(use.kind)

    def append(self, s: Effect, out: Block) -> None:
        assert isinstance(s.value, Call)
        owner, (*at, item) = s.value.fn.value.id, s.value.args  # type: ignore[attr-defined]
        name = s.value.fn.name  # type: ignore[attr-defined]
        if owner in self.active:
            if isinstance(item, Name) and isinstance(self.types[item.id], Struct | ListOf):
                refuse(
                    "unknown-type",
                    "a list of tuples is not differentiated yet",
                    s.loc,
                    hint="use a list for each part",
                )
            out.append(Effect(Call(Attr(self.dots.name(owner), name), (*at, self.of(item))), loc=s.loc))

    def unpack(self, s: Assign, use: Use, out: Block) -> None:
        assert isinstance(s.target, Seq)
        t, source, items = use.result, s.value, s.target.items
        star = next((k for k, i in enumerate(items) if isinstance(i, Star)), None)
        for k, item in enumerate(items):
            place = k if star is None or k < star else k - len(items)
            if isinstance(item, Star):
                name = item.value
                assert isinstance(name, Name)
                if name.id in self.active:
                    if not isinstance(t, Struct):
                        refuse("unpack", "a starred target takes part of something of unknown length", s.loc,
                               hint="slice it: first, rest = x[0], x[1:]")  # fmt: skip
                    for j, sub in enumerate(self.types[name.id].items):  # type: ignore[union-attr]
                        for p in paths(sub):
                            self.put(name.id, (j, *p), self.of(source, (k + j, *p)), s, out)
                continue
            assert isinstance(item, Name)
            if item.id not in self.active:
                continue
            if isinstance(t, Struct):
                for p in paths(self.types[item.id]):
                    self.put(item.id, p, self.of(source, (place % len(t.items), *p)), s, out)
            elif self.is_active(source):
                self.put(item.id, (), Item(self.dots.name(source.id), Const(place)), s, out)  # type: ignore[attr-defined]
            else:
                self.put(item.id, (), self.zero(item, self.types[item.id]), s, out)

    # ---------------------------------------------------------------------------------------- rules
    def rule(self, s: Assign, y: Name, use: Use, out: Block) -> None:
        assert use.rule is not None
        results = use.rule.results
        values: dict[str, Expr] = (
            {results[0]: y} if len(results) == 1 else {n: Item(y, Const(k)) for k, n in enumerate(results)}
        )
        dots: dict[str, Expr] = {}
        for p, e in use.bound.items():
            t = self.types.get(e.id) if isinstance(e, Name) else None
            if isinstance(t, Struct) and use.rule.differentiable(p):
                dots[f"{p}_dot"] = self.nested(e, t, ())  # type: ignore[arg-type]
            elif self.is_active(e):
                dots[f"{p}_dot"] = self.dots.name(e.id)  # type: ignore[attr-defined]
            elif isinstance(t, ListOf) and use.rule.differentiable(p):
                dots[f"{p}_dot"] = Call(Object(runtime.zeros_of, "zeros_of"), (e,))
            else:
                dots[f"{p}_dot"] = ZERO
        for p in use.rule.params:
            dots.setdefault(f"{p}_dot", ZERO)
        template = Template(self.f, use, values, dots)
        if use.rule.elementwise:
            self.elementwise(s, y, use, template, out)
            return
        lines = {line.target: line.value for line in use.rule.lines if line.role == "tangent"}
        needed = {n for e in lines.values() for n in reads(e)}
        needed = use.rule.with_temporaries(needed)
        for line in use.rule.lines:
            if line.role == "temporary" and line.target in needed:
                e = self.settled(template.line(line.value), use)
                t_name = Name(self.f.temp(line.target))
                out.append(Assign(t_name, e, loc=s.loc))
                template.values[line.target] = t_name
        for k, n in enumerate(results):
            path = () if len(results) == 1 else (k,)
            if n in lines:
                value = self.settled(template.line(lines[n]), use)
                t = leaf_type(self.types[y.id], path)
                if isinstance(t, Struct):
                    whole = Name(self.f.temp("items_dot"))
                    out.append(Assign(whole, value, loc=s.loc))
                    for p in paths(t):
                        item: Expr = whole
                        for j in p:
                            item = Item(item, Const(j))
                        self.put(y.id, (*path, *p), item, s, out)
                else:
                    self.put(y.id, path, value, s, out)
            else:
                like: Expr = values[n]
                for p in paths(leaf_type(self.types[y.id], path)):
                    self.put(
                        y.id, (*path, *p), self.zero(like, leaf_type(self.types[y.id], (*path, *p))), s, out
                    )

    def nested(self, e: Name, t: Struct, path: tuple[int, ...]) -> Expr:
        items = []
        for k, item in enumerate(t.items):
            items.append(
                self.nested(e, item, (*path, k)) if isinstance(item, Struct) else self.of(e, (*path, k))
            )
        return Seq("list", tuple(items))

    def settled(self, e: Expr, use: Use) -> Expr:
        """Without the tangents that are zero, as far as linearity shows; what stays is a zero of the operand's shape."""
        e = without_zero(e)
        if not any(x is ZERO for x in walk(e)):
            return e
        # zeros of each operand's own shape: instantiate again with them
        dots = {}
        assert use.rule is not None
        for p, o in use.bound.items():
            if isinstance(o, Name) and isinstance(self.types.get(o.id), Struct):
                dots[p] = self.nested(o, self.types[o.id], ())  # type: ignore[arg-type]
            else:
                dots[p] = self.of(o)
        return _replace_zero(e, dots)

    def elementwise(self, s: Assign, y: Name, use: Use, template: Template, out: Block) -> None:
        assert use.rule is not None
        partials = {line.target: line.value for line in use.rule.lines if line.role == "partial"}
        selected = {line.target: line.value for line in use.rule.lines if line.role == "selected"}
        wanted = [p for p, e in use.bound.items() if self.is_active(e) and (p in partials or p in selected)]
        needed = {n for p in wanted for d in (partials, selected) if p in d for n in reads(d[p])}
        needed = use.rule.with_temporaries(needed)
        for line in use.rule.lines:
            if line.role == "temporary" and line.target in needed:
                t_name = Name(self.f.temp(line.target))
                out.append(Assign(t_name, template.line(line.value), loc=s.loc))
                template.values[line.target] = t_name
        total: Expr | None = None
        y_type = self.types[y.id]
        for p in wanted:
            partial = template.line(partials[p]) if p in partials else Const(1)
            if partial == Const(0):
                continue
            term = times(self.of(use.bound[p]), partial)
            if p in selected:
                test = template.line(selected[p])
                if isinstance(y_type, Number):
                    term = IfExp(test, term, Const(0.0))
                else:
                    term = call(np.where, "np.where", test, term, Const(0.0))
            total = term if total is None else _plus(total, term)
        if total is None:
            for p in paths(y_type):
                like: Expr = y
                for k in p:
                    like = Item(like, Const(k))
                self.put(y.id, p, self.zero(like, leaf_type(y_type, p)), s, out)
            return
        if isinstance(y_type, Number | Array) and y_type.kind != "c":
            total = self.real(total)
        full = shape_of(y_type)
        have = expr_shape(total, self.f)
        if not isinstance(y_type, Number) and (full is None or have != full or None in full):
            total = (
                call(np.broadcast_to, "np.broadcast_to", total, call(np.shape, "np.shape", y))
                if not self.same(use, y_type)
                else total
            )
        self.put(y.id, (), total, s, out)

    def same(self, use: Use, y_type: Type) -> bool:
        """Whether every active operand has the result's rank-0 or proved shape, or is the only operand."""
        names = [e for e in use.bound.values() if isinstance(e, Name)]
        return len({n.id for n in names}) == 1 and all(self.is_active(n) for n in names)

    def real(self, e: Expr) -> Expr:
        if any(
            isinstance(x, Name) and isinstance(t := self.types.get(x.id), Number | Array) and t.kind == "c"
            for x in walk(e)
        ):
            return call(np.real, "np.real", e)
        return e

    # ---------------------------------------------------------------------------------------- functions of the user
    def params(self, use: Use) -> tuple[str, ...]:
        return tuple(p for p, e in use.bound.items() if any(n in self.active for n in reads(e)))

    def user(self, s: Assign, y: Name, use: Use, out: Block) -> None:
        params = self.params(use)
        quiet = s.via is not None and s.via[0] == "effect"
        version = callee_version(self.f, use, params, handed(self.f.plan, self.types, use), quiet, "tangent")
        value = s.value
        assert isinstance(value, Call)
        args = self.ordered(use, value)
        dots: tuple[Expr, ...] = tuple(self.dots.structure(use.bound[p].id) for p in params)  # type: ignore[attr-defined]
        called = Call(Object(version.tangent, version.tangent_name), (*args, *dots))
        new: Stmt
        if version.quiet:
            new = Effect(called, loc=s.loc)
        else:
            dot = self.dots.structure(y.id) if y.id in self.active else Name(self.f.temp("_"))
            new = Assign(Seq("tuple", (y, dot)), called, loc=s.loc)
        by = self.f.objects.written_by
        if id(s) in by:
            by[id(new)] = by[id(s)]
        out.append(new)
        if version.quiet or y.id not in self.active:
            return
        for p in paths(self.types[y.id]):
            if (
                self.f.plan.shadow(y.id) is not None and p == ()
            ):  # it is written here, and may be a view there
                dot = self.dots.name(y.id)
                out.append(Assign(dot, Call(Attr(dot, "copy"), ()), loc=s.loc))

    def ordered(self, use: Use, value: Call) -> tuple[Expr, ...]:
        """The callee's arguments by position, with defaults written out."""
        from srcgrad.derive.template import constant

        out: list[Expr] = []
        for n, p in use.callee.source.signature.parameters.items():
            if n in use.bound:
                out.append(use.bound[n])
            elif use.callee.source.bound is not None and not out:
                out.append(use.callee.receiver or Object(use.callee.source.bound, "receiver"))
            else:
                simple = isinstance(p.default, int | float | str | bool | type(None) | complex)
                out.append(constant(p.default) if simple else Object(p.default, f"{n}_default"))
        return tuple(out)


def _plus(a: Expr, b: Expr) -> Expr:
    match b:
        case Unary("-", x):
            return Binary("-", a, x)
    return Binary("+", a, b)


_LINEAR = {
    "dot",
    "matmul",
    "outer",
    "inner",
    "vdot",
    "tensordot",
    "kron",
    "sum",
    "trace",
    "cross",
    "transpose",
    "reshape",
}


def without_zero(e: Expr) -> Expr:
    """Simplify with tangents that are zero."""
    old = children(e)
    if old:
        e = rebuild(e, [without_zero(c) for c in old])
    match e:
        case Binary("+", a, b):
            return b if a is ZERO else a if b is ZERO else e
        case Binary("-", a, b):
            return a if b is ZERO else minus(b) if a is ZERO else e
        case Binary("*" | "@" | "/", a, b) if a is ZERO or (b is ZERO and e.op != "/"):
            return ZERO
        case Unary("-", x) | Attr(x, "T" | "real") | Item(x, _) if x is ZERO:
            return ZERO
        case Call(Attr(Object(value), name), args, _) if value is np and name in _LINEAR:
            if any(a is ZERO for a in args):
                return ZERO
    return e


def _replace_zero(e: Expr, dots: dict[str, Any]) -> Expr:
    zeros = [d for d in dots.values() if not isinstance(d, Name)]
    if not zeros:
        return e

    def go(x: Expr) -> Expr:
        if x is ZERO:
            return zeros[0]
        old = children(x)
        return rebuild(x, [go(c) for c in old]) if old else x

    return go(e)
