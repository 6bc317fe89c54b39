"""Generated for hand/branch.py."""

import numpy as np


# gradient with respect to x: float; threshold: float
def primal_grad(x: float, threshold: float):
    # forward sweep
    y_0 = x * x
    taken = y_0 > threshold
    if taken:
        sin_y = np.sin(y_0)
        y = sin_y * x
    else:
        y = y_0 + 3 * x
    # reverse sweep
    value_bar = 1.0
    if taken:
        x_bar = value_bar * sin_y  # y = np.sin(y) * x
        y_0_bar = value_bar * x * np.cos(y_0)
    else:
        y_0_bar = value_bar  # y = y + 3 * x
        x_bar = 3 * value_bar
    x_bar += 2 * y_0_bar * x  # y = x * x
    return y, x_bar


# tangent with respect to x: float; threshold: float
def primal_tangent(x: float, threshold: float, x_dot):
    y_dot = x_dot * x + x_dot * x
    y = x * x
    if y > threshold:
        sin_y = np.sin(y)
        y_dot_2 = y_dot * np.cos(y) * x + x_dot * sin_y
        y = sin_y * x
    else:
        y_dot_2 = y_dot + 3 * x_dot
        y = y + 3 * x
    value_dot = y_dot_2
    value = y
    return value, value_dot
