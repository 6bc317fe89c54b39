"""Rules of the operators, of the ufuncs that mean the same, and of the builtins abs, max, min, pow, float.

`@` is not here. Comparisons, `//`, bits and shifts are in `constants`, by their functions in `operator`.
A partial that can be infinite where the primal is fine goes through NumPy, since Python floats raise.
"""

# ruff: noqa: F821, F841  rules are parsed, never run
from __future__ import annotations

import operator
from typing import Literal

import numpy as np

from srcgrad.rules.notation import Const, Float, Number, Scalar, rule
from srcgrad.rules.points import (
    above_one,
    column,
    complex_vector,
    integers,
    matrix,
    other,
    other_complex,
    positive,
    positive_integers,
    row,
    vector,
    vector32,
    with_zero,
)
from srcgrad.runtime import unbroadcast


class Complex:
    """A number or array that is complex."""


# --- sums and products --------------------------------------------------------------------------------


@rule(
    at=[(0.3, 0.7), (vector, other), (matrix, vector), (column, row), (complex_vector, 2.0)],
    operator="+",
    also=[np.add, operator.add],
)
def add(a, b):
    y = a + b
    dy_da = 1
    dy_db = 1


@rule(
    at=[(0.3, 0.7), (vector, other), (matrix, vector), (2.0, complex_vector)],
    operator="-",
    also=[np.subtract, operator.sub],
)
def subtract(a, b):
    y = a - b
    dy_da = 1
    dy_db = -1


@rule(
    at=[(0.3, 0.7), (vector, other), (column, row), (integers, vector), (complex_vector, other_complex)],
    operator="*",
    also=[np.multiply, operator.mul],
)
def multiply(a, b):
    y = a * b
    dy_da = b
    dy_db = a


@rule(at=[(0.3, 0.7), (3, 2)], kink=[((1.0, 0.0), {"a": np.inf, "b": -np.inf})])
def divide_of_floats(a: Float, b: Float):
    y = np.divide(a, b)
    dy_da = np.divide(1, b)
    dy_db = -y / b


@rule(
    at=[(0.3, 0.7), (vector, other), (column, row), (1, integers), (complex_vector, other_complex)],
    operator="/",
    also=[np.divide, operator.truediv],
)
def divide(a, b):
    y = a / b
    dy_da = 1 / b
    dy_db = -y / b


@rule(at=[(0.3,), (vector,), (complex_vector,)], operator="u-", also=[np.negative, operator.neg])
def negative(x):
    y = -x
    dy_dx = -1


@rule(at=[(0.3,), (vector,), (complex_vector,)], operator="u+", also=[np.positive, operator.pos])
def positive_of(x):
    y = +x
    dy_dx = 1


# --- remainders ---------------------------------------------------------------------------------------


@rule(
    at=[(7.3, 2.1), (-7.3, 2.1), (vector, other), (vector, -2.0), (7.5, integers)],
    operator="%",
    also=[np.remainder, operator.mod],
)
def remainder(a, b):
    """At a jump, where b divides a, the derivative is that of the branch to the right: 1 and -(a // b)."""
    y = a % b
    dy_da = 1
    dy_db = -(a // b)


@rule(at=[(7.3, 2.1), (vector, other)], also=[np.divmod])
def quotient_and_remainder(a, b):
    """The quotient is a constant between its jumps; the remainder is that of `%`."""
    q, r = divmod(a, b)
    r_dot = a_dot - q * b_dot
    a_bar += unbroadcast(r_bar, a)
    b_bar -= unbroadcast(q * r_bar, b)


# --- powers -------------------------------------------------------------------------------------------


@rule(
    at=[(0.3, 0), (with_zero, 0), (complex_vector, 0)],
    operator="**",
    also=[np.power, np.float_power, operator.pow, pow],
)
def power_0(a, b: Literal[0]):
    y = a**b
    dy_da = 0


@rule(
    at=[(0.3, 1), (with_zero, 1), (complex_vector, 1)],
    operator="**",
    also=[np.power, np.float_power, operator.pow, pow],
)
def power_1(a, b: Literal[1]):
    y = a**b
    dy_da = 1


@rule(
    at=[(0.3, 2), (with_zero, 2), (integers, 2), (vector, 2.0), (complex_vector, 2)],
    operator="**",
    also=[np.power, np.float_power, operator.pow, pow],
)
def power_2(a, b: Literal[2]):
    y = a**b
    dy_da = 2 * a


@rule(
    at=[(0.3, 0.5)],
    operator="**",
    also=[np.power, np.float_power, operator.pow, pow],
    kink=[((0.0, 0.5), {"a": np.inf})],
)
def power_half_of_float(a: Float, b: Literal[0.5]):
    """The derivative at 0 is inf."""
    y = a**b
    dy_da = np.divide(0.5, y)


@rule(
    at=[(positive, 0.5), (positive_integers, 0.5), (complex_vector, 0.5)],
    operator="**",
    also=[np.power, np.float_power, operator.pow, pow],
    kink=[((np.array([0.0]), 0.5), {"a": np.inf})],
)
def power_half(a, b: Literal[0.5]):
    """The derivative at 0 is inf."""
    y = a**b
    dy_da = 0.5 / y


@rule(
    at=[(0.3, 3), (-0.3, 3), (0.7, -2), (2, 3), (0.7, 2.5)],
    operator="**",
    also=[operator.pow, pow],
    kink=[((0.0, 3), {"a": 0.0})],
)
def power_literal_of_float(a: Float, b: Literal[-3, -2, -1, 1.5, 2.5, 3, 4, 5, 6, 7, 8, 9, 10]):
    y = a**b
    dy_da = b * a ** (b - 1)


@rule(
    at=[(0.3, 0.7), (2, -3), (-0.3, 3), (2.5, integers), (2, 3)],
    operator="**",
    also=[np.power, operator.pow, pow],
    kink=[
        ((0.0, 0), {"a": 0.0}),
        ((0.0, 0.0), {"a": 0.0}),
        ((0.0, 0.25), {"a": np.inf}),
        ((0, 1), {"a": 1.0}),
        ((0.0, 1.5), {"a": 0.0}),
    ],
)
def power_constant_of_float(a: Float, b: Const):
    """At a = 0: inf for 0 < b < 1, and 0 for b = 0. A negative base with a broken exponent: nan."""
    y = a**b
    dy_da = b * np.float_power(a, b - (b != 0))


@rule(
    at=[(0.3, 0.7), (2.0, -3.0), (2, 3)],
    operator="**",
    also=[np.power, operator.pow, pow],
    kink=[
        ((0.0, 1.5), {"a": 0.0, "b": 0.0}),
        ((0.0, 1.0), {"a": 1.0, "b": 0.0}),
        ((0.0, 0.25), {"a": np.inf, "b": 0.0}),
        ((0.0, 0.0), {"a": 0.0, "b": -np.inf}),
        ((0, 0), {"a": 0.0, "b": -np.inf}),
        ((-2.0, 2.0), {"a": -4.0, "b": np.nan}),
    ],
)
def power_of_floats(a: Float, b: Float):
    """By b: 0 where the power is 0, nan where a is negative. By a: 0 at a = b = 0, inf at a = 0 < b < 1."""
    y = a**b
    a_selected = (a != 0) | (b != 0)
    b_selected = y != 0
    dy_da = b * np.float_power(a, b - 1)
    dy_db = y * np.log(a)


@rule(
    at=[(vector, 3), (vector, -1), (integers, 3), (positive, 2.5), (complex_vector, 3), (vector32, 3)],
    operator="**",
    also=[np.power, operator.pow, pow],
    kink=[((np.array([0.0, 0.0]), 3), {"a": 0.0}), ((np.array([0.0]), 0.25), {"a": np.inf})],
)
def power_literal(a, b: Literal):
    y = a**b
    dy_da = b * a ** (b - 1)


@rule(
    at=[
        (vector, 3),
        (vector, integers),
        (positive, other),
        (integers, positive_integers),
        (complex_vector, -2),
    ],
    operator="**",
    also=[np.power, operator.pow, pow],
    kink=[
        ((np.zeros(1), 0), {"a": 0.0}),
        ((np.zeros(1), np.zeros(1)), {"a": 0.0}),
        ((np.zeros(1, int), np.zeros(1, int)), {"a": 0.0}),
        ((np.zeros(1), 0.25), {"a": np.inf}),
        ((np.zeros(1), 1), {"a": 1.0}),
    ],
)
def power_constant(a, b: Const):
    """At a = 0: inf for 0 < b < 1, and 0 for b = 0 (b - (b != 0) is b - 1 and leaves 0 alone)."""
    y = a**b
    dy_da = b * a ** (b - (b != 0))


@rule(
    at=[
        (positive, other),
        (2.0, vector),
        (positive_integers, vector),
        (positive_integers, positive_integers),
        (column**2, row),
        (complex_vector, other_complex),
    ],
    operator="**",
    also=[np.power, operator.pow, pow],
    kink=[
        ((np.zeros(1), np.array([1.5])), {"a": 0.0, "b": 0.0}),
        ((np.zeros(1), np.array([0.25])), {"a": np.inf, "b": 0.0}),
        ((np.zeros(1), np.zeros(1)), {"a": 0.0, "b": -np.inf}),
        ((np.array([-2.0]), np.array([2.0])), {"a": -4.0, "b": np.nan}),
    ],
)
def power(a, b):
    """By b: 0 where the power is 0, nan where a is negative. By a: 0 at a = b = 0, inf at a = 0 < b < 1."""
    y = a**b
    a_selected = (a != 0) | (b != 0)
    b_selected = y != 0
    dy_da = b * a ** (b - 1.0)
    dy_db = y * np.log(a)


@rule(
    at=[(vector, 3), (integers, -2), (positive, other)],
    kink=[((np.zeros(1), 0), {"a": 0.0}), ((0.0, 0.25), {"a": np.inf})],
)
def float_power_constant(a, b: Const):
    """At a = 0: inf for 0 < b < 1, and 0 for b = 0."""
    y = np.float_power(a, b)
    dy_da = b * np.float_power(a, b - (b != 0))


@rule(at=[(positive, other), (2, vector)], kink=[((0.0, 1.5), {"a": 0.0, "b": 0.0})])
def float_power(a, b):
    """By b: 0 where the power is 0, nan where a is negative. By a: 0 at a = b = 0, inf at a = 0 < b < 1."""
    y = np.float_power(a, b)
    a_selected = (a != 0) | (b != 0)
    b_selected = y != 0
    dy_da = b * np.float_power(a, b - 1)
    dy_db = y * np.log(a)


# --- abs, max, min ------------------------------------------------------------------------------------


@rule(
    at=[(complex_vector,), (0.3 - 0.4j,)],
    operator="abs",
    also=[np.abs, operator.abs],
    kink=[((np.zeros(2, complex),), {"x": 0.0}), ((0j,), {"x": 0.0})],
)
def absolute_of_complex(x: Complex):
    """The derivative at 0 is 0."""
    y = abs(x)
    y_dot = np.real(np.conj(np.sign(x)) * x_dot)
    x_bar += np.conj(np.sign(x)) * y_bar


@rule(at=[(0.3,), (-0.3,), (-2,)], operator="abs", also=[operator.abs], kink=[((0.0,), {"x": 0.0})])
def absolute_of_float(x: Float):
    """The derivative at 0 is 0."""
    y = abs(x)
    dy_dx = (x > 0) - (x < 0)


@rule(
    at=[(np.float64(0.3),), (np.float64(-0.3),), (vector,), (integers,)],
    operator="abs",
    also=[np.abs, operator.abs],
    kink=[((np.zeros(2),), {"x": 0.0})],
)
def absolute(x):
    """The derivative at 0 is 0."""
    y = abs(x)
    dy_dx = np.sign(x)


@rule(at=[(0.3, 0.7), (0.7, 0.3)], kink=[((0.3, 0.3), {"a": 0.5, "b": 0.5})])
def largest_of_two(a: Number, b: Number):
    """Ties share equally (0.5 each); beside a NaN nothing flows."""
    y = max(a, b)
    a_selected = a >= b
    b_selected = b >= a
    dy_da = 0.5 if a == b else 1
    dy_db = 0.5 if a == b else 1


@rule(at=[(0.3, 0.7), (0.7, 0.3)], kink=[((0.3, 0.3), {"a": 0.5, "b": 0.5})])
def smallest_of_two(a: Number, b: Number):
    """Ties share equally (0.5 each); beside a NaN nothing flows."""
    y = min(a, b)
    a_selected = a <= b
    b_selected = b <= a
    dy_da = 0.5 if a == b else 1
    dy_db = 0.5 if a == b else 1


@rule(
    at=[(0.3, 0.7, 0.1), (0.7, 0.3, 0.9)],
    kink=[
        ((0.3, 0.3, 0.3), {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}),
        ((1.0, 0.0, 1.0), {"a": 0.5, "b": 0.0, "c": 0.5}),
    ],
)
def largest_of_three(a: Number, b: Number, c: Number):
    """Ties share equally; beside a NaN nothing flows."""
    y = max(a, b, c)
    ties = (a == y) + (b == y) + (c == y)
    a_selected = a == y
    b_selected = b == y
    c_selected = c == y
    dy_da = 1 / max(ties, 1)
    dy_db = 1 / max(ties, 1)
    dy_dc = 1 / max(ties, 1)


@rule(
    at=[(0.3, 0.7, 0.1), (0.7, 0.3, 0.9)],
    kink=[
        ((0.3, 0.3, 0.3), {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}),
        ((1.0, 2.0, 1.0), {"a": 0.5, "b": 0.0, "c": 0.5}),
    ],
)
def smallest_of_three(a: Number, b: Number, c: Number):
    """Ties share equally; beside a NaN nothing flows."""
    y = min(a, b, c)
    ties = (a == y) + (b == y) + (c == y)
    a_selected = a == y
    b_selected = b == y
    c_selected = c == y
    dy_da = 1 / max(ties, 1)
    dy_db = 1 / max(ties, 1)
    dy_dc = 1 / max(ties, 1)


# --- conversions --------------------------------------------------------------------------------------


@rule(at=[(0.3,), (3,)])
def to_float(x: Scalar):
    y = float(x)
    dy_dx = 1


@rule(at=[(0.3,), (0.3 + 1j,)])
def to_complex(x: Scalar):
    y = complex(x)
    dy_dx = 1


@rule(at=[(0.3,), (above_one,)])
def to_float64(x):
    y = np.float64(x)
    dy_dx = 1


@rule(
    at=[(0.25,), (vector32,)], also=[np.float16, np.longdouble, np.complex64, np.clongdouble], tolerance=1e-3
)
def to_float32(x):
    y = np.float32(x)
    dy_dx = 1


@rule(at=[(0.3,), (complex_vector,)])
def to_complex128(x):
    y = np.complex128(x)
    dy_dx = 1


@rule(at=[(0.3, 0.7)])
def complex_of_parts(a: Scalar, b: Scalar):
    y = complex(a, b)
    dy_da = 1
    dy_db = 1j
