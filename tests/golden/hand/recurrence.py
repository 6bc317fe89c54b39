"""A value carried around a loop: kept once; the result is read before the operand is put back."""

import numpy as np


def primal(w: np.ndarray, xs: np.ndarray):
    h = np.zeros(w.shape[0])
    for t in range(len(xs)):
        h = np.tanh(w @ h + xs[t])
    return np.sum(h)


# gradient with respect to w: float64[n, n]; xs: float64[m, n]; keeps h
def primal_grad(w: np.ndarray, xs: np.ndarray):
    # forward sweep
    h = np.zeros(w.shape[0])
    h_kept = []
    for t in range(len(xs)):
        h_kept.append(h)
        h = np.tanh(w @ h + xs[t])
    value = np.sum(h)
    # reverse sweep
    w_bar = np.zeros_like(w)
    h_bar = np.ones_like(h)  # return np.sum(h)
    for t in reversed(range(len(xs))):
        h_bar = h_bar * (1 - h**2)  # h = np.tanh(w @ h + xs[t])
        h = h_kept.pop()
        w_bar += np.outer(h_bar, h)
        h_bar = w.T @ h_bar
    return value, w_bar


arguments = (np.array([[0.1, -0.4], [0.3, 0.2]]), np.array([[1.0, 0.5], [-0.3, 0.8], [0.2, 0.1]]))
wrt = "w"
