"""Rules of the module math, and of the special functions that they need.

They print math, which raises where it overflows or divides by 0; so a partial divides only by what the primal
divides by, and goes through NumPy where it is infinite at a point where the primal is fine.
"""

# ruff: noqa: F821, F841  rules are parsed, never run
from __future__ import annotations

import math
from typing import Literal

import numpy as np

from srcgrad.rules.notation import Const, rule
from srcgrad.rules.points import above_one, positive, vector
from srcgrad.special import digamma, polygamma

INF = np.inf

# --- exponentials, logarithms, powers -----------------------------------------------------------------


@rule(at=[(0.3,), (-2,)])
def exp(x):
    y = math.exp(x)
    dy_dx = y


@rule(at=[(0.3,), (-2,)])
def exp2(x):
    y = math.exp2(x)
    dy_dx = y * math.log(2)


@rule(at=[(0.3,), (-2,)])
def expm1(x):
    y = math.expm1(x)
    dy_dx = math.exp(x)


@rule(at=[(0.3,), (2,)])
def log(x):
    y = math.log(x)
    dy_dx = 1 / x


@rule(at=[(0.3, 2.5), (3, 2)])
def log_to_base(x, base):
    y = math.log(x, base)
    dy_dx = 1 / (x * math.log(base))
    dy_dbase = -y / (base * math.log(base))


@rule(at=[(0.3,), (2,)])
def log2(x):
    y = math.log2(x)
    dy_dx = 1 / (x * math.log(2))


@rule(at=[(0.3,), (2,)])
def log10(x):
    y = math.log10(x)
    dy_dx = 1 / (x * math.log(10))


@rule(at=[(0.3,), (2,)])
def log1p(x):
    y = math.log1p(x)
    dy_dx = 1 / (1 + x)


@rule(at=[(0.3,), (2,)], kink=[((0.0,), {"x": INF})])
def sqrt(x):
    """The derivative at 0 is inf."""
    y = math.sqrt(x)
    dy_dx = np.divide(0.5, y)


@rule(at=[(0.3,), (-0.3,), (2,)], kink=[((0.0,), {"x": INF})])
def cbrt(x):
    """The derivative at 0 is inf."""
    y = math.cbrt(x)
    dy_dx = np.divide(1, 3 * y**2)


@rule(at=[(0.3, 1), (0.0, 1)])
def pow_1(a, b: Literal[1]):
    y = math.pow(a, b)
    dy_da = 1


@rule(at=[(0.3, 2), (0.0, 2), (-0.3, 2.0)])
def pow_2(a, b: Literal[2]):
    y = math.pow(a, b)
    dy_da = 2 * a


@rule(at=[(0.3, 0.7), (-0.3, 3), (2, -3)], kink=[((0.0, 0), {"a": 0.0}), ((0.0, 0.25), {"a": INF})])
def pow_constant(a, b: Const):
    """At a = 0: inf for 0 < b < 1, and 0 for b = 0."""
    y = math.pow(a, b)
    dy_da = b * np.float_power(a, b - (b != 0))


@rule(
    at=[(0.3, 0.7), (2, -3)],
    kink=[
        ((0.0, 1.5), {"a": 0.0, "b": 0.0}),
        ((0.0, 0.0), {"a": 0.0, "b": -INF}),
        ((-2.0, 2.0), {"a": -4.0, "b": np.nan}),
    ],
)
def pow_of_floats(a, b):
    """By b: 0 where the power is 0, nan where a is negative. By a: 0 at a = b = 0, inf at a = 0 < b < 1."""
    y = math.pow(a, b)
    a_selected = (a != 0) | (b != 0)
    b_selected = y != 0
    dy_da = b * np.float_power(a, b - 1)
    dy_db = y * np.log(a)


@rule(at=[(-0.3,)], kink=[((0.0,), {"x": 0.0})])
def hypot_of_one(x):
    """The derivative at 0 is 0."""
    y = math.hypot(x)
    dy_dx = math.copysign(1, x) if x else 0


@rule(at=[(0.3, 0.7), (1e200, 1e200), (3, 4)], kink=[((0.0, 0.0), {"a": 0.0, "b": 0.0})])
def hypot(a, b):
    """The derivative at the origin is 0."""
    y = math.hypot(a, b)
    dy_da = a / y if y else 0.0
    dy_db = b / y if y else 0.0


@rule(at=[(0.3, 0.7, -0.2)], kink=[((0.0, 0.0, 0.0), {"a": 0.0, "b": 0.0, "c": 0.0})])
def hypot_of_three(a, b, c):
    """The derivative at the origin is 0."""
    y = math.hypot(a, b, c)
    dy_da = a / y if y else 0.0
    dy_db = b / y if y else 0.0
    dy_dc = c / y if y else 0.0


# --- trigonometry -------------------------------------------------------------------------------------


@rule(at=[(0.3,), (-2,)])
def sin(x):
    y = math.sin(x)
    dy_dx = math.cos(x)


@rule(at=[(0.3,), (-2,)])
def cos(x):
    y = math.cos(x)
    dy_dx = -math.sin(x)


@rule(at=[(0.3,), (-2,)])
def tan(x):
    y = math.tan(x)
    dy_dx = 1 + y**2


@rule(at=[(0.3,)], kink=[((1.0,), {"x": INF}), ((-1,), {"x": INF})])
def asin(x):
    """The derivative at 1 and -1 is inf."""
    y = math.asin(x)
    dy_dx = 1 / np.sqrt(1 - x * x)


@rule(at=[(0.3,)], kink=[((1.0,), {"x": -INF}), ((-1,), {"x": -INF})])
def acos(x):
    """The derivative at 1 and -1 is -inf."""
    y = math.acos(x)
    dy_dx = -1 / np.sqrt(1 - x * x)


@rule(at=[(0.3,), (-2,)], kink=[((1e200,), {"x": 0.0})])
def atan(x):
    y = math.atan(x)
    dy_dx = 1 / (1 + x * x)


@rule(
    at=[(0.3, 0.7), (-0.3, -0.7), (1e200, 1e200), (1e-200, 1e-200)],
    kink=[((0.0, 0.0), {"a": 0.0, "b": 0.0}), ((0.0, -2.0), {"a": -0.5, "b": 0.0})],
)
def atan2(a, b):
    """The derivative at the origin is 0."""
    y = math.atan2(a, b)
    r = math.hypot(a, b)
    dy_da = b / r / r if r else 0.0
    dy_db = -a / r / r if r else 0.0


@rule(at=[(0.3,), (-2,)])
def sinh(x):
    y = math.sinh(x)
    dy_dx = math.cosh(x)


@rule(at=[(0.3,), (-2,)])
def cosh(x):
    y = math.cosh(x)
    dy_dx = math.sinh(x)


@rule(at=[(0.3,), (-2,)])
def tanh(x):
    y = math.tanh(x)
    dy_dx = 1 - y**2


@rule(at=[(0.3,), (-2,), (1e200,)])
def asinh(x):
    y = math.asinh(x)
    dy_dx = 1 / math.hypot(1, x)


@rule(at=[(1.3,), (2,), (1e200,)], kink=[((1.0,), {"x": INF})])
def acosh(x):
    """The derivative at 1 is inf; sinh(y) is sqrt(x**2 - 1) where that would overflow, too."""
    y = math.acosh(x)
    dy_dx = 1 / np.sinh(y)


@rule(at=[(0.3,), (-0.7,)])
def atanh(x):
    y = math.atanh(x)
    dy_dx = 1 / (1 - x * x)


@rule(at=[(0.3,)])
def degrees(x):
    y = math.degrees(x)
    dy_dx = 180 / math.pi


@rule(at=[(30.0,)])
def radians(x):
    y = math.radians(x)
    dy_dx = math.pi / 180


# --- signs and remainders -----------------------------------------------------------------------------


@rule(at=[(0.3,), (-0.3,)], kink=[((0.0,), {"x": 0.0})])
def fabs(x):
    """The derivative at 0 is 0."""
    y = math.fabs(x)
    dy_dx = math.copysign(1, x) if x else 0


@rule(at=[(0.3, -0.7), (-0.3, -0.7), (-0.3, 2)], kink=[((0.0, -1.0), {"a": 0.0, "b": 0.0})])
def copysign(a, b):
    """The derivative at a = 0 is 0, as for abs."""
    y = math.copysign(a, b)
    dy_da = math.copysign(1, a) * math.copysign(1, b) if a else 0
    dy_db = 0


@rule(at=[(7.3, 2.1), (-7.3, 2.1), (7.3, -2.1)])
def fmod(a, b):
    """At a jump, where b divides a, the derivative is that of the branch away from 0."""
    y = math.fmod(a, b)
    dy_da = 1
    dy_db = np.rint((y - a) / b)


@rule(at=[(7.3, 2.1), (-7.3, 2.1), (9.1, 2.1)])
def remainder(a, b):
    """a - n * b, with n the integer nearest to a / b; the derivative is that of n as it is."""
    y = math.remainder(a, b)
    dy_da = 1
    dy_db = np.rint((y - a) / b)


@rule(at=[(7.3,), (-7.3,)])
def modf(x):
    """The integral part is a constant between its jumps."""
    fraction, integral = math.modf(x)
    fraction_dot = x_dot
    x_bar += fraction_bar


@rule(at=[(7.3,), (-0.3,)], kink=[((0.0,), {"x": 1.0})])
def frexp(x):
    """The exponent is a constant between its jumps."""
    m, e = math.frexp(x)
    m_dot = np.ldexp(x_dot, -e)
    x_bar += np.ldexp(m_bar, -e)


@rule(at=[(0.3, 3), (-0.7, -2)])
def ldexp(x, i: Const):
    y = math.ldexp(x, i)
    y_dot = np.ldexp(x_dot, i)
    x_bar += np.ldexp(y_bar, i)


# --- special functions --------------------------------------------------------------------------------


@rule(at=[(0.3,), (-2,)], kink=[((1e200,), {"x": 0.0})])
def erf(x):
    y = math.erf(x)
    dy_dx = 2 / math.sqrt(math.pi) * math.exp(-x * x)


@rule(at=[(0.3,), (-2,)], kink=[((1e200,), {"x": 0.0})])
def erfc(x):
    y = math.erfc(x)
    dy_dx = -2 / math.sqrt(math.pi) * math.exp(-x * x)


@rule(at=[(0.3,), (-0.3,), (3,), (20.5,)])
def gamma(x):
    """Through the digamma function, Abramowitz and Stegun 6.3.1."""
    y = math.gamma(x)
    dy_dx = y * digamma(x)


@rule(at=[(0.3,), (-0.3,), (3,), (200.5,)])
def lgamma(x):
    """Through the digamma function, Abramowitz and Stegun 6.3.1."""
    y = math.lgamma(x)
    dy_dx = digamma(x)


@rule(at=[(0.3,), (-0.3,), (positive,), (3 * vector,)])
def digamma_function(x):
    y = digamma(x)
    dy_dx = polygamma(1, x)


@rule(at=[(1, 0.3), (1, above_one), (2, positive), (0, positive), (1, 3 * vector)])
def polygamma_function(n: Const, x):
    y = polygamma(n, x)
    dy_dx = polygamma(n + 1, x)
