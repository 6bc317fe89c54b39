"""Outline: the body of a checkpointed loop as a function, and the loop that calls it."""

import ast

import numpy as np
import pytest

import srcgrad
from srcgrad.context import Context
from srcgrad.errors import SrcgradError
from srcgrad.normal.outline import outline
from srcgrad.pipeline import front
from srcgrad.source.read import read
from srcgrad.types import Pattern

U = np.ones(4)


def stepped(u, n, dt):
    s = 0.0
    for t in srcgrad.checkpointed(range(n), slots=3):
        flux = u * u
        u[1:] -= dt * (flux[1:] - flux[:-1])
        s = s + u[0] * t
    return s


def plain(u, n, dt):
    for _ in range(n):
        u[1:] *= dt * u[:-1]
    return np.sum(u)


def leaves_early(u, n, dt):
    for _ in srcgrad.checkpointed(range(n), slots=3):
        u[1:] *= dt * u[:-1]
        if u[0] > 3:
            break
    return np.sum(u)


def outlined(function):
    source = read(function)
    context = Context(front, Pattern())
    names = list(source.signature.parameters)
    types = {n: context.pattern.type_of(a) for n, a in zip(names, (U, 3, 0.1), strict=True)}
    return source, *outline(source, context.names_of(source), types)


def test_the_body_becomes_a_function_of_what_it_reads_that_gives_what_it_binds():
    _, made, steps = outlined(stepped)
    (step,) = steps.values()
    assert set(step.source.signature.parameters) == {"t", "u", "s", "dt"}
    assert set(step.state) == {"u", "s", "dt"}
    (loop,) = [n for n in ast.walk(made.tree) if isinstance(n, ast.For)]
    assert ast.unparse(loop.body).replace("·", "") == "s = stepped_step(t, u, dt, s)"


def test_a_function_without_such_a_loop_is_left_as_it_is():
    source, made, steps = outlined(plain)
    assert made is source and not steps


def test_a_body_that_leaves_the_loop_is_refused():
    with pytest.raises(SrcgradError, match="break"):
        outlined(leaves_early)
