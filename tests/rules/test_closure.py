"""The table is closed: what the lines of the rules call has rules itself, so derivatives have derivatives."""

import numpy as np
import pytest

from srcgrad.derive.template import rule_object
from srcgrad.ir import Attr, Binary, Call, Item, Name, Object, Unary, walk
from srcgrad.rules import notation
from srcgrad.rules.table import path_object, table

SHAPES = {"shape", "ndim", "size", "dtype"}  # attributes that are data
OF_DATA = {"//", "&", "|", "^", "<<", ">>", "u~"}  # operators without a derivative


def root(e):
    while isinstance(e, Attr):
        e = e.value
    return e


def called(fn, variant):
    """The object that a call in a line is of, or the name of a method."""
    base = root(fn)
    if isinstance(base, Name) and base.id not in variant.params + variant.results:
        try:
            head = rule_object(base.id, variant)
        except AssertionError:
            return fn.name  # a temporary's method
        return path_object(fn, {**variant.namespace, base.id: head.value})
    assert isinstance(fn, Attr), fn
    return fn.name


def covered(what):
    if isinstance(what, str):
        return what in table().by_method or what in notation.CONSTANT_METHODS | notation.DATA_METHODS
    return bool(table().of(what)) or what in notation.CONSTANT or what in notation.DATA


def missing(variant):
    """What the lines of one rule use and the table lacks."""
    found = set()
    for line in variant.lines:
        functions = {id(e.fn) for e in walk(line.value) if isinstance(e, Call)}
        for e in walk(line.value):
            match e:
                case Call(fn):
                    what = called(fn, variant)
                    if not covered(what):
                        found.add(what if isinstance(what, str) else what.__name__)
                case Binary(op) | Unary(op):
                    op = f"u{op}" if isinstance(e, Unary) else op
                    if op not in table().by_operator and op not in OF_DATA | {"unot"}:
                        found.add(op)
                case Item():
                    if "[]" not in table().by_operator:
                        found.add("[]")
                case Attr(value, name) if id(e) not in functions and isinstance(root(value), Name):
                    data = root(value).id in ("np", "math")
                    if not data and name not in SHAPES and name not in table().by_method:
                        found.add(f".{name}")
    return found


# `at_place` and `at_places` stand for statements of the compiler's own
VARIANTS = [v for v in table().variants if v.module != "srcgrad.rules.indexing"]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: f"{v.module.rsplit('.', 1)[-1]}-{v.name}")
def test_closed(variant):
    assert missing(variant) == set()


def test_the_check_finds_what_is_missing():
    """So that an empty answer means something."""
    assert covered(np.sin) and covered(np.zeros_like) and covered("reshape")
    assert not covered(np.fft.fft) and not covered("no_such_method")
    assert isinstance(rule_object("np", table().variants[0]), Object)
