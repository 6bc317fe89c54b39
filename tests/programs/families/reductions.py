"""Reductions: function x axis x keepdims x spelling x shape, and what is built from them."""

import numpy as np

from ..program import function, program

REDUCTIONS = ("sum", "mean", "prod", "max", "min", "var", "std", "cumsum")
AXES = {"none": None, "0": 0, "1": 1, "last": -1, "both": (0, 1), "one-tuple": (1,)}
HOLOMORPHIC = ("sum", "mean", "prod", "cumsum")
MATRIX = np.array([[0.3, 1.15, 0.6], [1.4, 0.55, 0.95]])
STACK = np.array([[[0.3, 1.1], [0.6, 1.35]], [[0.8, 0.5], [1.2, 0.9]], [[1.7, 0.2], [0.4, 1.6]]])
VECTOR = np.array([0.4, 1.3, 0.75, 1.05])
MADE = {
    "centred": "y = x - x.mean(axis=0)\nreturn np.sum(np.sin(y) * x)",
    "centred-rows": "y = x - x.mean(axis=1, keepdims=True)\nreturn np.sum(np.sin(y) * x)",
    "centred-newaxis": "y = x - np.mean(x, axis=1)[:, None]\nreturn np.sum(np.sin(y) * x)",
    "normalised": "y = x / np.sum(x)\nreturn np.sum(np.sin(y) * x)",
    "normalised-columns": "y = x / x.sum(axis=0)\nreturn np.sum(y * y)",
    "standardised": "y = (x - x.mean(axis=0)) / (x.std(axis=0) + 0.1)\nreturn np.sum(np.sin(y))",
    "standardised-variance": (
        "m = x.mean()\nv = np.mean((x - m) ** 2)\nreturn np.sum(np.sin((x - m) / np.sqrt(v)))"
    ),
    "softmax": "e = np.exp(x - np.max(x))\np = e / np.sum(e)\nreturn np.sum(p * p)",
    "softmax-rows": (
        "e = np.exp(x - x.max(axis=-1, keepdims=True))\n"
        "p = e / e.sum(axis=-1, keepdims=True)\nreturn np.sum(p ** 2)"
    ),
    "log-sum-exp": "m = np.max(x)\nreturn m + np.log(np.sum(np.exp(x - m)))",
    "log-sum-exp-axis": "m = x.max(axis=0)\nreturn np.sum((m + np.log(np.sum(np.exp(x - m), axis=0))) ** 2)",
    "layer-norm": (
        "m = x.mean(-1, keepdims=True)\nv = x.var(-1, keepdims=True)\n"
        "return np.sum(np.sin((x - m) / np.sqrt(v + 1e-3)))"
    ),
    "entropy": "p = x / x.sum()\nreturn -np.sum(p * np.log(p))",
    "norm": "return np.sqrt(np.sum(x ** 2)) * np.sum(x)",
    "norm-rows": "n = np.sqrt((x * x).sum(axis=-1))\nreturn np.prod(n)",
    "sum-of-sums": "return np.sum(np.sum(x, axis=0) * np.mean(x, axis=0))",
    "twice": "y = np.sum(np.sum(np.sin(x), axis=-1) ** 2)\nreturn y * np.mean(x)",
    "mean-of-loop": "y = x\nfor i in range(3):\n    y = np.sin(y) - np.mean(y, axis=0)\nreturn np.sum(y * y)",
    "sum-in-loop": "s = 1.0\nfor i in range(3):\n    s = np.sin(s) + np.sum(x * s)\nreturn s",
    "accumulated": "y = np.cumsum(np.cumsum(x, axis=-1), axis=0)\nreturn np.sum(np.cos(y))",
    "trapezoid": "return np.sum((x[1:] + x[:-1]) / 2 * 0.1) ** 2",
    "median-free": "return np.sum(np.abs(x - np.mean(x)))",
    "sum-of-mask": "return np.sum(x[x > 0.5] ** 2) * np.sum(x > 0.5)",
    "count": "return np.sum(x) / x.size + np.sum(x) * x.shape[0]",
    "sum-bool": "return np.sum((x > 0.5) * x)",
    "dtype": "return np.sum(np.sin(x), dtype=float) * np.sum(x)",
}


def reductions():
    yield from one()
    yield from kinds()
    arrays = {"vector": VECTOR, "matrix": MATRIX}
    for key, body in MADE.items():
        for name, x in arrays.items():
            if name == "vector" and (
                "-rows" in key and "norm" not in key or "axis=1" in body or "newaxis" in key
            ):
                continue
            text = function("x", body)
            refuse = key == "dtype"
            yield program("reductions", f"{key}-{name}", text, x, reference="differences", may_refuse=refuse)


def one():
    for name in REDUCTIONS:
        how = "complex" if name in HOLOMORPHIC else "differences"
        for key, axis in AXES.items():
            if name == "cumsum" and isinstance(axis, tuple):
                continue
            for keepdims in (False, True) if name != "cumsum" else (False,):
                options = [] if axis is None else [f"axis={axis}"]
                options += ["keepdims=True"] if keepdims else []
                for spelling in ("function", "method"):
                    call = f"np.{name}({', '.join(['x', *options])})"
                    if spelling == "method":
                        call = f"x.{name}({', '.join(options)})"
                    for made in ("argument", "made"):
                        if made == "made" and (spelling == "function") == keepdims:
                            continue
                        start = "" if made == "argument" else "x = x * x + 0.1\n"
                        broadcasts = keepdims or key in ("none", "both") and name != "cumsum"
                        use = "np.sum(y * x)" if broadcasts else "np.sum(y)"
                        body = f"{start}y = np.sin({call})\nreturn {use} * np.sum(x)"
                        key_ = f"{name}-{key}-{'keep-' if keepdims else ''}{spelling}-{made}"
                        yield program("reductions", key_, function("x", body), MATRIX, reference=how)
        if name not in ("max", "min", "prod", "cumsum"):
            for axis in ((0, 2), (1, 2), 2, -2):
                body = f"return np.sum(np.sin(np.{name}(x, axis={axis})))"
                yield program("reductions", f"{name}-stack-{axis}", function("x", body), STACK, reference=how)
        for key in ("none", "0"):
            axis = f"axis={AXES[key]}" if key != "none" else ""
            text = function("x", f"return x.{name}({axis})")
            yield program("reductions", f"{name}-{key}-returned", text, MATRIX,
                          reference=how)  # fmt: skip
    for ddof in (0, 1):
        for name in ("var", "std"):
            body = f"return np.sum(np.sin(np.{name}(x, axis=0, ddof={ddof})) * x[0])"
            yield program(
                "reductions", f"{name}-ddof-{ddof}", function("x", body), MATRIX, reference="differences"
            )
    body = "return np.sum(np.sin(np.sum(x, 1)) * np.mean(x, -1)) * x.sum(0)[1]"
    yield program("reductions", "axis-positional", function("x", body), MATRIX)
    body = "k = x.ndim - 1\nreturn np.sum(np.sin(np.sum(x, axis=k)))"
    yield program("reductions", "axis-computed", function("x", body), MATRIX)


def kinds():
    """Vectors, single entries, float32, integers, and numbers."""
    values = {
        "vector": VECTOR,
        "one": np.array([0.7]),
        "one-matrix": np.array([[0.7]]),
        "column": np.array([[0.7], [1.2]]),
        "float32": VECTOR.astype(np.float32),
        "ints": np.array([2, 4, 1, 3]),
        "number": 0.7,
    }
    for name in REDUCTIONS:
        how = "complex" if name in HOLOMORPHIC else "differences"
        for kind, x in values.items():
            if name in ("std", "var") and kind in ("one", "one-matrix", "number"):
                continue
            if kind == "number" and name == "cumsum":
                continue
            body = f"return np.sum(np.sin(np.{name}(x) * 0.5) * x)"
            yield program("reductions", f"{name}-{kind}", function("x", body), x, reference=how)
