"""What is generated for the functions of `hand/` and for the lessons of the tutorial, as complete programs."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

import numpy as np

from srcgrad.cli.show import imports_of
from srcgrad.pipeline import make
from srcgrad.source.read import read

HERE = Path(__file__).resolve().parent
HAND, GENERATED = HERE / "hand", HERE / "generated"
TUTORIAL = HERE.parents[1] / "samples" / "tutorial.py"
NAMES = (
    "detach", "branch", "decisions", "recurrence", "search", "call", "broadcast", "stretch", "select", "history",
    "stencil", "overwrite", "buffers", "helper_writes",
)  # fmt: skip

FORWARD = "tangent"  # written by hand in forward mode only

# function: (arguments, mode)
LESSONS = {
    "quadratic": ((np.arange(4.0),), "grad"),
    "accumulated": ((np.arange(4.0),), "grad"),
    "non_scalar": ((np.arange(4.0),), "seed"),
    "detached": ((np.arange(4.0),), "grad"),
    "attached": ((np.arange(4.0),), "grad"),
    "control_flow": ((0.25,), "grad"),
}


def load(path):
    """A file as a module."""
    spec = importlib.util.spec_from_file_location(f"golden_{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def text_of(function, arguments, wrt, mode):
    """The functions that are generated for one call."""
    source = read(function)
    named = dict(zip(source.signature.parameters, arguments, strict=True))
    return make(source, named, wrt, mode).text.rstrip("\n")


def program(doc, module, path, texts):
    """Generated functions as a module: imports, and each function once."""
    parts = list(dict.fromkeys(texts))
    imports = "\n".join(sorted(imports_of("\n\n\n".join(parts), module, path)))
    head = f'"""{doc}"""' + (f"\n\n{imports}" if imports else "")
    return "\n\n\n".join([head, *parts]) + "\n"


def of_hand(name, modes=("grad", "jvp")):
    """The program for one of the hand-written ones: its adjoint and its tangent."""
    path = HAND / f"{name}.py"
    module = load(path)
    wrt = module.wrt if isinstance(module.wrt, tuple) else (module.wrt,)
    texts = [text_of(module.primal, module.arguments, wrt, mode) for mode in modes]
    return program(f"Generated for hand/{name}.py.", module, path, texts)


def of_tutorial():
    """The program for the lessons of the tutorial: their adjoints."""
    module = load(TUTORIAL)
    texts = [
        text_of(getattr(module, name), arguments, ("x" if name != "control_flow" else "a",), mode)
        for name, (arguments, mode) in LESSONS.items()
    ]
    return program("Generated for samples/tutorial.py.", module, TUTORIAL, texts)


def programs():
    """All of them, by the name of their file."""
    by_hand = {name: of_hand(name) for name in NAMES}
    return {**by_hand, FORWARD: of_hand(FORWARD, ("jvp",)), "tutorial": of_tutorial()}


def lines_of_code(text, endings=("_grad", "_forward", "_reverse")):
    """The lines of the functions of these names in a module: no comments, no blank lines."""
    count = 0
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.endswith(endings):
            lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
            count += sum(line.strip() != "" and not line.strip().startswith("#") for line in lines)
    return count
