"""Memory: what is written x by which index x through which name x where in the program x with what.

Every action meets every index through every name; place, right-hand side and origin of the array go round so that
every pair of them is met too. A program ends in a sum that weighs all places differently.
"""

import itertools

import numpy as np

from ..program import program

VECTOR = np.array([0.31, -0.72, 1.13, 0.54, 0.97])
WIDE = np.array([[0.4, -0.9, 0.6, 1.2], [0.8, 0.3, -0.5, 0.7], [-0.6, 1.1, 0.2, -0.3]])
OTHER = np.array([0.7, 0.2, -0.4, 0.6, 0.35])
ACTIONS = {"read": "", "write": "=", "add": "+=", "subtract": "-=", "multiply": "*="}

# index -> the shape of the place, of an array of 5 or of 3 x 4
VECTOR_INDICES = {
    "int": "2",
    "negative": "-1",
    "variable": "i",
    "slice": "1:4",
    "step": "::2",
    "backwards": "::-1",
    "ellipsis": "...",
    "whole": ":",
    "newaxis": "None, 1:",
    "mask": "MASK",
    "array": "ORDER",
    "repeats": "REPEATS",
    "list": "[0, 2, 2]",
}
MATRIX_INDICES = {
    "pair": "1, 2",
    "row": "1",
    "column": ":, 1",
    "variable-row": "i",
    "block": "1:, ::2",
    "row-part": "i, 1:",
    "zip": "ROWS, COLUMNS",
    "rows": "ROWS, 1:",
    "mask": "MASK[:3]",
}
HEAD = """
MASK = np.array([True, False, True, True, False])
ORDER = np.array([3, 1, 4])
REPEATS = np.array([0, 2, 0])
ROWS = np.array([0, 2, 0])
COLUMNS = np.array([1, 3, 1])


"""
# how the array comes by another name: what is bound, and what is written
NAMES = {
    "name": ("", "a"),
    "alias": ("b = a\n", "b"),
    "view": ("v = a[:]\n", "v"),
    "turned": ("v = a[::-1]\n", "v"),
    "view-of-view": ("w = a[::-1]\nv = w[::-1]\n", "v"),
    "list": ("xs = [a * 2.0, a]\n", "xs[1]"),
    "grown-list": ("xs = []\nxs.append(a)\nxs.append(a * 3.0)\n", "xs[0]"),
    "dict": ('d = {"n": 1, "a": a}\n', 'd["a"]'),
    "row": ("A = np.array([a * 2.0, a])\na = A[1]\n", "A[1]"),
    "transpose": ("v = a.T\nu = v.T\n", "u"),
    "reshape": ("v = a.reshape(np.shape(a))\n", "v"),
    "branch": ("if x[0] > 5.0:\n    v = a * 2.0\nelse:\n    v = a\n", "v"),
    "callee": ("", "put(a, {right})"),
    "callee-view": ("", "put(a[:], {right})"),
    "callee-result": ("", "put(a, {right})[0:1]"),
}
PLACES = {
    "straight": "i = 1\n{setup}{act}\n",
    "loop": "{setup}for i in range(3):\n    {act}\n",
    "nested": "{setup}for j in range(2):\n    for i in range(1, 3):\n        {act}\n",
    "inside": "for i in range(2):\n    {inner}{act}\n",
    "branch": "i = 1\n{setup}if x[0] > 0.1:\n    {act}\nelse:\n    a[0] = 0.5\n",
    "branches-in-loop": "{setup}for i in range(3):\n    if x[i] > 0.0:\n        {act}\n    else:\n        a[i] = x[i] * 0.3\n",
    "break": "{setup}for i in range(3):\n    if x[i] > 1.0:\n        break\n    {act}\n",
    "while": "i = 0\n{setup}while i < 2:\n    {act}\n    i += 1\n",
    "twice": "i = 1\n{setup}{act}\na *= a\n{act}\n",
}
RIGHTS = {
    "number": "0.5",
    "active": "x[1] * x[2]",
    "itself": "{place} * x[3]",
    "sine": "np.sin({place}) * 0.9",
    "data": "y[i] * 0.7",
    "mixed": "{place} * 0.3 + y[3]",
}
ORIGINS = {
    "zeros": "a = np.zeros(5)\na[:] = x * 0.5\n",
    "empty": "a = np.empty_like(x)\na[...] = x\n",
    "copy": "a = x.copy()\n",
    "made": "a = 2.0 * x\n",
    "argument": "a = x\n",
    "buffer": "a = y\na[1:] *= x[1:]\n",
}
MATRIX_ORIGINS = {
    "zeros": "a = np.zeros((3, 4))\na[:] = x[:4]\n",
    "outer": "a = np.outer(x[:3], x[1:])\n",
    "buffer": "a = y2\na *= x[:4]\n",
}


def memory():
    return [*vectors(), *matrices()]


def vectors():
    pairs = itertools.product(ACTIONS.items(), VECTOR_INDICES.items(), NAMES.items(), range(3))
    round_ = zip(
        itertools.cycle(PLACES), itertools.cycle([*RIGHTS, "itself"]), itertools.cycle([*ORIGINS, "copy"])
    )
    for ((action, op), (kind, index), (name, (setup, target)), turn), (place, right, origin) in zip(
        pairs, round_, strict=False
    ):
        arguments = (VECTOR, OTHER)
        made = ORIGINS[origin]
        key = f"{action}-{kind}-{name}-{place}-{right}-{origin}-{turn}"
        yield case(
            key, "x, y", made, op, index, name, setup, target, place, right, arguments, "np.arange(1.0, 6.0)"
        )


def matrices():
    names = {k: v for k, v in NAMES.items() if k != "reshape"}
    pairs = itertools.product(ACTIONS.items(), MATRIX_INDICES.items(), names.items(), range(2))
    round_ = zip(
        itertools.cycle(PLACES),
        itertools.cycle([*RIGHTS, "itself"]),
        itertools.cycle([*MATRIX_ORIGINS, "outer"]),
    )
    for ((action, op), (kind, index), (name, (setup, target)), turn), (place, right, origin) in zip(
        pairs, round_, strict=False
    ):
        arguments = (VECTOR, OTHER, WIDE)
        made = MATRIX_ORIGINS[origin]
        key = f"matrix-{action}-{kind}-{name}-{place}-{right}-{origin}-{turn}"
        weights = "np.arange(1.0, 13.0).reshape(3, 4)"
        yield case(key, "x, y, y2", made, op, index, name, setup, target, place, right, arguments, weights)


def case(key, parameters, made, op, index, name, setup, target, place, right, arguments, weights):
    """One program: an array is made, gets its names, and is read or written where it stands."""
    helper = ""
    if name.startswith("callee"):
        source = RIGHTS[right].format(place=f"a[{index}]") if op else "1.0"
        written = f"t[{index}] {op} r" if op else f"r = r * t[{index}]"
        helper = f"def put(t, r, i=1):\n    {written}\n    return t\n\n\n"
        call = target.format(right=source)
        if name == "callee-result":
            act = f"s += np.sum({call})"
        else:
            act = call
        if not op:
            act = f"s += np.sum({call} * 0.5)"
    elif op:
        source = RIGHTS[right].format(place=f"{target}[{index}]")
        act = f"{target}[{index}] {op} {source}"
    else:
        act = f"s += np.sum({target}[{index}] * {target}[{index}]) * 0.3"
    body = PLACES[place].format(
        setup=setup, act="{act}", inner=setup.replace("\n", "\n    ") if setup else ""
    )
    body = body.replace("{act}", act)
    lines = f"s = 0.0\n{made}{body}return s + np.sum(a * a * {weights})"
    text = f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in lines.split("\n"))
    return program(
        "memory", key, helper + text, *arguments, reference="differences", imports=HEAD, writes=True
    )
