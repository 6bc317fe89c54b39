"""Named points for the tests of the rules: what stands in `@rule(at=[...])`.

An entry of `at` is the tuple of positional arguments of one call; a dict in its last place holds the
keywords. Numbers come from a fixed seed; no point lies on a kink: `kink=` names those.
"""

from __future__ import annotations

import numpy as np

_draw = np.random.default_rng(20240607)


def _normal(*shape: int) -> np.ndarray:
    """Draws away from 0, so that signs and divisions are safe under differences."""
    x = _draw.normal(size=shape)
    return np.where(np.abs(x) < 0.1, x + 0.5, x)


# Python numbers
half = 0.5
third = 1 / 3
big = 1e200

# rank 1, four entries: they broadcast with `matrix`
vector = _normal(4)
other = _normal(4)
third_vector = _normal(4)
positive = _draw.uniform(0.3, 2.5, 4)
other_positive = _draw.uniform(0.3, 2.5, 4)
unit = _draw.uniform(-0.9, 0.9, 4)  # inside (-1, 1)
above_one = _draw.uniform(1.2, 3.0, 4)
ties = np.array([1.0, 3.0, 3.0, -2.0])
other_ties = np.array([1.0, 0.5, 3.0, -1.0])  # equal to `ties` at 0 and 2
increasing = np.cumsum(_draw.uniform(0.2, 1.0, 4))
integers = np.array([3, -1, 2, 5])
positive_integers = np.array([3, 1, 2, 5])
with_zero = np.array([0.0, 1.5, -0.7, 0.0])
single = _normal(1)
empty = np.zeros(0)
vector32 = vector.astype(np.float32)
complex_vector = _normal(4) + 1j * _normal(4)
other_complex = _normal(4) + 1j * _normal(4)

# what indexes and chooses
indices = np.array([2, 0, 2, 1])  # 2 is there twice
mask = np.array([True, False, True, True])

# rank 2 and more
matrix = _normal(3, 4)
other_matrix = _normal(3, 4)
tall = _normal(4, 3)
row = _normal(1, 4)
column = _normal(3, 1)
square = _normal(3, 3)
other_square = _normal(3, 3)
well_conditioned = 0.3 * _normal(3, 3) + 2 * np.eye(3)
_factor = 0.5 * _normal(3, 3)
spd = _factor @ _factor.T + np.eye(3)
symmetric = square + square.T
lower = np.tril(well_conditioned)
upper = np.triu(well_conditioned)
vector3 = _normal(3)
other3 = _normal(3)
complex_matrix = _normal(3, 4) + 1j * _normal(3, 4)
complex_square = 0.3 * (_normal(3, 3) + 1j * _normal(3, 3)) + 2 * np.eye(3)
stack = _normal(2, 3, 4)
square_stack = 0.3 * _normal(2, 3, 3) + 2 * np.eye(3)
tie_matrix = np.array([[3.0, 1.0, 3.0, 0.0], [0.0, 5.0, 2.0, 5.0], [1.0, 1.0, 1.0, 1.0]])
