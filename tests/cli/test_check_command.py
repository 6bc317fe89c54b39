"""`srcgrad check` runs the file, makes the five checks, and names the worst entry of somebody's gradient."""

from __future__ import annotations

import json
import re
import sys

import pytest

from srcgrad.cli import main

MINE = """\
import numpy as np
from srcgrad import detach


def loss(w, k=2.0):
    return np.sum(k * w**2)


def loss_grad(w, k):
    g = 2 * k * w
    g[2] *= 1.5
    return np.sum(k * w**2), g


def alone(weights, k):
    return 2 * k * weights


def other_value(w, k):
    return np.sum(k * w**2) + 1, 2 * k * w


def shaped(w, k):
    return np.sum(2 * k * w)


def both(w, b):
    return np.sum(w * b) ** 2


def both_grad(w, b):
    return both(w, b), (2 * np.sum(w * b) * b, 3 * np.sum(w * b) * w)


def held(x):
    return np.sum(detach(x * x) * x)


def kink(x):
    return np.sum(np.abs(x))


def annotated(x: float, n: int, scale=2.0):
    return scale * x**3 * n


def raises(x):
    return x[9]


def partition(w):
    return np.sum(np.partition(w, 1) * np.arange(3.0))


def partition_grad(w):
    return np.sum(np.partition(w, 1) * np.arange(3.0)), np.argsort(np.argsort(w)) * 1.0


class Model:
    def __init__(self, scale):
        self.scale = scale

    def energy(self, x):
        return np.sum(x**3) * self.scale
"""


def line_of(text):
    return next(k for k, line in enumerate(MINE.splitlines(), 1) if text in line)


@pytest.fixture(autouse=True)
def mine(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("mine", None)


def checked(capsys, *argv, code=0):
    found = main(["check", *argv])
    printed = capsys.readouterr()
    assert found == code, printed.out + printed.err
    return printed.out


def test_five_checks(capsys):
    out = checked(capsys, "mine.py:held", "--at", "x=np.arange(4.0)")
    lines = re.sub(r"\d\.\de-\d\d|0\.0e\+00", "FIGURES", out).splitlines()
    assert lines[0] == f"held  mine.py:{line_of('def held')}  with respect to x: float64[4]"
    assert lines[1].split() == "value equal to held(x), bit for bit ok".split()
    assert lines[2].split() == "arguments left as held leaves them ok".split()
    assert lines[3].split() == "adjoint against tangent, dot product FIGURES ok".split()
    assert lines[4].split() == "tangent against differences, 1 detach held fixed FIGURES ok".split()
    assert lines[5].split() == "Taylor nothing beyond the first order ok".split()
    assert re.fullmatch(r"5 checks passed in \d+\.\d\d s", lines[6])


def test_taylor_rate(capsys):
    out = checked(capsys, "mine.py:both", "--at", "w=np.ones(3), b=np.arange(3.0)", "--wrt", "w,b")
    assert re.search(r"Taylor     rate 2\.\d\d, at least 1\.90 wanted +ok", out)
    assert "with respect to w: float64[3], b: float64[3]" in out


def test_a_kink_is_found(capsys):
    out = checked(capsys, "mine.py:kink", "--at", "x=np.zeros(3)", code=1)
    assert re.search(r"Taylor     rate 1\.00, at least 1\.90 wanted +WRONG", out)
    assert out.endswith("1 of 5 checks failed\n")


def test_values_from_annotations(capsys):
    assert "5 checks passed" in checked(capsys, "mine.py:annotated")


def test_names_of_the_module_in_at(capsys):
    out = checked(capsys, "mine.py:Model.energy", "--at", "self=Model(2.0), x=np.ones(2)")
    assert "with respect to x: float64[2]" in out


def test_the_users_exception(capsys):
    out = checked(capsys, "mine.py:raises", "--at", "x=np.ones(2)", code=1)
    assert f"mine.py:{line_of('x[9]')}: IndexError" in out


def test_refusals(capsys):
    assert main(["check", "mine.py:partition", "--at", "w=np.ones(3)"]) == 1
    printed = capsys.readouterr()
    where = f"mine.py:{line_of('np.partition')}"
    assert printed.err.startswith(f"numpy.partition has no derivative rule  [no-rule]\n  --> {where}")


def test_against_a_wrong_gradient(capsys):
    out = checked(capsys, "mine.py:loss", "--against", "mine.py:loss_grad", "--at", "w=np.ones(3)", code=1)
    lines = out.splitlines()
    assert lines[0] == "loss_grad  mine.py:9  as the gradient of loss (mine.py:5) with respect to w"
    assert lines[1].split() == "value equal to loss(w, k), bit for bit ok".split()
    assert (
        lines[2].split()
        == "gradient worst at [2]: yours 6.00000, srcgrad 4.00000, differences 4.00000 WRONG".split()
    )
    assert lines[3] == "1 of 2 checks failed"


def test_against_a_gradient_alone(capsys):
    out = checked(capsys, "mine.py:loss", "--against", "mine.py:alone", "--at", "w=np.ones(3)")
    assert "gradient   of 3 entries, against differences" in out
    assert "1 check passed" in out


def test_against_another_value(capsys):
    out = checked(capsys, "mine.py:loss", "--against", "mine.py:other_value", "--at", "w=np.ones(3)", code=1)
    assert "value      yours 7., loss(w, k) is 6." in out


def test_against_another_shape(capsys):
    out = checked(capsys, "mine.py:loss", "--against", "mine.py:shaped", "--at", "w=np.ones(3)", code=1)
    assert "gradient   has shape (), and (3,) is wanted" in out


def test_against_several(capsys):
    at = "w=np.ones(2), b=np.array([1.0, 2.0])"
    out = checked(
        capsys, "mine.py:both", "--against", "mine.py:both_grad", "--at", at, "--wrt", "w,b", code=1
    )
    assert "worst at b[0]: yours 9.00000, srcgrad 6.00000, differences 6.00000" in out


def test_against_where_srcgrad_refuses(capsys):
    at = "w=np.array([3.0, 1.0, 2.0])"
    assert main(["check", "mine.py:partition", "--against", "mine.py:partition_grad", "--at", at]) == 0
    printed = capsys.readouterr()
    assert "differences alone are compared with: numpy.partition has no derivative rule" in printed.err


def test_json(capsys):
    out = checked(capsys, "mine.py:held", "--at", "x=np.arange(4.0)", "--format", "json")
    (found,) = json.loads(out)
    assert found["function"] == "held" and found["ok"] and len(found["checks"]) == 5
    assert found["checks"][0] == {
        "name": "value",
        "text": "equal to held(x), bit for bit",
        "figure": None,
        "ok": True,
    }


def test_github(capsys):
    out = checked(
        capsys,
        "mine.py:loss",
        "--against",
        "mine.py:loss_grad",
        "--at",
        "w=np.ones(3)",
        "--format",
        "github",
        code=1,
    )
    assert (
        "::error file=mine.py,line=9,title=srcgrad check loss_grad::gradient: worst at [2]: yours 6.0" in out
    )


def test_a_file_that_does_not_run(capsys, mine):
    (mine / "broken.py").write_text("import numpy as np\n\ndef f(x):\n    return x\n\n1 / 0\n")
    assert main(["check", "broken.py:f", "--at", "x=1.0"]) == 2
    assert (
        capsys.readouterr().err
        == "srcgrad: broken.py does not run: broken.py:6: ZeroDivisionError: division by zero\n"
    )
