"""What may be typed as a target, and what is said when it does not fit."""

import sys

import pytest

from srcgrad.errors import SrcgradError
from srcgrad.source.target import find_target

TEXT = """\
import numpy as np


@np.vectorize
def loss(x):
    def inner(y):
        return y

    return inner(x)


class Model:
    def energy(self, x):
        return x

    @staticmethod
    def other(x): return x


square = lambda x: x * x

if True:
    def conditional(x):
        return x
"""
ALL = ("loss", "Model.energy", "Model.other", "square", "conditional")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(TEXT)
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("x = (\n")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("def top(x):\n    return x\n")
    (tmp_path / "pkg" / "part.py").write_text("def f(x):\n    return x\n")
    return tmp_path


@pytest.mark.parametrize(
    "spec, names",
    [
        ("model.py:loss", ("loss",)),
        ("model.py::loss", ("loss",)),
        ("./model.py:Model.energy", ("Model.energy",)),
        ("model.py::Model::energy", ("Model.energy",)),
        ("model.py:square", ("square",)),
        ("model.py:4", ("loss",)),
        ("model.py:7", ("loss",)),
        ("model.py:14", ("Model.energy",)),
        ("model.py:20", ("square",)),
        ("model.py:24", ("conditional",)),
        ("model.py", ALL),
        ("model:loss", ("loss",)),
    ],
)
def test_targets(folder, spec, names):
    target = find_target(spec)
    assert target.path == folder / "model.py"
    assert target.qualnames == names
    assert target.whole_file == (spec == "model.py")
    assert target.module == ("model" if spec.startswith("model:") else None)


def test_modules_are_not_imported(folder):
    target = find_target("pkg.part:f")
    assert target.path == folder / "pkg" / "part.py" and target.module == "pkg.part"
    assert find_target("pkg:top").path == folder / "pkg" / "__init__.py"
    assert "pkg" not in sys.modules


@pytest.mark.parametrize(
    "spec, message",
    [
        ("model.py:los", "model.py has no function los. Did you mean 'loss'?"),
        ("model.py:energy", "model.py has no function energy. Did you mean 'Model.energy'?"),
        ("modle.py:loss", "there is no file modle.py. Did you mean 'model.py'?"),
        ("nothing.py:f", "there is no file nothing.py"),
        ("nothing:f", "there is no module or file nothing"),
        (":f", "':f' names no file"),
        ("./pkg", "./pkg is a folder"),
        ("empty.py", "empty.py defines no function"),
        ("empty.py:f", "empty.py defines no function"),
        ("broken.py:f", "broken.py:1 is not Python: '(' was never closed"),
        ("model.py:1", "no function holds line 1 of model.py. The nearest is loss, lines 4 to 9"),
        ("model.py:999", "The nearest is conditional"),
        ("model.py:zzz", "it has loss, Model.energy"),
    ],
)
def test_refusals_are_one_line(folder, spec, message):
    with pytest.raises(SrcgradError) as caught:
        find_target(spec)
    assert caught.value.slug == "target"
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
