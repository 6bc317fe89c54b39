"""What free names mean, looked up live."""

import builtins
import math
import types

import numpy as np

from srcgrad.source.read import read
from srcgrad.source.resolve import MISSING, Names, Unsettled

GLOBAL = 1


def uses(x):
    return np.linalg.solve(GLOBAL, x) + len(x) + nowhere  # noqa: F821


def names(function):
    return Names(read(function))


def test_globals_builtins_and_missing():
    found = names(uses)
    assert found.lookup("GLOBAL").kind == "global"
    assert found.lookup("GLOBAL").namespace is globals()
    assert found.lookup("len") == names(uses).lookup("len")
    assert found.lookup("len").kind == "builtin" and found.lookup("len").value is len
    assert found.lookup("nowhere").kind == "missing"
    assert found.lookup("nowhere").value is MISSING


def test_lookups_are_live(monkeypatch):
    found = names(uses)
    monkeypatch.setitem(globals(), "GLOBAL", 5)
    assert found.lookup("GLOBAL").value == 5
    monkeypatch.setitem(globals(), "len", math.sin)
    assert found.lookup("len").kind == "global"


def test_cells_come_first_and_are_live():
    np = 3

    def inner(x):
        return np * x

    found = names(inner)
    assert found.lookup("np").kind == "cell" and found.lookup("np").value == 3
    np = 4
    assert found.lookup("np").value == 4


def test_an_empty_cell_is_missing():
    def inner(x):
        return later * x

    assert names(inner).lookup("later").kind == "missing"
    later = 2
    assert names(inner).lookup("later").value == later


class Table:
    def entry(self, x):
        return __hidden * x  # noqa: F821

    def parent(self, x):
        return super().__init__()

    limit = 3
    computed = property(lambda self: 1)

    @staticmethod
    def half(x):
        return x / 2


_Table__hidden = 7


class Odd:
    class Descriptor:
        def __get__(self, instance, owner):
            raise AssertionError("user code was run")

    odd = Descriptor()


def test_private_names_are_mangled():
    assert names(Table().entry).lookup("__hidden").value == 7


def test_the_class_cell():
    found = names(Table().parent).lookup("__class__")
    assert found.kind == "cell" and found.value is Table


def test_paths():
    found = names(uses)
    assert found.resolve(("np", "linalg", "solve")) is np.linalg.solve
    assert found.resolve(("np",)) is np
    assert found.resolve(("np", "nothing")) is MISSING
    assert found.resolve(("nowhere", "x")) is MISSING
    assert found.resolve(("GLOBAL", "real")) is MISSING
    assert found.resolve(("Table", "limit")) == 3
    assert found.resolve(("Table", "half")) is Table.half
    assert found.resolve(("Table", "computed")) is Table.computed
    assert found.resolve(("Table", "nothing")) is MISSING
    assert found.resolve(("Odd", "Descriptor")) is Odd.Descriptor
    assert found.resolve(("Odd", "odd")) is MISSING
    assert found.resolve(("dict", "fromkeys")) == dict.fromkeys


def test_an_unsettled_name_does_not_fall_through_to_builtins():
    space = {"sum": Unsettled("sum"), "__builtins__": builtins}
    function = types.FunctionType(uses.__code__, space)
    assert names(function).lookup("sum").kind == "missing"
    assert names(function).lookup("max").kind == "builtin"


def test_missing_is_false_and_says_its_name():
    assert not MISSING and repr(MISSING) == "MISSING"
