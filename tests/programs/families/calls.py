"""Calls: how it is called x where the callee is x which arguments are active."""

import numpy as np

from ..program import program, texts

SHAPES = texts("calls")
ACTIVE = {"x": ("x",), "w": ("w",), "both": ("x", "w")}
INPUTS = {"a": (np.array([0.7, 1.2, 0.4]), 1.3), "b": (np.array([1.6, 0.3, 0.9]), 0.6)}
HARD = (
    "decorated-helper",
    "star-keywords",
    "function-chosen",
    "import-inside",
    "method",
    "function-argument",
    "star",
)
MODULES = {
    "other-module": (
        "import left_helpers",
        "def f(x, w):\n    return np.sum(left_helpers.helper(x, w) * x)",
    ),
    "same-name": (
        "import left_helpers\nimport right_helpers",
        "def f(x, w):\n    return np.sum(left_helpers.helper(x, w) * right_helpers.helper(x, w))",
    ),
    "same-name-imported": (
        "from left_helpers import helper\nfrom right_helpers import helper as other",
        "def f(x, w):\n    return np.sum(helper(other(x, w), w))",
    ),
    "same-name-here": (
        "import left_helpers",
        "def helper(u, v):\n    return u + v * 3\n\n\ndef f(x, w):\n"
        "    return np.sum(helper(x, w) * left_helpers.helper(x, w))",
    ),
    "helper-of-helper": (
        "import left_helpers\nimport right_helpers",
        "def f(x, w):\n    return np.sum(left_helpers.outer(x, w) + right_helpers.outer(x, w))",
    ),
    "global-of-module": (
        "import left_helpers\n\nSCALE = 100.0",
        "def f(x, w):\n    return np.sum(left_helpers.outer(x, w)) * left_helpers.SCALE * w",
    ),
    "same-name-loop": (
        "import left_helpers\nimport right_helpers",
        "def f(x, w):\n    y = x\n    for i in range(2):\n        y = left_helpers.helper(y, w)\n"
        "        y = right_helpers.helper(y, w)\n    return np.sum(y)",
    ),
}
HELPERS = {
    "left_helpers": (
        "import numpy as np\n\nSCALE = 0.8\n\n\ndef helper(u, v):\n    return np.sin(u) * v\n\n\n"
        "def outer(u, v):\n    return helper(u, v) * SCALE\n"
    ),
    "right_helpers": (
        "import numpy as np\n\nSCALE = 1.9\n\n\ndef helper(u, v):\n    return u * u + v\n\n\n"
        "def outer(u, v):\n    return helper(u, v) * SCALE + v\n"
    ),
}


def calls():
    for shape, text in SHAPES.items():
        for active, wrt in ACTIVE.items():
            for name, (x, w) in INPUTS.items():
                if (active == "both") or (name == "a"):
                    yield program(
                        "calls", f"{shape}-{active}-{name}", text, x, w,
                        wrt=wrt, reference="differences", may_refuse=shape in HARD,
                    )  # fmt: skip
    for shape, (imports, text) in MODULES.items():
        for active, wrt in ACTIVE.items():
            yield program(
                "calls", f"{shape}-{active}", text, *INPUTS["a"],
                wrt=wrt, imports=imports + "\n", modules=HELPERS,
            )  # fmt: skip
