"""Generated for hand/recurrence.py."""

import numpy as np


# gradient with respect to w: float64[n, n]; xs: float64[m, n]; keeps h
def primal_grad(w: np.ndarray, xs: np.ndarray):
    # forward sweep
    h_kept = []
    h = np.zeros(w.shape[0])
    for t in range(len(xs)):
        h_kept.append(h)
        h = np.tanh(w @ h + xs[t])
    value = np.sum(h)
    # reverse sweep
    h_bar = np.ones_like(h)  # return np.sum(h)
    w_bar = np.zeros_like(w)
    for t in reversed(range(len(xs))):
        sum_bar = h_bar * (1 - h**2)  # h = np.tanh(w @ h + xs[t])
        h = h_kept.pop()
        w_bar += np.outer(sum_bar, h)
        h_bar = w.T @ sum_bar
    return value, w_bar


# tangent with respect to w: float64[n, n]; xs: float64[m, n]
def primal_tangent(w: np.ndarray, xs: np.ndarray, w_dot):
    h = np.zeros(w.shape[0])
    h_dot = np.zeros_like(h)
    for t in range(len(xs)):
        sum_dot = w_dot @ h + w @ h_dot
        h = np.tanh(w @ h + xs[t])
        h_dot = sum_dot * (1 - h**2)
    value_dot = np.sum(h_dot)
    value = np.sum(h)
    return value, value_dot
