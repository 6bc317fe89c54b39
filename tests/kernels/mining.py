"""Statistics, filters and paths in the manner of PolyBench: the results are only in the arguments."""

import numpy as np


def covariance(float_n, data, cov, mean):
    n, m = data.shape
    for j in range(m):
        mean[j] = 0.0
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= float_n
    for i in range(n):
        for j in range(m):
            data[i, j] -= mean[j]
    for i in range(m):
        for j in range(i, m):
            cov[i, j] = 0.0
            for k in range(n):
                cov[i, j] += data[k, i] * data[k, j]
            cov[i, j] /= float_n - 1.0
            cov[j, i] = cov[i, j]


def covariance_rows(float_n, data, cov, mean):
    mean[:] = np.sum(data, axis=0) / float_n
    data -= mean
    for i in range(data.shape[1]):
        cov[i:, i] = cov[i, i:] = data[:, i] @ data[:, i:] / (float_n - 1.0)


def correlation(float_n, data, corr, mean, stddev):
    m = data.shape[1]
    mean[:] = np.sum(data, axis=0) / float_n
    stddev[:] = np.sqrt(np.sum((data - mean) ** 2, axis=0) / float_n)
    stddev[stddev <= 0.1] = 1.0  # a column that hardly varies is left as it is
    data -= mean
    data /= np.sqrt(float_n) * stddev
    for i in range(m - 1):
        corr[i, i] = 1.0
        for j in range(i + 1, m):
            corr[i, j] = np.dot(data[:, i], data[:, j])
            corr[j, i] = corr[i, j]
    corr[m - 1, m - 1] = 1.0


def deriche(alpha, image, out, y1, y2):
    """Columns one after the other, all rows at once; then rows one after the other."""
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + 2.0 * alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a1 = a5 = k
    a2 = a6 = k * np.exp(-alpha) * (alpha - 1.0)
    a3 = a7 = k * np.exp(-alpha) * (alpha + 1.0)
    a4 = a8 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0 ** (-alpha)
    b2 = -np.exp(-2.0 * alpha)
    rows, columns = image.shape

    y1[:, 0] = a1 * image[:, 0]
    y1[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
    for j in range(2, columns):
        y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2[:, -1] = 0.0
    y2[:, -2] = a3 * image[:, -1]
    for j in range(columns - 3, -1, -1):
        y2[:, j] = a3 * image[:, j + 1] + a4 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    out[:] = y1 + y2

    y1[0, :] = a5 * out[0, :]
    y1[1, :] = a5 * out[1, :] + a6 * out[0, :] + b1 * y1[0, :]
    for i in range(2, rows):
        y1[i, :] = a5 * out[i, :] + a6 * out[i - 1, :] + b1 * y1[i - 1, :] + b2 * y1[i - 2, :]
    y2[-1, :] = 0.0
    y2[-2, :] = a7 * out[-1, :]
    for i in range(rows - 3, -1, -1):
        y2[i, :] = a7 * out[i + 1, :] + a8 * out[i + 2, :] + b1 * y2[i + 1, :] + b2 * y2[i + 2, :]
    out[:] = y1 + y2


def deriche_loops(alpha, image, out, y1, y2):
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + 2.0 * alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a1, a2 = k, k * np.exp(-alpha) * (alpha - 1.0)
    a3, a4 = k * np.exp(-alpha) * (alpha + 1.0), -k * np.exp(-2.0 * alpha)
    b1, b2 = 2.0 ** (-alpha), -np.exp(-2.0 * alpha)
    w, h = image.shape
    for i in range(w):
        ym1 = 0.0
        ym2 = 0.0
        xm1 = 0.0
        for j in range(h):
            y1[i, j] = a1 * image[i, j] + a2 * xm1 + b1 * ym1 + b2 * ym2
            xm1 = image[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for i in range(w):
        yp1 = 0.0
        yp2 = 0.0
        xp1 = 0.0
        xp2 = 0.0
        for j in range(h - 1, -1, -1):
            y2[i, j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2
            xp2 = xp1
            xp1 = image[i, j]
            yp2 = yp1
            yp1 = y2[i, j]
    for i in range(w):
        for j in range(h):
            out[i, j] = y1[i, j] + y2[i, j]


def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, path[:, k, np.newaxis] + path[k, :])
