"""An operand stretched by broadcasting: its adjoint is summed over the stretched axis."""

import numpy as np


def primal(w, b, x):
    y = x @ w + b
    return np.sum(y * y)


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


arguments = (
    np.array([[0.1, 0.4, 1.0], [-0.3, 0.2, 0.7]]),
    np.array([0.5, -0.5, 0.1]),
    np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 1.5], [0.2, 0.1]]),
)
wrt = ("w", "b")
