"""THE ORDER of the passes: read this first.

A function's source becomes normal form (syntax, then, with types known, meaning), is analysed, derived, simplified and
printed. One record, `Function`, goes from pass to pass; `make` is what `api` calls, `generate` what the command line does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.analysis.activity import activity
from srcgrad.analysis.effects import effects
from srcgrad.analysis.lists import lists
from srcgrad.analysis.memory import memory
from srcgrad.analysis.objects import leaves, objects
from srcgrad.analysis.types import types
from srcgrad.context import Context, Half, Version, check_signature
from srcgrad.errors import SrcgradError, refuse
from srcgrad.function import VALUE, Function
from srcgrad.generate import (
    Build,
    assembled,
    describe,
    file_name,
    grad_definition,
    make_plain,
    make_version,
    split_definitions,
    tangent_definition,
)
from srcgrad.ir import (
    Assign,
    AugAssign,
    Block,
    Const,
    Effect,
    Expr,
    Name,
    Object,
    Return,
    binds,
    blocks,
    map_exprs,
    statements,
    substitute,
)
from srcgrad.normal.coalesce import coalesce
from srcgrad.normal.exits import exits
from srcgrad.normal.loops import loops
from srcgrad.normal.meaning import meaning
from srcgrad.normal.outline import outline
from srcgrad.normal.stores import stores
from srcgrad.normal.unnest import unnest
from srcgrad.normal.webs import webs
from srcgrad.source.read import Source, read
from srcgrad.syntax import Reader
from srcgrad.types import (
    NONE,
    Array,
    Data,
    ListOf,
    Number,
    Pattern,
    Pinned,
    Struct,
    Sym,
    Type,
    Unknown,
    known,
)

Pass = Callable[[Function], Function]

SYNTAX: tuple[Pass, ...] = (exits, unnest, webs, coalesce, loops)  # normal form, first half
TYPED: tuple[Pass, ...] = (types, stores, meaning)  # ... and the half that needs types
FACTS: tuple[Pass, ...] = (effects, objects, lists, activity, memory)


def front(
    source: Source,
    parameter_types: dict[str, Type],
    context: Context,
    wrt: tuple[str, ...] | None,
    stop: str | None = None,
    version: Version | None = None,
    of: str | None = None,
) -> Function:
    """From source to typed normal form; `wrt` None: only types are wanted, and anything may vary."""
    source, outlined = outline(source, context.names_of(source), parameter_types)
    reader = Reader(source)
    parameters = [p.name for p in check_signature(source)]
    body = reader.function(source.tree)
    if of is not None:
        body = left_in(body, of)
    steps = {key: Object(step, step.source.name) for key, step in outlined.items()}
    for s in statements(body) if steps else ():
        map_exprs(s, lambda e: substitute(e, steps))  # type: ignore[arg-type]
    f = Function(source, context, parameters, body, names={p: p for p in parameters})
    if version is not None:
        f.handed = frozenset((p, ()) for p in version.handed)
        f.groups, f.copying, f.restoring = version.groups, version.copying, version.restore
        f.quiet = version.quiet
    # of a callee whose result alone is asked for: types, and what it may write
    for p in (*SYNTAX, *TYPED, *FACTS) if wrt is not None else (*SYNTAX, *TYPED[:2], *FACTS[:-2]):
        if p is types:
            # a parameter's web keeps its name: the first web of a name does
            f.types = {q: parameter_types[q] for q in f.params}
            f.wrt = tuple(parameters) if wrt is None else wrt
        p(f)
        if p.__name__ == stop:
            break
    return f


def left_in(body: Block, of: str) -> Block:
    """The function that returns an argument as it leaves it: the object that was passed, whatever its name is later."""
    entry: Expr = Name(of)
    if any(of in binds(s) for s in statements(body) if not isinstance(s, AugAssign)):
        entry = Name("·of")
        body = [Assign(entry, Name(of)), *body]

    def block(stmts: Block) -> Block:
        out: Block = []
        for s in stmts:
            for inner in blocks(s):
                inner[:] = block(inner)
            if isinstance(s, Return):
                if s.value is not None and not isinstance(s.value, Name | Const):
                    out.append(Effect(s.value, loc=s.loc))
                s = Return(entry, loc=s.loc)
            out.append(s)
        return out

    return [*block(body), Return(entry)]


# ------------------------------------------------------------------------------------------------ what api calls


@dataclass
class Made:
    """The functions of one derivative for the types of one call."""

    text: str
    functions: tuple[Any, ...]
    scalar: bool | None
    value_type: Type | None
    line_map: dict[int, int]
    filename: str
    context: Context
    parameter_types: dict[str, Type]
    memory: bool = False  # arrays are written in place, by the function or one that it calls
    written: tuple[str, ...] = ()  # the parameters, and the arrays of the world, that are
    captured: tuple[str, ...] = ()

    def fits(self, arguments: dict[str, Any]) -> bool:
        """Whether the text is right for these arguments too: their pattern, its bounds, and the names of the world."""
        pattern = Pattern(self.context.pattern.exact)
        for name, t in self.parameter_types.items():
            if _argument_type(pattern, arguments[name]) != t:
                return False
        for symbol, bound in self.context.pattern.bounds.items():
            if pattern.lengths.get(symbol, -1) < bound:
                return False
        return self.context.fits()


def make(
    source: Source,
    arguments: dict[str, Any] | None,
    wrt: tuple[str, ...],
    mode: str,
    of: str | None = None,
) -> Made:
    """Make the derivative of a function for the types of these arguments (None: of its annotations)."""
    exact: frozenset[int] = frozenset()
    while True:
        try:
            return _make(source, arguments, wrt, mode, Pattern(exact), of)
        except SrcgradError as error:
            if arguments is None and error.slug in ("no-rule", "unknown-type"):
                error.hint = 'give example arguments, so that ranks are known: --at "x=np.arange(4.0)"'
            raise
        except Pinned as pinned:
            if pinned.sizes <= exact:
                raise AssertionError("sizes pinned twice") from None
            exact |= pinned.sizes


def _make(
    source: Source,
    arguments: dict[str, Any] | None,
    wrt: tuple[str, ...],
    mode: str,
    pattern: Pattern,
    of: str | None,
) -> Made:
    context = Context(front, pattern)
    build = Build(context)
    context.make_version = make_version(build, front)
    context.make_plain = make_plain(build)
    parameters = check_signature(source)
    if arguments is None:
        given = {p.name: annotated(p, source) for p in parameters}
    else:
        given = {p.name: _argument_type(context.pattern, arguments[p.name]) for p in parameters}
    f = front(source, given, context, wrt, of=of)
    value = f.types.get(VALUE)
    if value == NONE:
        refuse(
            "no-result",
            f"{source.name} returns nothing",
            source.location(source.tree),
            hint='return the result; or name the argument that it is left in: of="C"',
        )
    name = source.name
    if mode in ("grad", "seed", "accumulate"):
        if isinstance(value, Struct | ListOf | Data):
            refuse(
                "non-scalar",
                f"{name} returns {_what(value)}, and grad needs a number",
                _return_location(source, f),
                hint="every output with weights of your own: vjp(f)",
            )
        build.definitions.append(
            grad_definition(build, f, mode, f"{name}_grad" if mode != "accumulate" else f"{name}_accumulate")
        )
        count = 1
    elif mode == "vjp":
        halves = (Half(f"{name}_forward"), Half(f"{name}_reverse"))
        definitions, _ = split_definitions(build, f, halves, wrt_leaves=False)
        first = definitions[0]
        first.header = describe(f, "gradient", wrt, [])
        build.definitions += definitions
        count = 2
    else:
        build.definitions.append(tangent_definition(build, f, f"{name}_tangent"))
        count = 1
    kind = build.definitions[-count].half.name
    filename = file_name(f, kind)
    text, functions, mapping = assembled(build, filename)
    return Made(
        text,
        tuple(functions[-count:]),
        None if VALUE in f.maybe_none else is_scalar(value, pattern),
        value,
        mapping,
        filename,
        context,
        given,
        bool(f.objects.memory) or any(v.memory for v in context.versions.values()),
        tuple(
            p for p in f.params if any(f.objects.class_of(p, q) is not None for q in leaves(f.types.get(p)))
        ),
        tuple(f.captured),
    )


def _argument_type(pattern: Pattern, value: Any) -> Type:
    t = pattern.type_of(value)
    if (
        isinstance(t, Data)
        and t.cls not in (str, type(None))
        and not t.known
        and not isinstance(value, np.ndarray)
    ):
        return known(value) if hasattr(value, "__dict__") else t
    return t


def is_scalar(t: Type | None, pattern: Pattern) -> bool | None:
    """Whether a value has one element: None where only the run tells."""
    if isinstance(t, Number):
        return True
    if isinstance(t, Array):
        if t.shape is None or None in t.shape:
            return None
        if any(isinstance(e, Sym) and (e.plus or e.name not in pattern.lengths) for e in t.shape):
            return None
        return all(e == 1 for e in t.shape)
    if isinstance(t, Unknown):
        return None
    return False


def _what(t: Type | None) -> str:
    if isinstance(t, Struct):
        return f"a {t.kind} of {len(t.items)}"
    return "a list" if isinstance(t, ListOf) else f"a value of type {t}"


def _return_location(source: Source, f: Function) -> Any:
    for s in reversed(list(statements(f.body))):
        if VALUE in binds(s) and s.loc is not None:
            return s.loc
    return source.location(source.tree)


def annotated(p: Any, source: Source) -> Type:
    """The type that an annotation promises; without one, a number or an array of floats of unknown rank."""
    a = p.annotation
    if isinstance(a, str):
        a = {
            "float": float,
            "int": int,
            "bool": bool,
            "complex": complex,
            "str": str,
            "list[float]": list[float],
        }.get(a, a)
    simple = {float: Number("f"), int: Number("i"), bool: Number("b"), complex: Number("c"), str: Data(str)}
    if a in simple if isinstance(a, type) else False:
        return simple[a]
    if a == list[float]:
        return ListOf(Number("f"))
    if a == list[int]:
        return ListOf(Number("i"))
    if p.default is not p.empty and a is p.empty:
        return (
            _argument_type(Pattern(), p.default)
            if not isinstance(p.default, np.ndarray)
            else Array("float64", None)
        )
    return Array("float64", None)


@dataclass
class Generated:
    text: str


STAGES: tuple[str, ...] = tuple(p.__name__ for p in (*SYNTAX, *TYPED, *FACTS))


def generate(
    function: Any,
    args: tuple[Any, ...] | None,
    kwargs: dict[str, Any] | None,
    *,
    wrt: tuple[str, ...] | None = None,
    mode: str = "reverse",
    seed: Any = None,
    stage: str | None = None,
) -> Generated:
    """The printed derivative, for the command line; `stage` prints the program after that pass instead."""
    source = read(function)
    names = list(source.signature.parameters)
    start = 1 if source.bound is not None else 0
    arguments = None
    if args is not None:
        given = (source.bound, *args) if start else args
        bound = source.signature.bind(*given, **(kwargs or {}))
        bound.apply_defaults()
        arguments = dict(bound.arguments)
    chosen = wrt or tuple(names[start : start + 1])
    if stage is not None:
        from srcgrad.emit.stage import stage_text

        return Generated(stage_text(source, arguments, chosen, stage, front))
    kind = "tangent" if mode == "forward" else ("seed" if seed is not None else "grad")
    return Generated(make(source, arguments, chosen, kind).text)
