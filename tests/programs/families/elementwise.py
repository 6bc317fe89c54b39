"""Functions of one and two numbers: function x kind, and methods that keep the entries."""

import numpy as np

from ..program import program

HOLOMORPHIC = (
    "negative positive sin cos tan sinh cosh tanh arcsin arctan arcsinh arctanh exp exp2 "
    "expm1 log log1p log2 log10 sqrt square reciprocal"
).split()
REAL = "abs absolute fabs cbrt degrees radians deg2rad rad2deg arccos".split()
FLAT = "sign floor ceil trunc rint".split()
MATH = (
    "sin cos tan sinh cosh tanh asin acos atan asinh atanh exp expm1 log log1p log2 log10 sqrt fabs".split()
)
BINARY = "arctan2 hypot logaddexp logaddexp2 maximum minimum fmax fmin copysign".split()
KINDS = {
    "float": 0.4,
    "float64": np.float64(0.7),
    "zerod": np.array(0.35),
    "vector": np.array([0.3, 0.8, 0.55]),
    "matrix": np.array([[0.2, 0.9], [0.45, 0.65]]),
    "float32": np.array([0.25, 0.5, 0.75], np.float32),
    "negative": np.array([-0.3, -0.85]),
}
METHODS = {
    "T": "x.T * np.arange(6.0).reshape(3, 2)",
    "transpose": "x.transpose() * np.arange(6.0).reshape(3, 2)",
    "np.transpose": "np.transpose(x) * np.arange(6.0).reshape(3, 2)",
    "transpose-axes": "x.transpose(1, 0) * np.arange(6.0).reshape(3, 2)",
    "swapaxes": "np.swapaxes(x, 0, 1) * np.arange(6.0).reshape(3, 2)",
    "ravel": "x.ravel() * np.arange(6.0)",
    "flatten": "x.flatten() * np.arange(6.0)",
    "reshape": "x.reshape(3, 2) * np.arange(6.0).reshape(3, 2)",
    "reshape-tuple": "x.reshape((6,)) * np.arange(6.0)",
    "reshape-rest": "x.reshape(-1) * np.arange(6.0)",
    "np.reshape": "np.reshape(x, (3, 2)) * np.arange(6.0).reshape(3, 2)",
    "copy": "x.copy() * x",
    "np.copy": "np.copy(x) * x",
    "astype": "x.astype(float) * x",
    "squeeze": "np.squeeze(x[:1]) * np.arange(3.0)",
    "expand_dims": "np.expand_dims(x, 1) * x",
    "broadcast_to": "np.broadcast_to(x, (2, 2, 3)) * np.arange(12.0).reshape(2, 2, 3)",
    "flip": "np.flip(x) * np.arange(6.0).reshape(2, 3)",
    "flip-axis": "np.flip(x, 1) * np.arange(6.0).reshape(2, 3)",
    "roll": "np.roll(x, 1) * np.arange(6.0).reshape(2, 3)",
    "roll-axis": "np.roll(x, 1, axis=0) * np.arange(6.0).reshape(2, 3)",
    "repeat": "np.repeat(x, 2, axis=0) * np.arange(12.0).reshape(4, 3)",
    "tile": "np.tile(x, (2, 1)) * np.arange(12.0).reshape(4, 3)",
    "concatenate": "np.concatenate([x, 2 * x]) * np.arange(12.0).reshape(4, 3)",
    "concatenate-axis": "np.concatenate((x, x * x), axis=1) * np.arange(12.0).reshape(2, 6)",
    "stack": "np.stack([x, np.cos(x)]) * np.arange(12.0).reshape(2, 2, 3)",
    "stack-axis": "np.stack([x, np.cos(x)], axis=-1) * np.arange(12.0).reshape(2, 3, 2)",
    "vstack": "np.vstack([x, x[0]]) * np.arange(9.0).reshape(3, 3)",
    "hstack": "np.hstack([x, x]) * np.arange(12.0).reshape(2, 6)",
    "diff": "np.diff(x) * np.arange(4.0).reshape(2, 2)",
    "outer": "np.outer(x[0], x[1]) * np.arange(9.0).reshape(3, 3)",
    "diag": "np.diag(x[0]) * np.arange(9.0).reshape(3, 3)",
    "tril": "np.tril(x) * np.arange(6.0).reshape(2, 3)",
    "ones_like": "np.ones_like(x) * x + np.zeros_like(x)",
    "full_like": "np.full_like(x, 2.0) * x",
    "shape": "x * x.shape[0] + len(x) * x ** x.ndim / x.size",
    "asarray": "np.asarray(x) * x",
    "atleast": "np.atleast_2d(x) * x",
    "real": "x.real * x",
}
COPYING = {"squeeze", "asarray", "atleast", "real", "repeat", "tile", "swapaxes", "flip", "diff"}


def elementwise():
    yield from unary()
    yield from both()
    yield from shapes()


def unary():
    for name in HOLOMORPHIC + REAL:
        how = "complex" if name in HOLOMORPHIC else "differences"
        for kind, value in KINDS.items():
            if kind == "negative" and (name.startswith("log") and name != "log1p" or name == "sqrt"):
                continue
            text = f"def f(x):\n    return np.sum(np.sin(np.{name}(x) * 1.5))"
            yield program("elementwise", f"np.{name}-{kind}", text, value, reference=how)
    for name in FLAT:
        for kind, value in KINDS.items():
            text = f"def f(x):\n    return np.sum(np.{name}(x * 1.3) * x)"
            yield program("elementwise", f"np.{name}-{kind}", text, value, reference="differences")
    for name in MATH:
        for kind in ("float", "float64"):
            text = f"def f(x):\n    y = math.{name}(x)\n    return y * x"
            yield program("elementwise", f"math.{name}-{kind}", text, KINDS[kind], reference="differences")
    for name in ("abs", "float", "-", "+"):
        for kind in ("float", "float64", "vector", "matrix", "negative"):
            if name == "float" and kind not in ("float", "float64"):
                continue
            text = f"def f(x):\n    y = {name}(x)\n    return np.sum(np.sin(y * x))"
            yield program("elementwise", f"builtin{name}-{kind}", text, KINDS[kind], reference="differences")


def both():
    for name in BINARY:
        for left, right in (
            ("float", 0.9),
            ("vector", np.array([0.5, 0.6, 0.7])),
            ("matrix", np.array([0.5, 0.6])),
        ):
            text = f"def f(x, w):\n    return np.sum(np.sin(np.{name}(x, w)))"
            if name == "copysign":
                text = f"def f(x, w):\n    return np.sum(np.sin(np.{name}(x, w) * w))"
            yield program(
                "elementwise", f"np.{name}-{left}", text, KINDS[left], right,
                wrt=("x", "w"), reference="differences", may_refuse=name in ("copysign", "logaddexp2"),
            )  # fmt: skip
    for name in ("pow", "atan2", "hypot", "fmod", "copysign"):
        text = f"def f(x, w):\n    return math.{name}(x, w) * w"
        yield program(
            "elementwise", f"math.{name}", text, 1.4, 0.9,
            wrt=("x", "w"), reference="differences", may_refuse=name in ("fmod", "copysign"),
        )  # fmt: skip


def shapes():
    matrix = np.array([[0.3, 1.1, 0.6], [1.4, 0.5, 0.9]])
    for name, text in METHODS.items():
        for inner in ("argument", "made"):
            start = "" if inner == "argument" else "x = np.sin(x) + 0.5\n    "
            body = f"def f(x):\n    {start}return np.sum(np.sin({text}))"
            yield shaped(f"{name}-{inner}", body, matrix, name)
        body = f"def f(x):\n    return {text}"
        yield shaped(f"{name}-returned", body, matrix, name)


def shaped(key, body, matrix, name):
    how = "differences" if name in ("astype", "real") else "complex"
    return program("elementwise", key, body, matrix, reference=how, may_refuse=name in COPYING)
