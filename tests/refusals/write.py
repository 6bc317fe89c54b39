"""Writes the messages of all cases anew: `python tests/refusals/write.py`. Read what git says has changed."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import case as cases


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(cases.CASES.glob("*.txt")):
            found = cases.read(path)
            for each in found:
                each.message = cases.refusal(each, Path(folder))
            path.write_text("\n".join(each.text() for each in found))


if __name__ == "__main__":
    main()
