"""Binary operators: operator x spelling x kinds of both operands x which one is active."""

import numpy as np

from ..program import program

# Each kind's value as the left and as the right operand; all shapes broadcast together.
KINDS = {
    "float": (0.7, 1.3),
    "float64": (np.float64(1.1), np.float64(0.6)),
    "int": (2, 3),
    "zerod": (np.array(0.9), np.array(1.4)),
    "vector": (np.array([0.4, 1.2, 0.8]), np.array([1.5, 0.9, 0.7])),
    "matrix": (np.array([[0.3, 1.1, 0.6], [1.4, 0.5, 0.9]]), np.array([[1.2, 0.8, 0.7], [0.6, 1.6, 1.3]])),
    "row": (np.array([[0.5, 1.3, 0.9]]), np.array([[0.7, 1.1, 1.9]])),
    "column": (np.array([[0.6], [1.7]]), np.array([[1.3], [0.8]])),
    "one": (np.array([0.75]), np.array([1.25])),
    "float32": (np.array([0.5, 1.25, 0.8], np.float32), np.array([1.5, 0.75, 0.6], np.float32)),
    "ints": (np.array([2, 3, 1]), np.array([1, 3, 2])),
}
# The remainder jumps where the quotient is an integer: other integers, and floats that stay off the jumps.
FOR_REMAINDER = {
    "int": (7, 3),
    "ints": (np.array([5, 7, 10]), np.array([3, 4, 6])),
    "float32": (np.array([2.5, 1.25, 0.8], np.float32), np.array([1.6, 0.73, 0.95], np.float32)),
}
SPELLINGS = {
    "add": ("x + w", "np.add(x, w)"),
    "sub": ("x - w", "np.subtract(x, w)"),
    "mul": ("x * w", "np.multiply(x, w)"),
    "div": ("x / w", "np.true_divide(x, w)", "np.divide(x, w)"),
    "pow": ("x ** w", "np.power(x, w)", "np.float_power(x, w)"),
    "mod": ("x % w", "np.mod(x, w)", "np.remainder(x, w)"),
}
ACTIVE = {"left": ("x",), "right": ("w",), "both": ("x", "w")}
MATMUL = {
    "vector-vector": ((3,), (3,)),
    "matrix-vector": ((2, 3), (3,)),
    "vector-matrix": ((2,), (2, 3)),
    "matrix-matrix": ((2, 3), (3, 2)),
    "row-matrix": ((1, 3), (3, 2)),
    "matrix-column": ((2, 3), (3, 1)),
    "row-column": ((1, 3), (3, 1)),
    "column-row": ((2, 1), (1, 3)),
    "one-one": ((1,), (1,)),
}


def operators():
    yield from binary()
    yield from ufuncs()
    yield from same_twice()
    yield from matmul()
    yield from chains()


def moved_by(value, factor):
    return np.array(value * factor) if isinstance(value, np.ndarray) else type(value)(value * factor)


def kinds_for(operator):
    if operator != "mod":
        return KINDS
    moved = {kind: (moved_by(left, 1.0887), moved_by(right, 1.0673)) for kind, (left, right) in KINDS.items()}
    return {**KINDS, **moved, **FOR_REMAINDER}


def binary():
    """All pairs of kinds with both active; on every second pair one of the two alone as well."""
    for operator, spellings in SPELLINGS.items():
        kinds = kinds_for(operator)
        text = f"def f(x, w):\n    return np.sum(np.sin({spellings[0]}))"
        pairs = [(left, right) for left in kinds for right in kinds]
        for place, (left, right) in enumerate(pairs):
            alone = {0: ["left"], 2: ["right"]}.get(place % 4, [])
            for active in ["both", *alone]:
                yield operation(f"{operator}-{left}-{right}-{active}", text, operator, left, right, active)


def operation(key, text, operator, left, right, active):
    kinds = kinds_for(operator)
    how = "differences" if operator == "mod" or "float_power" in text else "complex"
    return program("operators", key, text, kinds[left][0], kinds[right][1], wrt=ACTIVE[active], reference=how)


def ufuncs():
    """The other spellings, and arrays returned as they are (weighted by a random seed)."""
    some = ("float", "int", "vector", "matrix", "column", "float32")
    for operator, spellings in SPELLINGS.items():
        for left in some:
            for right in some:
                for spelling in spellings[1:]:
                    name = spelling[3:].partition("(")[0]
                    if name == "float_power" and left != "vector":
                        continue
                    text = f"def f(x, w):\n    y = {spelling}\n    return np.sum(np.cos(y))"
                    yield operation(f"np.{name}-{left}-{right}", text, operator, left, right, "both")
        for left, right in (("vector", "matrix"), ("column", "row"), ("one", "one"), ("float32", "float")):
            text = f"def f(x, w):\n    return {spellings[0]}"
            yield operation(f"{operator}-{left}-{right}-returned", text, operator, left, right, "both")


def same_twice():
    """One name on both sides."""
    for operator, spellings in SPELLINGS.items():
        if operator in ("mod", "div", "sub"):
            continue
        for kind, (value, _) in KINDS.items():
            text = f"def f(x):\n    return np.sum(np.sin({spellings[0].replace('w', 'x')}))"
            yield program("operators", f"{operator}-{kind}-same", text, value)
    for kind in KINDS:
        text = "def f(x):\n    y = x - x\n    z = x / x\n    return np.sum(np.sin(y + z))"
        wrt = {"x": np.zeros_like(KINDS[kind][0], float)}
        yield program(
            "operators", f"zero-{kind}-same", text, KINDS[kind][0], reference="stated", expected=wrt
        )


def matmul():
    spellings = {
        "operator": "x @ w",
        "matmul": "np.matmul(x, w)",
        "dot": "np.dot(x, w)",
        "method": "x.dot(w)",
    }
    for key, shapes in MATMUL.items():
        x, w = (np.linspace(0.3, 1.4, int(np.prod(shape))).reshape(shape) for shape in shapes)
        for spelling, text in spellings.items():
            body = f"def f(x, w):\n    return np.sum(np.sin({text}))"
            for active, wrt in ACTIVE.items():
                if active == "both" or spelling in ("operator", "method"):
                    yield program("operators", f"{spelling}-{key}-{active}", body, x, w, wrt=wrt)
        body = "def f(x, w):\n    return x @ w"
        yield program("operators", f"operator-{key}-returned", body, x, w, wrt=("x", "w"))
    square = np.array([[0.4, 1.1], [0.7, 0.2]])
    for key, text in {"same": "x @ x", "transpose": "x @ x.T", "power": "x @ x @ x"}.items():
        yield program("operators", f"matmul-{key}", f"def f(x):\n    return np.sum(np.sin({text}))", square)


def chains():
    """Precedence and association: what the printer must not change."""
    texts = [
        "-x ** 2", "(-x) ** 2", "x ** -w", "x ** w ** 0.5", "(x ** w) ** 0.5", "x - (w - 1)", "x - w - 1",
        "x / (w / 2)", "x / w / 2", "x * (w + 1)", "-(x + w)", "- -x + w", "+x - -w", "x / (w * x)",
        "2 ** x * w",
        "x % 0.55 + w", "-x % 0.55 * w", "(x + w) * (x - w)", "x * w * x * w", "1 - (1 - (1 - x) * w)",
        "0 * x + w", "x * 1 + 0", "x + 0.0 * w", "(x * 2) // 10 + x", "True * x + w",
    ]  # fmt: skip
    for text in texts:
        for kind in ("float", "vector"):
            how = "differences" if "%" in text or "//" in text else "complex"
            body = f"def f(x, w):\n    return np.sum(np.sin({text}))"
            yield program(
                "operators", f"chain-{text}-{kind}", body, KINDS[kind][0], KINDS[kind][1],
                wrt=("x", "w"), reference=how,
            )  # fmt: skip
