"""What does not take part: detached values, constants, unused arguments, dead code, integers that steer."""

import numpy as np

from ..program import function, program, texts

BODIES = texts("constants")
X, W = np.array([0.7, 1.2, 0.4]), 1.3
ACTIVE = {"x": ("x",), "w": ("w",), "both": ("x", "w")}
# Gradients that are zero, or what was passed in: by hand.
STATED = {
    "zero-unused": ("x, w", "return w * w", (X, W), {"x": np.zeros(3), "w": 2.6}),
    "zero-unused-number": ("x, w", "return np.sum(x * x)", (X, W), {"x": 2 * X, "w": 0.0}),
    "zero-unused-int": ("x, w", "return np.sum(x * x)", (X, 3), {"x": 2 * X, "w": 0.0}),
    "zero-unused-matrix": ("x, w", "return w * w", (np.ones((2, 3)), W), {"x": np.zeros((2, 3)), "w": 2.6}),
    "zero-constant": ("x", "return 3.0", (X,), {"x": np.zeros(3)}),
    "zero-shape": ("x", "return 2.0 * len(x) + x.ndim", (X,), {"x": np.zeros(3)}),
    "zero-detached": ("x", "return np.sum(detach(x) ** 2)", (X,), {"x": np.zeros(3)}),
    "zero-comparison": ("x", "return np.sum(x > 0.5) * 2.0", (X,), {"x": np.zeros(3)}),
    "zero-sign": ("x", "return np.sum(np.sign(x))", (X,), {"x": np.zeros(3)}),
    "zero-overwritten": ("x", "x = np.ones(3)\nreturn np.sum(x * x)", (X,), {"x": np.zeros(3)}),
    "zero-only-steers": ("x", "s = 0.0\nwhile s < x:\n    s = s + 1.0\nreturn s", (2.5,), {"x": 0.0}),
    "zero-path": ("x, w", "if w > 0:\n    return w\nreturn np.sum(x)", (X, W), {"x": np.zeros(3), "w": 1.0}),
    "zero-trips": ("x, w", "for v in x[:0]:\n    w = w * v\nreturn w", (X, W), {"x": np.zeros(3), "w": 1.0}),
    "argument-returned": ("x", "return x", (0.7,), {"x": 1.0}),
    "argument-returned-int": ("x", "return x", (3,), {"x": 1.0}),
    "argument-renamed": ("x", "y = x\nreturn y", (0.7,), {"x": 1.0}),
    "second-argument-returned": ("x, w", "return w", (X, 0.7), {"x": np.zeros(3), "w": 1.0}),
    "entry-returned": ("x", "return x[1]", (X,), {"x": np.array([0.0, 1.0, 0.0])}),
    "sum-returned": ("x", "return np.sum(x)", (X,), {"x": np.ones(3)}),
    "sum-twice": ("x", "return np.sum(x) + np.sum(x)", (X,), {"x": np.full(3, 2.0)}),
    "one-entry": ("x", "return x * x", (np.array([3.0]),), {"x": np.array([6.0])}),
    "one-entry-matrix": ("x", "return x * x", (np.array([[3.0]]),), {"x": np.array([[6.0]])}),
    "zero-dimensional": ("x", "return x * x", (np.array(3.0),), {"x": np.array(6.0)}),
    "int": ("x", "return x * x", (3,), {"x": 6.0}),
    "int-division": ("x", "return 1 / x", (2,), {"x": -0.25}),
    "int-array": ("x", "return np.sum(x * x)", (np.arange(4),), {"x": 2.0 * np.arange(4)}),
    "int-array-mean": ("x", "return np.mean(x)", (np.arange(4),), {"x": np.full(4, 0.25)}),
    "int-power": ("x, w", "return x ** w", (2, 3), {"x": 12.0, "w": 8 * np.log(2.0)}),
    "int8-array": ("x", "return np.sum(x * 1.5)", (np.arange(3, dtype=np.int8),), {"x": np.full(3, 1.5)}),
    "bool-array": ("x", "return np.sum(x * 1.5)", (np.array([True, False]),), {"x": np.full(2, 1.5)}),
    "bool": ("x", "return x * 1.5", (True,), {"x": 1.5}),
    "empty": ("x, w", "return np.sum(x * w) + w", (np.zeros(0), 2.0), {"x": np.zeros(0), "w": 1.0}),
    "zero-values": ("x, w", "return np.sum(x * x * w)", (np.zeros(3), 0.0), {"x": np.zeros(3), "w": 0.0}),
    "zero-factor": ("x, w", "return np.sum(x * w)", (X, 0.0), {"x": np.zeros(3), "w": np.sum(X)}),
    "float32-number": ("x", "return x * x", (np.float32(1.5),), {"x": np.float32(3.0)}),
    "float32-array": ("x", "return np.sum(x * 2)", (np.ones(3, np.float32),), {"x": np.full(3, 2.0)}),
    "float32-array-times-64": (
        "x, w",
        "return np.sum(x * w)",
        (np.ones(3, np.float32), X),
        {"x": X, "w": np.ones(3)},
    ),
    "fortran-order": (
        "x",
        "return np.sum(x * x)",
        (np.asfortranarray(np.ones((2, 3))),),
        {"x": np.full((2, 3), 2.0)},
    ),
}
RARE = ("detach-straight-through", "full-active", "float-of-active", "isinstance", "detach-index")
IMPORT = "from srcgrad import detach\n"


def constants():
    for key, body in BODIES.items():
        for active, wrt in ACTIVE.items():
            if key in ("sum-of-nothing",) and active == "x":
                continue
            imports = IMPORT if "detach" in body else ""
            yield program(
                "constants", f"{key}-{active}", function("x, w", body), X, W,
                wrt=wrt, imports=imports, reference="differences", may_refuse=key in RARE,
            )  # fmt: skip
        text = function("x, w", f"y = np.exp(x) * 0.5\nx = y\n{body}")
        yield program(
            "constants", f"{key}-made", text, X * 0.5, W, wrt=("x", "w"),
            imports=IMPORT if "detach" in body else "", reference="differences", may_refuse=key in RARE,
        )  # fmt: skip
    for key, (parameters, body, arguments, wanted) in STATED.items():
        imports = IMPORT if "detach" in body else ""
        yield program(
            "constants", f"stated-{key}", function(parameters, body), *arguments,
            wrt=tuple(wanted), imports=imports, reference="stated", expected=wanted,
        )  # fmt: skip
