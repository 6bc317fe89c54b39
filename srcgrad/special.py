"""Special functions that derivatives need and NumPy lacks, in plain NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Bernoulli numbers B2, B4, ... B16
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def digamma(x: Any) -> Any:
    """The derivative of lgamma; nan at 0, -1, -2 ... (Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18).

    >>> round(float(digamma(1.0)), 13)
    -0.5772156649015
    >>> digamma(np.array([0.5, -0.5])).round(7)
    array([-1.96351,  0.03649])
    """
    x = np.asarray(x, dtype=float)
    z = np.where(x > 0, x, 1 - x)  # reflected to the right half
    lifted = np.zeros(z.shape)
    for _ in range(10):  # digamma(z) = digamma(z + 1) - 1 / z, until the series at infinity is good
        small = z < 10
        lifted -= np.where(small, 1 / z, 0)
        z = np.where(small, z + 1, z)
    series = sum(b / (2 * k) / z ** (2 * k) for k, b in enumerate(BERNOULLI, 1))
    value = np.log(z) - 0.5 / z - series + lifted
    fraction = x - np.round(x)
    with np.errstate(all="ignore"):
        reflected = value - np.where(fraction == 0, np.nan, np.pi / np.tan(np.pi * fraction))
    return np.where(x > 0, value, reflected)[()]


def polygamma(n: int, x: Any) -> Any:
    """The n-th derivative of digamma (Abramowitz and Stegun 6.4.6, 6.4.11); slow where x is far below 0.

    >>> round(float(polygamma(1, 1.0)), 13), round(math.pi**2 / 6, 13)
    (1.6449340668482, 1.6449340668482)
    """
    if n == 0:
        return digamma(x)
    z = np.asarray(x, dtype=float)
    lifted = np.zeros(z.shape)
    with np.errstate(all="ignore"):
        while np.any(small := z < 10 + 2 * n):
            lifted += np.where(small, math.factorial(n) / z ** (n + 1), 0)
            z = np.where(small, z + 1, z)
    series = math.factorial(n - 1) / z**n + math.factorial(n) / (2 * z ** (n + 1))
    for k, b in enumerate(BERNOULLI, 1):
        series = series + b * math.factorial(2 * k + n - 1) / math.factorial(2 * k) / z ** (2 * k + n)
    return ((-1) ** (n + 1) * (series + lifted))[()]


def spherical_bessel(n: int, x: Any) -> Any:
    """The spherical Bessel function j_n, x real or complex (Abramowitz and Stegun 10.1.2, 10.1.11, 10.1.19).

    >>> spherical_bessel(1, np.array([0.0, 1.0, 2.0])).round(12)
    array([0.        , 0.30116868, 0.43539777])
    """
    given = np.asarray(x)
    dtype = given.dtype if given.dtype.kind in "fc" else np.dtype(float)
    z = given.astype(complex if dtype.kind == "c" else float)
    near = np.abs(z) < n + 2
    small, large = np.where(near, z, 0), np.where(near, n + 2, z)
    term = np.ones_like(z)
    for k in range(1, n + 1):
        term = term * small / (2 * k + 1)
    series = term
    for k in range(1, 40):
        term = term * (-0.5 * small * small) / (k * (2 * n + 2 * k + 1))
        series = series + term
    before, value = np.cos(large) / large, np.sin(large) / large
    for k in range(n):  # upward, which is stable while k < |x|
        before, value = value, (2 * k + 1) / large * value - before
    return np.where(near, series, value).astype(dtype)[()]
