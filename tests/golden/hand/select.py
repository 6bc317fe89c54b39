"""A selection: the adjoint is guarded by the condition after the partial, so a place not selected leaks no NaN."""

import numpy as np


def primal(x):
    y = np.where(x > 0, np.log(x), 0.0)
    return np.sum(y * y)


# gradient with respect to x: float64[n]
def primal_grad(x):
    # forward sweep
    selected = x > 0
    y = np.where(selected, np.log(x), 0.0)
    value = np.sum(y * y)
    # reverse sweep
    y_bar = 2 * y  # return np.sum(y * y)
    x_bar = np.where(selected, y_bar / x, 0.0)  # y = np.where(x > 0, np.log(x), 0.0)
    return value, x_bar


arguments = (np.array([0.5, 2.0, -1.0, 3.0]),)
wrt = "x"
