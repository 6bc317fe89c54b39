"""Memory: how each class of written arrays is differentiated."""

import numpy as np

from srcgrad.context import Context
from srcgrad.pipeline import front
from srcgrad.source.read import read
from srcgrad.types import Pattern

U = np.ones(4)


def plan_of(function, *arguments):
    source = read(function)
    context = Context(front, Pattern())
    names = list(source.signature.parameters)
    types = {n: context.pattern.type_of(a) for n, a in zip(names, arguments, strict=True)}
    f = front(source, types, context, ("u",))
    return f, f.plan


def named(f, plan, name):
    (web,) = {w for w, n in {**{p: p for p in f.params}, **f.names}.items() if n == name and plan.of(w)}
    return plan.of(web), web


def stencil(u, v):
    v[1:-1] = u[:-2] * u[2:]
    return np.sum(v)


def exchanged(u, v):
    for _ in range(3):
        v[1:-1] = u[:-2] * u[2:]
        u, v = v, u
    return np.sum(u)


def chosen(u, v):
    w = u if u[0] > 0 else v
    w[1] = 2.0 * u[0]
    return np.sum(u) + np.sum(v)


def through_a_view(u, v):
    w = v[1:]
    w[0] = u[0]
    return np.sum(v)


def a_view_that_is_read(u, v):
    w = v[1:] * 2.0
    v[0] = np.sum(w * u[1:])
    return np.sum(v)


def given_away(u, v):
    w = np.zeros(4)
    w[1] = u[0] * u[1]
    return w


def test_an_array_that_nobody_writes_is_a_value():
    f, plan = plan_of(stencil, U, U)
    assert plan.of("u") is None and plan.of("v") is not None


def test_names_that_are_bound_once_or_change_places_are_static():
    for function in (stencil, exchanged, through_a_view):
        _, plan = plan_of(function, U, U)
        assert all(m.static for m in plan.classes.values())


def test_names_that_change_places_are_of_one_class():
    f, plan = plan_of(exchanged, U, U)
    (m,) = plan.classes.values()
    assert {f.names.get(w, w) for w in m.moved} >= {"u", "v"}
    assert plan.moves


def test_a_name_that_the_run_chooses_is_dynamic():
    _, plan = plan_of(chosen, U, U)
    (m,) = plan.classes.values()
    assert not m.static and {"u", "v"} <= m.webs


def test_a_view_that_is_written_has_a_shadow_and_one_that_is_only_read_has_none():
    f, plan = plan_of(through_a_view, U, U)
    m, web = named(f, plan, "w")
    assert web in m.views and web not in m.reads and plan.shadow(web) is m
    f, plan = plan_of(a_view_that_is_read, U, U)
    m = plan.of("v")
    assert m is not None and m.reads and not m.views
    assert all(plan.shadow(w) is None for w in m.reads)


def test_what_the_caller_gets_is_said():
    f, plan = plan_of(given_away, U, U)
    m, _ = named(f, plan, "w")
    assert m.returned
    _, plan = plan_of(stencil, U, U)
    assert "v" in plan.of("v").outside
