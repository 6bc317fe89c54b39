"""Tuples, lists and dicts made in the program, and as arguments."""

import numpy as np

from ..program import function, program, texts

BODIES = texts("containers")
INPUTS = {"a": (np.array([0.7, 1.2, 0.4]), 1.3), "b": (np.array([0.3, 1.7, 0.9]), 0.8)}
# Stores into lists and dicts, and what else a first version may refuse.
HARD = (
    "append-pop list-extend list-plus-equal list-store dict-store dict-get list-repeated dict-comprehension "
    "array-nested-comprehension in-operator"
).split()
ARGUMENTS = {
    "list": ("np.sum(np.sin(x[0]) * x[1])", [np.array([0.3, 1.2]), np.array([0.7, 0.4])]),
    "list-of-numbers": ("x[0] * np.sin(x[1]) * x[2]", [0.3, 1.2, 0.7]),
    "tuple": ("np.sum(np.sin(x[0]) * x[1])", (np.array([0.3, 1.2]), 0.7)),
    "dict": ("np.sum(np.tanh(x['w'] * 2 + x['b']))", {"w": np.array([0.3, 1.2]), "b": 0.7}),
    "dict-part-zero-entry": ("np.sum(np.sin(x['w']))", {"w": np.array([0.3, 1.2]), "b": 0.7}),
    "nested": ("np.sum(x['a'][0] * x['a'][1] * x['s'])", {"a": [np.array([0.3, 1.2]), 1.5], "s": 0.7}),
}


def containers():
    for key, body in BODIES.items():
        for name, (x, w) in INPUTS.items():
            for wrt in (("x", "w"), ("x",)) if name == "a" else (("x", "w"),):
                yield program(
                    "containers", f"{key}-{name}-{''.join(wrt)}", function("x, w", body), x, w,
                    wrt=wrt, reference="differences", may_refuse=key in HARD,
                )  # fmt: skip
    for key, (text, x) in ARGUMENTS.items():
        body = f"return {text}"
        yield program("containers", f"argument-{key}", function("x", body), x, may_refuse=True)
