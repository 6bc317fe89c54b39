"""Rules of NumPy's elementwise functions. Operators, and the ufuncs that mean the same, are in `operators`.

Constants are Python numbers, which widen no float32; where np.where makes float64 of two of them, the cast at
the exit makes float32 again. A partial reads the operand as `x * x`, not `x**2`, since a Python float raises
where that overflows.
"""

# ruff: noqa: F821, F841  rules are parsed, never run
from __future__ import annotations

import math
from typing import Literal

import numpy as np

from srcgrad.rules.notation import Absent, Const, Float, Given, Mask, rule
from srcgrad.rules.operators import Complex
from srcgrad.rules.points import (
    above_one,
    column,
    complex_vector,
    integers,
    mask,
    matrix,
    other,
    other_ties,
    positive,
    positive_integers,
    row,
    ties,
    unit,
    vector,
    vector32,
    with_zero,
)
from srcgrad.runtime import unbroadcast
from srcgrad.special import spherical_bessel

INF = np.inf
ZERO = np.zeros(1)

# --- exponentials and logarithms ----------------------------------------------------------------------


@rule(at=[(0.3,), (vector,), (complex_vector,)])
def exp(x):
    y = np.exp(x)
    dy_dx = y


@rule(at=[(0.3,), (vector,), (vector32,), (complex_vector,)])
def exp2(x):
    y = np.exp2(x)
    dy_dx = y * math.log(2)


@rule(at=[(0.3,), (vector,), (complex_vector,)])
def expm1(x):
    y = np.expm1(x)
    dy_dx = np.exp(x)


@rule(at=[(0.3,), (2,)], kink=[((0.0,), {"x": INF})])
def log_of_float(x: Float):
    """The derivative at 0 is inf."""
    y = np.log(x)
    dy_dx = np.divide(1, x)


@rule(at=[(positive,), (positive_integers,), (complex_vector,)], kink=[((ZERO,), {"x": INF})])
def log(x):
    """The derivative at 0 is inf."""
    y = np.log(x)
    dy_dx = 1 / x


@rule(at=[(0.3,), (2,)], kink=[((0.0,), {"x": INF})])
def log2_of_float(x: Float):
    """The derivative at 0 is inf."""
    y = np.log2(x)
    dy_dx = np.divide(1, x * math.log(2))


@rule(at=[(positive,), (positive_integers,), (complex_vector,)], kink=[((ZERO,), {"x": INF})])
def log2(x):
    """The derivative at 0 is inf."""
    y = np.log2(x)
    dy_dx = 1 / (x * math.log(2))


@rule(at=[(0.3,), (2,)], kink=[((0.0,), {"x": INF})])
def log10_of_float(x: Float):
    """The derivative at 0 is inf."""
    y = np.log10(x)
    dy_dx = np.divide(1, x * math.log(10))


@rule(at=[(positive,), (positive_integers,), (complex_vector,)], kink=[((ZERO,), {"x": INF})])
def log10(x):
    """The derivative at 0 is inf."""
    y = np.log10(x)
    dy_dx = 1 / (x * math.log(10))


@rule(at=[(0.3,), (2,)], kink=[((-1.0,), {"x": INF})])
def log1p_of_float(x: Float):
    """The derivative at -1 is inf."""
    y = np.log1p(x)
    dy_dx = np.divide(1, 1 + x)


@rule(at=[(unit,), (positive_integers,), (complex_vector,)], kink=[((ZERO - 1,), {"x": INF})])
def log1p(x):
    """The derivative at -1 is inf."""
    y = np.log1p(x)
    dy_dx = 1 / (1 + x)


@rule(
    at=[(0.3, 0.7), (vector, other), (column, row)],
    kink=[
        ((-INF, 0.0), {"a": 0.0, "b": 1.0}),
        ((-INF, -INF), {"a": 0.0, "b": 0.0}),
        ((0.0, 0.0), {"a": 0.5, "b": 0.5}),
    ],
)
def logaddexp(a, b):
    """An operand of -inf gets 0, also where both are -inf."""
    y = np.logaddexp(a, b)
    a_selected = a != -np.inf
    b_selected = b != -np.inf
    dy_da = np.exp(a - y)
    dy_db = np.exp(b - y)


@rule(
    at=[(0.3, 0.7), (vector, other), (column, row)],
    kink=[((-INF, 0.0), {"a": 0.0, "b": 1.0}), ((-INF, -INF), {"a": 0.0, "b": 0.0})],
)
def logaddexp2(a, b):
    """An operand of -inf gets 0, also where both are -inf."""
    y = np.logaddexp2(a, b)
    a_selected = a != -np.inf
    b_selected = b != -np.inf
    dy_da = np.exp2(a - y)
    dy_db = np.exp2(b - y)


# --- roots and squares --------------------------------------------------------------------------------


@rule(
    at=[(0.3,), (positive,), (positive_integers,), (complex_vector,)],
    kink=[((0.0,), {"x": INF}), ((ZERO,), {"x": INF})],
)
def sqrt(x):
    """The derivative at 0 is inf."""
    y = np.sqrt(x)
    dy_dx = 0.5 / y


@rule(at=[(0.3,), (vector,), (integers,)], kink=[((0.0,), {"x": INF})])
def cbrt(x):
    """The derivative at 0 is inf."""
    y = np.cbrt(x)
    dy_dx = 1 / (3 * y**2)


@rule(at=[(0.3,), (vector,), (integers,), (complex_vector,)])
def square(x):
    y = np.square(x)
    dy_dx = 2 * x


@rule(at=[(0.3,), (vector,), (complex_vector,)], kink=[((0.0,), {"x": -INF})])
def reciprocal(x):
    y = np.reciprocal(x)
    dy_dx = -y * y


@rule(
    at=[(0.3, 0.7), (vector, other), (column, row), (integers, 2)],
    kink=[((0.0, 0.0), {"a": 0.0, "b": 0.0}), ((0.0, -2.0), {"a": 0.0, "b": -1.0})],
)
def hypot(a, b):
    """The derivative at the origin is 0."""
    y = np.hypot(a, b)
    a_selected = y != 0
    b_selected = y != 0
    dy_da = a / y
    dy_db = b / y


# --- trigonometry -------------------------------------------------------------------------------------


@rule(at=[(0.3,), (vector,), (complex_vector,)])
def sin(x):
    y = np.sin(x)
    dy_dx = np.cos(x)


@rule(at=[(0.3,), (vector,), (complex_vector,)])
def cos(x):
    y = np.cos(x)
    dy_dx = -np.sin(x)


@rule(at=[(0.3,), (vector,), (complex_vector,)])
def tan(x):
    y = np.tan(x)
    dy_dx = 1 + y**2


@rule(at=[(0.3,), (unit,), (complex_vector,)], kink=[((1.0,), {"x": INF}), ((-1.0,), {"x": INF})])
def arcsin(x):
    """The derivative at 1 and -1 is inf."""
    y = np.arcsin(x)
    dy_dx = 1 / np.sqrt(1 - x * x)


@rule(at=[(0.3,), (unit,), (complex_vector,)], kink=[((1.0,), {"x": -INF})])
def arccos(x):
    """The derivative at 1 and -1 is -inf."""
    y = np.arccos(x)
    dy_dx = -1 / np.sqrt(1 - x * x)


@rule(at=[(0.3,), (vector,), (integers,), (complex_vector,)], kink=[((1e200,), {"x": 0.0})])
def arctan(x):
    y = np.arctan(x)
    dy_dx = 1 / (1 + x * x)


@rule(
    at=[(0.3, 0.7), (vector, other), (column, row), (1e200, 1e200), (1e-200, -1e-200), (integers, 2)],
    kink=[((0.0, 0.0), {"a": 0.0, "b": 0.0}), ((0.0, -2.0), {"a": -0.5, "b": 0.0})],
)
def arctan2(a, b):
    """The derivative at the origin is 0."""
    y = np.arctan2(a, b)
    r = np.hypot(a, b)
    a_selected = r != 0
    b_selected = r != 0
    dy_da = b / r / r
    dy_db = -a / r / r


@rule(at=[(0.3,), (vector,), (complex_vector,)])
def sinh(x):
    y = np.sinh(x)
    dy_dx = np.cosh(x)


@rule(at=[(0.3,), (vector,), (complex_vector,)])
def cosh(x):
    y = np.cosh(x)
    dy_dx = np.sinh(x)


@rule(at=[(0.3,), (vector,), (complex_vector,)])
def tanh(x):
    y = np.tanh(x)
    dy_dx = 1 - y**2


@rule(at=[(0.3,), (vector,), (integers,), (1e200,), (complex_vector,)])
def arcsinh(x):
    """cosh(y) is sqrt(1 + x**2) where that would overflow, too."""
    y = np.arcsinh(x)
    dy_dx = 1 / np.cosh(y)


@rule(at=[(1.3,), (above_one,), (1e200,), (complex_vector,)], kink=[((1.0,), {"x": INF})])
def arccosh(x):
    """The derivative at 1 is inf; sinh(y) is sqrt(x**2 - 1), on the right branch for complex x, too."""
    y = np.arccosh(x)
    dy_dx = 1 / np.sinh(y)


@rule(at=[(0.3,)], kink=[((1.0,), {"x": INF})])
def arctanh_of_float(x: Float):
    """The derivative at 1 and -1 is inf."""
    y = np.arctanh(x)
    dy_dx = np.divide(1, 1 - x * x)


@rule(at=[(unit,), (complex_vector,)], kink=[((ZERO + 1,), {"x": INF})])
def arctanh(x):
    """The derivative at 1 and -1 is inf."""
    y = np.arctanh(x)
    dy_dx = 1 / (1 - x * x)


@rule(at=[(30.0,), (vector,), (vector32,)], also=[np.radians])
def deg2rad(x):
    y = np.deg2rad(x)
    dy_dx = np.pi / 180


@rule(at=[(0.3,), (vector,), (vector32,)], also=[np.degrees])
def rad2deg(x):
    y = np.rad2deg(x)
    dy_dx = 180 / np.pi


@rule(at=[(0.3,), (vector,), (with_zero,), (integers,), (complex_vector,)], kink=[((0.0,), {"x": 0.0})])
def sinc(x):
    """Through the spherical Bessel function j1: all derivatives are right at 0, and accurate beside it."""
    y = np.sinc(x)
    dy_dx = -np.pi * spherical_bessel(1, np.pi * x)


@rule(at=[(0, vector), (1, vector), (2, with_zero), (3, 5 * vector), (1, complex_vector)])
def spherical_bessel_function(n: Const, x):
    """Abramowitz and Stegun 10.1.20."""
    y = spherical_bessel(n, x)
    dy_dx = (n * spherical_bessel(abs(n - 1), x) - (n + 1) * spherical_bessel(n + 1, x)) / (2 * n + 1)


# --- larger, smaller, signs ---------------------------------------------------------------------------


@rule(
    at=[(0.3, 0.0), (vector, 0), (matrix, 0.0)],
    kink=[((np.zeros(2), 0), {"a": 1.0}), ((ZERO + np.nan, 0), {"a": 0.0})],
)
def relu(a, b: Literal[0]):
    """The derivative at 0 is 0.5, as ties share equally; at NaN nothing flows."""
    y = np.maximum(a, b)
    a_selected = a >= 0
    dy_da = np.heaviside(a, 0.5)


@rule(
    at=[(0.3, 0.7), (vector, other), (matrix, vector), (column, row)],
    kink=[
        ((ties, other_ties), {"a": 2.0, "b": 2.0}),
        ((INF, INF), {"a": 0.5, "b": 0.5}),
        ((np.nan, 1.0), {"a": 0.0, "b": 0.0}),
    ],
)
def maximum(a, b):
    """Ties share equally (0.5 each); beside a NaN nothing flows."""
    y = np.maximum(a, b)
    a_selected = a >= b
    b_selected = b >= a
    dy_da = np.where(a == b, 0.5, 1)
    dy_db = np.where(a == b, 0.5, 1)


@rule(
    at=[(0.3, 0.7), (vector, other), (matrix, vector), (column, row)],
    kink=[((ties, other_ties), {"a": 2.0, "b": 2.0}), ((np.nan, 1.0), {"a": 0.0, "b": 0.0})],
)
def minimum(a, b):
    """Ties share equally (0.5 each); beside a NaN nothing flows."""
    y = np.minimum(a, b)
    a_selected = a <= b
    b_selected = b <= a
    dy_da = np.where(a == b, 0.5, 1)
    dy_db = np.where(a == b, 0.5, 1)


@rule(
    at=[(0.3, 0.7), (vector, other), (matrix, vector), (column, row)],
    kink=[
        ((ties, other_ties), {"a": 2.0, "b": 2.0}),
        ((np.nan, 1.0), {"a": 0.0, "b": 1.0}),
        ((np.nan, np.nan), {"a": 0.0, "b": 0.0}),
    ],
)
def fmax(a, b):
    """Ties share equally (0.5 each); beside a NaN the number gets all; where both are NaN nothing flows."""
    y = np.fmax(a, b)
    a_selected = a == y
    b_selected = b == y
    dy_da = np.where(a == b, 0.5, 1)
    dy_db = np.where(a == b, 0.5, 1)


@rule(
    at=[(0.3, 0.7), (vector, other), (matrix, vector), (column, row)],
    kink=[((ties, other_ties), {"a": 2.0, "b": 2.0}), ((1.0, np.nan), {"a": 1.0, "b": 0.0})],
)
def fmin(a, b):
    """Ties share equally (0.5 each); beside a NaN the number gets all; where both are NaN nothing flows."""
    y = np.fmin(a, b)
    a_selected = a == y
    b_selected = b == y
    dy_da = np.where(a == b, 0.5, 1)
    dy_db = np.where(a == b, 0.5, 1)


@rule(
    at=[
        (0.3, 0.0, 1.0),
        (-0.3, 0.0, 1.0),
        (2 * vector, -0.5, 0.5),
        (matrix, -positive, positive),
        (vector, 1.0, -1.0),
    ],
    kink=[
        ((0.0, 0.0, 1.0), {"a": 0.5, "a_min": 0.5, "a_max": 0.0}),
        ((1.0, 0.0, 1.0), {"a": 0.5, "a_min": 0.0, "a_max": 0.5}),
        ((1.0, 1.0, 1.0), {"a": 0.25, "a_min": 0.25, "a_max": 0.5}),
        ((np.nan, 0.0, 1.0), {"a": 0.0, "a_min": 0.0, "a_max": 0.0}),
    ],
)
def clip(a, a_min: Given, a_max: Given):
    """min(max(a, a_min), a_max): 0.5 at a bound, 0 at NaN; what is cut off goes to the bound."""
    y = np.clip(a, a_min, a_max)
    a_selected = (a_min <= a) & (a <= a_max)
    a_min_selected = (a <= a_min) & (a_min <= a_max)
    a_max_selected = a_max <= np.maximum(a, a_min)
    dy_da = np.where(a == a_min, 0.5, 1) * np.where(a == a_max, 0.5, 1)
    dy_da_min = np.where(a == a_min, 0.5, 1) * np.where(a_min == a_max, 0.5, 1)
    dy_da_max = np.where(a_max == np.maximum(a, a_min), 0.5, 1)


@rule(at=[(0.3, 0.0, None), (vector, 0.5, None)], kink=[((0.5, 0.5, None), {"a": 0.5, "a_min": 0.5})])
def clip_below(a, a_min: Given, a_max: Absent):
    """max(a, a_min): 0.5 at the bound, 0 at NaN."""
    y = np.clip(a, a_min, a_max)
    a_selected = a_min <= a
    a_min_selected = a <= a_min
    dy_da = np.where(a == a_min, 0.5, 1)
    dy_da_min = np.where(a == a_min, 0.5, 1)


@rule(at=[(0.3, None, 0.0), (vector, None, 0.5)], kink=[((0.5, None, 0.5), {"a": 0.5, "a_max": 0.5})])
def clip_above(a, a_min: Absent, a_max: Given):
    """min(a, a_max): 0.5 at the bound, 0 at NaN."""
    y = np.clip(a, a_min, a_max)
    a_selected = a <= a_max
    a_max_selected = a_max <= a
    dy_da = np.where(a == a_max, 0.5, 1)
    dy_da_max = np.where(a == a_max, 0.5, 1)


@rule(
    at=[(2 * vector, {"min": -0.5, "max": 0.5}), (matrix, {"min": -positive, "max": positive})],
    method="clip",
    kink=[((ZERO, ZERO, ZERO + 1), {"a": 0.5, "min": 0.5, "max": 0.0})],
)
def clip_by_keyword(a, min: Given, max: Given):
    """min(max(a, lower), upper): 0.5 at a bound, 0 at NaN; what is cut off goes to the bound."""
    y = np.clip(a, min=min, max=max)
    a_selected = (min <= a) & (a <= max)
    min_selected = (a <= min) & (min <= max)
    max_selected = max <= np.maximum(a, min)
    dy_da = np.where(a == min, 0.5, 1) * np.where(a == max, 0.5, 1)
    dy_dmin = np.where(a == min, 0.5, 1) * np.where(min == max, 0.5, 1)
    dy_dmax = np.where(max == np.maximum(a, min), 0.5, 1)


@rule(at=[(vector, {"min": 0.5})], method="clip", kink=[((ZERO, ZERO), {"a": 0.5, "min": 0.5})])
def clip_below_by_keyword(a, min: Given, max: Absent):
    """max(a, lower): 0.5 at the bound, 0 at NaN."""
    y = np.clip(a, min=min, max=max)
    a_selected = min <= a
    min_selected = a <= min
    dy_da = np.where(a == min, 0.5, 1)
    dy_dmin = np.where(a == min, 0.5, 1)


@rule(at=[(vector, {"max": 0.5})], method="clip", kink=[((ZERO, None, ZERO), {"a": 0.5, "max": 0.5})])
def clip_above_by_keyword(a, min: Absent, max: Given):
    """min(a, upper): 0.5 at the bound, 0 at NaN."""
    y = np.clip(a, min=min, max=max)
    a_selected = a <= max
    max_selected = max <= a
    dy_da = np.where(a == max, 0.5, 1)
    dy_dmax = np.where(a == max, 0.5, 1)


@rule(at=[(0.3,), (vector,), (integers,)], kink=[((np.zeros(2),), {"x": 0.0})])
def fabs(x):
    """The derivative at 0 is 0."""
    y = np.fabs(x)
    dy_dx = np.sign(x)


@rule(at=[(complex_vector,), (0.3 - 0.4j,)], kink=[((0j,), {"x": 0.0})])
def sign_of_complex(x: Complex):
    """x / abs(x); the derivative at 0 is 0."""
    y = np.sign(x)
    r = np.where(x == 0, np.inf, np.abs(x))
    y_dot = 1j * y * np.imag(np.conj(y) * x_dot) / r
    x_bar += 1j * np.conj(y) * np.imag(y * y_bar) / r


@rule(at=[(0.3,), (vector,)], kink=[((0.0,), {"x": 0.0})])
def sign(x):
    """The derivative at 0 is 0."""
    y = np.sign(x)
    dy_dx = 0


@rule(
    at=[(0.3, -0.7), (vector, other), (vector, -1), (integers, other)],
    kink=[((0.0, -1.0), {"a": 0.0, "b": 0.0})],
)
def copysign(a, b):
    """The derivative at a = 0 is 0, as for abs."""
    y = np.copysign(a, b)
    dy_da = np.sign(a) * np.sign(y)
    dy_db = 0


@rule(
    at=[(0.3, 0.7), (vector, other)],
    kink=[((0.0, 0.7), {"a": 0.0, "b": 1.0}), ((0.3, 0.7), {"a": 0.0, "b": 0.0})],
)
def heaviside(a, b):
    """By a: 0, also at the jump."""
    y = np.heaviside(a, b)
    b_selected = a == 0
    dy_da = 0


@rule(at=[(7.3, 2.1), (-7.3, 2.1), (vector, other), (7.5, integers)])
def fmod(a, b):
    """At a jump, where b divides a, the derivative is that of the branch away from 0."""
    y = np.fmod(a, b)
    dy_da = 1
    dy_db = np.rint((y - a) / b)


# --- choices and copies -------------------------------------------------------------------------------


@rule(
    at=[
        (mask, vector, other),
        (mask, vector, 0),
        (mask, matrix, vector),
        (np.True_, 0.3, 0.7),
        (np.False_, 0.3, vector),
    ],
    kink=[((mask, vector, other), {"a": 3.0, "b": 1.0})],
)
def where_mask(condition: Mask, a, b):
    y = np.where(condition, a, b)
    a_selected = condition
    b_selected = ~condition
    dy_dcondition = 0


@rule(
    at=[(integers, vector, other), (1, 0.3, vector)],
    kink=[((with_zero, vector, other), {"a": 2.0, "b": 2.0})],
)
def where(condition, a, b):
    y = np.where(condition, a, b)
    a_selected = condition != 0
    b_selected = condition == 0
    dy_dcondition = 0


@rule(at=[(vector,), (mask,)])
def where_indices(condition):
    y = np.where(condition)
    dy_dcondition = 0


@rule(
    at=[(vector,), (0.3,), (vector, {"nan": 1.0, "posinf": 2.0, "neginf": -2.0})],
    kink=[((np.array([np.nan, INF, -INF, 2.0]),), {"x": 1.0})],
)
def nan_to_num(x, nan: Const = 0.0, posinf: Const = None, neginf: Const = None):
    """What is replaced gets 0. A complex number of which one part is replaced gets 0 for both."""
    y = np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    x_selected = np.isfinite(x)


@rule(at=[(vector,), (matrix,)], method="copy")
def copy(a):
    y = np.copy(a)
    dy_da = 1


@rule(
    at=[(vector, float), (vector, "float64"), (integers, float), (vector, complex)],
    method="astype",
    also=[np.astype],
)
def astype_inexact(
    x, dtype: Literal[float, complex, np.float64, np.float32, np.complex128, "float64", "float32"]
):
    y = x.astype(dtype)
    dy_dx = 1


@rule(at=[(vector, "f8"), (vector, int), (integers, np.dtype(float))], method="astype", also=[np.astype])
def astype(x, dtype: Const):
    """A cast to integers or bool is a step, whose derivative is 0."""
    y = x.astype(dtype)
    dy_dx = np.issubdtype(dtype, np.inexact)


@rule(at=[(0.3, 3), (vector, integers), (vector32, 2), (column, integers)])
def ldexp(x, i: Const):
    y = np.ldexp(x, i)
    y_dot = np.ldexp(x_dot, i)
    x_bar += unbroadcast(np.ldexp(y_bar, i), x)


@rule(at=[(0.3,), (5.0,), (vector,)])
def frexp(x):
    """The exponent is a constant between its jumps."""
    m, e = np.frexp(x)
    m_dot = np.ldexp(x_dot, -e)
    x_bar += np.ldexp(m_bar, -e)


@rule(at=[(7.3,), (3 * vector,)])
def modf(x):
    """The integral part is a constant between its jumps."""
    fraction, integral = np.modf(x)
    fraction_dot = x_dot
    x_bar += fraction_bar


# --- parts of complex numbers: what is real has a real adjoint ----------------------------------------


@rule(at=[(0.3,), (vector,), (complex_vector,)], method="real")
def real(x):
    y = np.real(x)
    y_dot = np.real(x_dot)
    x_bar += y_bar


@rule(at=[(0.3,), (vector,), (complex_vector,)], method="imag")
def imag(x):
    y = np.imag(x)
    y_dot = np.imag(x_dot)
    x_bar += -1j * y_bar


@rule(at=[(0.3,), (vector,), (complex_vector,)], method="conj")
def conj(x):
    y = np.conj(x)
    y_dot = np.conj(x_dot)
    x_bar += np.conj(y_bar)


@rule(at=[(complex_vector,)], method="conjugate")
def conjugate(x):
    y = x.conjugate()
    y_dot = np.conj(x_dot)
    x_bar += np.conj(y_bar)


@rule(at=[(vector,), (complex_vector,), (0.3 + 1j,)], kink=[((0j,), {"z": 0.0})])
def angle(z, deg: Absent):
    """The derivative at 0 is 0, and so it is for real numbers."""
    y = np.angle(z)
    r = np.where(z == 0, np.inf, z)
    y_dot = np.imag(z_dot / r)
    z_bar += -1j * y_bar / r


@rule(at=[(complex_vector, True), (0.3 + 1j, {"deg": False})], kink=[((0j, True), {"z": 0.0})])
def angle_in_degrees(z, deg: Const):
    """The derivative at 0 is 0, and so it is for real numbers."""
    y = np.angle(z, deg)
    r = np.where(z == 0, np.inf, z)
    unit = 180 / np.pi if deg else 1
    y_dot = unit * np.imag(z_dot / r)
    z_bar += -1j * unit * y_bar / r
