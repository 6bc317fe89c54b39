"""Branches: shapes of `if` x inputs that take each arm x numbers or arrays."""

import numpy as np

from ..program import function, program, texts

# `s` is what decides, `x` is a number or an array, `w` a number.
SHAPES = texts("branches")
INPUTS = {"high": 1.7, "middle": 0.6, "low": -0.8}
KINDS = {"number": 0.7, "vector": np.array([0.7, 1.2])}


def branches():
    for shape, body in SHAPES.items():
        for kind, x in KINDS.items():
            for level, s in INPUTS.items():
                text = function("x, w, s", body)
                active = "overwritten-decider" not in shape and "data" not in shape
                yield program(
                    "branches", f"{shape}-{kind}-{level}", text, x, 1.3, s,
                    wrt=("x", "w") if active else ("x", "w", "s"),
                    reference="differences", may_refuse=shape in ("match", "number-or-array", "arm-constant"),
                )  # fmt: skip
