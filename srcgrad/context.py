"""What one build shares: the pattern of extents, callees and their versions, and what was read of the world."""

from __future__ import annotations

import math
import sys
import types as pytypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.analysis.example import Example
from srcgrad.detached import detach
from srcgrad.errors import SrcgradError, refuse
from srcgrad.function import Function
from srcgrad.ir import Attr, Expr, Name
from srcgrad.normal.outline import Outlined
from srcgrad.source.read import Source, read
from srcgrad.source.resolve import MISSING, Names
from srcgrad.types import (
    Array,
    Data,
    ListOf,
    Number,
    Pattern,
    Struct,
    Sym,
    Type,
    Unknown,
    known,
    map_symbols,
)

STOCK = ("numpy", "scipy", "math", "cmath", "builtins")
LIBRARY = {*STOCK, *sys.stdlib_module_names, "srcgrad"} - {"__main__"}


@dataclass
class Half:
    """Stands for a generated function until it is compiled."""

    name: str
    compiled: Any = None


@dataclass
class Callee:
    """A function of the user's, for the types of one call."""

    source: Source
    types: dict[str, Type]  # of its parameters
    result: Type | None
    summary: Any = None  # analysis.objects.Summary: what a call does to the objects that it is handed
    effects: Any = None  # a statement that may not be run again
    outlined: bool = False  # it is the body of a checkpointed loop
    receiver: Expr | None = None  # what a method is bound to, where the call does not say it

    @property
    def name(self) -> str:
        return self.source.name


@dataclass
class Version:
    """The two halves of a callee, for certain active parameters."""

    callee: Callee
    active: tuple[str, ...]
    forward: Half
    reverse: Half
    tangent: Half
    mode: str = "split"
    handed: tuple[str, ...] = ()  # the parameters that are memory: they go into the reverse half again
    groups: tuple[Any, ...] = ()  # those of them that may be one object
    copying: frozenset[str] = frozenset()  # those whose old contents are not put back by anybody
    restore: frozenset[str] = frozenset()  # those whose old contents the caller needs put back
    quiet: bool = False  # nobody uses the result
    memory: bool = False  # it writes arrays
    keeps: bool = True
    seeded: bool = True  # the reverse half takes the adjoint of the result
    needs: frozenset[str] | None = (
        None  # the memory whose contents the reverse half reads; None: not known yet
    )
    early: bool = False  # a call was written before that was known: of the function itself

    def needed(self, param: str) -> bool:
        if self.needs is None:
            self.early = True
            return True
        return param in self.needs

    @property
    def forward_name(self) -> str:
        return self.forward.name

    @property
    def reverse_name(self) -> str:
        return self.reverse.name

    @property
    def tangent_name(self) -> str:
        return self.tangent.name


@dataclass
class Watched:
    """A name of the world that the text relies on: where it is bound, and what it was."""

    look: Callable[[], Any]
    value: Any
    type: Type | None  # numbers and arrays are compared by type, everything else by identity


@dataclass
class Context:
    front: Callable[..., Function]  # source to typed normal form
    pattern: Pattern = field(default_factory=Pattern)
    example: Example = field(init=False)
    sites: dict[str, int] = field(default_factory=dict)
    site_names: dict[tuple[int, int], str] = field(default_factory=dict)
    callees: dict[Any, Callee] = field(default_factory=dict)
    versions: dict[Any, Version] = field(default_factory=dict)
    watched: list[Watched] = field(default_factory=list)
    sources: dict[int, tuple[Any, Source]] = field(default_factory=dict)
    names: dict[int, Names] = field(default_factory=dict)
    global_types: dict[Any, Type] = field(default_factory=dict)
    make_version: Any = None
    make_plain: Any = None
    plains: dict[int, Half] = field(default_factory=dict)
    keep_alive: list[Any] = field(default_factory=list)
    used_names: set[str] = field(default_factory=set)
    detach: Any = detach

    def __post_init__(self) -> None:
        self.example = Example(self.pattern)

    # ---------------------------------------------------------------------------------------- the world outside
    def names_of(self, source: Source) -> Names:
        if id(source) not in self.names:
            self.names[id(source)] = Names(source)
        return self.names[id(source)]

    def global_type(self, f: Function, e: Expr) -> Type:
        """The type of what a path of global names means, looked up now and watched from now on."""
        path = _path(e)
        key = (id(f.source), path)
        if key in self.global_types:
            return self.global_types[key]
        names = self.names_of(f.source)
        value = names.resolve(path)
        if value is MISSING:
            if names.lookup(path[0]).kind == "missing":
                refuse(
                    "undefined-name",
                    f"{path[0]} is not defined",
                    e.loc,  # type: ignore[attr-defined]
                    hint="define it before the first call, or correct the spelling",
                )
            out = self.instance_type(names, path)
        else:
            out = self.object_type(value)
            if isinstance(out, Number) and len(path) > 1 and _is_stock(names.resolve(path[:-1])):
                out = Number(out.kind, out.dtype, value)  # np.pi, math.inf: they do not change
            elif not _is_stock(value):
                self.watched.append(Watched(lambda: names.resolve(path), value, _comparable(out)))
        self.global_types[key] = out
        return out

    def instance_type(self, names: Names, path: tuple[str, ...]) -> Type:
        """An attribute of an instance: read where it is plain data of the instance itself."""
        value = names.lookup(path[0]).value
        for part in path[1:]:
            if isinstance(value, pytypes.ModuleType):
                value = getattr(value, part, MISSING)
            elif plain_attribute(value, part) is not MISSING:
                value = plain_attribute(value, part)
            elif isinstance(value, np.ndarray | np.generic) and part in (
                "shape",
                "ndim",
                "size",
                "dtype",
                "T",
            ):
                value = getattr(value, part)
            else:
                return Unknown("an attribute")
            if value is MISSING:
                return Unknown("an attribute")
        out = self.object_type(value)

        def look() -> Any:
            v = names.lookup(path[0]).value
            for part in path[1:]:
                v = getattr(v, part, MISSING)
            return v

        self.watched.append(Watched(look, value, _comparable(out)))
        return out

    def object_type(self, value: Any) -> Type:
        if isinstance(value, bool | int | float | complex) or isinstance(value, np.ndarray | np.generic):
            return self.pattern.type_of(value, _no_extent)
        if isinstance(value, tuple | list | dict):
            return self.pattern.type_of(value, _no_extent)
        return known(value)

    def watch(self, owner: Any, name: str, value: Any) -> Type:
        out = self.object_type(value)
        self.watched.append(Watched(lambda: plain_attribute(owner, name), value, _comparable(out)))
        return out

    def fits(self) -> bool:
        """Whether the world is still what the text was made from."""
        for w in self.watched:
            now = w.look()
            if now is w.value and not isinstance(now, np.ndarray | list | dict):
                continue
            if w.type is None:
                return False
            if _comparable(self.object_type(now)) != w.type:
                return False
        return True

    # ---------------------------------------------------------------------------------------- callees
    def is_users(self, obj: Any) -> bool:
        if isinstance(obj, Outlined):
            return True
        if isinstance(obj, pytypes.MethodType):
            obj = obj.__func__
        if not isinstance(obj, pytypes.FunctionType):
            return False
        module = (getattr(obj, "__module__", None) or "").split(".")[0]
        return module not in LIBRARY

    def source_of(self, obj: Any) -> Source:
        if isinstance(obj, Outlined):
            return obj.source
        if id(obj) not in self.sources:
            self.sources[id(obj)] = (obj, read(obj))
        return self.sources[id(obj)][1]

    def callee(
        self,
        f: Function,
        obj: Any,
        args: tuple[Expr, ...],
        keywords: tuple[tuple[str, Expr], ...],
        type_of: Any,
    ) -> tuple[Callee, dict[str, Expr]]:
        """The callee for the types of a call, and its parameters' operands."""
        source = self.source_of(obj)
        if source.presets.positional or source.presets.keywords:
            refuse(
                "captured",
                f"{source.name} is called through functools.partial",
                None,
                hint="call the function itself, with all its arguments",
            )
        parameters = check_signature(source)
        receiver = known(source.bound) if source.bound is not None else None
        given = dict(keywords)
        bound: dict[str, Expr] = {}
        types: dict[str, Type] = {}
        rest = list(args)
        for p in parameters:
            if receiver is not None and not types:
                types[p.name] = receiver
                continue
            if p.name in given and p.kind is not p.POSITIONAL_ONLY:
                bound[p.name] = given.pop(p.name)
            elif rest and p.kind is not p.KEYWORD_ONLY:
                bound[p.name] = rest.pop(0)
            elif p.default is not p.empty:
                types[p.name] = self.object_type(p.default)
                continue
            else:
                refuse(
                    "unknown-type",
                    f"{source.name} is called without {p.name}",
                    None,
                    hint="give all its arguments",
                )
            types[p.name] = _valueless(type_of(bound[p.name]))
        if rest or given:
            refuse(
                "unknown-type",
                f"{source.name} is called with too many arguments",
                None,
                hint="correct the call",
            )
        names: dict[
            str, str
        ] = {}  # extents that only the run knows, by the order in which the callee meets them
        types = {p: map_symbols(t, self.canonical(names)) for p, t in types.items()}
        key = (id(source.function), source.name, tuple(types.items()))
        if key in self.callees:
            return self.callees[key], bound
        if len(self.callees) > 64:
            refuse(
                "recursion",
                f"{source.name} is called with ever new types",
                None,
                hint="keep one type per argument",
            )
        callee = Callee(source, types, None)
        self.callees[key] = callee
        for _ in range(8):
            try:
                body = self.front(source, types, self, None)
            except SrcgradError:
                del self.callees[key]  # refused again at the next call, not half made
                raise
            from srcgrad.function import VALUE

            if body.captured:
                del self.callees[key]
                refuse(
                    "captured",
                    f"{source.name} writes {body.captured[0]}, which is not its own",
                    source.location(source.tree),
                    hint=f"pass {body.captured[0]} to it as an argument",
                )
            from srcgrad.analysis.objects import summary
            from srcgrad.derive.checkpoints import has_effects

            callee.effects = has_effects(body.body, body.uses)
            callee.outlined = isinstance(obj, Outlined)
            if callee.outlined and callee.effects is not None:
                del self.callees[key]
                refuse(
                    "active-call",
                    "a step of a checkpointed loop prints, draws or does what is not known, and would do it again",
                    callee.effects.loc,
                    hint="draw before the loop, into an array that the steps read; print behind it",
                )
            result, does = body.types.get(VALUE), summary(body)
            if result == callee.result and does == callee.summary:
                break
            callee.result, callee.summary = result, does
        return callee, bound

    def plain(self, step: Outlined) -> Half:
        """The body of a checkpointed loop as a function of its own, as it is."""
        if id(step) not in self.plains:
            half = self.plains[id(step)] = Half(step.source.name)
            self.make_plain(half, step)
            self.keep_alive.append(step)
        return self.plains[id(step)]

    def canonical(self, names: dict[str, str]) -> Callable[[Sym], Sym]:
        def rename(symbol: Sym) -> Sym:
            if symbol.name in self.pattern.lengths:
                return symbol
            return Sym(names.setdefault(symbol.name, f"c{len(names)}"), symbol.plus)

        return rename

    def version(
        self,
        callee: Callee,
        active: tuple[str, ...],
        mode: str = "split",
        handed: tuple[str, ...] = (),
        groups: tuple[Any, ...] = (),
        copying: frozenset[str] = frozenset(),
        restore: frozenset[str] = frozenset(),
        quiet: bool = False,
    ) -> Version:
        """The halves of a callee for one kind of call; made at the first request."""
        key = (id(callee), active, mode, handed, frozenset(groups), copying, restore, quiet)
        if key not in self.versions:
            stem = callee.name
            k = 1
            while f"{stem}_forward" in self.used_names:
                k += 1
                stem = f"{callee.name}_{k}"
            self.used_names.add(f"{stem}_forward")
            halves = Half(f"{stem}_forward"), Half(f"{stem}_reverse"), Half(f"{stem}_tangent")
            v = Version(callee, active, *halves, mode, handed, groups, copying, restore, quiet)
            self.versions[key] = v
            self.make_version(v, mode)
        return self.versions[key]


def plain_attribute(owner: Any, name: str) -> Any:
    """An attribute of an instance that is plain data: of its own, or of its class and no descriptor."""
    own = getattr(owner, "__dict__", {})
    if name in own:
        return own[name]
    for cls in type(owner).__mro__:
        if name in vars(cls):
            value = vars(cls)[name]
            plain = isinstance(
                value, bool | int | float | complex | str | tuple | list | np.ndarray | type(None)
            )
            return value if plain else MISSING
    return MISSING


def _path(e: Expr) -> tuple[str, ...]:
    parts: list[str] = []
    while isinstance(e, Attr):
        parts.append(e.name)
        e = e.value
    assert isinstance(e, Name)
    return (e.id, *reversed(parts))


def check_signature(source: Source) -> list[Any]:
    """The parameters, refused where they are not plain."""
    parameters = list(source.signature.parameters.values())
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            refuse(
                "syntax",
                f"{source.name} takes {'*' if p.kind is p.VAR_POSITIONAL else '**'}{p.name}, which is not covered yet",
                source.location(source.tree),
                hint="name its parameters one by one",
            )
    return parameters


def _valueless(t: Type) -> Type:
    """The type as a version of a callee is made for: constants count only where they may decide branches."""
    if isinstance(t, Number) and t.kind == "f":
        return Number(t.kind, t.dtype)
    return t


def _no_extent(size: int) -> Any:
    return size  # of an array of the world: a constant, watched


def _comparable(t: Type) -> Type | None:
    if isinstance(t, Number | Array | Struct | ListOf):
        return t
    if isinstance(t, Data) and t.cls is str:
        return t
    return None


def _is_stock(value: Any) -> bool:
    if isinstance(value, pytypes.ModuleType):
        return value.__name__.split(".")[0] in STOCK
    module = getattr(value, "__module__", None)
    if isinstance(module, str) and not isinstance(value, np.generic | np.ndarray):
        return module.split(".")[0] in STOCK
    return value is math.pi or value is np.pi or isinstance(value, np.ufunc | pytypes.BuiltinFunctionType)
