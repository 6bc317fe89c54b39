"""The one exception of srcgrad, and `refuse`, the only way to raise it.

An error is written for the person whose function was refused: the first line says
what and where on its own, because test runners cut the rest, and the excerpt below
it is the user's text, never ours.

>>> print(SrcgradError("numpy.partition has no derivative rule", slug="no-rule"))
numpy.partition has no derivative rule  [no-rule]
"""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from srcgrad.explain import SLUGS

if TYPE_CHECKING:
    from srcgrad.source.read import Source

# Line numbers are right-aligned to this width at least, so that short excerpts of one
# file stand in one column.
_NUMBER_WIDTH = 2


@dataclass(frozen=True)
class Location:
    """A span of the user's text: where a message points.

    Lines are those of the file. Columns are those of `ast`: zero-based, counted in
    bytes of UTF-8. The message shows them one-based, counted in characters.
    """

    source: Source
    lineno: int
    col: int
    end_lineno: int
    end_col: int

    @classmethod
    def of(cls, source: Source, node: Any) -> Location:
        """Gives the span of a syntax node that belongs to `source`."""
        return cls(source, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


class SrcgradError(Exception):
    """A function, or a request, that srcgrad refuses.

    Attributes
    ----------
    slug : the kind of refusal; ``srcgrad explain SLUG`` tells more
    hint : how to get on, or ""
    filename, lineno, offset, text : where in the user's code, as for `SyntaxError`
        (`offset` is one-based); None where the refusal has no place
    """

    __module__ = "srcgrad"

    def __init__(
        self,
        message: str,
        *,
        slug: str = "",
        location: Location | None = None,
        note: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.slug = slug
        self.hint = hint
        self.filename: str | None = None
        self.lineno: int | None = None
        self.offset: int | None = None
        self.text: str | None = None
        # Everything is turned to text at once: an exception that held the user's
        # function could neither be pickled nor sent to another process.
        self._where = ""
        self._excerpt: tuple[str, ...] = ()
        if location is not None:
            source = location.source
            line = source.lines.get(location.lineno, "")
            self.filename = source.filename
            self.lineno = location.lineno
            self.offset = _characters(line, location.col) + 1
            self.text = line
            self._where = source.name
            self._excerpt = tuple(_excerpt(location, note))

    def __str__(self) -> str:
        parts = [f"{self.message}  [{self.slug}]" if self.slug else self.message]
        if self.filename is not None:
            place = f"{shown_path(self.filename)}:{self.lineno}:{self.offset}"
            parts.append(f"  --> {place} in {self._where}")
        parts.extend(self._excerpt)
        if self.hint:
            parts.append("  hint: " + self.hint.replace("\n", "\n        "))
        return "\n".join(parts)


class MissingExtra(SrcgradError, ImportError):
    """An optional package that is needed and not installed.

    It is an ImportError too, so that ``except ImportError`` and
    ``pytest.importorskip`` work as they do for any other package.
    """


def refuse(
    slug: str,
    message: str,
    location: Location | None = None,
    *,
    note: str = "",
    hint: str = "",
) -> NoReturn:
    """Raises the SrcgradError of this kind; `note` stands after the carets."""
    assert slug in SLUGS, f"slug {slug!r} is not listed in srcgrad/explain.py"
    raise SrcgradError(message, slug=slug, location=location, note=note, hint=hint)


def refuse_missing(extra: str, package: str, what: str) -> NoReturn:
    """Raises the MissingExtra that tells how to install `package`.

    >>> refuse_missing("jit", "numba", "jit=True")
    Traceback (most recent call last):
    srcgrad.errors.MissingExtra: jit=True needs numba, which is not installed  [extra]
      hint: pip install "srcgrad[jit]"
    """
    raise MissingExtra(
        f"{what} needs {package}, which is not installed",
        slug="extra",
        hint=f'pip install "srcgrad[{extra}]"',
    )


def shown_path(filename: str) -> str:
    """Gives a path as messages show it: relative when it is below the working directory.

    >>> shown_path(os.path.join(os.getcwd(), "models", "heat.py")).replace(os.sep, "/")
    'models/heat.py'
    >>> shown_path("<ipython-input-3>")
    '<ipython-input-3>'
    """
    if not os.path.isabs(filename):
        return filename
    try:
        relative = os.path.relpath(filename)
    except (ValueError, OSError):  # another drive; a working directory that is gone
        return filename
    outside = relative == os.pardir or relative.startswith(os.pardir + os.sep)
    return filename if outside else relative


def _excerpt(location: Location, note: str) -> list[str]:
    """Gives the lines of the user's text, with carets below the expression."""
    source = location.source
    line = source.lines.get(location.lineno)
    if line is None:
        return []
    before = source.lines.get(location.lineno - 1, "")
    width = max(_NUMBER_WIDTH, len(str(location.lineno)))

    start = _characters(line, location.col)
    if location.end_lineno == location.lineno:
        end = _characters(line, location.end_col)
    else:
        comment = source.comments.get(location.lineno)
        end = len((line[: comment[0]] if comment else line).rstrip())
    end = max(end, start + 1)

    # Carets below a whole line say nothing. Without them a second line would leave open
    # which of the two is meant, so it goes as well.
    whole_line = line[start:end].strip() == line.strip()
    if whole_line and not note:
        return [f"  {location.lineno:>{width}} | {line.rstrip()}"]

    # Tabs stay tabs, or the carets would move with the terminal's tab width.
    padding = "".join("\t" if c == "\t" else " " * _width(c) for c in line[:start])
    carets = "^" * max(1, sum(_width(c) for c in line[start:end]))
    shown = []
    if before.strip():
        shown.append(f"  {location.lineno - 1:>{width}} | {before.rstrip()}")
    shown.append(f"  {location.lineno:>{width}} | {line.rstrip()}")
    shown.append(f"  {'':>{width}} | {padding}{carets} {note}".rstrip())
    return shown


def _characters(line: str, col: int) -> int:
    """Turns a column in bytes of UTF-8 into one in characters."""
    if line.isascii():
        return col
    return len(line.encode()[:col].decode(errors="ignore"))


def _width(character: str) -> int:
    """Gives the number of cells that a terminal uses for a character."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
