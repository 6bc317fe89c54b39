"""Generated for hand/call.py."""

import numpy as np


def sigmoid_forward(z: np.ndarray):
    exp_part = np.exp(-z)
    sum_part = 1 + exp_part
    value = 1 / sum_part
    return value, (exp_part, sum_part, value)


def sigmoid_reverse(kept, value_bar):
    exp_part, sum_part, value = kept
    z_bar = value_bar * value / sum_part * exp_part  # return 1 / (1 + np.exp(-z))
    return z_bar


# gradient with respect to w: float64[n]; x: float64[m, n]; y: float64[m]
def primal_grad(w: np.ndarray, x: np.ndarray, y: np.ndarray):
    # forward sweep
    p, sigmoid_kept = sigmoid_forward(x @ w)
    difference = 1 - y
    difference_2 = 1 - p
    value = -np.mean(y * np.log(p) + difference * np.log(difference_2))
    # reverse sweep
    # return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
    sum_bar = np.broadcast_to(-1.0 / y.size, y.shape)
    p_bar = -(sum_bar * difference / difference_2)
    p_bar += sum_bar * y / p
    w_bar = x.T @ sigmoid_reverse(sigmoid_kept, p_bar)  # p = sigmoid(x @ w)
    return value, w_bar


def sigmoid_tangent(z: np.ndarray, z_dot):
    exp_part = np.exp(-z)
    sum_part = 1 + exp_part
    value = 1 / sum_part
    value_dot = z_dot * exp_part * value / sum_part
    return value, value_dot


# tangent with respect to w: float64[n]; x: float64[m, n]; y: float64[m]
def primal_tangent(w: np.ndarray, x: np.ndarray, y: np.ndarray, w_dot):
    p, p_dot = sigmoid_tangent(x @ w, x @ w_dot)
    difference = 1 - y
    difference_2 = 1 - p
    value_dot = -np.mean(p_dot / p * y - p_dot / difference_2 * difference)
    value = -np.mean(y * np.log(p) + difference * np.log(difference_2))
    return value, value_dot
