"""Selections: where, clip, maximum, masks; places not selected; kinks and ties with stated answers."""

import numpy as np

from ..program import function, program

SMOOTH = {
    "where": "np.where(x > 0.5, x * x, np.sin(x))",
    "where-number": "np.where(x > 0.5, x * x, 0.0)",
    "where-constant-first": "np.where(x > 0.5, 1.0, x ** 3)",
    "where-broadcast": "np.where(x > 0.5, x[..., :1], np.sum(x))",
    "where-nested": "np.where(x > 0.9, x, np.where(x > 0.1, x * x, np.exp(x)))",
    "where-both": "np.where((x > 0.1) & (x < 0.9), x * x, np.sin(x))",
    "where-or": "np.where((x < 0.1) | ~(x < 0.9), x * x, np.sin(x))",
    "where-named": "np.where(mask, x * x, np.sin(x))",
    "where-data": "np.where(np.arange(x.shape[-1]) > 0, x * x, np.sin(x))",
    "clip": "np.clip(x, 0.0, 0.8) * x",
    "clip-method": "x.clip(0.0, 0.8) * x",
    "clip-low": "np.clip(x, 0.0, None) * x",
    "clip-keyword": "np.clip(x, a_min=-0.5, a_max=0.8) * x",
    "clip-active-bound": "np.clip(x, -np.sum(x) - 2, x.mean()) * x",
    "maximum": "np.maximum(x, 0.1) * x",
    "maximum-both": "np.maximum(x, np.cos(x * 2))",
    "relu": "np.maximum(0, x) * x",
    "minimum": "np.minimum(x * x, x + 0.1)",
    "min-max": "np.minimum(np.maximum(x, 0.0), 0.8) * x",
    "abs": "np.abs(x) * x",
    "abs-builtin": "abs(x - 0.1) * x",
    "sign": "np.sign(x) * x * x",
    "mask-product": "(x > 0.5) * x * x",
    "mask-read": "np.sum(x[x > 0.5] ** 2) * x",
    "max": "np.max(x) * x",
    "max-axis": "np.max(x, axis=-1, keepdims=True) * x",
    "min-of-made": "np.min(np.cos(x * 3)) * x",
    "argmax-read": "x.ravel()[np.argmax(x)] * x",
    "sort": "np.sort(x, axis=-1) * np.arange(x.shape[-1])",
    "argsort-read": "x[np.argsort(x)] * np.arange(x.shape[-1])",
    "huber": "np.where(np.abs(x) < 0.5, 0.5 * x ** 2, 0.5 * (np.abs(x) - 0.25))",
    "leaky": "np.where(x > 0, x, 0.01 * x) * x",
    "hinge": "np.maximum(0.0, 1.0 - x) ** 2",
    "floor": "np.floor(x * 3) * x",
    "round": "np.round(x * 0.86, 1) * x",
    "isfinite": "np.where(np.isfinite(x), x * x, 0.0)",
    "nan-to-num": "np.nan_to_num(x) * x",
}
ARRAYS = {
    "vector": np.array([0.7, -0.3, 1.6, 0.25]),
    "matrix": np.array([[0.65, -0.4, 1.3], [0.2, 1.7, -1.1]]),
    "number": 0.65,
}
ZERO = [0.0, 1.0, 4.0]
# Body, x, and the gradient worked out by hand (or a table of the kinks that are promised).
STATED = {
    "where-log-at-0": ("np.where(x > 0, np.log(x), 0)", ZERO, [0, 1, 0.25]),
    "where-sqrt-at-0": ("np.where(x > 0, np.sqrt(x), 0.0)", ZERO, [0, 0.5, 0.25]),
    "where-divide-at-0": ("np.where(x != 0, 1 / x, 0.0)", [0.0, 2.0], [0, -0.25]),
    "where-divide-power": ("np.where(x > 0, x ** -0.5, x)", [0.0, 4.0], [1, -0.0625]),
    "where-chain-at-0": ("np.where(x > 0, np.exp(2 * np.log(x)), 0)", ZERO, [0, 2, 8]),
    "where-long-chain-at-0": (
        "np.where(x > 0, np.sin(np.sqrt(x) * 3) * 0 + np.log(x) * 2, x)",
        ZERO,
        [1, 2, 0.5],
    ),
    "where-two-at-0": ("np.where(x > 0, np.log(x), 0) + np.where(x > 0, np.sqrt(x), x)", ZERO, [1, 1.5, 0.5]),
    "where-shared-at-0": (
        "np.where(x > 0, r * np.log(x), 3 * x)",
        ZERO,
        [3, 1, 0.25 * np.log(4) + 0.5],
        "r = np.sqrt(x)",
    ),
    "where-made-at-0": ("np.where(x > 0, y, 0)", ZERO, [0, 1, 0.25], "y = np.log(x)"),
    "where-mask-named-at-0": (
        "np.where(m, y * y, 0)",
        [0.0, np.e],
        [0, 2 / np.e],
        "m = x > 0\ny = np.log(x)",
    ),
    "mask-log-at-0": ("np.log(x)[x > 0]", ZERO, [0, 1, 0.25]),
    "mask-sqrt-at-0": ("np.sqrt(x)[x > 0] * 2", ZERO, [0, 1, 0.5]),
    "slice-log-at-0": ("np.log(x)[1:]", ZERO, [0, 1, 0.25]),
    "index-log-at-0": ("np.log(x)[1]", ZERO, [0, 1, 0]),
    "index-list-sqrt-at-0": ("np.sqrt(x)[[1, 2]]", ZERO, [0, 0.5, 0.25]),
    "maximum-log-at-0": ("np.maximum(np.log(x), -5.0)", ZERO, [0, 1, 0.25]),
    "max-log-at-0": ("np.max(np.log(x))", ZERO, [0, 0, 0.25]),
    "clip-log-at-0": ("np.clip(np.log(x), -2.0, 1.0)", [0.0, 1.0, 9.0], [0, 1, 0]),
    "clip-sqrt-of-minimum": ("np.sqrt(np.clip(x, 0.25, None))", [-1.0, 1.0], [0, 0.5]),
    "safe-both": ("np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0)", ZERO, [0, 0.5, 0.25]),
    "where-broadcast-at-0": (
        "np.where(x[:, None] > 0, np.log(x)[:, None] * np.ones(2), 0)",
        ZERO,
        [0, 2, 0.5],
    ),
    "where-inf-number": ("np.where(x > 0, np.log(x), 0.0) * 2", 0.0, 0),
    "nan-not-selected": ("np.where(x < 5, x * x, 0.0)", [1.0, np.nan], [2, 0]),
    "abs-at-0": ("np.abs(x)", [0.0, -2.0, 3.0], [0, -1, 1]),
    "abs-builtin-at-0": ("abs(x)", 0.0, 0),
    "sign-at-0": ("np.sign(x) * x", [0.0, -2.0], [0, -1]),
    "relu-at-0": ("np.maximum(x, 0)", [0.0, -1.0, 2.0], [0.5, 0, 1]),
    "maximum-tie": ("np.maximum(x, 2 * x)", [0.0, 1.0], [1.5, 2]),
    "maximum-same": ("np.maximum(x, x)", [1.0, 3.0], [1, 1]),
    "minimum-tie": ("np.minimum(x, 1.0)", [1.0, 0.5, 3.0], [0.5, 1, 0]),
    "max-ties": ("np.max(x)", [1.0, 3.0, 3.0], [0, 0.5, 0.5]),
    "max-ties-three": ("x.max()", [2.0, 2.0, 2.0, 0.0], [1 / 3, 1 / 3, 1 / 3, 0]),
    "min-ties": ("np.min(x)", [1.0, 1.0, 3.0], [0.5, 0.5, 0]),
    "max-ties-axis": (
        "np.max(x, axis=1) * np.array([1.0, 2.0])",
        [[1.0, 1.0], [0.0, 5.0]],
        [[0.5, 0.5], [0, 2]],
    ),
    "clip-at-bounds": ("np.clip(x, 0.0, 1.0)", [0.0, 0.5, 1.0, 2.0], [0.5, 1, 0.5, 0]),
    "norm-at-0": ("np.linalg.norm(x)", [0.0, 0.0], [0, 0]),
    "norm": ("np.linalg.norm(x)", [3.0, 4.0], [0.6, 0.8]),
    "sqrt-at-0": ("np.sqrt(x)", [0.0, 4.0], [np.inf, 0.25]),
    "power-at-0": ("x ** 2", [0.0, -3.0], [0, -6]),
    "power-one-at-0": ("x ** 1", [0.0, -3.0], [1, 1]),
    "power-zero": ("x ** 0", [0.0, -3.0], [0, 0]),
    "power-float-at-0": ("x ** 2.0", [0.0, -3.0], [0, -6]),
    "power-number-at-0": ("x ** 3", 0.0, 0),
    "power-negative-base": ("x ** 3", [-2.0, -1.0], [12, 3]),
    "prod-with-zero": ("np.prod(x)", [0.0, 2.0, 3.0], [6, 0, 0]),
    "prod-two-zeros": ("np.prod(x)", [0.0, 0.0, 3.0], [0, 0, 0]),
    "product-at-0": ("x * x[::-1] * x", [0.0, 2.0], [4.0, 0.0]),
    "zero-times": ("x * 0.0 + x", [1.0, 2.0], [1, 1]),
    "hypot": ("np.hypot(x, 4.0)", [3.0], [0.6]),
    "sort-order": ("np.sort(x) * np.array([1.0, 10.0, 100.0])", [3.0, 1.0, 2.0], [100, 1, 10]),
    "where-log-of-negative": ("np.where(x > 5, np.log(x - 5), x)", [1.0, 6.0], [1, 1]),
}
RARE = ("nan-to-num", "round", "argmax-read", "clip-active-bound")


def selections():
    for key, text in SMOOTH.items():
        for array, x in ARRAYS.items():
            if array == "number" and ("axis" in text or "[" in text or ".clip" in text or ".mean" in text):
                continue
            if array == "matrix" and "argsort" in text:
                continue
            start = "mask = x > 0.5\n" if "mask," in text else ""
            for made in ("argument", "made", "loop"):
                layout = {
                    "argument": f"y = {text}\nreturn np.sum(np.sin(y))",
                    "made": f"z = x\nx = x + 0.01 * np.sin(x)\ny = {text}\nreturn np.sum(y * z)",
                    "loop": (
                        f"s = 0.0\nfor i in range(2):\n    y = {text}\n"
                        "    s = s + np.sum(y) * (i + 1 + s)\nreturn s"
                    ),
                }[made]
                if made == "loop" and array == "matrix":
                    continue
                yield program(
                    "selections", f"{key}-{array}-{made}", function("x", start + layout), x,
                    reference="differences", may_refuse=key in RARE,
                )  # fmt: skip
    for key, (text, x, wanted, *start) in STATED.items():
        body = "".join(line + "\n" for line in start) + f"return np.sum({text})"
        value = np.array(x) if isinstance(x, list) else x
        yield program(
            "selections", f"stated-{key}", function("x", body), value,
            reference="stated", expected={"x": np.array(wanted, float)},
        )  # fmt: skip
