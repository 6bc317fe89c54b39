"""Convolutions, as loops over the output or over the window: the result is only in an argument."""

import numpy as np


def conv2d(image, weights, out):
    """One channel, a loop over the window."""
    h, w = out.shape
    out[:] = 0.0
    for di in range(weights.shape[0]):
        for dj in range(weights.shape[1]):
            out += weights[di, dj] * image[di : di + h, dj : dj + w]


def conv2d_loops(image, weights, out):
    h, w = out.shape
    for i in range(h):
        for j in range(w):
            total = 0.0
            for di in range(weights.shape[0]):
                for dj in range(weights.shape[1]):
                    total += weights[di, dj] * image[i + di, j + dj]
            out[i, j] = total


def conv2d_bias(images, weights, bias, out):
    """Batch, rows, columns, channels; a loop over the output."""
    k = weights.shape[0]
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[:, i, j, :] = np.sum(
                images[:, i : i + k, j : j + k, :, np.newaxis] * weights[np.newaxis, :, :, :],
                axis=(1, 2, 3),
            )
    out += bias


def relu_layer(images, weights, bias, out):
    """A convolution, then what is negative is cut off in place."""
    conv2d_bias(images, weights, bias, out)
    out[out < 0] = 0.0


def max_pool(images, out):
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[:, i, j, :] = np.max(images[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
