"""Colours for generated code on a terminal, by the standard library's tokenizer."""

from __future__ import annotations

import io
import keyword
import os
import sys
import tokenize

_KEYWORD, _COMMENT, _BAR, _KEPT, _END = "\033[35m", "\033[2m", "\033[36m", "\033[33m", "\033[0m"


def wanted(choice: str) -> bool:
    """Whether to colour: `always`, `never`, or `auto`, which asks the terminal and NO_COLOR."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def coloured(text: str) -> str:
    """The same text with keywords, comments, adjoints and kept values coloured.

    >>> coloured("x_bar = 1").replace(chr(27), "^")
    '^[36mx_bar^[0m = 1'
    """
    lines = text.splitlines(keepends=True)
    # From the end, so that the columns before an insertion stay as they are.
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return text
    for token in reversed(tokens):
        colour = _colour(token)
        if colour:
            row, start, end = token.start[0] - 1, token.start[1], token.end[1]
            line = lines[row]
            lines[row] = f"{line[:start]}{colour}{line[start:end]}{_END}{line[end:]}"
    return "".join(lines)


def _colour(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.COMMENT:
        return _COMMENT
    if token.type != tokenize.NAME:
        return ""
    if keyword.iskeyword(token.string):
        return _KEYWORD
    stem = token.string.rstrip("_0123456789")  # x_bar_2
    if stem.endswith(("_bar", "_dot")):
        return _BAR
    return _KEPT if stem.endswith("_kept") else ""
