"""Generate: the functions of one derivative, from derived code to text to something that runs."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.analysis.homes import homes
from srcgrad.analysis.liveness import changes, live_in
from srcgrad.analysis.objects import leaves
from srcgrad.context import Context, Half, Version
from srcgrad.derive.adjoint import Derived, adjoint
from srcgrad.derive.memory import contents_name
from srcgrad.derive.names import Shadows, paths
from srcgrad.derive.record import recompute, record
from srcgrad.derive.tangent import tangent
from srcgrad.derive.template import call
from srcgrad.emit.compile import compiled, remember
from srcgrad.emit.spelling import Spelling
from srcgrad.emit.text import Text
from srcgrad.function import VALUE, Function, is_ours
from srcgrad.ir import (
    Add,
    Assign,
    Attr,
    AugAssign,
    Block,
    Call,
    Const,
    Effect,
    Expr,
    For,
    Name,
    Object,
    Seq,
    Stmt,
    all_binds,
    blocks,
    own_exprs,
    reads,
    statements,
    walk,
)
from srcgrad.simplify.accumulate import accumulate, dead
from srcgrad.simplify.fold import copies, fold, sink
from srcgrad.simplify.forward import forward
from srcgrad.simplify.likes import likes
from srcgrad.simplify.owners import owners
from srcgrad.simplify.stretch import stretch
from srcgrad.simplify.taken import taken
from srcgrad.types import Array, Data, ListOf, Number, Struct, Type


@dataclass
class Definition:
    """One generated function: its text, and what its names mean."""

    half: Half
    lines: list[str]
    map: dict[int, int]
    user: Any
    objects: dict[str, Any]
    header: str = ""


@dataclass
class Build:
    """The functions of one derivative, callees first."""

    context: Context
    definitions: list[Definition] = field(default_factory=list)


# ------------------------------------------------------------------------------------------------ reverse mode


def derived(
    f: Function, seed: Callable[[Function, Derived], Block], given: dict[str, str]
) -> tuple[Derived, list[str]]:
    """The two sweeps of a function, simplified; and the names of the gradient, leaf by leaf, in the order of wrt."""
    for s in statements(f.body):
        use = f.uses.get(id(s))
        if use is not None and use.kind == "detach" and isinstance(s, Assign) and isinstance(s.value, Call):
            s.value = s.value.args[0]
    d = adjoint(f)
    bars = d.shadows
    given_back = {w for w, _ in f.handed}
    outputs = [b.id for w in f.wrt if w not in given_back for b in bars.leaves(w)]
    join_terms(d.reverse, f)
    d.reverse[:0] = seed(f, d)
    webs = {b: w for b, w in _bar_webs(f).items()}
    # a shadow that the caller gives is worked on for the caller
    wanted = set(outputs) | {bars.name(w).id for w in given_back if w in f.active} | f.restoring
    inner = set(given) | d.bound
    fixed = frozenset(d.fixed)
    f.shared = shared_names(f, d.shadows)
    d.reverse[:] = accumulate(d.reverse, webs, wanted, inner, fixed, f.shared, frozenset(d.bound))
    likes(d)
    recompute(d, wanted)

    def simplify(e: Expr) -> Expr:
        return stretch(e, f)

    handed = {  # shadows that reverse halves work on: they need a name
        a.id
        for s in statements(d.reverse)
        for e in own_exprs(s)
        for x in walk(e)
        if isinstance(x, Call) and isinstance(x.fn, Object) and isinstance(x.fn.value, Half)
        for a in x.args
        if isinstance(a, Name) and a.id in d.inplace
    }

    def may(name: str) -> bool:
        return (
            name not in handed
            and (is_ours(name) or name.endswith("·bar") or "·bar·" in name)
            and name not in wanted
            and name not in fixed
            and name not in d.homes.block
        )

    def pure(s: Stmt) -> bool:
        return not (isinstance(s, Assign) and (changes(s) or _calls_ours(s.value)))

    def clean() -> None:
        for s in statements(d.reverse):
            _each(s, simplify)
        copies(d.reverse, wanted, may, f.shared)
        fold(d.reverse, f, may, pure, simplify)
        copies(d.reverse, wanted, may, f.shared)
        d.reverse[:] = dead(d.reverse, wanted, f.shared, frozenset(d.bound))

    clean()
    record(d, wanted)
    sink(d.reverse)
    copies(d.reverse, wanted, lambda n: may(n) or is_ours(n) and n not in wanted, f.shared)
    clean()
    taken(d.reverse, f.shared)
    fold(d.reverse, f, may, pure, simplify)
    join_terms(d.reverse, f)
    zeros_down(d.reverse)
    owners(d.reverse, f, wanted, inner, frozenset(d.inplace), fixed)
    return d, outputs


def shared_names(f: Function, shadows: Shadows) -> dict[str, frozenset[str]]:
    """The names through which one memory is seen, and those of its adjoints."""
    out: dict[str, frozenset[str]] = {}
    for m in f.plan.classes.values():
        names = frozenset(m.webs | {contents_name(m)})
        out |= dict.fromkeys(names, names)
        if m.active and (shadows.kind == "dot" or m.views or not m.static or len(m.webs) > 1):
            real = m.webs if shadows.kind == "dot" else m.webs - m.reads - m.passing
            bars = frozenset(shadows.name(w).id for w in real if w in f.active) | {
                shadows.name(w, p if "*" not in p else ()).id for w, p in m.nested if w in f.active
            }
            out |= dict.fromkeys(bars, bars)
    return out


def _bar_webs(f: Function) -> dict[str, str]:
    out = {}
    for n in f.names:
        web, mark, _ = n.partition("·bar")
        if mark and web in f.types:
            out[n] = web
        elif mark:
            head, _, _ = n.rpartition("·bar")
            out[n] = head
    return out


def _calls_ours(e: Expr) -> bool:
    """Whether an expression calls a reverse half: it works on what it is given, once."""
    return any(isinstance(x, Object) and isinstance(x.value, Half) for x in walk(e))


def _each(s: Stmt, change: Callable[[Expr], Expr]) -> None:
    from srcgrad.ir import map_exprs

    map_exprs(s, change)


def join_terms(block: Block, f: Function) -> None:
    """Two equal contributions in a row are one, doubled (of numbers and arrays: twice a list is another thing)."""
    from srcgrad.derive.template import times

    for s in block:
        for inner in blocks(s):
            join_terms(inner, f)
    k = 0
    while k + 1 < len(block):
        a, b = block[k], block[k + 1]
        if isinstance(a, Assign | Add) and isinstance(b, Add) and a.target == b.target and a.value == b.value:
            target = a.target
            numeric = isinstance(target, Name) and isinstance(f.types.get(target.id), Number | Array)
            if numeric and target.id not in reads(a.value) and not _calls_ours(a.value):  # type: ignore[union-attr]
                a.value = times(a.value, Const(2))
                del block[k + 1]
                continue
        k += 1


def zeros_down(block: Block) -> None:
    """Zeros are made where they are first needed, before a loop rather than in it."""
    for s in block:
        for inner in blocks(s):
            zeros_down(inner)
    facts: dict[int, tuple[frozenset[str], frozenset[str]]] = {}

    def facts_of(u: Stmt) -> tuple[frozenset[str], frozenset[str]]:
        """The names that a statement mentions, and those of them that it binds or changes."""
        if id(u) not in facts:
            bound = {n for t in statements([u]) for n in (*_names_bound(t), *changes(t))}
            read = {n for t in statements([u]) for e in own_exprs(t) for n in reads(e)}
            facts[id(u)] = frozenset(bound | read), frozenset(bound)
        return facts[id(u)]

    for k in range(len(block) - 1, -1, -1):
        s = block[k]
        if not (isinstance(s, Assign) and isinstance(s.target, Name) and _is_zero(s.value)):
            continue
        name, operands = s.target.id, reads(s.value)
        j = k
        while j + 1 < len(block):
            mentioned, bound = facts_of(block[j + 1])
            if name in mentioned or operands & bound:
                break
            j += 1
        if j + 1 < len(block):
            block.insert(j, block.pop(k))


def _names_bound(s: Stmt) -> list[str]:
    from srcgrad.ir import binds

    return binds(s)


def _is_zero(e: Expr) -> bool:
    match e:
        case Const(0.0 | 0):
            return True
        case Call(Attr(Object(value), "zeros" | "zeros_like"), _, _):
            return value is np
    return False


# ------------------------------------------------------------------------------------------------ printing


def spelling_for(
    f: Function, d_forward: Block, d_reverse: Block, objects: dict[str, Any], extra: set[str]
) -> Spelling:
    """Names for one printed function."""
    taken = set(keyword.kwlist) | extra
    mentioned: dict[str, None] = dict.fromkeys(f.params)
    for block in (d_forward, d_reverse):
        for s in statements(block):
            for e in own_exprs(s):
                for x in walk(e):
                    if isinstance(x, Name):
                        if x.id in f.names:
                            mentioned.setdefault(x.id)
                        else:
                            taken.add(x.id)
            for n in _names_bound(s):
                mentioned.setdefault(n)
    taken |= {o for o in objects}
    h = homes(f) if f.body is d_forward else homes(_with(f, d_forward))
    read = {n for s in statements(d_reverse) for e in own_exprs(s) for n in reads(e)}
    user = [n for n in mentioned if not is_ours(n) and "·bar" not in n and "·dot" not in n]
    spell = Spelling(f, taken, objects)
    order = {n: min((h.order.get(id(s), 0) for s in h.bound_by.get(n, [])), default=-1) for n in user}
    begun = {
        n
        for s in d_forward
        if isinstance(s, Assign) and s.value == Const(None) and id(s) not in f.uses
        for n in _names_bound(s)
    }
    spell.webs(sorted(user, key=lambda n: order[n]), read, h, begun)
    return spell


def _with(f: Function, body: Block) -> Function:
    from dataclasses import replace

    return replace(f, body=body)


def printer(f: Function, spell: Spelling, read_in_reverse: set[str]) -> Text:
    def in_place(old: str, new: str) -> bool:
        t = f.types.get(old)
        return isinstance(t, Number) or old not in read_in_reverse or not isinstance(t, Array)

    return Text(f, spell, in_place)


def whole_parameters(f: Function) -> str:
    """The user's parameters as written, with defaults: of a half that is called as the function is."""
    return ast.unparse(f.source.tree.args)


def parameters(f: Function) -> str:
    """The user's parameters as written, with annotations; defaults are the caller's business."""
    tree = f.source.tree
    args = tree.args
    names = []
    for a in (*args.posonlyargs, *args.args, *args.kwonlyargs):
        names.append(
            a.arg if getattr(a, "annotation", None) is None else f"{a.arg}: {ast.unparse(a.annotation)}"
        )
    return ", ".join(names)


def describe(f: Function, what: str, wrt: tuple[str, ...], kept: list[str]) -> str:
    """The header comment: with respect to what, the types, what is kept."""

    def typed(p: str) -> str:
        t = f.types[p]
        known = isinstance(t, Number | Array | Struct | ListOf) or (
            isinstance(t, Data) and t.cls in (str, type(None))
        )
        written = any(f.objects.class_of(p, path) is not None for path in leaves(t))
        return (f"{p}: {t}" if known else p) + (", written" if written else "")

    chosen = " and ".join(typed(p) for p in wrt)
    others = [typed(p) for p in f.params if p not in wrt]
    head = f"# {what} with respect to {chosen}"
    if others:
        head += "; " + "; ".join(others)
    if kept:
        head += "; keeps " + ", ".join(dict.fromkeys(kept))
    return head


def kept_names(f: Function, block: Block, text: Callable[[Expr], str]) -> list[str]:
    """What is kept, for the header: names, and places of arrays."""
    out = []
    for s in statements(block):
        place = getattr(s, "kept_place", None)
        if place is not None:
            out.append(text(place.value if place.index == Const(Ellipsis) else place))
            continue
        match s:
            case Effect(Call(Attr(Name(id), "append"), (Name(value),), _)) if f.names.get(id, "").endswith(
                "_kept"
            ) and (is_ours(id)):
                out.append(f.spelled(value).removesuffix("_kept"))
    return out


def seed_one(f: Function, d: Derived) -> Block:
    """The adjoint of the value is 1."""
    bar = d.shadows.name(VALUE)
    t = f.types[VALUE]
    if VALUE not in f.active:
        return []
    if isinstance(t, Number):
        return [Assign(bar, Const(1.0))]
    return [Assign(bar, call(np.ones, "np.ones", call(np.shape, "np.shape", Name(VALUE))))]


def gradient_exprs(f: Function, outputs: list[str], d: Derived) -> list[Expr]:
    """The gradients as they are returned: each in its argument's dtype."""
    out: list[Expr] = []
    narrow = ("float32", "float16", "complex64")
    widths = {t.dtype for t in f.types.values() if isinstance(t, Number | Array)}
    for w, b in zip(f.wrt, outputs, strict=True):
        t = f.types[w]
        wanted = t.dtype if isinstance(t, Number | Array) and t.kind in "fc" else None
        wanted = wanted or ("complex128" if isinstance(t, Number | Array) and t.kind == "c" else "float64")
        mixed = wanted.startswith("complex") and any(
            isinstance(u, Number | Array) and u.kind == "f" and n in f.active for n, u in f.types.items()
        )
        if wanted in narrow or widths & set(narrow) or mixed:
            dtype = Attr(Object(np, "np"), wanted)
            if isinstance(t, Array):
                out.append(Call(Attr(Name(b), "astype"), (dtype,), (("copy", Const(False)),)))
            else:
                out.append(Call(dtype, (Name(b),)))
        else:
            out.append(Name(b))
    return out


def grad_definition(build: Build, f: Function, mode: str, name: str) -> Definition:
    """value and gradient in one function: modes grad, seed and accumulate."""
    into = mode == "accumulate"
    seeded = mode == "seed"
    direct = {w for w in f.wrt if into and isinstance(f.types[w], Array) and _only_parameter(f, w)}
    seed_name = f.temp("seed")

    def seed(f: Function, d: Derived) -> Block:
        if seeded and VALUE in f.active:
            shape = call(np.shape, "np.shape", Name(VALUE))
            t = f.types[VALUE]
            bar = d.shadows.name(VALUE)
            if isinstance(t, Number):
                return [Assign(bar, Name(seed_name))]
            return [Assign(bar, call(np.broadcast_to, "np.broadcast_to", Name(seed_name), shape))]
        return seed_one(f, d)

    given: dict[str, str] = {}
    if direct:
        shadows = Shadows(f, "bar")
        given = {shadows.name(w).id: w for w in direct}
    d, outputs = derived(f, seed, given)
    value, coalesced = result_name(d)
    reverse_reads = {n for s in statements(d.reverse) for e in own_exprs(s) for n in reads(e)}
    forward(d.forward, f, live_in(d.reverse, frozenset(outputs)) | {value})
    extra_params: list[str] = []
    spell = spelling_for(f, d.forward, d.reverse, {}, set())
    tail: Block = []
    if into:
        buffers = []
        for w, b, e in zip(f.wrt, outputs, gradient_exprs(f, outputs, d), strict=True):
            if b in given:
                buffers.append(spell.web(b))
            else:
                buffer = f.temp(f"{f.spelled(w)}_into")
                buffers.append(spell.web(buffer))
                f.types[buffer] = f.types[b]
                tail.append(AugAssign(Name_at(buffer, f.types[b]), "+", e))
        extra_params = buffers
    elif seeded:
        extra_params = [spell.web(seed_name)]
    text = printer(f, spell, reverse_reads)
    kept = kept_names(f, d.forward, text.expr)
    signature = ", ".join(p for p in (parameters(f), *extra_params) if p)
    text.put(0, f"def {name}({signature}):")
    text.put(1, "# forward sweep")
    text.forward(d.forward, 1)
    text.put(1, "# reverse sweep")
    text.reverse(d.reverse + tail, 1)
    if into:
        text.put(1, f"return {spell.web(value)}")
    else:
        grads = [text.expr(e) for e in gradient_exprs(f, outputs, d)]
        one = grads[0] if len(grads) == 1 else f"({', '.join(grads)})"
        text.put(1, f"return {text.expr(Name(value))}, {one}")
    what = "gradient" if not into else "gradient, added into buffers,"
    return Definition(
        Half(name), text.lines, text.map, f.source.function, spell.objects, describe(f, what, f.wrt, kept)
    )


def Name_at(buffer: str, t: Type) -> Expr:
    """The buffer as what an addition in place is made to: a number's is an array of rank 0."""
    from srcgrad.ir import Item

    return Item(Name(buffer), Const(Ellipsis))


def _only_parameter(f: Function, w: str) -> bool:
    return not any(w in _names_bound(s) for s in statements(f.body))


def result_name(d: Derived) -> tuple[str, bool]:
    """The web that is returned: `value = y` at the end is y itself, where the reverse sweep does not bind y."""
    f = d.function
    bindings = [s for s in statements(d.forward) if VALUE in _names_bound(s)]
    if (
        len(bindings) == 1
        and d.forward
        and isinstance(bindings[0], Assign)
        and isinstance(bindings[0].value, Name)
    ):
        s = bindings[0]
        y = s.value.id  # type: ignore[attr-defined]
        plain = not is_ours(y) and s is d.forward[-1] and y in f.names
        if plain and y not in all_binds(d.reverse) | {n for t in statements(d.reverse) for n in changes(t)}:
            if not any(VALUE in reads(e) for t in statements(d.reverse) for e in own_exprs(t)):
                d.forward.pop()
                return y, True
    return VALUE, False


# ------------------------------------------------------------------------------------------------ split halves


def split_definitions(
    build: Build,
    f: Function,
    names: tuple[Half, Half],
    wrt_leaves: bool = True,
    version: Version | None = None,
) -> tuple[list[Definition], bool]:
    """The forward half, which keeps, and the reverse half, which reads."""
    t = f.types.get(VALUE)

    def seed(f: Function, d: Derived) -> Block:
        return []

    shadows = Shadows(f, "bar")
    handed = [p for p, _ in sorted(f.handed, key=lambda n: f.params.index(n[0]))]
    handed_bars = [shadows.name(p).id for p in handed if p in f.wrt]
    seeded = not f.quiet and VALUE in f.active
    value_bars = [shadows.name(VALUE, p) for p in paths(t)] if t is not None and seeded else []
    d, outputs = derived(f, seed, dict.fromkeys([*(b.id for b in value_bars), *handed_bars], VALUE))
    value, _ = result_name(d)
    needed = (
        live_in(d.reverse, frozenset([*outputs, *handed_bars]))
        - {b.id for b in value_bars}
        - set(handed_bars)
    )
    if version is not None:
        version.seeded = seeded
        version.needs = frozenset(p for p in handed if version.early or p in needed)
    kept = sorted(
        (n for n in needed if n in f.names and n not in f.captured and n not in handed),
        key=lambda n: (is_ours(n), n),
    )
    reverse_reads = {n for s in statements(d.reverse) for e in own_exprs(s) for n in reads(e)}
    # a loop of no trips does not bind its variable
    at_root = {n for s in d.forward if not isinstance(s, For) for n in _names_bound(s)} | set(f.params)
    d.forward[:0] = [Assign(Name(k), Const(None)) for k in kept if k not in at_root]  # a path may not bind it
    forward(d.forward, f, {value} | set(kept))
    objects: dict[str, Any] = {}
    spell = spelling_for(f, d.forward, d.reverse, objects, set())
    text = printer(f, spell, reverse_reads | set(kept))
    text.put(0, f"def {names[0].name}({whole_parameters(f) if wrt_leaves else parameters(f)}):")
    body = d.forward
    keeps = bool(kept)
    if f.quiet:
        body = [s for s in body if VALUE not in _names_bound(s)]
    text.forward(body, 1)
    kept_text = [spell.web(k) for k in kept]
    packed = kept_text[0] if len(kept) == 1 else f"({', '.join(kept_text)})"
    if f.quiet:
        if keeps:
            text.put(1, f"return {', '.join(kept_text)}")
        elif len(text.lines) == 1:
            text.put(1, "pass")
    else:
        text.put(
            1, f"return {text.expr(Name(value))}" + (f", {packed}" if keeps or wrt_leaves is False else "")
        )
    first = Definition(names[0], text.lines, text.map, f.source.function, dict(objects))

    back = Text(f, spell, lambda a, b: True)
    bar_value = shadows.structure(VALUE) if t is not None and seeded else Seq("tuple", ())
    seed_text = spell.names.take("value_bar") if isinstance(bar_value, Seq) else text.expr(bar_value)
    params = ["kept"] if keeps or wrt_leaves is False else []
    if keeps:
        kept_name = spell.names.take("kept") if len(kept) != 1 else kept_text[0]
        params = [kept_name]
    if seeded or wrt_leaves is False:
        params.append(seed_text)
    for p in handed:
        params += [spell.web(p)] if version is None or p in version.needs else []
        params += [spell.web(shadows.name(p).id)] if p in f.wrt else []
    back.put(0, f"def {names[1].name}({', '.join(params)}):")
    if len(kept) > 1:
        back.put(1, f"{', '.join(kept_text)} = {kept_name}")
    if isinstance(bar_value, Seq) and not wrt_leaves and has_keys(t):
        for path in paths(t):
            keys = ""
            u: Any = t
            for k in path:
                keys += f"[{(u.keys[k] if u.keys is not None else k)!r}]"
                u = u.items[k]
            back.put(1, f"{text.expr(shadows.name(VALUE, path))} = {seed_text}{keys}")
    elif isinstance(bar_value, Seq) and bar_value.items:
        back.put(1, f"{text.expr(bar_value)} = {seed_text}")
    back.reverse(d.reverse, 1)
    results = [
        text.expr(e) for e in (gradient_exprs(f, outputs, d) if wrt_leaves is False else map(Name, outputs))
    ]
    if results:
        back.put(1, "return " + (results[0] if len(results) == 1 else f"{', '.join(results)}"))
    elif len(back.lines) == 1:
        back.put(1, "pass")
    second = Definition(names[1], back.lines, back.map, f.source.function, objects)
    first.objects = objects
    return [first, second], keeps


def has_keys(t: Type | None) -> bool:
    """Whether a dict stands anywhere in a structure."""
    return isinstance(t, Struct) and (t.keys is not None or any(has_keys(i) for i in t.items))


def make_version(build: Build, front: Any) -> Callable[[Version, str], None]:
    """How a context makes the version of a callee that is asked for."""

    def make(v: Version, mode: str) -> None:
        callee = v.callee
        f = front(callee.source, callee.types, build.context, v.active, version=v)
        v.memory = bool(f.objects.memory)
        if mode == "tangent":
            build.definitions.append(tangent_definition(build, f, v.tangent.name, v.tangent, False))
            return
        definitions, keeps = split_definitions(build, f, (v.forward, v.reverse), version=v)
        step = isinstance(v.callee.source.tree, ast.FunctionDef) and v.callee.outlined
        v.keeps = keeps or step
        build.definitions += definitions if v.keeps else definitions[1:]

    return make


def make_plain(build: Build) -> Callable[[Half, Any], None]:
    """How a context makes the function that the body of a checkpointed loop is."""

    def make(half: Half, step: Any) -> None:
        lines = ast.unparse(step.source.tree).split("\n")
        build.definitions.append(Definition(half, lines, {}, step.source.function, {}))

    return make


# ------------------------------------------------------------------------------------------------ forward mode


def tangent_definition(
    build: Build, f: Function, name: str, half: Half | None = None, top: bool = True
) -> Definition:
    """value and tangent in one function."""
    t = tangent(f)
    f.shared = shared_names(f, t.dots)
    needed = {VALUE, *(d.id for d in t.value_dots)} if t.value_dots else {VALUE}
    body = t.body
    forward(body, f, needed | {n for n in f.names if "·dot" in n})

    def may(n: str) -> bool:
        return ("·dot" in n or is_ours(n)) and n not in needed

    def pure(s: Stmt) -> bool:
        use = f.uses.get(id(s))
        known = use is None or use.kind in (
            "rule",
            "constant",
            "copy",
            "data",
            "entry",
            "list item",
            "display",
        )
        return known and not (isinstance(s, Assign) and (changes(s) or _calls_ours(s.value)))

    for s in statements(body):
        if isinstance(s, Assign) and id(s) not in f.uses:
            _each(s, lambda e: stretch(e, f))
    fold(body, f, may, pure, lambda e: stretch(e, f))
    forward(body, f, needed)
    spell = spelling_for(f, body, [], {}, set())
    text = printer(f, spell, set())
    dots = [spell.web(d.id) for d in t.parameter_dots]
    text.put(0, f"def {name}({', '.join(p for p in (parameters(f), *dots) if p)}):")
    if f.quiet:
        body = [s for s in body if VALUE not in _names_bound(s)]
    text.forward(body, 1)
    leaving, kind = (t.value_display if top else t.value_dot), f.types.get(VALUE)
    if isinstance(kind, Number | Array) and kind.dtype in ("float32", "float16", "complex64"):
        dtype = Attr(Object(np, "np"), kind.dtype)
        copy = (("copy", Const(False)),)
        leaving = (
            Call(Attr(leaving, "astype"), (dtype,), copy)
            if isinstance(kind, Array)
            else Call(dtype, (leaving,))
        )
    if not f.quiet:
        text.put(1, f"return {text.expr(Seq('tuple', (Name(VALUE), leaving)))}")
    elif len(text.lines) == 1:
        text.put(1, "pass")
    header = describe(f, "tangent", f.wrt, []) if top else ""
    return Definition(half or Half(name), text.lines, text.map, f.source.function, spell.objects, header)


# ------------------------------------------------------------------------------------------------ all together


def assembled(build: Build, filename: str) -> tuple[str, list[Any], dict[int, int]]:
    """The whole text, the compiled functions in its order, and which line belongs to which of the user's."""
    lines: list[str] = []
    starts = []
    mapping: dict[int, int] = {}
    for d in build.definitions:
        if lines:
            lines += ["", ""]
        if d.header:
            lines.append(d.header)
        starts.append(len(lines))
        for k, user_line in d.map.items():
            mapping[len(lines) + k + 1] = user_line
        lines += d.lines
    text = "\n".join(lines) + "\n"
    functions = []
    for d, start in zip(build.definitions, starts, strict=True):
        d.half.compiled = compiled(d.lines, start, filename, d.user, d.objects)
        functions.append(d.half.compiled)
    for d, fn in zip(build.definitions, functions, strict=True):  # halves call each other
        for cell, n in zip(fn.__closure__ or (), fn.__code__.co_freevars, strict=True):
            if n in d.objects and isinstance(d.objects[n], Half):
                cell.cell_contents = d.objects[n].compiled
    remember(filename, text)
    return text, functions, mapping


def file_name(f: Function, kind: str) -> str:
    return f"<srcgrad: {kind} of {Path(f.source.filename).name}:{f.source.firstlineno}>"
