"""Every further use of the kernels, and kernels on arrays that are views: what is asserted is the same of all."""

import functools

import numpy as np
import pytest

from srcgrad import grad, jvp, vjp

from .cases import CASES
from .reference import gradients, names, seed_of, value_of
from .uses import USES, label

# linear, and yet something is kept: an array of which the reverse reads only the shape, or (wave_1d) not even that
KEEPS = {
    "syrk-C-by-C",
    "syr2k-C-by-C-A",
    "wave_1d-None-by-previous-current-following",
    "covariance_rows-data-by-data-cov",
    "conv2d-out-by-weights-out",
    "conv2d_bias-out-by-images-bias",
}
LAID_OUT = [
    "jacobi_1d",
    "fdtd_2d",
    "burgers_2d",
    "lu_outer",
    "gramschmidt",
    "symm_rows",
    "correlation",
    "deriche",
]
LAID_OUT += ["vertical_advection", "cavity_flow", "nbody_pairs", "wave_1d"]
ALL = {label(case): case for case in USES + CASES}


def laid_out(array, layout):
    """A fresh copy of an argument: as it is, by columns, or as every other element of a larger array, backwards."""
    if not isinstance(array, np.ndarray):
        return array
    if layout == "view":
        larger = np.full([2 * n + 1 for n in array.shape], np.nan)
        view = larger[(slice(1, None, 2),) * array.ndim][(slice(None, None, -1),) * array.ndim]
        view[...] = array
        return view
    return np.array(array, order="F" if layout == "columns" else "C")


@functools.cache
def wanted(key):
    """The seed and the gradients of the untouched function."""
    case = ALL[key]
    value, _ = value_of(case, [laid_out(a, "rows") for a in case.arguments])
    seed = seed_of(value) if np.ndim(value) else 1.0
    with np.errstate(all="ignore"):
        return seed, gradients(case, seed)


def check(case, layout):
    def fresh():
        return [laid_out(a, layout) for a in case.arguments]

    value, left = value_of(case, fresh())
    seed, reference = wanted(label(case))
    given = np.copy(seed) if np.ndim(value) else 1.0
    df = grad(case.function, wrt=case.wrt, of=case.of, **({"seed": given} if np.ndim(value) else {}))
    for _ in range(2):
        arguments = fresh()
        answer, gradient = df(*arguments)
        np.testing.assert_array_equal(answer, value)
        np.testing.assert_array_equal(given, seed)
        check_left(arguments, left)
        for name, part, other in zip(case.wrt, gradient, reference, strict=True):
            scale = 1.0 + np.max(np.abs(other))
            np.testing.assert_allclose(part, other, rtol=3e-8, atol=3e-8 * scale, err_msg=name)
            assert not any(np.shares_memory(part, a) for a in arguments if isinstance(a, np.ndarray))

    arguments = fresh()
    _, pullback = vjp(case.function, wrt=case.wrt, of=case.of)(*arguments)
    first = pullback(seed)
    for array in arguments:
        if isinstance(array, np.ndarray):
            array[...] = np.nan
    for got in (first, pullback(seed)):
        for part, other in zip(got, gradient, strict=True):
            np.testing.assert_allclose(part, other, rtol=1e-11, atol=1e-12)

    random = np.random.default_rng(5)
    dots = [random.uniform(0.5, 1.5, np.shape(part)) if np.ndim(part) else 0.7 for part in gradient]
    tangents = {f"{name}_dot": dot for name, dot in zip(case.wrt, dots, strict=True)}
    arguments = fresh()
    answer, tangent = jvp(case.function, wrt=case.wrt, of=case.of)(*arguments, **tangents)
    np.testing.assert_array_equal(answer, value)
    check_left(arguments, left)
    products = [part * dot for part, dot in zip(gradient, dots, strict=True)]
    bound = 1e-10 * (1.0 + sum(np.sum(np.abs(product)) for product in products))
    assert abs(np.sum(seed * tangent) - sum(np.sum(product) for product in products)) <= bound


def check_left(arguments, left):
    """As the untouched function leaves them."""
    for mine, theirs in zip(arguments, left, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("case", USES, ids=label)
def test_use(case):
    check(case, "rows")


@pytest.mark.parametrize("layout", ["columns", "view"])
@pytest.mark.parametrize("case", [c for c in CASES if c.name in LAID_OUT], ids=lambda case: case.name)
def test_arguments_that_are_laid_out_otherwise(case, layout):
    check(case, layout)


LINEAR = [
    pytest.param(
        c,
        id=label(c),
        marks=[pytest.mark.xfail(raises=AssertionError, reason="kept for its shape")] * (label(c) in KEEPS),
    )
    for c in USES
    if c.linear
]


@pytest.mark.parametrize("case", LINEAR)
def test_linear_uses_keep_nothing(case):
    value, _ = value_of(case, [laid_out(a, "rows") for a in case.arguments])
    seed = {"seed": seed_of(value)} if np.ndim(value) else {}
    df = grad(case.function, wrt=case.wrt, of=case.of, **seed)
    assert "_kept" not in df.source_for(*(laid_out(a, "rows") for a in case.arguments))


def test_the_labels_differ_and_name_arguments():
    assert len({label(case) for case in USES}) == len(USES)
    assert all(set(case.wrt) <= set(names(case)) for case in USES)
