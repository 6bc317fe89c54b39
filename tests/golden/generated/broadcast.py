"""Generated for hand/broadcast.py."""

import numpy as np


# gradient with respect to w: float64[n, m] and b: float64[m]; x: float64[k, n]
def primal_grad(w, b, x):
    # forward sweep
    y = x @ w + b
    value = np.sum(y * y)
    # reverse sweep
    y_bar = 2 * y  # return np.sum(y * y)
    b_bar = np.sum(y_bar, axis=0)  # y = x @ w + b
    w_bar = x.T @ y_bar
    return value, (w_bar, b_bar)


# tangent with respect to w: float64[n, m] and b: float64[m]; x: float64[k, n]
def primal_tangent(w, b, x, w_dot, b_dot):
    y_dot = x @ w_dot + b_dot
    y = x @ w + b
    value_dot = np.sum(y_dot * y + y_dot * y)
    value = np.sum(y * y)
    return value, value_dot
