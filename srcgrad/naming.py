"""Every generated name: hints for temporaries, and the spelling of webs without clashes."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable

from srcgrad.ir import Attr, Binary, Call, Compare, Expr, Item, Name, Unary, walk

_WORDS = {
    "+": "sum",
    "-": "difference",
    "*": "product",
    "/": "ratio",
    "**": "power",
    "@": "product",
    "%": "rest",
}


def hint_of(e: Expr) -> str:
    """What a temporary that holds `e` is called if it has to be printed.

    >>> hint_of(Call(Attr(Name("np"), "sin"), (Name("y"),)))
    'sin_y'
    """
    match e:
        case Call(fn, args, _):
            name = fn.name if isinstance(fn, Attr) else fn.id if isinstance(fn, Name) else "part"
            if isinstance(fn, Attr) and isinstance(fn.value, Name) and not args:
                return f"{name}_{fn.value.id}"
            if len(args) == 1 and isinstance(args[0], Name):
                return f"{name}_{args[0].id}"
            return f"{name}_part" if name != "part" else name
        case Compare():
            return "taken"
        case Unary("not", _):
            return "taken"
        case Binary(op, _, _):
            return _WORDS.get(op, "part")
        case Item(Name(id), _):
            return f"{id}_item"
        case Attr(Name(id), name):
            return f"{id}_{name}"
    return "part"


class Names:
    """Spellings for webs: the wished name, with a suffix where it is taken.

    >>> names = Names({"x"})
    >>> names.take("x_bar"), names.take("x"), names.take("x")
    ('x_bar', 'x_2', 'x_3')
    """

    def __init__(self, taken: Iterable[str]):
        self.taken = set(taken)

    def take(self, wish: str) -> str:
        wish = "".join(c if c.isidentifier() or c.isdigit() else "_" for c in wish) or "part"
        if not wish.isidentifier() or keyword.iskeyword(wish):
            wish = f"_{wish}" if not keyword.iskeyword(wish) else f"{wish}_"
        if hasattr(builtins, wish):
            wish = f"{wish}_part"  # nothing of Python's is hidden
        name, k = wish, 1
        while name in self.taken:
            k += 1
            name = f"{wish}_{k}"
        self.taken.add(name)
        return name


def names_in(e: Expr) -> set[str]:
    """The names that stand in an expression."""
    return {n.id for n in walk(e) if isinstance(n, Name)}
