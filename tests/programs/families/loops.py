"""Loops that run to their end: iterable x what is carried x kinds."""

import numpy as np

from ..program import function, program, texts

VECTOR = np.array([0.7, 1.2, 0.4])
MATRIX = np.array([[0.3, 1.1], [0.6, 0.9], [1.3, 0.2]])
# Heads whose loop variable is a plain number.
RANGES = {
    "range": "for i in range(3):",
    "range-from": "for i in range(1, 4):",
    "range-step": "for i in range(0, 7, 2):",
    "range-down": "for i in range(3, -1, -1):",
    "range-down-2": "for i in range(5, 0, -2):",
    "range-none": "for i in range(0):",
    "range-none-step": "for i in range(3, 1):",
    "range-one": "for i in range(1):",
    "range-len": "for i in range(len(x)):",
    "range-argument": "for i in range(n):",
    "range-argument-down": "for i in range(n, 0, -1):",
    "range-computed": "for i in range(n - 1, n + 2):",
    "range-named": "trips = range(1, n + 1)\nfor i in trips:",
    "reversed-range": "for i in reversed(range(4)):",
    "list": "for i in [2, 0, 1]:",
    "tuple": "for i in (0.5, 1.5, 0.25):",
    "list-named": "steps = [1, 2, 3]\nfor i in steps:",
    "linspace": "for i in np.linspace(0.0, 1.0, 4):",
    "arange": "for i in np.arange(3):",
    "given-array": "for i in data:",
    "given-reversed": "for i in reversed(data):",
    "given-slice": "for i in data[::-1]:",
    "given-none": "for i in data[:0]:",
    "sorted": "for i in sorted([3, 1, 2]):",
}
BODIES = {
    "sum": ("y = 0.0", "y = y + w * (i + 1)", "y * np.sum(x)"),
    "aug": ("y = 0.0", "y += w * i", "y * np.sum(x) + w"),
    "product": ("y = w", "y = y * (w + i * 0.3)", "y * np.sum(x)"),
    "vector": ("y = x", "y = np.sin(y) * w + i * x", "np.sum(y * y)"),
    "two": ("y = x\n    z = w", "z = z * 0.9 + i\n        y = y * z", "np.sum(y) * z"),
    "unused-trip": ("y = x", "y = np.sin(y * w)", "np.sum(y)"),
}
# Heads that walk along something differentiated; `v` is what is read.
ACTIVE = {
    "array": "for v in x:",
    "array-made": "for v in np.sin(x):",
    "array-named": "y = x * 2\nfor v in y:",
    "array-slice": "for v in x[1:]:",
    "array-back": "for v in x[::-1]:",
    "array-reversed": "for v in reversed(x):",
    "enumerate": "for i, v in enumerate(x):",
    "enumerate-start": "for i, v in enumerate(x, 1):",
    "enumerate-keyword": "for i, v in enumerate(x, start=2):",
    "zip": "for v, u in zip(x, x[1:]):",
    "zip-data": "for v, u in zip(x, (1.0, 2.0, 3.0)):",
    "zip-range": "for i, v in zip(range(10), x):",
    "zip-three": "for v, u, i in zip(x, np.cos(x), [1, 2]):",
    "enumerate-zip": "for i, (v, u) in enumerate(zip(x, x * x)):",
    "list-of-active": "for v in [x[0], x[1] * 2, x[2]]:",
    "tuple-of-active": "for v in (x[0], x[0] * x[1]):",
    "list-of-active-named": "parts = [x[0], np.sin(x[1])]\nfor v in parts:",
    "pairs": "for v, u in [(x[0], x[1]), (x[1], x[2])]:",
    "dict-items": "for i, v in {1: x[0], 2: x[1]}.items():",
    "dict-values": "for v in {'a': x[0], 'b': x[1]}.values():",
    "dict-keys": "d = {'a': x[0], 'b': x[1]}\nfor k in d:\n    v = d[k]",
    "reversed-enumerate": "for i, v in reversed(list(enumerate(x))):",
}
ACTIVE_BODIES = {
    "sum": ("s = 0.0", "s = s + {v} * {v}", "s * np.sum(x)"),
    "carried": ("s = w", "s = np.sin(s) * {v} + w", "s"),
    "vector": ("s = x * 0.5", "s = s * {v} + w", "np.sum(s * x)"),
}
WHOLE = texts("loops")
MATRICES = texts("loops_over_rows")
NOT_YET = ("list-rebound", "reversed-enumerate", "generator-sum")


def loops():
    for head, text in RANGES.items():
        for body, (before, step, result) in BODIES.items():
            lines = text.replace("\n", "\n    ")
            source = (
                f"def f(x, w, n, data):\n    {before}\n    {lines}\n        {step}\n    return {result}\n"
            )
            data = np.array([0.5, -0.3, 0.8])
            yield program("loops", f"{head}-{body}", source, VECTOR, 1.1, 3, data, wrt=("x", "w"))
    for head, text in ACTIVE.items():
        for body, (before, step, result) in ACTIVE_BODIES.items():
            v = "v" + (" * u" if " u" in text.partition("in")[0] else "")
            v += " * i" if "for i" in text or ", i " in text else ""
            lines = text.replace("\n", "\n    ")
            source = (
                f"def f(x, w):\n    {before}\n    {lines}\n        {step.format(v=v)}\n    return {result}\n"
            )
            refuse = head in NOT_YET
            yield program("loops", f"{head}-{body}", source, VECTOR, 1.1, wrt=("x", "w"), may_refuse=refuse)
    inputs = {"a": (VECTOR, 1.2), "b": (np.array([0.45, 0.8, 1.6]), 2.3)}
    for key, body in WHOLE.items():
        for name, (x, w) in inputs.items():
            yield program(
                "loops", f"{key}-{name}", function("x, w", body), x, w,
                wrt=("x", "w"), reference="differences", may_refuse=key in NOT_YET,
            )  # fmt: skip
    for key, body in MATRICES.items():
        yield program("loops", f"matrix-{key}", function("x", body), MATRIX)
        yield program("loops", f"matrix-{key}-made", function("x", "x = np.exp(x)\n" + body), MATRIX)
