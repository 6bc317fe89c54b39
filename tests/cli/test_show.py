"""`srcgrad show` prints a program, does not run the user's file, and says what it could not settle."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from srcgrad.cli import main
from srcgrad.cli.show import globals_of, imports_of
from srcgrad.cli.style import coloured

MODEL = '''\
"""A model."""
import os
from math import tau as turn

import numpy as np

SCALE = 2.0
print("this file was run")


def helper(x):
    return SCALE * np.sin(x)


def loss(x):
    return np.sum(helper(x) ** 2) * turn  # the sum


def two(w, b):
    return np.sum(w * b)


def late(x):
    return x * FACTOR


def refused(x):
    return np.sum(np.partition(x, 1))


FACTOR = float(os.environ.get("FACTOR", "3"))


class Model:
    def energy(self, x):
        return np.sum(x * x)

    @staticmethod
    def plain(x):
        return x * x
'''


@pytest.fixture
def model(tmp_path, monkeypatch):
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("model", None)


def shown(capsys, *argv, code=0):
    assert main(["show", *argv]) == code, capsys.readouterr()
    return capsys.readouterr()


@pytest.mark.parametrize(
    "target", ["model.py:loss", "model.py::loss", "model:loss", "model.py:16", "./model.py:loss"]
)
def test_targets(capsys, model, target):
    printed = shown(capsys, target, "--at", "x=np.ones(3)")
    assert "def loss_grad(x):" in printed.out
    assert printed.out.endswith("\n") and not printed.out.endswith("\n\n")
    assert printed.err == ""


def test_it_is_a_program(capsys, model):
    printed = shown(capsys, "model.py:loss", "--at", "x=np.ones(3)")
    (model / "out.py").write_text(
        printed.out + "\n\nprint([round(float(v), 6) for v in np.ravel(loss_grad(np.arange(3.0))[1])])\n"
    )
    done = subprocess.run([sys.executable, "out.py"], capture_output=True, text=True, cwd=model)
    assert done.returncode == 0, done.stderr
    x = np.arange(3.0)
    wanted = 2 * np.pi * 8 * np.sin(x) * np.cos(x)
    np.testing.assert_allclose(eval(done.stdout.splitlines()[-1]), wanted, atol=1e-5)


def test_ruff_has_nothing_to_say(capsys, model):
    pytest.importorskip("ruff")
    printed = shown(capsys, "model.py:loss", "--at", "x=np.ones(3)")
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--line-length=100", "-"],
        input=printed.out, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + printed.out


def test_the_file_is_not_run(capsys, model):
    assert "this file was run" not in shown(capsys, "model.py:loss", "--at", "x=np.ones(3)").out


def test_what_the_text_does_not_settle(capsys, model):
    code = main(["show", "model.py:late", "--at", "x=1.0"])
    printed = capsys.readouterr()
    assert "note: model.py was not run, so FACTOR is unknown here: --run imports it" in printed.err
    assert code in (0, 1)
    printed = shown(capsys, "model.py:late", "--at", "x=1.0", "--run")
    assert "def late_grad(x):" in printed.out
    assert "from model import FACTOR" in printed.out
    assert "note" not in printed.err


def test_wrt(capsys, model):
    assert "b_bar" in shown(capsys, "model.py:two", "--wrt", "b", "--at", "w=np.ones(2), b=np.ones(2)").out
    both = shown(capsys, "model.py:two", "--wrt", "w,b", "--at", "w=np.ones(2), b=np.ones(2)").out
    assert "w_bar" in both and "b_bar" in both


def test_forward_mode(capsys, model):
    printed = shown(capsys, "model.py:two", "--mode", "forward", "--at", "w=np.ones(2), b=np.ones(2)").out
    assert "def two_tangent(w, b, w_dot):" in printed


def test_seed(capsys, model):
    printed = shown(capsys, "model.py:helper", "--seed", "1.0", "--at", "x=np.ones(2)").out
    assert "def helper_grad(x, seed):" in printed


def test_methods(capsys, model):
    printed = shown(capsys, "model.py:Model.plain", "--at", "x=2.0").out
    assert "x_bar" in printed


def test_a_whole_file(capsys, model):
    printed = shown(capsys, "model.py", "--at", "x=np.ones(3), w=np.ones(3), b=np.ones(3)")
    assert "def loss_grad(x):" in printed.out
    assert "def two_grad(w, b):" in printed.out
    assert printed.out.count("import numpy as np") == 1
    refused = [line for line in printed.err.splitlines() if "refused" in line]
    assert len(refused) == 1
    assert refused[0].startswith("note: not differentiated: refused: numpy.partition has no derivative rule")
    compile(printed.out, "out.py", "exec")


def test_stages(capsys, model):
    from srcgrad.pipeline import STAGES

    assert STAGES
    for stage in STAGES:
        compile(
            shown(capsys, "model.py:two", "--at", "w=np.ones(2), b=np.ones(2)", "--stage", stage).out,
            stage,
            "exec",
        )


def test_colour(capsys, model, monkeypatch):
    plain = shown(capsys, "model.py:loss", "--at", "x=np.ones(3)").out
    assert "\033" not in plain
    always = shown(capsys, "model.py:loss", "--at", "x=np.ones(3)", "--color", "always").out
    assert "\033[36mx_bar\033[0m" in always
    assert "\033[35mdef\033[0m" in always

    import re

    assert re.sub("\033\\[\\d*m", "", always) == plain
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033" not in shown(capsys, "model.py:loss", "--at", "x=np.ones(3)").out


def test_coloured_leaves_what_is_not_python():
    assert coloured("def f(:\n  'oops\n") == "def f(:\n  'oops\n"


def test_globals_of():
    text = "def f(x, n):\n    y = [g(k) for k in range(n)]\n    return np.sin(x) + C, y\n"
    assert globals_of(text) == ["C", "g", "np", "range"]


def test_imports_of(model):
    from srcgrad.source.static import load_static

    module, _ = load_static(model / "model.py")
    text = "def f(x):\n    return helper(np.sin(x)) + turn * SCALE + math.pi + len(unbroadcast(x, x))\n"
    assert sorted(imports_of(text, module, model / "model.py")) == [
        "from math import tau as turn",
        "from model import SCALE, helper",
        "from srcgrad.runtime import unbroadcast",
        "import math",
        "import numpy as np",
    ]
