"""The functions that generated code calls, at the edges; and the classes of what NumPy has."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import srcgrad.rules
from srcgrad import runtime
from srcgrad.rules import einsum, known, notation

FUNCTIONS = {n: f for n, f in vars(runtime).items() if inspect.isfunction(f) and not n.startswith("_")}


@pytest.mark.parametrize("module", [runtime, einsum, known], ids=lambda m: m.__name__)
def test_examples(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_is_short_and_documented(name):
    function = FUNCTIONS[name]
    assert ">>>" in function.__doc__
    assert len(inspect.getsource(function).splitlines()) <= 32


def test_unbroadcast_is_the_adjoint_itself_where_shapes_agree():
    g = np.ones((2, 3))
    assert runtime.unbroadcast(g, np.zeros((2, 3))) is g
    assert runtime.unbroadcast(np.float32(1), 2.0).dtype == np.float32
    assert runtime.unbroadcast(np.ones((1, 1)), np.zeros((1, 1))).shape == (1, 1)
    assert runtime.unbroadcast(np.ones((0, 3)), np.zeros(3)).tolist() == [0, 0, 0]
    assert runtime.unbroadcast(1.0, np.zeros((2, 2))).shape == (2, 2)


def test_unreduce_goes_by_shape_alone():
    g = np.array([1.0, 2.0], np.float32)
    out = runtime.unreduce(g, np.full((2, 3), np.nan), 1)
    assert out.dtype == np.float32 and out.shape == (2, 3)
    assert runtime.unreduce(2.0, np.zeros((2, 3))).shape == (2, 3)
    assert runtime.unreduce(np.ones((2, 1)), np.zeros((2, 3)), 1, True).shape == (2, 3)
    assert runtime.unreduce(g, np.zeros((4, 2, 3)), (0, -1)).shape == (4, 2, 3)


def test_untake_counts_repeats():
    assert runtime.untake(np.ones(3), np.zeros(2), [1, 1, 1]).tolist() == [0, 3]
    assert runtime.untake(np.ones(3, np.float32), np.zeros(2), [1, 1, 1]).dtype == np.float32
    assert runtime.untake(np.ones(1, np.int64), np.zeros(2, int), [1]).dtype == np.float64


def test_split_like_of_empty_pieces():
    pieces = runtime.split_like(np.ones(3), [np.zeros(0), np.zeros(3)])
    assert [p.shape for p in pieces] == [(0,), (3,)]
    pieces = runtime.split_like(np.ones((0, 3)), [np.zeros((0, 1)), np.zeros((0, 2))], 1)
    assert [p.shape for p in pieces] == [(0, 1), (0, 2)]
    assert [np.shape(p) for p in runtime.split_like(np.ones(3), [0.5, np.zeros(2)], 1)] == [(), (2,)]


def test_products_before_are_right_at_zeros():
    x = np.array([2.0, 0.0, 3.0, 0.0])
    assert runtime.before(x).tolist() == [1, 2, 0, 0]
    assert runtime.recur(x, np.ones(4)).tolist() == [0, 1, 1, 4]


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("m", range(1, 7))
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolution_and_correlation_at_all_lengths(n, m, mode):
    random = np.random.default_rng(10 * n + m)
    a, v = random.normal(size=n), random.normal(size=m)
    for forward, left, right in (
        (np.convolve, runtime.unconvolve, runtime.unconvolve),
        (np.correlate, runtime.uncorrelate_left, runtime.uncorrelate_right),
    ):
        g = random.normal(size=forward(a, v, mode).size)
        y = np.dot(g, forward(a, v, mode))
        np.testing.assert_allclose(np.dot(left(g, v, a, mode), a), y, atol=1e-12)
        np.testing.assert_allclose(np.dot(right(g, a, v, mode), v), y, atol=1e-12)


def test_nothing_reads_the_contents_of_like():
    for name, function in FUNCTIONS.items():
        tree = inspect.getsource(function)
        assert "like" not in inspect.signature(function).parameters or "like[" not in tree, name


# What NumPy has


def load():
    for module in pkgutil.iter_modules(srcgrad.rules.__path__):
        importlib.import_module(f"srcgrad.rules.{module.name}")


def ruled():
    """The functions that rules are about, read from the pattern's text."""
    import ast
    import textwrap

    found = {id(np.einsum): np.einsum}
    for r in notation.REGISTERED:
        found |= {id(f): f for f in r.also}
        body = ast.parse(textwrap.dedent(inspect.getsource(r.function))).body[0].body
        pattern = next(s for s in body if isinstance(s, ast.Assign)).value
        if isinstance(pattern, ast.Call):
            try:
                f = eval(ast.unparse(pattern.func), dict(r.function.__globals__))
            except (NameError, AttributeError):
                continue  # a method
            found[id(f)] = f
    return found


@pytest.mark.parametrize("module", ["numpy", "numpy.linalg", "numpy.fft", "numpy.random"])
def test_every_callable_of_numpy_is_in_one_class(module):
    load()
    constants = pytest.importorskip("srcgrad.rules.constants")
    classes = {
        "rule": set(ruled()),
        "constant": set(map(id, notation.CONSTANT)),
        "data": set(map(id, notation.DATA)),
        "refused": set(map(id, getattr(constants, "NOT_DIFFERENTIATED", {}))),
        "known": set(known._by_object()),
    }
    namespace = importlib.import_module(module)
    wrong = {}
    for name in dir(namespace):
        if name.startswith("_"):
            continue
        thing = getattr(namespace, name, None)
        if callable(thing):
            found = [c for c, ids in classes.items() if id(thing) in ids]
            if "known" in found and len(found) > 1 or not found:
                wrong[f"{module}.{name}"] = found
    assert not wrong


@pytest.mark.parametrize("module", ["numpy.ma", "numpy.testing", "numpy.polynomial"])
def test_whole_modules_have_a_hint(module):
    namespace = importlib.import_module(module)
    for name in dir(namespace):
        thing = getattr(namespace, name)
        if inspect.isfunction(thing) and (thing.__module__ or "").startswith(module):
            assert known.hint_for(thing) != known.FALLBACK


def test_hints_say_what_is_covered():
    load()
    covered = {getattr(f, "__name__", "") for f in ruled().values()} | {
        getattr(f, "__name__", "") for f in (*notation.CONSTANT, *notation.DATA)
    }
    import re

    for path, (_, hint) in known.KNOWN.items():
        for name in re.findall(r"np\.(?:linalg\.|random\.)?(\w+)", hint):
            if path.endswith((".unwrap", ".unique")) or name == "add":
                continue
            assert name in covered, (path, name)
