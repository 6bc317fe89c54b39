"""np.einsum, the one rule that is computed by a function: its adjoint is again a plain np.einsum.

Where the notation ends: the compiler asks `adjoint_call` for the text of each operand's adjoint, which takes
the place of `x_bar += ...`, and adds up one `np.einsum(spec, ..., x_dot, ...)` an operand for the tangent.

    y = np.einsum("ij,jk->ik", A, B)
    A_bar += np.einsum("ik,jk->ij", y_bar, B)
    B_bar += np.einsum("ik,ij->jk", y_bar, A)

The spec must be a known string. The spelling with lists of axes and the ellipsis are refused (`Unsupported`).
An operand with an axis of extent 1 that einsum stretched has an adjoint of the stretched shape: wrap the call
in `unbroadcast(..., A)` unless the extents are proved equal. No conjugates: that is the convention for
complex numbers.
"""

from __future__ import annotations

import functools
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from srcgrad.rules.table import Variant


class Unsupported(ValueError):
    """A spec that has no adjoint here; the message says why, for the refusal to print."""


@dataclass(frozen=True)
class Extra:
    """An operand that is not the primal's: np.ones(n) or np.eye(n), n the extent along `axis`."""

    maker: str
    axis: int

    def text(self, operand: str) -> str:
        return f"np.{self.maker}({operand}.shape[{self.axis}])"


RESULT = -1  # in an order of operands: the adjoint of the result


def parse(spec: str) -> tuple[list[str], str]:
    """The letters of each operand, and of the result (worked out when the spec leaves it out).

    >>> parse("ij, jk -> ik"), parse("ba"), parse("ij,j")
    ((['ij', 'jk'], 'ik'), (['ba'], 'ab'), (['ij', 'j'], 'i'))
    """
    spec = "".join(spec.split())
    if "." in spec:
        raise Unsupported(f"einsum with an ellipsis ({spec!r}) has no derivative rule: name every axis")
    inputs, arrow, output = spec.partition("->")
    operands = inputs.split(",")
    if not arrow:
        letters = inputs.replace(",", "")
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if not all(c in string.ascii_letters for c in "".join(operands) + output):
        raise Unsupported(f"einsum spec {spec!r} is not made of letters")
    return operands, output


def adjoint_specs(spec: str, position: int) -> tuple[str, tuple[int | Extra, ...]]:
    """The spec of the adjoint of operand `position`, and which operands it takes, in order.

    >>> adjoint_specs("ij,jk->ik", 1)
    ('ik,ij->jk', (-1, 0))
    >>> adjoint_specs("ij->j", 0)
    ('j,i->ij', (-1, Extra(maker='ones', axis=0)))
    >>> adjoint_specs("ii->i", 0)
    ('i,ia->ia', (-1, Extra(maker='eye', axis=1)))
    """
    operands, output = parse(spec)
    own = operands[position]
    inputs, order = [output], [RESULT]
    for k, letters in enumerate(operands):
        if k != position:
            inputs.append(letters)
            order.append(k)
    known = set("".join(inputs))
    free = (c for c in string.ascii_letters if c not in set("".join(operands) + output))
    target = ""
    for axis, c in enumerate(own):
        if c not in target:
            target += c
            if c not in known:  # summed from this operand alone: spread it out again
                inputs.append(c)
                order.append(Extra("ones", axis))
        else:  # the diagonal: an axis named twice
            fresh = next(free)
            target += fresh
            inputs.append(c + fresh)
            order.append(Extra("eye", axis))
    return f"{','.join(inputs)}->{target}", tuple(order)


def adjoint_call(spec: str, operands: Sequence[str], position: int, adjoint: str) -> str:
    """The text of the adjoint of an operand, from the texts of all operands and of the result's adjoint.

    >>> adjoint_call("ij,jk->ik", ("A", "B"), 0, "y_bar")
    "np.einsum('ik,jk->ij', y_bar, B)"
    >>> adjoint_call("ij->j", ("A",), 0, "y_bar")
    "np.einsum('j,i->ij', y_bar, np.ones(A.shape[0]))"
    """
    own = operands[position]
    new, order = adjoint_specs(spec, position)
    parts = [
        part.text(own) if isinstance(part, Extra) else adjoint if part == RESULT else operands[part]
        for part in order
    ]
    return f"np.einsum({new!r}, {', '.join(parts)})"


@functools.cache
def shows(spec: str) -> bool:
    """Whether the result is a view: of one operand, and all of its axes.

    >>> shows("ij->ji"), shows("ii->i"), shows("ij->i"), shows("i,j->ij")
    (True, True, False, False)
    """
    operands, output = parse(spec)
    return len(operands) == 1 and set(operands[0]) == set(output)


def variant(spec: str, count: int) -> Variant:
    """The rule of one spec, as if it had been written in the notation.

    >>> [line.target for line in variant("ij,j->i", 2).lines]
    ['y', 'x0', 'x1']
    """
    from srcgrad.rules import table

    operands, _ = parse(spec)
    if len(operands) != count:
        raise Unsupported(f"einsum spec {spec!r} is for {len(operands)} operands")
    names = [f"x{k}" for k in range(count)]
    quoted = repr("".join(spec.split()))
    terms = []
    for k in range(count):
        dotted = [f"{n}_dot" if j == k else n for j, n in enumerate(names)]
        terms.append(f"np.einsum({quoted}, {', '.join(dotted)})")
    lines = [f"y = np.einsum({quoted}, {', '.join(names)})", f"y_dot = {' + '.join(terms)}"]
    for k, n in enumerate(names):
        lines.append(f"{n}_bar += unbroadcast({adjoint_call(spec, names, k, 'y_bar')}, {n})")
    # Without a product and a sum, NumPy gives a view of the operand.
    name = "einsum_view" if shows(spec) else "einsum"
    text = f"def {name}({', '.join(names)}):\n" + "".join(f"    {line}\n" for line in lines)
    return table.parse_text(text, name, __name__)
