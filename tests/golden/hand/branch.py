"""A branch and a reassigned variable: the branch taken is the branch reversed."""

import numpy as np


def primal(x: float, threshold: float):
    y = x * x
    if y > threshold:
        y = np.sin(y) * x
    else:
        y = y + 3 * x
    return y


# gradient with respect to x: float; threshold: float
def primal_grad(x: float, threshold: float):
    # forward sweep
    y = x * x
    taken = y > threshold
    if taken:
        y_0 = y
        sin_y = np.sin(y)
        y = sin_y * x
    else:
        y = y + 3 * x
    # reverse sweep
    y_bar = 1.0
    if taken:
        x_bar = y_bar * sin_y  # y = np.sin(y) * x
        y_bar = y_bar * x * np.cos(y_0)
    else:
        x_bar = 3 * y_bar  # y = y + 3 * x
    x_bar += 2 * y_bar * x  # y = x * x
    return y, x_bar


arguments = (1.7, 2.0)
wrt = "x"
