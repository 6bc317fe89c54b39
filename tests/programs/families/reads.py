"""Reads: index x array x place in the program x once or twice x of an argument or of what was made."""

import numpy as np

from ..program import program

VECTOR = np.array([0.3, -1.1, 0.7, 1.6, -0.4])
MATRIX = np.array([[0.3, -1.1, 0.7], [1.6, -0.4, 0.9]])
VECTOR_INDICES = {
    "int": "1",
    "last": "-1",
    "slice": "1:3",
    "from": "2:",
    "but-last": ":-1",
    "step": "::2",
    "negative-step": "3:0:-1",
    "reversed": "::-1",
    "empty-zero": "2:2",
    "ellipsis": "...",
    "newaxis": ":, None",
    "newaxis-first": "None",
    "mask": "MASK",
    "mask-computed": "x > 0",
    "list": "[0, 2, 2]",
    "array": "REPEATS",
    "array-2d": "np.array([[0, 1], [1, 4]])",
    "argsort": "np.argsort(x)",
    "computed": "len(x) - 2",
    "computed-slice": "len(x) // 2:",
}
MATRIX_INDICES = {
    "row": "1",
    "last-row": "-1",
    "pair": "0, 1",
    "pair-negative": "1, -1",
    "column": ":, 0",
    "row-slice": "0, :",
    "steps": "::-1, 1:",
    "inner": "1:, :2",
    "ellipsis": "..., 0",
    "newaxis": ":, None",
    "newaxis-middle": "0, None, 1:",
    "mask": "MASK[:2]",
    "mask-full": "x > 0.5",
    "rows": "[0, 1, 1]",
    "columns": ":, [0, 2, 0]",
    "zip": "[0, 1, 1], [1, 2, 2]",
    "row-fancy": "1, [0, 0, 2]",
    "fancy-slice": "[1, 0, 1], 1:",
    "mask-column": "MASK[:2], 1",
    "chained": "0][1",
    "chained-slice": "1:][0, 1:",
}
HEAD = "MASK = np.array([True, False, True, True, False])\nREPEATS = np.array([3, 0, 3])\n\n\n"
PLACES = {
    "straight": "def f(x):\n    {made}return {use}\n",
    "loop": """
def f(x):
    {made}total = 0.0
    for weight in (0.5, 1.5, 2.5):
        total = total + weight * {use}
    return total
""",
    "branch": """
def f(x):
    {made}if np.sum(x) > -10.0:
        total = 2 * {use}
    else:
        total = np.sum(x)
    return total
""",
    "callee": "def g(x):\n    return {use}\n\n\ndef f(x):\n    {made}return g(x) * np.sum(x) + g(2 * x)\n",
}
USES = {
    "once": "np.sum(np.sin({v}[{i}]))",
    "twice": "np.sum(np.sin({v}[{i}]) * {v}[{i}])",
}
LOOPS = {
    "var": ("for i in range(len(x)):", "x[i] * x[i - 1]"),
    "var-plus": ("for i in range(len(x) - 1):", "x[i + 1] * x[i] ** 2"),
    "var-back": ("for i in range(len(x) - 1, -1, -1):", "x[i] * (i + 1)"),
    "var-mirror": ("for i in range(len(x)):", "x[-i - 1] * x[i] * (i + 1)"),
    "window": ("for i in range(1, len(x) - 1):", "np.sum(np.cos(x[i - 1:i + 2])) * i"),
    "prefix-zero": ("for i in range(len(x)):", "np.sum(x[:i] ** 2)"),
    "twice-same": ("for i in (0, 1, 1, 0):", "np.sin(x[i]) * x[i]"),
    "through-list": ("for i in [2, 0, 2]:", "x[i] ** 3"),
    "through-array": ("for i in REPEATS:", "x[i] ** 3"),
    "fancy": ("for i in range(3):", "np.sum(x[[i, 0, i]] ** 2) * (i + 1)"),
    "mask": ("for i in range(3):", "np.sum(np.sin(x[MASK]) * (i + 1))"),
    "mask-moving": ("for i in range(3):", "np.sum(x[x > 0.5 * i] ** 2)"),
    "strided": ("for i in range(1, 4):", "np.sum(x[::i] ** i)"),
}

TERMS = (
    "x[i, j] ** 2 * (i + j)",
    "x[i][j] * x[0, j]",
    "x[i, j] * x[i, j - 1]",
    "np.sum(x[:, j]) * x[i, j]",
)


def reads():
    for array, indices in (("vector", VECTOR_INDICES), ("matrix", MATRIX_INDICES)):
        value = VECTOR if array == "vector" else MATRIX
        for index, text in indices.items():
            for place, layout in PLACES.items():
                for use, template in USES.items():
                    for of, made in (("argument", ""), ("made", "x = np.exp(x) - 0.9\n    ")):
                        if len(place + use + of + index) % 2 and place != "straight" and use == "once":
                            continue
                        body = HEAD + layout.format(made=made, use=template.format(v="x", i=text)).strip("\n")
                        key = f"{array}-{index}-{place}-{use}-{of}"
                        yield program("reads", key, body, value)
            body = HEAD + f"def f(x):\n    return x[{text}]\n"
            if index != "empty-zero":
                yield program("reads", f"{array}-{index}-returned", body, value)
    yield from in_loops()
    yield from given()


def in_loops():
    for key, (head, term) in LOOPS.items():
        for of, made in (("argument", ""), ("made", "x = x * x + 0.3\n    "), ("carried", "")):
            step = f"total = total + {term}"
            if of == "carried":
                step = f"total = np.sin(total) + {term} * (1 + 0.1 * total)"
            body = f"def f(x):\n    {made}total = 0.0\n    {head}\n        {step}\n    return total\n"
            yield program("reads", f"loop-{key}-{of}", HEAD + body, VECTOR)
    nested = "def f(x):\n    s = 0.0\n    {}\n    return s\n"
    inner = {
        "entries": "for i in range(x.shape[0]):\n        for j in range(x.shape[1]):\n            s += {}",
        "triangle": (
            "for i in range(x.shape[0]):\n        for j in range(i, x.shape[1]):\n            s += {}"
        ),
    }
    for key, loop in inner.items():
        for term in TERMS:
            yield program("reads", f"matrix-{key}-{term}", nested.format(loop.format(term)), MATRIX)


def given():
    """Indices that are arguments."""
    for key, index in {
        "int": 2,
        "negative": -2,
        "numpy-int": np.int64(1),
        "array": np.array([1, 1, 4]),
        "array-2d": np.array([[0, 1], [1, 0]]),
        "mask": VECTOR > 0,
        "list": [3, 3],
        "slice": slice(1, 4),
        "negatives": np.array([-1, 4, 0]),
    }.items():
        for use, text in {
            "once": "np.sum(np.cos(x[i]))",
            "twice": "np.sum(x[i] * np.sin(x[i]))",
            "made": "np.sum(np.exp(x)[i] ** 2)",
        }.items():
            may_refuse = key in ("list", "slice")
            body = f"def f(x, i):\n    return {text}\n"
            yield program("reads", f"given-{key}-{use}", body, VECTOR, index, may_refuse=may_refuse)
    body = "def f(x, i):\n    for k in i:\n        x = x * 1.1 + x[k]\n    return np.sum(np.sin(x))\n"
    yield program("reads", "given-steers-loop", body, VECTOR, np.array([1, 1, 4, 0]))
