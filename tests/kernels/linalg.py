"""Products of matrices and vectors in the manner of PolyBench: the results are only in the arguments."""

import numpy as np


def gemm(alpha, beta, C, A, B):
    for i in range(C.shape[0]):
        C[i, :] *= beta
        for k in range(A.shape[1]):
            C[i, :] += alpha * A[i, k] * B[k, :]


def gemm_whole(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C


def two_mm(alpha, beta, tmp, A, B, C, D):
    tmp[:] = alpha * (A @ B)
    D *= beta
    D += tmp @ C


def three_mm(E, A, B, F, C, D, G):
    np.dot(A, B, out=E)
    np.dot(C, D, out=F)
    np.matmul(E, F, out=G)


def atax(A, x, y, tmp):
    m, n = A.shape
    y.fill(0.0)
    for i in range(m):
        tmp[i] = 0.0
        for j in range(n):
            tmp[i] += A[i, j] * x[j]
        for j in range(n):
            y[j] += A[i, j] * tmp[i]


def bicg(A, s, q, p, r):
    n, m = A.shape
    s[:] = 0.0
    for i in range(n):
        q[i] = 0.0
        for j in range(m):
            s[j] = s[j] + r[i] * A[i, j]
            q[i] = q[i] + A[i, j] * p[j]


def mvt(x1, x2, y1, y2, A):
    x1 += A @ y1
    x2 += y2 @ A


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * (y @ A)
    x += z
    w += alpha * (A @ x)


def gemver_loops(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for i in range(n):
        for j in range(n):
            x[i] = x[i] + beta * A[j, i] * y[j]
    for i in range(n):
        x[i] = x[i] + z[i]
    for i in range(n):
        for j in range(n):
            w[i] = w[i] + alpha * A[i, j] * x[j]


def gesummv(alpha, beta, A, B, tmp, x, y):
    n = x.shape[0]
    for i in range(n):
        tmp[i] = 0.0
        y[i] = 0.0
        for j in range(n):
            tmp[i] = A[i, j] * x[j] + tmp[i]
            y[i] = B[i, j] * x[j] + y[i]
        y[i] = alpha * tmp[i] + beta * y[i]


def symm(alpha, beta, C, A, B):
    m, n = C.shape
    for i in range(m):
        for j in range(n):
            temp = 0.0
            for k in range(i):
                C[k, j] += alpha * B[i, j] * A[i, k]
                temp += B[k, j] * A[i, k]
            C[i, j] = beta * C[i, j] + alpha * B[i, j] * A[i, i] + alpha * temp


def symm_rows(alpha, beta, C, A, B):
    temp = np.empty_like(C[0])
    C *= beta
    for i in range(C.shape[0]):
        temp[:] = A[i, :i] @ B[:i]
        C[:i] += alpha * A[i, :i, np.newaxis] * B[i]
        C[i] += alpha * B[i] * A[i, i] + alpha * temp


def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]


def syr2k(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]


def trmm(alpha, A, B):
    m, n = B.shape
    for i in range(m):
        for j in range(n):
            for k in range(i + 1, m):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] = alpha * B[i, j]


def trmm_rows(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha


def doitgen(A, C4, total):
    nr, nq, points = A.shape
    for r in range(nr):
        for q in range(nq):
            for p in range(points):
                total[p] = 0.0
                for s in range(points):
                    total[p] += A[r, q, s] * C4[s, p]
            for p in range(points):
                A[r, q, p] = total[p]


def doitgen_rows(A, C4, total):
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            total[:] = A[r, q, :] @ C4
            A[r, q, :] = total
