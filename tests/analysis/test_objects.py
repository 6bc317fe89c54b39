"""Objects: which rules give memory of their arguments, by running the whole table; classes and summaries of programs."""

import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest

from srcgrad.analysis.objects import MAYBE, VIEWS, summary
from srcgrad.context import Context
from srcgrad.pipeline import front
from srcgrad.rules.table import table
from srcgrad.source.read import read
from srcgrad.types import Pattern

_spec = importlib.util.spec_from_file_location(
    "rules_of_the_table", Path(__file__).resolve().parents[1] / "rules" / "test_rules.py"
)
rules = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(rules)


def arrays(value):
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, (list, tuple)):
        return [a for v in value for a in arrays(v)]
    return []


def ordered(value, order):
    """A copy that lies in memory by rows, or by columns."""
    if isinstance(value, np.ndarray):
        return np.array(value, order=order)
    if isinstance(value, (list, tuple)):
        return type(value)(ordered(v, order) for v in value)
    return value


def shares(case, order):
    arguments = [ordered(v, order) for _, v in case.items()]
    space = dict(case.constants)
    exec(rules.HEADER + case.source(), space)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        result = space[case.name](*arguments)
    return any(np.shares_memory(a, b) for a in arrays(result) for b in arrays(arguments))


CASES = [*rules.CASES, *(case for pair in rules.spelled() for case in pair)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_rule_that_is_not_listed_makes_new_arrays(case):
    name = case.registered.function.__name__
    module = case.registered.function.__module__
    if name in VIEWS | MAYBE or module.endswith(".helpers"):
        return
    assert not any(shares(case, order) for order in "CF")


def test_the_lists_name_rules():
    known = {v.name for v in table().variants}
    # The rule of an einsum is made for its spec; `tests/programs/test_views.py` has it.
    assert known >= VIEWS - {"einsum_view"} and known >= MAYBE and not VIEWS & MAYBE


def objects_of(function, *arguments):
    source = read(function)
    context = Context(front, Pattern())
    names = list(source.signature.parameters)
    types = {n: context.pattern.type_of(a) for n, a in zip(names, arguments, strict=True)}
    return front(source, types, context, None)


def aliases(a, b):
    v = a[1:]
    w = b * 2.0
    v[0] = 1.0
    w[0] = 2.0
    return v


def test_a_view_is_of_the_class_of_its_array_and_a_product_is_not():
    o = objects_of(aliases, np.ones(3), np.ones(3)).objects
    assert o.class_of("a") is not None
    assert o.class_of("a") == o.class_of("v") != o.class_of("w")
    assert o.class_of("b") is None


def test_a_summary_says_what_is_written_and_what_the_result_is_a_view_of():
    found = summary(objects_of(aliases, np.ones(3), np.ones(3)))
    assert found.writes == {("a", ())}
    assert any({n[0] for n in group} == {"a", "·value"} for group in found.groups)
    assert found.same is None


def given_back(u, k):
    u *= k
    return u


def test_a_result_that_is_an_argument():
    assert summary(objects_of(given_back, np.ones(3), 2.0)).same == "u"
