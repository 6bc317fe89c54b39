"""`srcgrad rules` and `srcgrad explain` read the tables themselves."""

from __future__ import annotations

import re
import warnings

import pytest

from srcgrad.cli import main
from srcgrad.explain import SLUGS


def said(capsys, *argv):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(list(argv)) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def test_all_rules(capsys):
    out = said(capsys, "rules")
    assert re.search(r"^np\.sin +x +both", out, re.M)
    assert re.search(r"^x \* y +a, b +both +also np\.multiply", out, re.M)
    assert not re.search(r"^\S+_rule", out, re.M)
    assert re.search(r"\d+ have rules\. \d+ more are known", out)


def test_one_rule(capsys):
    out = said(capsys, "rules", "np.sin")
    assert [line.split()[0] for line in out.splitlines()] == ["by", "np.sin"]


def test_a_module(capsys):
    out = said(capsys, "rules", "np.linalg")
    assert re.search(r"^np\.linalg\.solve +a, b +both", out, re.M)
    assert re.search(r"^np\.linalg\.eig +no rule: its derivative needs complex eigenvectors", out, re.M)
    assert "np.sin" not in out


def test_kinks_as_written(capsys):
    assert "The derivative at 0 is 0." in said(capsys, "rules", "abs")
    assert "Ties share equally" in said(capsys, "rules", "np.maximum")


@pytest.mark.parametrize(
    "name, text",
    [
        ("np.partition", "no rule: it picks entries by an order or by equality; np.sort is covered"),
        ("numpy.partition", "no rule: it picks entries"),
        ("np.floor", "derivative zero: a step function"),
        ("floor", "derivative zero: a step function"),
        ("np.zeros", "data"),
        ("scipy.special.expit", "no rule"),
        ("np.fft", "no rule: it has no derivative rule yet"),
    ],
)
def test_what_has_no_rule(capsys, name, text):
    assert text in said(capsys, "rules", name)


def test_explain_all(capsys):
    lines = said(capsys, "explain").splitlines()
    assert [line.split()[0] for line in lines] == list(SLUGS)


@pytest.mark.parametrize("slug", SLUGS)
def test_explain_one(capsys, slug):
    out = said(capsys, "explain", slug)
    first, _, text = out.partition("\n\n")
    assert first == f"{slug}: {SLUGS[slug].title}"
    assert " ".join(text.split()) == SLUGS[slug].text
    assert max(map(len, text.splitlines())) <= 88
