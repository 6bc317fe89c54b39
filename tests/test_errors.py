"""The layout of an error, and what may be done with one."""

import copy
import os
import pickle
import subprocess
import sys
import traceback

import pytest

import srcgrad
from srcgrad.errors import (
    Location,
    MissingExtra,
    SrcgradError,
    refuse,
    refuse_missing,
    shown_path,
)
from srcgrad.explain import SLUGS


class FakeSource:
    def __init__(self, text, first, filename="model.py", name="loss", comments=None):
        self.lines = dict(enumerate(text.split("\n"), first))
        self.filename = filename
        self.name = name
        self.comments = comments or {}


def refused(*args, **kwargs):
    with pytest.raises(SrcgradError) as caught:
        refuse(*args, **kwargs)
    return caught.value


def test_layout_with_carets_and_note():
    source = FakeSource("    y = x @ w\n    z = np.partition(y, 2)", 13)
    error = refused(
        "no-rule",
        "numpy.partition has no derivative rule",
        Location(source, 14, 8, 14, 26),
        note="y depends on w (line 13)",
        hint="np.sort is covered; if z is only data, say detach(y); or write a rule: srcgrad explain no-rule",
    )
    assert str(error) == (
        "numpy.partition has no derivative rule  [no-rule]\n"
        "  --> model.py:14:9 in loss\n"
        "  13 |     y = x @ w\n"
        "  14 |     z = np.partition(y, 2)\n"
        "     |         ^^^^^^^^^^^^^^^^^^ y depends on w (line 13)\n"
        "  hint: np.sort is covered; if z is only data, say detach(y); "
        "or write a rule: srcgrad explain no-rule"
    )
    assert (error.filename, error.lineno, error.offset) == ("model.py", 14, 9)
    assert error.text == "    z = np.partition(y, 2)"
    assert error.slug == "no-rule"


def test_layout_of_a_whole_line():
    source = FakeSource("def f(x):\n    return x * x", 8, name="f")
    error = refused(
        "non-scalar",
        "f returns an array of shape (4,), and grad needs a number",
        Location(source, 9, 4, 9, 16),
        hint="gradient of the sum: grad(f, seed=1.0)",
    )
    assert str(error) == (
        "f returns an array of shape (4,), and grad needs a number  [non-scalar]\n"
        "  --> model.py:9:5 in f\n"
        "   9 |     return x * x\n"
        "  hint: gradient of the sum: grad(f, seed=1.0)"
    )


def test_without_a_place():
    error = refused("unknown-wrt", "loss has no parameter 'v'")
    assert str(error) == "loss has no parameter 'v'  [unknown-wrt]"
    assert error.filename is None and error.lineno is None and error.hint == ""


def test_a_blank_line_before_is_not_shown():
    source = FakeSource("    \n    z = f(y)", 13)
    shown = str(refused("syntax", "no", Location(source, 14, 8, 14, 12)))
    assert "  13 |" not in shown


def test_carets_end_with_the_first_line_and_before_a_comment():
    text = "    z = np.dot(a,  # first\n               b)"
    source = FakeSource(text, 3, comments={3: (19, "# first")})
    lines = str(refused("syntax", "no", Location(source, 3, 8, 4, 17))).split("\n")
    assert lines[3] == "     |         ^^^^^^^^^"


def test_columns_are_characters_and_carets_cells():
    line = "    é = f(日本) + g(y)"
    col = len(line[: line.index("g(")].encode())
    source = FakeSource(line, 120)
    error = refused("syntax", "no", Location(source, 120, col, 120, col + 4))
    assert error.offset == line.index("g(") + 1
    caret_line = str(error).split("\n")[3]
    # Two cells for each of the two wide characters before it.
    assert caret_line.index("^") == len("  120 | ") + line.index("g(") + 2
    assert caret_line.count("^") == 4


def test_tabs_stay_tabs():
    source = FakeSource("\tz = f(y)", 4)
    assert str(refused("syntax", "no", Location(source, 4, 5, 4, 9))).split("\n")[3] == ("     | \t    ^^^^")


def test_a_path_is_relative_inside_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shown_path(str(tmp_path / "a" / "b.py")) == os.path.join("a", "b.py")
    outside = str(tmp_path.parent / "b.py")
    assert shown_path(outside) == outside
    assert shown_path("<stdin>") == "<stdin>"


@pytest.mark.parametrize("way", [pickle.dumps, copy.copy, copy.deepcopy])
def test_pickle_and_copy(way, monkeypatch):
    monkeypatch.setattr(srcgrad, "SrcgradError", SrcgradError, raising=False)
    source = FakeSource("    y = x\n    z = f(y)", 13)
    place = Location(source, 14, 8, 14, 12)
    error = refused("no-rule", "no rule", place, note="note", hint="hint")
    other = way(error)
    if isinstance(other, bytes):
        other = pickle.loads(other)
    assert type(other) is SrcgradError
    assert str(other) == str(error)
    assert vars(other) == vars(error)


def test_missing_extra():
    with pytest.raises(ImportError) as caught:
        refuse_missing("jit", "numba", "grad(f, jit=True)")
    error = caught.value
    assert isinstance(error, SrcgradError)
    assert str(error) == (
        'grad(f, jit=True) needs numba, which is not installed  [extra]\n  hint: pip install "srcgrad[jit]"'
    )
    other = pickle.loads(pickle.dumps(error))
    assert isinstance(other, MissingExtra) and str(other) == str(error)


def test_an_unknown_slug_is_a_mistake_of_ours():
    with pytest.raises(AssertionError, match="nonsense"):
        refuse("nonsense", "no")


def test_the_first_line_of_a_traceback_says_it_all():
    error = refused("no-rule", "numpy.partition has no derivative rule", hint="a hint")
    shown = "".join(traceback.format_exception_only(error))
    assert shown.startswith("srcgrad.SrcgradError: numpy.partition has no derivative rule  [no-rule]\n")


def test_every_slug_has_a_title_and_a_paragraph():
    assert len(SLUGS) >= 31
    for name, slug in SLUGS.items():
        assert name == name.lower() and " " not in name
        assert slug.title and "\n" not in slug.title and not slug.title.endswith(".")
        assert slug.text.endswith(".") and len(slug.text) > 60, name


def test_errors_import_little():
    code = "import sys, srcgrad.errors; print('numpy' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    # srcgrad itself may import NumPy; what matters is that the module loads on its own.
    assert out.returncode == 0, out.stderr
