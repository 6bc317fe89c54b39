"""The table of calculus, read from the rule functions: which rule a call has, and which variant fits its types."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import math
import textwrap
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.ir import Call, Expr, Name, reads
from srcgrad.rules import notation
from srcgrad.syntax import Reader

MODULES = (
    "operators", "elementwise", "mathmodule", "reductions", "products", "shapes", "sequences", "linalg", "indexing",
    "helpers", "constants",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One line of a rule: what it is (partial, selected, tangent, adjoint, temporary), of what, and its expression."""

    role: str
    target: str
    value: Expr
    sign: int = 1


@dataclass(frozen=True)
class Variant:
    """One rule function, parsed."""

    name: str
    module: str
    params: tuple[str, ...]
    positional: int  # how many of them may be given by position
    annotations: dict[str, str] = field(hash=False)
    defaults: dict[str, Any] = field(hash=False)
    results: tuple[str, ...]
    pattern: Expr
    lines: tuple[Line, ...]
    namespace: dict[str, Any] = field(hash=False, compare=False)
    registered: Any = field(hash=False, compare=False)

    @property
    def elementwise(self) -> bool:
        return any(line.role == "partial" for line in self.lines) or all(
            line.role in ("selected", "temporary") for line in self.lines
        )

    def with_temporaries(self, names: set[str]) -> set[str]:
        """The names that lines read, and what the temporaries among them read in turn."""
        needed = set(names)
        for line in reversed(self.lines):
            if line.role == "temporary" and line.target in needed:
                needed |= reads(line.value)
        return needed

    def differentiable(self, param: str) -> bool:
        return any(
            line.target == param and line.role in ("partial", "selected", "adjoint") for line in self.lines
        )


class _RuleSource:
    """What the reader of syntax needs to know about a rule's text."""

    def __init__(self, function: Any):
        self.name, self.filename, self.lines = function.__name__, function.__code__.co_filename, {}


def parse(registered: notation.Registered) -> Variant:
    """Read a rule function's text."""
    function = registered.function
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return _parsed(tree, function, registered)


def parse_text(text: str, name: str, module: str) -> Variant:
    """A rule that was made as text (einsum's, for one spec)."""
    space: dict[str, Any] = {
        "np": np,
        "__name__": module,
        **{n: getattr(runtime, n) for n in ("unbroadcast",)},
    }
    exec(compile(text, f"<rule {name}>", "exec"), space)  # noqa: S102  our own text: it only defines the function
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    function = space[name]
    return _parsed(tree, function, notation.Registered(function, ()))


def _parsed(tree: ast.FunctionDef, function: Any, registered: notation.Registered) -> Variant:
    reader = Reader(_RuleSource(function))
    arguments = tree.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    params = tuple(a.arg for a in every)
    body = [s for s in tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    first, *rest = body
    assert isinstance(first, ast.Assign)
    target = first.targets[0]
    results = (target.id,) if isinstance(target, ast.Name) else tuple(e.id for e in target.elts)  # type: ignore
    lines = []
    for s in rest:
        if isinstance(s, ast.AugAssign):
            sign = 1 if isinstance(s.op, ast.Add) else -1
            assert isinstance(s.target, ast.Name), f"{function.__name__}: {ast.unparse(s)}"
            lines.append(Line("adjoint", s.target.id.removesuffix("_bar"), reader.expr(s.value), sign))
            continue
        text = f"{function.__name__}: {ast.unparse(s)}"
        assert isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name), text
        name, value = s.targets[0].id, reader.expr(s.value)
        stem, _, end = name.rpartition("_")
        partial = next((p for p in params for r in results if name == f"d{r}_d{p}"), None)
        if partial is not None:
            lines.append(Line("partial", partial, value))
        elif end == "selected" and stem in params:
            lines.append(Line("selected", stem, value))
        elif end == "dot" and stem in results:
            lines.append(Line("tangent", stem, value))
        else:
            lines.append(Line("temporary", name, value))
    annotations = {a.arg: ast.unparse(a.annotation) for a in every if a.annotation is not None}
    signature = inspect.signature(function)
    defaults = {n: p.default for n, p in signature.parameters.items() if p.default is not p.empty}
    return Variant(
        function.__name__,
        function.__module__,
        params,
        len(arguments.posonlyargs) + len(arguments.args),
        annotations,
        defaults,
        results,
        reader.expr(first.value),
        tuple(lines),
        function.__globals__,
        registered,
    )


def path_object(e: Expr, namespace: dict[str, Any]) -> Any:
    """The object that a dotted path means in a module."""
    from srcgrad.ir import Attr

    match e:
        case Name(id):
            if id in namespace:
                return namespace[id]
            builtins = namespace["__builtins__"]
            return builtins[id] if isinstance(builtins, dict) else getattr(builtins, id)
        case Attr(value, name):
            return getattr(path_object(value, namespace), name)
    raise LookupError(e)


@dataclass
class Table:
    """Rules by the object they are about."""

    by_object: dict[int, list[Variant]] = field(default_factory=dict)
    by_operator: dict[str, list[Variant]] = field(default_factory=dict)
    by_method: dict[str, list[Variant]] = field(default_factory=dict)
    objects: list[Any] = field(default_factory=list)  # keeps the ids valid
    variants: list[Variant] = field(default_factory=list)

    def add(self, variant: Variant) -> None:
        self.variants.append(variant)
        r = variant.registered
        found = list(r.also)
        if isinstance(variant.pattern, Call):
            try:
                found.append(path_object(variant.pattern.fn, variant.namespace))
            except (LookupError, AttributeError):
                pass  # a method in the pattern: the rule is found by `method`
        for o in found:
            if not any(v is variant for v in self.by_object.get(id(o), ())):
                self.by_object.setdefault(id(o), []).append(variant)
                self.objects.append(o)
        if r.operator is not None:
            self.by_operator.setdefault(r.operator, []).append(variant)
        if r.method is not None:
            self.by_method.setdefault(r.method, []).append(variant)

    def of(self, function: Any) -> list[Variant]:
        return self.by_object.get(id(function), [])


@functools.cache
def table() -> Table:
    """The whole table; read at the first need, not at import."""
    for name in MODULES:
        try:
            importlib.import_module(f"srcgrad.rules.{name}")
        except ModuleNotFoundError as e:
            if e.name != f"srcgrad.rules.{name}":
                raise
    out = Table()
    for r in notation.REGISTERED:
        out.add(parse(r))
    return out


def reads_of(line: Line) -> set[str]:
    return reads(line.value)


STOCK = {"np": np, "math": math, "runtime": runtime}
