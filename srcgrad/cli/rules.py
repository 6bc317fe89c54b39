"""`srcgrad rules`: what is covered, read from the table of rules itself."""

from __future__ import annotations

import builtins
import math
import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.cli.options import CannotStart, Parser, did_you_mean
from srcgrad.ir import Attr, Call, Expr, Name

_SPELLED = {
    "u-": "-x", "u+": "+x", "abs": "abs", "[]": "x[i]",
}  # fmt: skip


@dataclass
class Row:
    """One function, operator or method of the table."""

    name: str
    names: list[str] = field(default_factory=list)  # all the ways it may be spelled
    by: list[str] = field(default_factory=list)  # arguments that are differentiated
    modes: set[str] = field(default_factory=set)
    kinks: list[str] = field(default_factory=list)

    def lines(self, width: int, in_full: bool) -> list[str]:
        """The row; in a long table with the first kink alone, by itself with all of them."""
        modes = "both" if len(self.modes) == 2 else "".join(self.modes) or "-"
        head = f"{self.name:<{width}}  {', '.join(self.by) or '-':<14}  {modes:<7}"
        others = [n for n in self.names if n != self.name]
        also = [f"also {', '.join(others)}"] if others else []
        if in_full:
            rest = [*self.kinks, *also] or [""]
            return [f"{head}  {rest[0]}".rstrip(), *(f"{'':<{len(head)}}  {text}" for text in rest[1:])]
        more = " ..." if len(self.kinks) > 1 else ""
        kink = [text.rstrip(".") + more for text in self.kinks[:1]]
        rest = kink + also
        return [f"{head}  {'; '.join(rest)}".rstrip()]


def run(arguments: list[str]) -> int:
    parser = Parser(
        "rules", "Lists what is covered: functions, operators and methods.", "srcgrad rules np.linalg"
    )
    parser.add_argument("filter", nargs="?", metavar="NAME", help="a function, a module, or a part of a name")
    options = parser.parse(arguments)
    if options is None:
        return 0
    rows, others = covered(), not_covered()
    if options.filter is None:
        _print_rows(rows)
        print(
            f"\n{len(rows)} have rules. {len(others)} more are known: constants, data, or with a reason why not;"
        )
        print("ask by name, as in `srcgrad rules np.floor` or `srcgrad rules np.fft`")
        return 0
    wanted = options.filter.replace("numpy.", "np.").rstrip(".")
    names = [n for row in rows for n in row.names] + list(others)
    matches = _matching(wanted, names)
    if not matches:
        whole = _of_module(options.filter)
        if whole:
            print(whole)
            return 0
        last = wanted.rpartition(".")[2]
        guess = did_you_mean(wanted, names) or did_you_mean(last, [n.rpartition(".")[2] for n in names])
        raise CannotStart(f"nothing is known of {options.filter}{guess}")
    _print_rows([row for row in rows if matches & set(row.names)])
    rest = {name: others[name] for name in others if name in matches}
    if rest:
        width = max(map(len, rest))
        for name, text in rest.items():
            print(f"{name:<{width}}  {text}")
    return 0


def _print_rows(rows: list[Row]) -> None:
    if rows:
        width = max(len(row.name) for row in rows)
        print(f"{'':<{width}}  {'by':<14}  {'modes':<7}  at kinks and edges")
        for row in rows:
            print("\n".join(row.lines(width, in_full=len(rows) <= 3)))


def _matching(wanted: str, names: list[str]) -> set[str]:
    """The name itself, else what is in the module, else what has this last name, else what holds a word."""
    for test in (
        lambda n: n == wanted,
        lambda n: n.startswith(wanted + "."),
        lambda n: n.rpartition(".")[2] == wanted,
        lambda n: "." not in wanted and wanted.lower() in n.lower(),
    ):
        found = {n for n in names if test(n)}
        if found:
            return found
    return set()


# ---- reading the table


def covered() -> list[Row]:
    """The rows of the table, sorted by name; rules of srcgrad's own helpers are left out."""
    from srcgrad.rules.table import table

    rows: dict[str, Row] = {}
    for variant in table().variants:
        if variant.module.endswith(".helpers"):
            continue
        r = variant.registered
        names = _names_of_variant(variant)
        if not names:
            continue
        row = rows.setdefault(names[0], Row(names[0]))
        row.names += [n for n in names if n not in row.names]
        row.by += [p for p in variant.params if variant.differentiable(p) and p not in row.by]
        roles = {line.role for line in variant.lines}
        if roles & {"partial", "selected"}:
            row.modes |= {"reverse", "forward"}
        if "adjoint" in roles:
            row.modes.add("reverse")
        if "tangent" in roles:
            row.modes.add("forward")
        if r.kink:
            said = " ".join((r.function.__doc__ or "").split()) or _points(r.kink)
            if said not in row.kinks:
                row.kinks.append(said)
    return sorted(rows.values(), key=lambda row: _order(row.name))


def _order(name: str) -> tuple[int, str]:
    group = 0 if "." not in name else 1 if name.startswith("np.") else 2
    return group, name


def _names_of_variant(variant: Any) -> list[str]:
    """All spellings of what a rule is about; the first is the row's."""
    r = variant.registered
    names = []
    if r.operator is not None:
        names.append(_SPELLED.get(r.operator, f"x {r.operator} y"))
    if isinstance(variant.pattern, Call):
        path = _path(variant.pattern.fn)
        if path and (path.startswith(("np.", "math.")) or hasattr(builtins, path)):
            names.append(path)
    names += [spelled(o) for o in r.also]
    if r.method is not None:
        names.append(f"x.{r.method}" + ("" if r.method in ("T", "mT", "real", "imag") else "()"))
    return list(dict.fromkeys(n for n in names if n))


def _path(e: Expr) -> str:
    if isinstance(e, Attr):
        base = _path(e.value)
        return f"{base}.{e.name}" if base else ""
    return e.id if isinstance(e, Name) else ""


def spelled(function: Any) -> str:
    """How a stock function is written.

    >>> spelled(np.multiply), spelled(math.sin), spelled(abs), spelled(np.linalg.inv)
    ('np.multiply', 'math.sin', 'abs', 'np.linalg.inv')
    """
    name = getattr(function, "__name__", "")
    for prefix, module in (
        ("np", np), ("np.linalg", np.linalg), ("np.random", np.random), ("math", math),
        ("", builtins), ("operator", operator),
    ):  # fmt: skip
        if vars(module).get(name) is function:
            return f"{prefix}.{name}" if prefix else name
    module_name = getattr(function, "__module__", None) or getattr(type(function), "__module__", "")
    return f"{module_name}.{name}".replace("numpy.", "np.") if name else ""


def _points(kinks: Any) -> str:
    """The stated derivatives, where the rule has no words for them."""
    shown = []
    for args, given in kinks:
        point = ", ".join(_short(a) for a in args)
        if not point:
            continue
        values = ", ".join(_short(v) if len(given) == 1 else f"{n}: {_short(v)}" for n, v in given.items())
        shown.append(f"at {point}: {values}")
    return "; ".join(dict.fromkeys(shown))


def _short(x: Any) -> str:
    array = np.asarray(x)
    if array.dtype != object and array.size:
        flat = np.ravel(array)
        if all(v == flat[0] or v != v for v in flat):
            return f"{flat[0]:g}" if array.dtype.kind in "fiu" else str(flat[0])
    return np.array2string(array, precision=3, separator=", ", threshold=8).replace("\n", "")


def not_covered() -> dict[str, str]:
    """What needs no rule or has none, by name, and why."""
    from srcgrad.rules import constants, known
    from srcgrad.rules.notation import CONSTANT, DATA
    from srcgrad.rules.table import table

    has_rule = table().by_object
    out = {}
    for function, why in CONSTANT.items():
        if id(function) not in has_rule:
            out[spelled(function)] = f"derivative zero: {why}"
    for function, why in DATA.items():
        if id(function) not in has_rule:
            out.setdefault(spelled(function), f"takes data, gives data: {why}")
    for function, (why, instead) in constants.NOT_DIFFERENTIATED.items():
        out[spelled(function)] = f"no rule: {why}; {instead}"
    for path, (why, instead) in known.KNOWN.items():
        out[path.replace("numpy.", "np.", 1)] = f"no rule: {why}; {instead}"
    out.pop("", None)
    return dict(sorted(out.items()))


def _of_module(name: str) -> str:
    """What is known of a module as a whole."""
    from srcgrad.rules.known import MODULES

    full = "numpy." + name.removeprefix("np.") if name.startswith("np.") else name
    for start, (why, instead) in MODULES.items():
        if full == start or full.startswith(start + "."):
            return f"{name}  no rule: {why}; {instead}"
    return ""
