"""One case: the text of a program, its arguments, and where its derivative is known from."""

import copy
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

HEADER = "import math\n\nimport numpy as np\n\n\n"


@dataclass(frozen=True)
class Program:
    """A function `f` as text, with the arguments of one call.

    `reference` is "complex" (the program is holomorphic along its path), "differences", or "stated"
    (`expected` holds the gradients, by name, worked out by hand). `modules` are files beside the program.
    `may_refuse`: a SrcgradError that names a line is right too.
    """

    id: str
    source: str
    arguments: tuple
    wrt: tuple = ("x",)
    reference: str = "complex"
    expected: dict = field(default_factory=dict)
    modules: dict = field(default_factory=dict)
    may_refuse: bool = False
    name: str = "f"
    writes: bool = False  # the arguments may be written

    @property
    def family(self):
        return self.id.partition("/")[0]

    def fresh(self):
        """The arguments, as a call may change them."""
        return copy.deepcopy(self.arguments)


def program(family, key, text, *arguments, imports="", **tags):
    """A Program whose text is dedented and follows the usual imports."""
    identity = f"{family}/{key}".replace(" ", "")
    source = HEADER.replace("\n\n\n", "\n" + imports + "\n\n") + textwrap.dedent(text).strip("\n") + "\n"
    return Program(identity, source, arguments, **tags)


def function(parameters, body):
    """`def f(parameters)` around a body that starts at any indentation."""
    return f"def f({parameters}):\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


def texts(name):
    """The programs of `texts/name.txt` by key: each follows a line `## key`."""
    parts, key = {}, None
    for line in (Path(__file__).parent / "texts" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            key = line[3:]
            assert key not in parts, key
            parts[key] = []
        elif key is not None:
            parts[key].append(line)
    return {key: "\n".join(lines).strip("\n") for key, lines in parts.items()}
