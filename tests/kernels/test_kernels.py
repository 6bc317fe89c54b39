"""Kernels whose results are in their arguments, unchanged by hand: value, arguments, gradient, both modes, pullbacks."""

import copy

import numpy as np
import pytest

from srcgrad import grad, jvp, vjp

from .cases import BY_NAME, CASES
from .reference import gradients, seed_of, value_of


def fresh(case):
    return copy.deepcopy(list(case.arguments))


def derivative(case, value):
    options = {"seed": seed_of(value)} if np.ndim(value) else {}
    return grad(case.function, wrt=case.wrt, of=case.of, **options)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradient(case):
    value, left = value_of(case, fresh(case))
    df = derivative(case, value)
    seed = df.seed if np.ndim(value) else 1.0
    before = np.copy(seed)
    arguments = fresh(case)
    answer, gradient = df(*arguments)
    np.testing.assert_array_equal(answer, value)
    for mine, theirs in zip(arguments, left, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(seed, before)
    for part, wanted in zip(gradient, gradients(case, seed), strict=True):
        scale = 1.0 + np.max(np.abs(wanted))
        np.testing.assert_allclose(part, wanted, rtol=1e-9, atol=1e-9 * scale)
        assert not any(np.shares_memory(part, a) for a in arguments if isinstance(a, np.ndarray))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_forward_and_reverse_agree(case):
    value, _ = value_of(case, fresh(case))
    df = derivative(case, value)
    seed = df.seed if np.ndim(value) else 1.0
    _, gradient = df(*fresh(case))
    rng = np.random.default_rng(5)
    dots, reverse = {}, 0.0
    for name, part in zip(case.wrt, gradient, strict=True):
        dot = rng.uniform(0.5, 1.5, np.shape(part))
        dots[f"{name}_dot"] = dot if np.ndim(part) else float(dot)
        reverse += np.sum(part * dot)
    answer, tangent = jvp(case.function, wrt=case.wrt, of=case.of)(*fresh(case), **dots)
    np.testing.assert_array_equal(answer, value)
    np.testing.assert_allclose(np.sum(seed * tangent), reverse, rtol=1e-10)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_pullback_is_called_twice_and_the_caller_writes_between(case):
    value, _ = value_of(case, fresh(case))
    df = derivative(case, value)
    _, gradient = df(*fresh(case))
    arguments = fresh(case)
    answer, pullback = vjp(case.function, wrt=case.wrt, of=case.of)(*arguments)
    seed = seed_of(value) if np.ndim(value) else 1.0
    first = pullback(seed)
    for a in arguments:
        if isinstance(a, np.ndarray):
            a[...] = 7.0
    for got in (first, pullback(seed)):
        for part, wanted in zip(got, gradient, strict=True):
            np.testing.assert_allclose(part, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", [case.name for case in CASES if case.linear])
def test_nothing_is_kept_where_all_is_linear(name):
    case = BY_NAME[name]
    value, _ = value_of(case, fresh(case))
    text = derivative(case, value).source_for(*fresh(case))
    assert "_kept" not in text and ".copy()" not in text.partition("# reverse sweep")[0]


class Interrupted(KeyboardInterrupt):
    pass


@pytest.mark.parametrize("name", ["burgers_1d", "lu", "jacobi_2d", "fdtd_2d", "seidel_2d", "cholesky_rows"])
@pytest.mark.parametrize("after", [3, 17, 60])
def test_an_interrupt_leaves_the_arguments_as_the_function_would_have(name, after):
    """In the forward sweep: as the untouched function interrupted there; in the reverse sweep: as it leaves them."""
    import sys

    case = BY_NAME[name]
    value, left = value_of(case, fresh(case))
    df = derivative(case, value)
    df(*fresh(case))
    function = df.compiled_for(*fresh(case))
    arguments = fresh(case)
    count, reverse_from = 0, function.__code__.co_firstlineno + 1
    text = df.source.splitlines()
    reverse_line = next(k for k, line in enumerate(text, 1) if line.strip() == "# reverse sweep")

    def trace(frame, event, argument):
        nonlocal count
        if frame.f_code is function.__code__ and event == "line" and frame.f_lineno > reverse_line:
            count += 1
            if count == after:
                raise Interrupted
        return trace

    assert reverse_from < reverse_line
    sys.settrace(trace)
    try:
        seed = (df.seed,) if np.ndim(value) else ()
        function(*arguments, *seed)
    except Interrupted:
        pass
    finally:
        sys.settrace(None)
    for mine, theirs in zip(arguments, left, strict=True):
        np.testing.assert_array_equal(mine, theirs)
