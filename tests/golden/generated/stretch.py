"""Generated for hand/stretch.py."""

import numpy as np


# gradient with respect to x: float64[1]; y: float64[n]
def primal_grad(x, y):
    # forward sweep
    r = x - y
    value = np.sum(r * r)
    # reverse sweep
    x_bar = np.sum(2 * r, axis=0, keepdims=True)  # r = x - y
    return value, x_bar


# tangent with respect to x: float64[1]; y: float64[n]
def primal_tangent(x, y, x_dot):
    r = x - y
    r_dot = np.broadcast_to(x_dot, np.shape(r))
    value_dot = np.sum(r_dot * r + r_dot * r)
    value = np.sum(r * r)
    return value, value_dot
