"""Names: augmented assignment, chains, packing, swaps and rotations, walrus, ternary, booleans, f-strings."""

import numpy as np

from ..program import function, program, texts

VECTOR = np.array([0.6, 1.4, 0.9])
MATRIX = np.array([[0.4, 1.2, 0.7], [1.1, 0.5, 0.8]])
AUGMENTED = ("+", "-", "*", "/", "**")
# What the target is made of, and its kind.
TARGETS = {
    "number": ("2.0", "float"),
    "zero": ("0", "float"),
    "active-number": ("2 * x[1]", "float"),
    "fresh": ("2 * x", "vector"),
    "call": ("np.exp(x)", "vector"),
    "zeros": ("np.zeros(3) + x", "vector"),
    "ones": ("np.ones(3)", "vector"),
}
STEPS = {
    "constant": "1.5",
    "number": "x[0]",
    "same-number": "x[1] * w",
    "array": "np.cos(x / 2)",
    "argument": "x",
    "itself": "y",
    "other": "w",
}
PLACES = {
    "straight": "y {op}= {step}\n{again}",
    "loop": "for i in range(3):\n    y {op}= {step}",
    "branch": "if x[0] > 0:\n    y {op}= {step}\nelse:\n    y = x[0] * 2",
}
STRAIGHT = texts("assignments")


def assignments():
    yield from augmented()
    yield from straight()


def augmented():
    for op in AUGMENTED:
        for target, (made, kind) in TARGETS.items():
            for step, text in STEPS.items():
                for place, layout in PLACES.items():
                    if (len(op + target + step) % 3 == 0) != (place == "straight"):
                        continue
                    if op in ("**", "*") and step == "itself" or op == "**" and place == "loop":
                        continue
                    if place == "branch" and kind == "vector" and target == "ones":
                        continue
                    body = layout.format(op=op, step=text, again=f"y {op}= w")
                    body = f"y = {made}\n{body}\nreturn np.sum(np.sin(y) * x)"
                    if op == "/" and target == "zero":
                        body = body.replace("y = 0\n", "y = 1\n")
                    if op == "**" and target == "zero":
                        body = body.replace("y = 0\n", "y = 2\n")
                    key = f"aug{op}-{target}-{step}-{place}"
                    how = "differences" if place == "branch" or target == "ones" else "complex"
                    yield program(
                        "assignments", key, function("x, w", body), VECTOR, 0.8, wrt=("x", "w"), reference=how
                    )
    for op in ("+", "-", "*", "/"):
        for step in ("x[0]", "x[:, :1]", "x[:1]", "x", "y", "x.T.T"):
            body = f"y = x * x\nz = y * 2\nz {op}= {step}\nz {op}= y\nreturn np.sum(np.cos(z) * x)"
            key = f"aug{op}-matrix-{step}"
            yield program("assignments", key, function("x", body), MATRIX)
    for op in ("+", "*"):
        body = f"y = x\ny {op}= 2.0\nreturn y * x"
        yield program("assignments", f"aug{op}-float-argument", function("x", body), 0.7)
        body = f"y = x * 1.0\nfor i in range(4):\n    y {op}= w * y\n    w {op}= y\nreturn y * w"
        yield program("assignments", f"aug{op}-two-floats", function("x, w", body), 0.7, 0.3, wrt=("x", "w"))


def straight():
    inputs = {"a": VECTOR, "b": np.array([1.3, -0.45, 2.2])}
    for key, body in STRAIGHT.items():
        for name, value in inputs.items():
            text = function("x", body)
            if name == "b" and "sqrt" not in body and "**" in body and "x[1] **" in body:
                continue
            yield program("assignments", f"{key}-{name}", text, value, reference="differences")
