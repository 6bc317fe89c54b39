"""A derivative looks like the function that it was made from: names, docs, methods, pickles, copies."""

import copy
import functools
import inspect
import pickle
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad
from srcgrad import SrcgradError, grad, jvp, vjp
from srcgrad.api import Derivative, fresh


def loss(w: float, x: float = 2.0) -> float:
    """The loss.

    More of it.
    """
    return w * w * x


@grad
def decorated(x):
    return x * x


@grad(wrt="y", seed=2.0)
def with_options(x, y):
    return x * y


class Model:
    weight = 3.0

    def __init__(self, weight):
        self.weight = weight

    @grad
    def energy(self, x):
        """The energy."""
        return self.weight * x * x

    @grad(wrt=1)
    def second(self, x, y):
        return x * y * self.weight

    @staticmethod
    @grad
    def static(x):
        return 2.0 * x

    @grad
    @staticmethod
    def below(x):
        return 3.0 * x

    @classmethod
    @grad
    def of_class(cls, x):
        return 5.0 * x

    @grad
    @classmethod
    def of_class_below(cls, x):
        return 7.0 * x

    def plain(self, x, y):
        return self.weight * x * y

    def __call__(self, x):
        return self.weight * x


def test_it_looks_like_the_function():
    df = grad(loss)
    assert df.__name__ == "loss" and df.__qualname__ == "loss" and df.__module__ == __name__
    assert df.__wrapped__ is loss
    assert str(inspect.signature(df)) == "(w: float, x: float = 2.0)"
    first, *rest = df.__doc__.splitlines()
    assert "(value, gradient)" in first and "with respect to w" in first
    assert "The loss." in rest[1]
    assert "(value, gradient)" in grad.__doc__.splitlines()[0]
    line = loss.__code__.co_firstlineno
    assert repr(df).startswith("<grad of loss(w, x) by w -> (value, gradient), ")
    assert repr(df).endswith(f"test_wrapping.py:{line}>")
    assert repr(vjp(loss, wrt="x")).startswith("<vjp of loss(w, x) by x -> (value, pullback), ")
    assert repr(jvp(loss)).startswith("<jvp of loss(w, x) by w -> (value, tangent), ")
    assert repr(decorated).endswith(f"test_wrapping.py:{decorated.__wrapped__.__code__.co_firstlineno + 1}>")
    assert grad(lambda x: x).__doc__.count("\n") == 0
    assert callable(df) and not hasattr(df, "nothing")
    with pytest.raises(AttributeError):
        df.nothing  # noqa: B018


def test_the_class_has_a_signature_of_its_own():
    inspect.signature(Derivative)
    assert Derivative.__doc__


def test_methods():
    m = Model(10.0)
    assert m.energy(3.0) == (90.0, 60.0)
    assert Model(1.0).energy(3.0) == (9.0, 6.0)
    assert m.energy(x=3.0) == (90.0, 60.0)
    assert m.energy.gradient(3.0) == 60.0
    assert Model.energy(m, 3.0) == (90.0, 60.0)
    assert m.second(2.0, 3.0) == (60.0, 20.0)
    assert str(inspect.signature(m.energy)) == "(x)"
    assert m.energy.__wrapped__ == Model.__dict__["energy"].__wrapped__.__get__(m)
    assert "energy(x) by x" in repr(m.energy) and "The energy." in m.energy.__doc__
    assert "def energy_grad(self, x)" in m.energy.source
    with pytest.raises(TypeError, match=r"Model\.energy\(\) missing 1 required positional argument: 'x'"):
        m.energy()
    m.weight = np.array(2.0)
    assert m.energy(3.0)[1] == 12.0


def test_static_and_class_methods():
    m = Model(1.0)
    for owner in (m, Model):
        assert owner.static(3.0) == (6.0, 2.0)
        assert owner.below(3.0) == (9.0, 3.0)
        assert owner.of_class(3.0) == (15.0, 5.0)
        assert owner.of_class_below(3.0) == (21.0, 7.0)
    assert Model.of_class_below is Model.of_class_below


def test_bound_methods_and_callables():
    m = Model(2.0)
    assert grad(m.plain)(3.0, 5.0) == (30.0, 10.0)
    assert grad(m.plain, wrt=1)(3.0, 5.0) == (30.0, 6.0)
    assert grad(m)(3.0) == (6.0, 2.0)
    assert grad(functools.partial(m.plain, 3.0))(5.0) == (30.0, 6.0)
    with pytest.raises(SrcgradError) as caught:
        grad(m.plain, wrt="self")
    assert caught.value.slug == "unknown-wrt"
    with pytest.raises(TypeError, match=r"Model\.plain\(\) missing 1"):
        grad(m.plain)(3.0)
    m.weight = 4.0
    assert grad(Model.plain, wrt="x")(m, 3.0, 5.0) == (60.0, 20.0)
    value, pullback = vjp(m.plain)(3.0, 5.0)
    assert (value, pullback(1.0)) == (60.0, 20.0)
    assert jvp(m.plain)(3.0, 5.0, 1.0) == (60.0, 20.0)


def test_other_modes_as_decorators_of_methods():
    class Other:
        def __init__(self):
            self.k = 2.0

        @vjp
        def f(self, x):
            return self.k * x

        @jvp
        def g(self, x):
            return self.k * x

    value, pullback = Other().f(3.0)
    assert (value, pullback(1.0)) == (6.0, 2.0)
    assert Other().g(3.0, x_dot=1.0) == Other().g(3.0, 1.0) == (6.0, 2.0)
    assert str(inspect.signature(Other().g)) == "(x, x_dot)"


def test_frozen_dataclass_method():
    @dataclass(frozen=True)
    class Point:
        a: float

        @grad
        def f(self, x):
            return self.a * x

    assert Point(2.0).f(3.0) == (6.0, 2.0)


def test_caches_are_seen_through():
    assert grad(functools.lru_cache(loss.__wrapped__ if hasattr(loss, "__wrapped__") else loss))(3.0) == (
        18.0,
        12.0,
    )


def test_a_derivative_is_not_seen_through():
    assert Derivative.__srcgrad_transparent__ is False
    with pytest.raises(SrcgradError):
        srcgrad.vjp(decorated)


def test_pickle():
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert pickle.loads(pickle.dumps(with_options)) is with_options
    again = pickle.loads(pickle.dumps(grad(loss, wrt=("x",), seed=3.0)))
    assert again(2.0) == (8.0, (12.0,)) and again.wrt == ("x",)
    assert pickle.loads(pickle.dumps(vjp(loss, wrt="x")))(2.0)[1](1.0) == 4.0
    assert pickle.loads(pickle.dumps(jvp(loss)))(2.0, w_dot=1.0) == (8.0, 8.0)
    bound = pickle.loads(pickle.dumps(grad(Model(3.0).plain)))
    assert bound(1.0, 2.0) == (6.0, 6.0)
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(grad(lambda x: x))


def test_copies():
    df = grad(loss)
    assert copy.copy(df) is df and copy.deepcopy(df) is df
    m = Model(2.0)
    held = copy.deepcopy({"m": m, "df": grad(m.plain)})
    m.weight = 100.0
    assert held["df"](1.0, 3.0) == (6.0, 6.0)
    held["m"].weight = 4.0
    assert held["df"](1.0, 3.0) == (12.0, 12.0)
    assert with_options(2.0, 3.0) == (6.0, 4.0)


def test_fresh_copies_containers_alone():
    a = np.ones(2)
    kept = ([a, [1]], {"k": [2]}, 3.0)
    again = fresh(kept)
    again[0][1].append(5)
    again[1]["k"].pop()
    assert kept[0][1] == [1] and kept[1]["k"] == [2] and again[0][0] is a


def test_the_package():
    assert set(srcgrad.__all__) <= set(dir(srcgrad))
    assert srcgrad.check_grad.__name__ == "check_grad"
    assert SrcgradError.__module__ == "srcgrad" and srcgrad.__version__
    with pytest.raises(AttributeError):
        srcgrad.nothing  # noqa: B018


def test_importing_stays_light():
    code = "import sys, srcgrad; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"astor", "scipy", "srcgrad.pipeline", "srcgrad.check"} & set(run.stdout.split())
