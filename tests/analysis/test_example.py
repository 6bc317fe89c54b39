"""Result types by example: what is read back is right for every size, or said to be unknown."""

import itertools

import numpy as np
import pytest

from srcgrad.analysis.example import _SIZES, Example
from srcgrad.types import Array, Number, Struct, Sym

n, m = Sym("n"), Sym("m")
VECTOR, MATRIX = Array("float64", (n,)), Array("float64", (n, m))


FUNCTIONS = (
    lambda x, y: x + y,
    lambda x, y: abs(x - y),
    lambda x, y: x * y,
    max,
    min,
    lambda x, y: x // 2,
    lambda x, y: (x + 1) // 2,
    lambda x, y: 2 * x,
    lambda x, y: x // 3,
)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_of_two_sizes_is_another_plus_a_constant(function):
    for a, b in itertools.product(_SIZES, repeat=2):
        made = [function(x, y) for x, y in zip(a, b, strict=True)]
        for c in _SIZES:
            assert a == b == c or len({x - y for x, y in zip(made, c, strict=True)}) > 1


def test_no_two_symbols_differ_by_a_constant():
    for a, b in itertools.combinations(_SIZES, 2):
        assert len({x - y for x, y in zip(a, b, strict=True)}) > 1


@pytest.mark.parametrize(
    ("run", "operands", "shape"),
    [
        (lambda a: a.T, [MATRIX], (m, n)),
        (lambda a: a[1:-1], [VECTOR], (Sym("n", -2),)),
        (lambda a: a @ a.T, [MATRIX], (n, n)),
        (np.diff, [VECTOR], (Sym("n", -1),)),
        (lambda a: a[a > 0.5], [VECTOR], (None,)),
        (lambda a, k: a.sum(axis=k), [MATRIX, Number("i")], (None,)),
        (np.repeat, [VECTOR, Array("int64", (n,))], (None,)),
        (lambda a: np.concatenate([a, a]), [VECTOR], (None,)),
        (np.zeros, [Number("i")], (None,)),
        (np.zeros, [Number("i", None, n)], (n,)),
        (lambda a: a.reshape(2, -1), [VECTOR], (2, None)),
        (lambda a, b: np.maximum.outer(a, b), [VECTOR, Array("float64", (m,))], (n, m)),
        (lambda a, b: a[: min(len(a), len(b))], [VECTOR, Array("float64", (m,))], (None,)),
    ],
)
def test_extents(run, operands, shape):
    result = Example().result(run, operands)
    assert isinstance(result, Array)
    assert result.shape == shape


def test_lengths_are_counted_where_asked():
    example = Example()
    assert example.result(lambda a: a.shape, [MATRIX], counted=True) == Struct(
        "tuple", (Number("i", None, n), Number("i", None, m))
    )
