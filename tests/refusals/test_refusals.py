"""Every refusal to the whole message; the ways out that the hints name; and programs that are right or refused.

`case.py` says what the files below cases/ look like, and `write.py` writes their messages anew.
"""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import io
import random
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad
from srcgrad.explain import SLUGS

HERE = Path(__file__).parent


def _load(path):
    spec = importlib.util.spec_from_file_location("refusal_case", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


cases = _load(HERE / "case.py")
ALL = [pytest.param(c, id=f"{family}: {c.name}") for family, c in cases.all_cases()]
WITH_WAY_OUT = [p for p in ALL if p.values[0].way_out]
PROGRAMS = cases.read(HERE / "right_or_refused.txt")

# Slugs that no case can have: the command line's, and what is tested where it is made.
ELSEWHERE = {
    "target",  # cli
    "mismatch",  # check_grad
    "extra",  # there is no option that needs a package yet
    "detach-write", "alias", "method", "subclass", "too-many-versions", "undefined-path",
}  # fmt: skip


@pytest.mark.parametrize("case", ALL)
def test_message(case, tmp_path):
    assert cases.refusal(case, tmp_path) == case.message


@pytest.mark.parametrize("case", WITH_WAY_OUT)
def test_the_way_out(case, tmp_path):
    with cases.model(case.way_out, tmp_path) as names:
        eval(case.way_out_call, names)


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=c.name) for c in PROGRAMS],
)
@np.errstate(all="ignore")
def test_right_or_refused(case, tmp_path):
    with cases.model(case.program, tmp_path) as names:
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                eval(f"check_grad({case.call})", names)
            except srcgrad.SrcgradError as error:
                assert error.slug != "mismatch", error
                return
    # neither refused nor wrong: then it is the user's program, to the arguments that it leaves behind
    with cases.model(case.program, tmp_path) as names:
        df, *args = eval(f"({case.call},)", names)
        ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
        state = {
            k: copy.deepcopy(v)
            for k, v in names.items()
            if k[:2] != "__" and isinstance(v, list | dict | float)
        }
        with contextlib.redirect_stdout(io.StringIO()):
            random.seed(0)
            try:
                value, _ = df(*ours)
            except srcgrad.SrcgradError:  # what the plain run left behind is not there yet
                return
            left = {k: copy.deepcopy(names[k]) for k in state}
    with cases.model(case.program, tmp_path) as names:
        df, *_ = eval(f"({case.call},)", names)
        with contextlib.redirect_stdout(io.StringIO()):
            random.seed(0)
            wanted = df.__wrapped__(*theirs)
        np.testing.assert_equal(value, wanted)
        np.testing.assert_equal(ours, theirs)
        np.testing.assert_equal(left, {k: names[k] for k in left})


def test_there_are_many():
    assert len(ALL) >= 70
    assert len({p.id for p in ALL}) == len(ALL)


def test_every_slug_has_a_case():
    seen = {p.values[0].message.splitlines()[0].rpartition("[")[2].rstrip("]") for p in ALL}
    assert set(SLUGS) - ELSEWHERE <= seen
    assert seen <= set(SLUGS)


@pytest.mark.parametrize("case", ALL)
def test_messages_speak_the_users_language(case):
    assert not re.search(r"·\w|\w·", case.message)
    for word in ("@rule", "jacobian", "srcgrad.ir", "numpy._core", "web", "variant"):
        assert word not in case.message
