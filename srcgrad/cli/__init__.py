"""The command `srcgrad`: `main` finds the command, and says what went wrong without a traceback.

>>> main(["explain", "non-scalar"])  # doctest: +ELLIPSIS
non-scalar: the function does not return a single number
<BLANKLINE>
...
0
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

from srcgrad.cli.options import CannotStart, did_you_mean
from srcgrad.errors import SrcgradError

USAGE = """\
Derivatives of plain NumPy functions, as Python you can read.

usage: srcgrad COMMAND [FILE:FUNCTION] [options]

  show     print the generated derivative            srcgrad show model.py:loss
  check    test it, or your own, against differences srcgrad check model.py:loss --at "w=np.ones(3)"
  explain  what a refusal means                      srcgrad explain no-rule
  rules    what is covered                           srcgrad rules np.linalg

Every command has --help with an example. `show` and `rules` never run your file; `check` does.
exit: 0 fine · 1 refused, wrong or out of date · 2 could not start (no such file, function or option)
"""

COMMANDS = ("show", "check", "explain", "rules")
# Refusals of what was typed, not of the function that was asked about.
_TYPED = ("target", "unknown-wrt", "option", "wrong-seed")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line and gives its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(arguments)
    except CannotStart as error:
        return _say(error, 2)
    except SrcgradError as error:
        return _say(error.message, 2) if error.slug in _TYPED else _say(error, 1)
    except BrokenPipeError:  # `srcgrad rules | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0
    command, *rest = arguments
    if command == "--version":
        from importlib.metadata import version

        print(f"srcgrad {version('srcgrad')}")
        return 0
    if command not in COMMANDS:
        kind = "option" if command.startswith("-") else "command"
        known = ("--help", "--version") if kind == "option" else COMMANDS
        raise CannotStart(f"there is no {kind} {command}{did_you_mean(command, known)}")
    # What one command needs is not loaded for the others.
    return importlib.import_module(f"srcgrad.cli.{command}").run(rest)


def _say(error: object, code: int) -> int:
    sys.stdout.flush()
    print(f"srcgrad: {error}" if code == 2 else error, file=sys.stderr)
    return code
