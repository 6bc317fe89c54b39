"""Each sample runs, and finds what it says."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"sample_{name}", SAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def no_options(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["sample"])


def test_every_sample_is_tested():
    tested = {n.removeprefix("test_") for n in globals() if n.startswith("test_")}
    assert {p.stem for p in SAMPLES.glob("*.py")} <= tested


def test_demo(capsys):
    value, du, fitted, loss = load("demo").main()
    np.testing.assert_allclose(value, 0.392736, atol=1e-6)
    np.testing.assert_allclose(du, [0.476672, 0.785472, 0.476672, 0.261184], atol=1e-6)
    np.testing.assert_allclose(fitted, [2.0, 0.5, 3.0], atol=0.02)
    assert loss < 1e-3
    printed = capsys.readouterr().out
    assert "def heat(u, k):" in printed
    assert "def heat_grad(u, k):" in printed
    assert "u_bar" in printed


def test_demo_as_a_program():
    done = subprocess.run([sys.executable, SAMPLES / "demo.py"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "gradient [0.476672 0.785472 0.476672 0.261184]" in done.stdout


def test_tutorial(capsys):
    found = load("tutorial").main()
    x = np.arange(4.0)
    value, dx = found["quadratic"]
    assert value == 28.0
    np.testing.assert_array_equal(dx, [0, 4, 8, 12])
    first, both = found["accumulated"]
    np.testing.assert_array_equal(first, 4 * x)
    np.testing.assert_array_equal(both, 4 * x + 1)
    value, of_sum, weighted = found["non_scalar"]
    np.testing.assert_array_equal(value, x * x)
    np.testing.assert_array_equal(of_sum, 2 * x)
    np.testing.assert_array_equal(weighted, [0, 0, 0, 12])
    held, through = found["detached"]
    np.testing.assert_array_equal(held, x * x)
    np.testing.assert_array_equal(through, 3 * x * x)
    a, value, da = found["control_flow"]
    assert da == value / a == 8192.0
    assert len(capsys.readouterr().out.splitlines()) == 10


def test_tutorial_takes_the_other_branch():
    module = load("tutorial")
    from srcgrad import grad

    value, da = grad(module.control_flow)(-0.5)
    assert value == module.control_flow(-0.5)
    assert da == value / -0.5
    assert da == 100 * 2048


def test_logistic():
    pytest.importorskip("sklearn")
    module = load("logistic")
    found, train, test = module.main()
    assert found.success
    assert np.abs(found.jac).max() < 1e-3
    assert train > 0.98
    assert test > 0.97


def test_lotka_volterra():
    pytest.importorskip("scipy")
    found, theta = load("lotka_volterra").main()
    assert found.fun < 0.01
    np.testing.assert_allclose(theta, [1.1, 0.4, 0.4, 0.1], rtol=0.03)


def test_newton():
    for root, by_eccentricity, by_anomaly, wanted_eccentricity, wanted_anomaly in load("newton").main():
        assert np.isfinite(root)
        np.testing.assert_allclose(by_eccentricity, wanted_eccentricity, rtol=1e-9)
        np.testing.assert_allclose(by_anomaly, wanted_anomaly, rtol=1e-9)


def test_rnn():
    history, before, after, beyond = load("rnn").main()
    assert history[-1] < 0.05
    assert before < 0.8
    assert after > 0.99
    assert beyond > 0.95
