"""A call of another function: split into a forward half that keeps, and a reverse half that reads."""

import numpy as np


def sigmoid(z: np.ndarray):
    return 1 / (1 + np.exp(-z))


def primal(w: np.ndarray, x: np.ndarray, y: np.ndarray):
    p = sigmoid(x @ w)
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def sigmoid_forward(z: np.ndarray):
    e = np.exp(-z)
    s = 1 / (1 + e)
    return s, (e, s)


def sigmoid_reverse(kept, s_bar):
    e, s = kept
    return s_bar * s / (1 + e) * e  # return 1 / (1 + np.exp(-z))


# gradient with respect to w: float64[n]; x: float64[m, n]; y: float64[m]
def primal_grad(w: np.ndarray, x: np.ndarray, y: np.ndarray):
    # forward sweep
    p, p_kept = sigmoid_forward(x @ w)
    value = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
    # reverse sweep
    # return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
    p_bar = -(y / p - (1 - y) / (1 - p)) / p.size
    z_bar = sigmoid_reverse(p_kept, p_bar)  # p = sigmoid(x @ w)
    w_bar = x.T @ z_bar
    return value, w_bar


arguments = (
    np.array([0.1, -0.2]),
    np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 1.5]]),
    np.array([1.0, 0.0, 1.0]),
)
wrt = "w"
