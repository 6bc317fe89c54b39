"""Writes the texts below generated/ anew: `python tests/golden/write.py`, after a review of what git says has changed.

It prints how long each is beside the hand-written one.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generating


def main() -> None:
    for name, text in generating.programs().items():
        (generating.GENERATED / f"{name}.py").write_text(text)
        if name != "tutorial":
            ending = ("_tangent",) if name == generating.FORWARD else ("_grad", "_forward", "_reverse")
            hand = generating.lines_of_code((generating.HAND / f"{name}.py").read_text(), ending)
            made = generating.lines_of_code(text, ending)
            print(f"{name:12} hand {hand:3}  generated {made:3}  ratio {made / hand:.2f}")


if __name__ == "__main__":
    main()
