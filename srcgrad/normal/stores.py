"""Stores: every way to write an array becomes one: a computation, and a store of its result.

    np.exp(u, out=v)    ->    part = np.exp(u); v[...] = part
    u += v              ->    part = u + v; u[...] = part        where something else may be bound to the array
    u.fill(0.0)         ->    u[...] = 0.0

`via` of the store says how the user wrote it, and that is how it is printed where nothing between is read later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.analysis.objects import is_only_name, objects
from srcgrad.analysis.types import types
from srcgrad.analysis.uses import Use
from srcgrad.errors import refuse
from srcgrad.function import VALUE, Function, is_ours
from srcgrad.ir import (
    Assign,
    Attr,
    Binary,
    Block,
    Call,
    Const,
    Dict,
    Effect,
    Expr,
    For,
    If,
    Item,
    Name,
    Object,
    Seq,
    Stmt,
    While,
    blocks,
    map_exprs,
    own_exprs,
    reads,
    statements,
    substitute,
    targets,
)
from srcgrad.normal.coalesce import coalesce
from srcgrad.normal.loops import loops
from srcgrad.normal.webs import webs
from srcgrad.types import Array, Data, ListOf, Number, Struct, Type

ALL = Const(Ellipsis)


def stores(function: Function) -> Function:
    """Make stores of all writes."""
    for _ in range(8):
        work = _Stores(function)
        function.body = work.block(function.body)
        if not work.edited:
            return function
        webs_again(function)
        types(function)
    raise AssertionError("writes did not settle")


def webs_again(function: Function) -> None:
    """Find the webs again: bindings may have become writes, and branches may have been cut."""
    given = {p: function.types[p] for p in function.params}
    plain = {w: Name(n) for w, n in function.names.items() if w != n and not is_ours(w)}
    for s in statements(function.body):
        map_exprs(s, lambda e: substitute(e, plain))  # type: ignore[arg-type]
        if isinstance(s, Assign | For):
            s.target = substitute(s.target, plain)  # type: ignore[arg-type]
    for w in plain:
        del function.names[w]
    webs(function)
    function.body = apart(function, function.body)
    coalesce(function)
    loops(function)
    function.types = given


def holds_floats(t: Type | None) -> bool:
    """Whether it is a list or a tuple, of any depth, in which there is a number that is not an integer, or an array."""
    if isinstance(t, Struct) and t.keys is None:
        return any(holds_floats(i) or isinstance(i, Array) or is_float(i) for i in t.items)
    if isinstance(t, ListOf):
        return holds_floats(t.item) or isinstance(t.item, Array) or is_float(t.item)
    return False


def is_float(t: Type | None) -> bool:
    return isinstance(t, Number) and t.kind in "fc"


def apart(function: Function, block: Block) -> Block:
    """No statement binds a name that it reads: two webs may have become one."""
    out: Block = []
    for s in block:
        for inner in blocks(s):
            inner[:] = apart(function, inner)
        if (
            isinstance(s, Assign)
            and not isinstance(s.target, Item)
            and set(targets(s.target)) & reads(s.value)
        ):
            held = Name(function.temp("part"))
            if isinstance(s.target, Name):
                out += [Assign(held, s.value, loc=s.loc), Assign(s.target, held, loc=s.loc)]
                continue
            if isinstance(s.value, Name):
                out.append(Assign(held, s.value, loc=s.loc))
                s.value = held
        out.append(s)
    return out


class _Stores:
    def __init__(self, function: Function):
        self.f = function
        objects(function)
        self.edited = False
        self.same: dict[str, Expr] = {}  # our temporaries that are an argument of the call that they hold
        self.definitions: dict[str, list[Stmt]] = {}
        for s in statements(function.body):
            if isinstance(s, Assign):
                for n in targets(s.target):
                    self.definitions.setdefault(n, []).append(s)

    def type_of(self, e: Expr) -> Type | None:
        return self.f.types.get(e.id) if isinstance(e, Name) else None

    def block(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            for inner in blocks(s):
                inner[:] = self.block(inner)
            if id(s) not in self.f.reached and not blocks(s):
                out.append(s)
                continue
            match s:
                case Assign(Name(), _) if id(s) in self.f.augmented:
                    self.augmented(s, out)
                case Assign(Item(), _) if s.via is None or s.via[0] == "aug":
                    self.entry(s, out)
                case Assign(Name(y_id), Name(t_id)) if t_id in self.same:
                    if self.f.spelled(y_id) != self.f.spelled(self.same[t_id].id):  # type: ignore[attr-defined]
                        out.append(Assign(self.name(s.target), self.name(self.same[t_id]), loc=s.loc))
                case Assign(Name() as y, Call() as call) if self.given_back(s) is not None:
                    # what the call gives is what it was given, written
                    self.edited = True
                    given = self.given_back(s)
                    assert given is not None
                    out.append(Assign(Name(self.f.temp("nothing")), call, loc=s.loc, via=("effect",)))
                    if is_ours(y.id) and self.is_copied_once(y.id):
                        self.same[y.id] = given
                    else:
                        out.append(Assign(self.name(y), self.name(given), loc=s.loc))
                case Assign(Name() as y, Call() as call):
                    before = len(out)
                    owner = self.call(s, call, out)
                    if owner is None:
                        out.append(s)
                    elif len(out) > before:
                        out.append(Assign(y, self.name(owner), loc=s.loc))
                case Effect(Call() as call):
                    self.effect(s, call, out)
                case _:
                    out.append(s)
        return out

    # ---------------------------------------------------------------------------------------- helpers
    def given_back(self, s: Assign) -> Expr | None:
        """The argument that a call gives back, where it is one that the call writes."""
        use: Use | None = self.f.uses.get(id(s))
        summary = getattr(use.callee, "summary", None) if use is not None and use.kind == "user" else None
        if s.via is not None:
            return None
        if use is None or summary is None or summary.same is None or (summary.same, ()) not in summary.writes:
            return None
        given = use.bound.get(summary.same)
        return given if isinstance(given, Name) and given.id in self.f.types else None

    def is_copied_once(self, temp: str) -> bool:
        """Whether a temporary is read once, to be copied into a name."""
        users = [s for s in statements(self.f.body) if any(temp in reads(e) for e in own_exprs(s))]
        return len(users) == 1 and isinstance(users[0], Assign) and users[0].value == Name(temp)

    def name(self, e: Expr) -> Expr:
        """A web as the user spells it: webs are found again afterwards."""
        return Name(self.f.spelled(e.id), loc=e.loc) if isinstance(e, Name) and not is_ours(e.id) else e

    def emit(self, value: Expr, s: Stmt, out: Block, hint: str = "part") -> Name:
        t = Name(self.f.temp(hint))
        out.append(Assign(t, value, loc=s.loc))
        return t

    def store(self, owner: Expr, index: Expr, value: Expr, s: Stmt, out: Block, via: Any) -> None:
        self.edited = True
        if isinstance(self.type_of(owner), Array) and holds_floats(self.type_of(value)):
            # a[:2] = [v, w]: the list is an array of its numbers
            value, via = self.emit(Call(Attr(Object(np, "np"), "array"), (value,)), s, out), None
        out.append(Assign(Item(self.name(owner), index), value, loc=s.loc, via=via))

    # ---------------------------------------------------------------------------------------- x += v
    def augmented(self, s: Assign, out: Block) -> None:
        """`x += v`: another version of a value where nothing else is bound to the object, else a write."""
        name = targets(s.target)[0]
        assert isinstance(s.value, Name)
        made = self.definitions[s.value.id][0]
        source = made.value if isinstance(made, Assign) else None
        old = source.left.id if isinstance(source, Binary) and isinstance(source.left, Name) else name
        t = self.f.types.get(old)
        if isinstance(t, Number) or (isinstance(t, Struct) and t.kind == "tuple"):
            out.append(s)
            return
        if isinstance(t, Data) and t.cls in (str, int, float, bool):
            out.append(s)
            return
        op = source.op if isinstance(source, Binary) else "+"
        if isinstance(t, Array):
            new = self.f.types.get(s.value.id)
            kept = isinstance(new, Array) and new.dtype == t.dtype and new.shape == t.shape
            alone = is_only_name(self.f, old)
            if t.shape is None and not alone:
                self.refuse_unknown(s, name, op)
            if t.shape is None or (alone and kept):
                out.append(s)
                return
            self.store(Name(old), ALL, s.value, s, out, ("aug", op))
            return
        self.refuse_unknown(s, name, op)

    def refuse_unknown(self, s: Stmt, name: str, op: str) -> None:
        shown = self.f.spelled(name)
        refuse(
            "write",
            f"{shown} may be written in place here, and what it is is not known",
            s.loc,
            hint=f"make a new value: {shown} = {shown} {op} ...",
        )

    # ---------------------------------------------------------------------------------------- d[k] = v
    def entry(self, s: Assign, out: Block) -> None:
        """A write of an entry that has a name: the container is another value from here on."""
        assert isinstance(s.target, Item)
        owner = s.target.value
        assert isinstance(owner, Name)
        t, index = self.type_of(owner), s.target.index
        if isinstance(t, Array) and s.via is None and holds_floats(self.type_of(s.value)):
            self.store(owner, index, self.name(s.value), s, out, None)
            return
        if isinstance(t, ListOf | Struct) and s.via is not None and isinstance(self.type_of(s.value), Array):
            # xs[i] += v: the array in it is written, and put back where it is
            made = self.definitions[s.value.id][0]  # type: ignore[attr-defined]
            assert isinstance(made, Assign) and isinstance(made.value, Binary)
            self.store(made.value.left, ALL, s.value, s, out, ("aug", s.via[1]))
            return
        if not isinstance(t, Struct) or not isinstance(index, Const):
            out.append(s)
            return
        key = index.value
        if t.keys is not None:
            keys: tuple[Any, ...] = t.keys if key in t.keys else (*t.keys, key)
        else:
            if not isinstance(key, int) or not -len(t.items) <= key < len(t.items) or t.kind != "list":
                out.append(s)
                return
            keys, key = tuple(range(len(t.items))), key % len(t.items)
        inner = self.entry_of(owner)
        if inner is None:
            self.check_only_name(owner, s)
        self.edited = True
        parts: list[Expr] = []
        for k in keys:
            entry = Item(self.name(owner), Const(k))
            parts.append(self.name(s.value) if k == key else self.emit(entry, s, out, "item"))
        made_new: Expr = (
            Dict(tuple(Const(k) for k in keys), tuple(parts))
            if t.keys is not None
            else Seq("list", tuple(parts))
        )
        new = self.emit(made_new, s, out, "items")
        if inner is not None:  # d["a"][0] = v: the entry is another value, and so is what it is an entry of
            self.entry(Assign(inner, new, loc=s.loc), out)
            return
        out.append(Assign(self.name(owner), new, loc=s.loc, via=("entry", s.target.index, s.value)))

    def entry_of(self, owner: Expr) -> Item | None:
        """The entry that a temporary of ours is, where it is only written: `d["a"]` of `d["a"][0] = v`."""
        if not isinstance(owner, Name) or not is_ours(owner.id):
            return None
        made = self.definitions.get(owner.id, [])
        first = made[0] if len(made) == 1 and isinstance(made[0], Assign) else None
        match first:
            case Assign(_, Item(Name(base) as root, Const()) as place) if isinstance(
                self.f.types.get(base), Struct
            ):
                return Item(self.name(root), place.index, loc=place.loc)
        return None

    def check_only_name(self, owner: Name, s: Stmt) -> None:
        """Refuse to write a container that something else may be bound to: the write would have to be seen there."""
        name = self.f.spelled(owner.id)
        family = {w for w, n in self.f.names.items() if n == name} | {owner.id}
        why = ""
        if family & {*self.f.params, *self.f.captured}:
            why = "it may be the caller's"
        for t in statements(self.f.body):
            use: Use | None = self.f.uses.get(id(t))
            kind = use.kind if use is not None else ""
            bound = set(targets(t.target)) if isinstance(t, Assign | For) else set()
            if bound & family and not self.makes_container(t):
                why = why or "it comes from elsewhere"
            read = {n for e in own_exprs(t) for n in reads(e)} & family
            if not read or (use is None and not blocks(t)):
                continue  # what no path comes to reads nothing
            if isinstance(t, Assign) and isinstance(t.target, Item):
                if reads(t.value) & family:
                    why = why or "another name may be bound to it"
                continue
            if kind in ("entry", "list item", "constant", "lazy", "opaque", "unpack", "rule", "creation"):
                if kind == "entry" and isinstance(use.result, Struct | ListOf):  # type: ignore[union-attr]
                    y = targets(t.target)[0]  # type: ignore[attr-defined]
                    if (
                        not is_ours(y)
                        or sum(y in reads(e) for u in statements(self.f.body) for e in own_exprs(u)) > 2
                    ):
                        why = why or "an entry of it has another name"
                continue
            result = use.result if use is not None else None
            if (
                isinstance(t, Assign)
                and isinstance(t.value, Item)
                and not isinstance(result, Struct | ListOf)
            ):
                continue  # an entry that is written further up
            if bound == {VALUE} or (kind == "user" and isinstance(use.result, Number | Array)):  # type: ignore
                continue
            if isinstance(t, For) or isinstance(t, Assign) and t.via is not None and t.via[0] == "entry":
                continue
            if isinstance(t, If | While):
                continue
            why = why or "another name may be bound to it"
        if why:
            refuse(
                "alias",
                f"an entry of {name if not is_ours(owner.id) else 'a container'} is written, and {why}",
                s.loc,
                hint="make the container in this function, and keep one name for it",
            )

    def makes_container(self, t: Stmt) -> bool:
        if not isinstance(t, Assign) or not isinstance(t.target, Name):
            return False
        use: Use | None = self.f.uses.get(id(t))
        if use is None or use.kind in ("display", "repeated"):
            return True
        if use.kind == "copy" and isinstance(t.value, Name) and is_ours(t.value.id):
            made = self.definitions.get(t.value.id, [])
            return len(made) == 1 and self.makes_container(made[0])
        return False

    # ---------------------------------------------------------------------------------------- calls
    def effect(self, s: Effect, call: Call, out: Block) -> None:
        use: Use | None = self.f.uses.get(id(s))
        if use is not None and use.kind == "user" and use.error is None:
            self.edited = True
            out.append(Assign(Name(self.f.temp("nothing")), call, loc=s.loc, via=("effect",)))
            return
        if use is not None and use.kind == "pop":
            self.edited = True
            out.append(Assign(Name(self.f.temp("item")), call, loc=s.loc, via=("effect",)))
            return
        if isinstance(call.fn, Attr) and self.method(s, call, call.fn, out):
            return
        if self.call(s, call, out) is None:
            out.append(s)

    def method(self, s: Stmt, call: Call, fn: Attr, out: Block) -> bool:
        """Methods that write an array, or make a list longer."""
        t = self.type_of(fn.value)
        listed = isinstance(t, ListOf) or (isinstance(t, Struct) and t.kind == "list")
        if listed and fn.name == "extend" and len(call.args) == 1 and not call.keywords:
            more = self.type_of(call.args[0])
            if isinstance(more, ListOf | Struct | Array) and call.args[0] != fn.value:
                self.edited = True
                item = Name(self.f.temp("item"))
                push = Effect(Call(Attr(self.name(fn.value), "append"), (item,)), loc=s.loc)
                out.append(For(item, self.name(call.args[0]), [push], loc=s.loc))
                return True
        if not isinstance(t, Array) or call.keywords:
            return False
        if fn.name == "fill" and len(call.args) == 1:
            self.store(fn.value, ALL, call.args[0], s, out, ("method", "fill", call.args))
            return True
        if fn.name == "sort" and len(call.args) == 0:
            new = self.emit(Call(Attr(Object(np, "np"), "sort"), (self.name(fn.value),)), s, out, "items")
            self.store(fn.value, ALL, new, s, out, ("method", "sort", ()))
            return True
        return False

    def call(self, s: Stmt, call: Call, out: Block) -> Expr | None:
        """A function of NumPy's that writes what it is given: the array that it writes, or None."""
        use: Use | None = self.f.uses.get(id(s))
        obj = use.function if use is not None else None
        keywords = dict(call.keywords)
        if obj is None and use is not None and use.kind == "unknown" and isinstance(call.fn, Attr):
            obj = self.ufunc_method(call)
        args = call.args
        if isinstance(obj, np.ufunc) and len(args) == obj.nin + 1 and obj.nout == 1 and "out" not in keywords:
            keywords["out"] = args[-1]
            args = args[:-1]
        out_given = keywords.pop("out", None)
        if out_given is not None and not (isinstance(out_given, Const) and out_given.value is None):
            t = self.type_of(out_given)
            if isinstance(t, Struct) and len(t.items) == 1:
                return None
            if (
                not isinstance(t, Array)
                or t.shape is None
                or not isinstance(obj, np.ufunc)
                and not callable(obj)
            ):
                return None
            where = keywords.pop("where", None)
            plain = Call(call.fn, args, tuple(keywords.items()), loc=call.loc)
            new = self.emit(plain, s, out)
            parts = (new.id,)
            if where is not None and isinstance(obj, np.ufunc):
                chosen = Call(Attr(Object(np, "np"), "where"), (where, new, self.name(out_given)))
                new = self.emit(chosen, s, out)
                parts = (*parts, new.id)
            elif where is not None:
                return None
            self.store(out_given, ALL, new, s, out, ("out", call.fn, parts))
            return out_given
        return self.named(s, call, obj, keywords, out)

    def named(self, s: Stmt, call: Call, obj: Any, keywords: dict[str, Expr], out: Block) -> Expr | None:
        """copyto, put, fill_diagonal, putmask, add.at."""
        args = call.args
        owner = args[0] if args else None
        t = self.type_of(owner) if owner is not None else None
        if not isinstance(t, Array) or t.shape is None or owner is None:
            return None
        if obj is np.copyto and len(args) == 2 and set(keywords) <= {"where", "casting"}:
            value: Expr = args[1]
            if "where" in keywords:
                chosen = (keywords["where"], args[1], self.name(owner))
                value = self.emit(Call(Attr(Object(np, "np"), "where"), chosen), s, out)
                parts: tuple[str, ...] = (value.id,)
            else:
                parts = ()
            self.store(owner, ALL, value, s, out, ("copyto", call.fn, parts))
            return owner
        if obj in (np.putmask, np.place) and len(args) == 3 and not keywords:
            if isinstance(self.type_of(args[2]), Number) or isinstance(args[2], Const):
                self.store(owner, args[1], args[2], s, out, ("put", call.fn, ()))
                return owner
        if obj is np.put and len(args) == 3 and not keywords and t.rank == 1:
            v, i = self.type_of(args[2]), self.type_of(args[1])
            alike = isinstance(v, Array) and isinstance(i, Array) and v.shape == i.shape
            if isinstance(v, Number) or isinstance(args[2], Const) or alike:
                self.store(owner, args[1], args[2], s, out, ("put", call.fn, ()))
                return owner
        if obj is np.fill_diagonal and len(args) == 2 and not keywords and t.rank == 2:
            v = self.type_of(args[1])
            alike = isinstance(v, Array) and v.rank == 1 and v.shape[0] == t.shape[0]  # type: ignore[index]
            if t.shape[0] == t.shape[1] and (isinstance(v, Number) or isinstance(args[1], Const) or alike):
                both = Call(Attr(Object(np, "np"), "diag_indices_from"), (self.name(owner),))
                places = self.emit(both, s, out, "places")
                self.store(owner, places, args[1], s, out, ("diagonal", call.fn, (places.id,)))
                return owner
        at = getattr(obj, "__self__", None)
        if at in (np.add, np.subtract) and getattr(obj, "__name__", "") == "at" and len(args) == 3:
            spread = Call(Object(runtime.spread, "spread"), (args[2], args[1], self.name(owner)))
            part = self.emit(spread, s, out)
            new = self.emit(Binary("+" if at is np.add else "-", self.name(owner), part), s, out)
            self.store(owner, ALL, new, s, out, ("at", call.fn, (part.id, new.id)))
            return owner
        return None

    def ufunc_method(self, call: Call) -> Any:
        """`np.add.at`, where the call is that."""
        fn = call.fn
        assert isinstance(fn, Attr)
        root: Expr = fn
        while isinstance(root, Attr):
            root = root.value
        if not isinstance(root, Name) or root.id in self.f.names:
            return None
        owner = self.f.context.global_type(self.f, fn.value)
        of = owner.value if isinstance(owner, Data) and owner.known else None
        return getattr(of, fn.name, None) if isinstance(of, np.ufunc) and fn.name == "at" else None
