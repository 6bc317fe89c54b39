"""Generated for hand/select.py."""

import numpy as np


# gradient with respect to x: float64[n]
def primal_grad(x):
    # forward sweep
    taken = x > 0
    y = np.where(taken, np.log(x), 0.0)
    value = np.sum(y * y)
    # reverse sweep
    x_bar = np.where(taken, 2 * y / x, 0.0)  # y = np.where(x > 0, np.log(x), 0.0)
    return value, x_bar


# tangent with respect to x: float64[n]
def primal_tangent(x, x_dot):
    taken = x > 0
    y_dot = np.where(taken, x_dot / x, 0.0)
    y = np.where(taken, np.log(x), 0.0)
    value_dot = np.sum(y_dot * y + y_dot * y)
    value = np.sum(y * y)
    return value, value_dot
