"""Chains of products and solves: text x which argument is active."""

import numpy as np

from ..program import function, program

A = np.array([[2.1, 0.4, -0.3], [0.5, 1.8, 0.2], [-0.1, 0.6, 2.4]])
B = np.array([0.7, -0.4, 1.2])
BODIES = {
    "quadratic": "return x @ A @ x",
    "quadratic-inner": "y = A @ x\nreturn x @ y",
    "two-products": "return np.sum(np.sin(A @ (A @ x)))",
    "gram": "return np.sum(np.sin(A.T @ A) @ x)",
    "transpose": "return np.sum(A.T @ x * x)",
    "layer": "h = np.tanh(A @ x)\nreturn np.sum((A @ h - x) ** 2)",
    "layers-loop": "h = x\nfor i in range(3):\n    h = np.tanh(A @ h + x)\nreturn h @ h",
    "power-iteration": (
        "v = x\nfor i in range(3):\n    v = A @ v\n    v = v / np.sqrt(v @ v)\nreturn v @ A @ v"
    ),
    "residual": "r = A @ x - 1.0\nreturn r @ r",
    "gradient-descent": (
        "v = x\nfor i in range(3):\n    v = v - 0.1 * (A.T @ (A @ v - x))\nreturn np.sum(v * v)"
    ),
    "row-times": "return x[None, :] @ A @ x[:, None] * np.sum(x)",
    "outer": "return np.sum(np.outer(x, x) * np.sin(A))",
    "outer-ufunc": "return np.sum(x[:, None] * x[None, :] * np.sin(A))",
    "inner": "return np.inner(x, A[0]) * np.dot(A[1], x)",
    "dot-method": "return x.dot(A).dot(x)",
    "vdot": "return np.vdot(x, A @ x)",
    "trace": "return np.trace(A @ A) * np.sum(x)",
    "diagonal": "return np.sum(np.diag(A) * x * x)",
    "distances": "d = x[:, None] - x[None, :]\nreturn np.sum(np.exp(-d ** 2) * A)",
    "solve": "y = np.linalg.solve(A, x)\nreturn np.sum(np.sin(y))",
    "solve-twice": "y = np.linalg.solve(A, np.linalg.solve(A, x))\nreturn y @ x",
    "solve-matrix": "Y = np.linalg.solve(A, np.outer(x, x) + A)\nreturn np.sum(np.sin(Y))",
    "inverse": "return np.sum(np.sin(np.linalg.inv(A) @ x))",
    "determinant": "return np.linalg.det(A) * np.sum(x)",
    "log-determinant": "s, d = np.linalg.slogdet(A)\nreturn d * np.sum(x * x)",
    "cholesky": "L = np.linalg.cholesky(A @ A.T + np.eye(3))\nreturn np.sum(np.sin(L) @ x)",
    "norm": "return np.linalg.norm(A @ x) * np.sum(x)",
    "norm-matrix": "return np.linalg.norm(A) * np.sum(x)",
    "gaussian": "r = x - 0.3\nreturn -0.5 * r @ np.linalg.solve(A, r)",
    "columns": "s = 0.0\nfor j in range(3):\n    s = s + (A[:, j] @ x) ** 2 * (j + 1)\nreturn s",
    "einsum": "return np.einsum('i,ij,j->', x, A, x) * np.sum(x)",
    "einsum-matrix": "return np.sum(np.sin(np.einsum('ij,kj->ik', A, A) @ x))",
    "tensordot": "return np.sum(np.sin(np.tensordot(A, x, axes=1)))",
    "kron": "return np.sum(np.sin(np.kron(x, x)))",
    "cross": "return np.cross(x, A[0]) @ np.sin(A[1])",
    "augmented": "y = A @ x\ny += x\ny *= 2.0\ny -= A[0]\nreturn y @ y",
    "matrix-power": "B = A\nfor i in range(2):\n    B = B @ A / 3\nreturn np.sum(B @ x)",
    "column-slices": "return A[:, 1:] @ x[1:] @ A[:, 0] * (x[:2] @ A[:2, 2])",
}
REAL = ("log-determinant", "cholesky", "norm", "norm-matrix", "vdot")
RARE = ("kron", "cross", "tensordot", "einsum", "einsum-matrix", "vdot", "trace", "cholesky", "inner")


def linalg():
    for key, body in BODIES.items():
        for active, wrt in {"x": ("x",), "A": ("A",), "both": ("A", "x")}.items():
            if "A" in wrt and "A" not in body:
                continue
            how = "differences" if key in REAL or "A.T" in body and key == "cholesky" else "complex"
            yield program(
                "linalg", f"{key}-{active}", function("A, x", body), A, B,
                wrt=wrt, reference=how, may_refuse=key in RARE,
            )  # fmt: skip
