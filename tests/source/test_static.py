"""A module made from a text: what is settled, what is not, and that nothing runs."""

import math
import sys
import textwrap

import numpy as np
import pytest

from srcgrad.errors import SrcgradError
from srcgrad.source.read import read
from srcgrad.source.resolve import MISSING, Names, Unsettled
from srcgrad.source.static import load_static, plain, run_file


@pytest.fixture
def make(tmp_path):
    def write(text, name="model.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write


def settled(module):
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("__") and not isinstance(value, Unsettled)
    }


def test_definitions_constants_and_imports(make):
    path = make('''
        """Docs."""
        from __future__ import annotations
        import math, os.path
        import numpy as np
        from numpy import sin as s
        from math import *

        N = 3 * 4
        X = np.arange(4.0)
        Y: float = math.sqrt(2.0)
        A, B = 1, -2
        GRID = np.arange(6).reshape(2, 3) * N
        PICK = {"a": [1, (2, 3)], "b": X[1:]}
        f = lambda x: x * N

        def g(x, y=2.0, *, k=X):
            """Docs of g."""
            return s(x) * N + y  # note
        ''')
    module, unsettled = load_static(path)
    assert unsettled == []
    assert module.N == 12 and module.A == 1 and module.B == -2
    assert module.GRID.tolist() == [[0, 12, 24], [36, 48, 60]]
    assert module.s is np.sin and module.cos is math.cos
    assert module.Y == math.sqrt(2.0)
    assert module.__doc__ == "Docs." and module.__file__ == str(path)
    source = read(module.g)
    assert source.filename == str(path) and source.firstlineno == 17
    assert source.comments == {19: (25, "# note")}
    assert source.signature.parameters["k"].default is module.X
    assert read(module.f).name == "lambda"
    assert module.g(0.0) == 2.0
    assert Names(source).resolve(("s",)) is np.sin


def test_nothing_of_the_user_runs(make, capsys):
    path = make("""
        import numpy as np
        import some_library_that_is_not_there as lib
        from elsewhere import *

        def shout():
            raise SystemExit("ran")

        shout()
        print("ran")
        x = shout()
        for i in range(3):
            total = shout()
        while shout():
            w = 1
        with open("nothing") as handle:
            text = handle.read()
        try:
            import fast
        except ImportError:
            fast = None
        if shout():
            a = 1
        y = [shout() for _ in range(3)]
        z = sorted([1, 2], key=shout)
        q = f"{shout()}"
        r = (lambda: shout())()
        s = np.vectorize(shout)(1)
        t = 10 ** 10 ** 10
        u = 1 << 999999999
        assert shout()

        @shout
        def decorated(x):
            return x

        def default(x=shout()):
            return x

        def annotated(x: shout()) -> undefined:
            return x

        if __name__ == "__main__":
            main = shout()
        """)
    module, unsettled = load_static(path)
    assert capsys.readouterr().out == ""
    assert settled(module) == {"np", "shout", "default", "annotated"}
    assert set(unsettled) == {
        "lib", "all that elsewhere exports", "x", "i", "total", "w", "handle", "text",
        "fast", "a", "y", "z", "q", "r", "s", "t", "u", "decorated",
    }  # fmt: skip
    default = read(module.default).signature.parameters["x"].default
    assert isinstance(default, Unsettled)
    assert module.annotated.__annotations__ == {"x": "shout()", "return": "undefined"}


def test_a_name_that_is_bound_again_or_written_is_unsettled(make):
    module, unsettled = load_static(
        make("""
        import numpy as np
        A = np.zeros(3)
        ALIAS = A
        B = np.zeros(3)
        C = 1
        D = [1]
        E = 2
        F = np.ones(2)
        G = 5
        A[0] = 1.0
        np.copyto(B, 1.0)
        C += 1
        D.append(2)
        del E
        print(F)
        """)
    )
    assert settled(module) == {"np", "F", "G"}
    assert set(unsettled) == {"A", "ALIAS", "B", "C", "D", "E"}


def test_a_call_may_write_globals(make):
    text = """
        import numpy as np
        TABLE = np.zeros(3)
        OTHER = np.zeros(3)
        COUNT = 0
        def fill(x):
            global COUNT
            COUNT = 1
            TABLE[:] = 2
            x[0] = OTHER[0]
        """
    module, unsettled = load_static(make(text))
    assert unsettled == [] and module.COUNT == 0
    module, unsettled = load_static(make(textwrap.dedent(text) + "fill(np.zeros(1))\n"))
    assert set(unsettled) == {"TABLE", "COUNT"}
    assert "OTHER" in settled(module)


def test_an_unsettled_name_hides_builtins(make):
    module, unsettled = load_static(
        make("""
        from mylib import sum
        def f(x):
            return sum(x)
        """)
    )
    assert unsettled == ["sum"]
    assert Names(read(module.f)).lookup("sum").kind == "missing"
    later, unsettled = load_static(
        make("""
        from mylib import sum
        sum = 3
        """)
    )
    assert unsettled == [] and later.sum == 3


def test_files_beside_are_loaded_as_text(make):
    make(
        """
        from model import top
        import model
        K = 3
        raise SystemExit
        def helper(x):
            return K * x
        """,
        "sibling.py",
    )
    path = make("""
        import sibling
        from sibling import helper, K as k, nothing
        def top(x):
            return sibling.helper(x)
        """)
    module, unsettled = load_static(path)
    assert unsettled == ["nothing"]
    assert module.helper is module.sibling.helper and module.k == 3
    assert "sibling" not in sys.modules
    found = Names(read(module.top)).resolve(("sibling", "helper"))
    assert found is module.helper
    assert read(found).filename.endswith("sibling.py")


def test_packages(make):
    make("BASE = 2\n", "pkg/__init__.py")
    make("from . import two\nfrom .two import g\ndef f(x):\n    return g(x)\n", "pkg/one.py")
    make("from pkg import BASE\nimport pkg.one\ndef g(x):\n    return BASE * x\n", "pkg/two.py")
    path = make("", "pkg/three.py")
    path.write_text("from pkg.one import f\nfrom ..pkg import two\nimport pkg.two\n")
    module, unsettled = load_static(path.parent / "one.py")
    assert unsettled == []
    assert module.__name__ == "pkg.one"
    assert module.two.BASE == 2 and module.g is module.two.g
    assert load_static(path)[0].pkg.two.g(1) == 2
    assert "pkg" not in sys.modules


def test_classes(make):
    module, unsettled = load_static(
        make("""
        import enum
        import functools
        from dataclasses import dataclass, field
        from typing import NamedTuple

        @dataclass
        class Params:
            w: float = 1.0
            items: list = field(default_factory=list)
            def norm(self):
                return self.w ** 2

        class Pair(NamedTuple):
            a: float
            b: "float" = 2.0

        class Color(enum.Enum):
            RED = 1
            BLUE = enum.auto()

        class Base:
            "Docs."
            limit = 3
            table = compute()
            def __init__(self, k):
                self.__k = k
            @property
            def k(self):
                return self.__k
            @staticmethod
            def s(x):
                return x
            @functools.lru_cache
            def c(self, x):
                return x
            @other
            def hidden(self):
                return 1

        class Child(Base):
            def __init__(self, k):
                super().__init__(k)

        class Registered:
            def __init_subclass__(cls):
                raise SystemExit

        class Never(Registered):
            pass

        class Meta(metaclass=Registered):
            pass

        class Unknown(missing.Thing):
            pass
        """)
    )
    assert set(unsettled) == {
        "Base.table", "Base.hidden", "Never", "Meta", "Unknown"
    }  # fmt: skip
    assert module.Params(2.0).norm() == 4.0 and module.Pair(1.0).b == 2.0
    assert module.Color.BLUE.value == 2
    child = module.Child(4)
    assert child.k == 4 and child.s(1) == 1 and child.c(2) == 2
    assert read(child.c).tree.name == "c"
    assert read(module.Params(1.0).norm).bound.w == 1.0
    assert isinstance(module.Base.hidden, Unsettled)
    assert plain(module, "Base.s")(3) == 3
    assert plain(module, "Base.hidden") is MISSING
    assert plain(module, "Base.nothing") is MISSING


@pytest.fixture
def fake_grad(monkeypatch):
    """A stand-in for the public `grad`, which may not be there yet."""
    import srcgrad

    class Grad:
        __module__ = "srcgrad.api"

        def __init__(self, f, wrt):
            self.__wrapped__, self.wrt = f, wrt

    def grad(f=None, *, wrt=None):
        if wrt == "wrong":
            raise ValueError
        return (lambda g: Grad(g, wrt)) if f is None else Grad(f, wrt)

    grad.__module__ = "srcgrad.api"
    monkeypatch.setattr(srcgrad, "grad", grad, raising=False)


def test_decorators_of_srcgrad(make, fake_grad):
    module, unsettled = load_static(
        make("""
        import srcgrad
        from srcgrad import grad

        @grad
        def f(x):
            return x * x

        @srcgrad.grad(wrt="y")
        def g(x, y):
            return x * y

        @grad(wrt="wrong")
        def h(x):
            return x

        class Model:
            @grad
            def energy(self, x):
                return x

        df = grad(f, wrt=0)
        value = df(3.0)
        """)
    )
    assert set(unsettled) == {"h", "value"}
    assert type(module.f).__name__ == "Grad"
    assert plain(module, "f")(3) == 9 and module.f.__wrapped__ is plain(module, "f")
    assert read(module.f).firstlineno == 6
    assert module.g.wrt == "y" and plain(module, "g")(2, 3) == 6
    assert plain(module, "h")(2) == 2
    assert plain(module, "Model.energy")(None, 2) == 2
    assert module.df.__wrapped__ is module.f
    assert module.__srcgrad_decorators__ == {
        "f": ("grad",),
        "g": ("srcgrad.grad(wrt='y')",),
        "h": ("grad(wrt='wrong')",),
        "Model.energy": ("grad",),
    }
    assert read(plain(module, "Model.energy")).tree.name == "energy"


def test_annotations_that_mean_something_are_kept(make):
    module, _ = load_static(
        make("""
        import numpy as np
        from numpy.typing import NDArray
        def f(x: NDArray[np.float64], n: int | None, m: list[float], u: "U") -> float:
            def g(y: undefined) -> int:
                return y
            return x
        """)
    )
    notes = module.f.__annotations__
    assert notes["n"] == int | None and notes["m"] == list[float] and notes["u"] == "U"
    assert notes["return"] is float and "float64" in str(notes["x"])
    assert read(module.f).tree.name == "f"


def test_a_file_that_is_not_python(make):
    with pytest.raises(SrcgradError, match="is not Python") as caught:
        load_static(make("def f(:\n"))
    assert caught.value.slug == "target"
    with pytest.raises(SrcgradError, match="cannot be read"):
        load_static("/nowhere/at/all.py")


def test_run_file(make, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    make("K = 4\n", "neighbour_of_run.py")
    path = make(
        """
        import neighbour_of_run
        TABLE = [i * neighbour_of_run.K for i in range(3)]
        def f(x):
            return TABLE[1] * x
        """,
        "runs_really.py",
    )
    module = run_file(path)
    assert module.__name__ == "runs_really" and module.TABLE == [0, 4, 8]
    assert sys.modules["runs_really"] is module and run_file(path) is module
    assert read(module.f).filename == str(path)
    assert plain(module, "f") is module.f


def test_run_file_leaves_other_modules_alone(make, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    before = sys.modules["textwrap"]
    module = run_file(make("x = 1\n", "textwrap.py"))
    assert module.x == 1 and sys.modules["textwrap"] is before


def test_run_file_in_a_package(make, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    make("", "runpkg/__init__.py")
    make("V = 2\n", "runpkg/values.py")
    module = run_file(make("from .values import V\n", "runpkg/main.py"))
    assert module.__name__ == "runpkg.main" and module.V == 2


def test_run_file_passes_the_users_exception_on(make, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = make("1 / 0\n", "fails_when_run.py")
    with pytest.raises(ZeroDivisionError):
        run_file(path)
    assert "fails_when_run" not in sys.modules
