"""Ways out of loops: break, continue, return, else, at both levels x inputs that leave early, late, never."""

import numpy as np

from ..program import function, program, texts

# `t` is the threshold at which the loop is left.
SHAPES = texts("exits")
THRESHOLDS = {"at-once": 0.5, "early": 2.6, "late": 4.4, "never": 50.0}
X = np.array([0.8, 0.5, 1.2, 0.9])


def exits():
    for shape, body in SHAPES.items():
        for when, t in THRESHOLDS.items():
            if shape == "try-finally" and when != "early":
                continue
            yield program(
                "exits", f"{shape}-{when}", function("x, w, t", body), X, 1.1, t,
                wrt=("x", "w"), reference="differences", may_refuse=shape == "try-finally",
            )  # fmt: skip
