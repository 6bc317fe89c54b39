"""Extents that the types do not prove equal: `unbroadcast` sums back to the operand's shape, whatever it is."""

import numpy as np

from srcgrad.runtime import unbroadcast


def primal(x, y):
    r = x - y
    return np.sum(r * r)


# gradient with respect to x: float64 array; y: float64 array
def primal_grad(x, y):
    # forward sweep
    r = x - y
    value = np.sum(r * r)
    # reverse sweep
    r_bar = 2 * r  # return np.sum(r * r)
    x_bar = unbroadcast(r_bar, x)  # r = x - y
    return value, x_bar


arguments = (np.array([0.5]), np.array([1.0, -2.0, 3.0]))
wrt = "x"
