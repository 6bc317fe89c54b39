"""Generated for hand/detach.py."""

import numpy as np


# gradient with respect to x: float64[n]
def primal_grad(x):
    # forward sweep
    y = x * x
    u = y
    z = u * x
    value = np.sum(z)
    # reverse sweep
    x_bar = u.copy()  # z = u * x
    return value, x_bar


# tangent with respect to x: float64[n]
def primal_tangent(x, x_dot):
    y = x * x
    u = y
    z = u * x
    value_dot = np.sum(x_dot * u)
    value = np.sum(z)
    return value, value_dot
