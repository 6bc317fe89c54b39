"""Named points for the tests of the array rules; those of the elementwise ones are in `points`."""

from __future__ import annotations

import numpy as np

_random = np.random.default_rng(20)

vector = np.array([0.7, -1.3, 2.1, 0.4])
other = np.array([1.1, 0.6, -0.8, 1.9])
short = np.array([0.5, -1.5, 0.9])
three = np.array([-0.4, 1.2, 0.8])
single = np.array([0.6])
with_zero = np.array([0.7, 0.0, 2.1, 0.4])
zeros = np.array([0.7, 0.0, 0.0, 0.4])
increasing = np.array([0.1, 0.5, 1.3, 2.0])
inside = np.array([0.2, 0.9, 1.9, 2.5, -1.0])
with_nan = np.array([0.7, np.nan, 2.1, 0.4])
tangled = np.array([0.7 + 0.2j, -1.3 - 0.5j, 2.1j, 0.4])  # complex
tangled_matrix = _random.normal(size=(3, 3)) + 1j * _random.normal(size=(3, 3))
matrix = _random.normal(size=(3, 4))
matrix_2 = _random.normal(size=(3, 4))
matrix_with_zero = matrix.copy()
matrix_with_zero[1, 2] = 0
matrix_with_nan = matrix.copy()
matrix_with_nan[1, 2] = np.nan
tall = _random.normal(size=(4, 2))
triples = _random.normal(size=(4, 3))
triples_2 = _random.normal(size=(4, 3))
square = _random.normal(size=(3, 3))
well_conditioned = square + 4 * np.eye(3)
stack = _random.normal(size=(2, 3, 4))
stack_2 = _random.normal(size=(2, 4, 3))
stack_of_squares = _random.normal(size=(2, 3, 3)) + 4 * np.eye(3)
spd = square @ square.T + np.eye(3)
positive = np.array([0.4, 1.2, 2.5, 0.9])
weights = np.array([0.5, 1.5, 1.0, 2.0])
row = _random.normal(size=(1, 4))
column = _random.normal(size=(3, 1))
indices = np.array([0, 2, 2, 1])
