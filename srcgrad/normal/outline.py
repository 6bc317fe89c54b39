"""Outline: the body of a checkpointed loop becomes a function, so that it can be run again without being recorded.

    for t in checkpointed(range(n), slots=3):        for t in checkpointed(range(n), slots=3):
        u[1:] *= u[:-1]                        ->        s = f_step(t, u, s)
        s = s + u[0]

Its parameters are what the body has of the names around it, its result is what it binds of them.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
from dataclasses import dataclass
from typing import Any

from srcgrad.checkpoints import checkpointed
from srcgrad.errors import refuse
from srcgrad.source.read import Source
from srcgrad.types import Data, Type


@dataclass(eq=False)
class Outlined:
    """Stands for the function that a loop's body was made; `state` are its parameters, less the loop's own."""

    source: Source
    state: tuple[str, ...]

    @property
    def __name__(self) -> str:
        return self.source.name

    def __call__(self) -> None:
        raise TypeError("it stands for a function that is generated")


def outline(source: Source, names: Any, types: dict[str, Type]) -> tuple[Source, dict[str, Outlined]]:
    """The source with calls in place of the bodies of checkpointed loops, and what is called there by its name."""
    loops = [
        n for n in ast.walk(source.tree) if isinstance(n, ast.For) and _is_checkpointed(n.iter, names, types)
    ]
    if not loops:
        return source, {}
    made: dict[str, Outlined] = {}
    tree = copy.deepcopy(source.tree)
    same = dict(zip(map(id, ast.walk(source.tree)), ast.walk(tree), strict=True))
    comments = dict(source.comments)
    for loop in loops:
        node = same[id(loop)]
        assert isinstance(node, ast.For)
        _outline(source, tree, node, made)
        for k in range(loop.lineno + 1, (loop.end_lineno or loop.lineno) + 1):
            comments.pop(k, None)
    return dataclasses.replace(source, tree=tree, comments=comments), made


def _is_checkpointed(e: ast.expr, names: Any, types: dict[str, Type]) -> bool:
    if isinstance(e, ast.Call):
        return _resolved(e.func, names) is checkpointed
    if isinstance(e, ast.Name) and e.id in types:
        t = types[e.id]
        return isinstance(t, Data) and t.cls is checkpointed
    return type(_resolved(e, names)) is checkpointed


def _resolved(e: ast.expr, names: Any) -> Any:
    parts: list[str] = []
    while isinstance(e, ast.Attribute):
        parts.append(e.attr)
        e = e.value
    return names.resolve((e.id, *reversed(parts))) if isinstance(e, ast.Name) else None


def _outline(source: Source, tree: Any, loop: ast.For, made: dict[str, Outlined]) -> None:
    where = source.location(loop)
    if not isinstance(loop.target, ast.Name) or loop.orelse:
        refuse(
            "syntax",
            "a checkpointed loop with several targets, or with an else, is not covered",
            where,
            hint="run over a range, and read the items by its index",
        )
    body = [n for s in loop.body for n in ast.walk(s)]
    for n in body:
        if isinstance(n, ast.Return | ast.Break | ast.Continue) and not _is_inner(n, loop):
            refuse(
                "syntax",
                "a checkpointed loop is left, or a step of it cut short, which is not covered",
                source.location(n),
                hint="run over the steps that are wanted, and put the rest of the step into an else",
            )
    inside = {id(n) for n in body}
    arguments = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)]
    stored = {n.id for n in body if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    outside = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in inside]
    bound = {*arguments, *(n.id for n in outside if isinstance(n.ctx, ast.Store))} - {loop.target.id}
    used = list(dict.fromkeys(n.id for n in body if isinstance(n, ast.Name)))
    parameters = [n for n in used if n in bound]
    later = {n.id for n in outside if isinstance(n.ctx, ast.Load)}
    results = [n for n in used if n in stored and (n in bound or n in later) and n != loop.target.id]
    for n in results:
        if n not in bound:
            refuse(
                "syntax",
                f"{n} is bound in a checkpointed loop alone, and read behind it",
                where,
                hint=f"bind {n} before the loop: {n} = 0.0",
            )
    name = f"{source.name}_step" if not made else f"{source.name}_step_{len(made) + 1}"
    value: ast.expr = ast.Tuple([ast.Name(n, ast.Load()) for n in results], ast.Load())
    if len(results) == 1:
        value = ast.Name(results[0], ast.Load())
    end = ast.copy_location(ast.Return(value if results else None), loop.body[-1])
    args = ast.arguments([], [ast.arg(n) for n in (loop.target.id, *parameters)], None, [], [], None, [])
    step = ast.FunctionDef(name, args, [*loop.body, end], [], None)
    step = ast.fix_missing_locations(ast.copy_location(step, loop))
    own = dataclasses.replace(
        source,
        name=name,
        firstlineno=loop.lineno,
        tree=step,
        bound=None,
        signature=inspect.Signature(
            [
                inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                for n in (loop.target.id, *parameters)
            ]
        ),
    )
    key = f"·{name}"
    made[key] = Outlined(own, tuple(parameters))
    call = ast.Call(
        ast.Name(key, ast.Load()), [ast.Name(n, ast.Load()) for n in (loop.target.id, *parameters)], []
    )
    if len(results) > 1:
        target: ast.expr = ast.Tuple([ast.Name(n, ast.Store()) for n in results], ast.Store())
        statement: ast.stmt = ast.Assign([target], call)
    elif results:
        statement = ast.Assign([ast.Name(results[0], ast.Store())], call)
    else:
        statement = ast.Expr(call)
    loop.body = [ast.fix_missing_locations(ast.copy_location(statement, loop.body[0]))]


def _is_inner(n: ast.AST, loop: ast.For) -> bool:
    """Whether a break or a continue is of a loop inside the body."""
    if isinstance(n, ast.Return):
        return False
    for inner in ast.walk(loop):
        if isinstance(inner, ast.For | ast.While) and inner is not loop and n in list(ast.walk(inner)):
            return True
    return False
