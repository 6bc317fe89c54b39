"""Each way in which a function may be written down, and what is read of it."""

import ast
import doctest
import functools
import importlib
import importlib.util
import inspect
import linecache
import subprocess
import sys
import textwrap
import types
import weakref

import numpy as np
import pytest

from srcgrad.errors import SrcgradError
from srcgrad.source import read as read_module
from srcgrad.source.read import Presets, read


def segment(source):
    """The text between the first and last column of the tree, as the file has it."""
    lines = list(source.lines.values())
    assert min(source.lines) == source.tree.lineno == source.firstlineno
    assert max(source.lines) == source.tree.end_lineno
    end = source.tree.end_col_offset
    last = lines[-1].encode()[:end].decode()
    text = "\n".join([*lines[:-1], last])
    return text.encode()[source.tree.col_offset :].decode()


def refused(function):
    with pytest.raises(SrcgradError) as caught:
        read(function)
    return caught.value


def load(path, text, name="user_model"):
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def module_function(x, y=2.0, *args, k: float = 1.0, **kw):
    # a comment
    z = x * y  # trailing

    return z + k  # "# not this" is


def test_module_function():
    source = read(module_function)
    assert source.name == "module_function"
    assert source.filename == __file__
    assert source.bound is None and source.presets == Presets()
    assert isinstance(source.tree, ast.FunctionDef)
    assert source.lines[source.firstlineno].startswith("def module_function")
    assert [p for p in source.signature.parameters] == ["x", "y", "args", "k", "kw"]
    assert source.signature.parameters["y"].default == 2.0
    first = source.firstlineno
    assert source.comments == {
        first + 1: (4, "# a comment"),
        first + 2: (15, "# trailing"),
        first + 4: (18, '# "# not this" is'),
    }


def test_nested_function_keeps_columns():
    def outer(scale):
        def inner(x):
            return scale * x

        return inner

    source = read(outer(2.0))
    assert source.tree.col_offset == 8
    assert source.lines[source.firstlineno] == "        def inner(x):"
    returned = source.tree.body[0].value
    location = source.location(returned)
    line = source.lines[location.lineno]
    assert line[location.col : location.end_col] == "scale * x"


def test_two_closures_of_one_text_share_it():
    def make(a):
        return lambda x: a * x

    one, two = make(1), make(2)
    assert read(one).tree is read(two).tree
    assert read(one).function is one and read(two).function is two
    assert read(one) != read(one)


class Model:
    def __init__(self, k):
        self.k = k

    def loss(self, x):
        return self.k * x

    @classmethod
    def of_class(cls, x):
        return x * x

    @staticmethod
    def static(x):
        return x + 1

    def __call__(self, x):
        return self.k + x

    @functools.lru_cache
    def cached(self, x):
        return self.k - x


def test_methods():
    model = Model(3)
    bound = read(model.loss)
    assert bound.bound is model
    assert list(bound.signature.parameters) == ["self", "x"]
    assert list(bound.call_signature.parameters) == ["x"]
    plain = read(Model.loss)
    assert plain.bound is None and list(plain.call_signature.parameters) == ["self", "x"]
    of_class = read(Model.of_class)
    assert of_class.bound is Model and of_class.tree.name == "of_class"
    assert of_class.lines[of_class.firstlineno] == "    def of_class(cls, x):"
    assert read(Model.static).bound is None
    assert read(vars(Model)["static"]).name == "static"
    assert read(model.cached).bound is model


def test_callable_object():
    model = Model(3)
    source = read(model)
    assert source.bound is model and source.name == "__call__"
    assert source.function is Model.__call__


def test_call_is_found_through_the_class():
    model = Model(3)
    model.__call__ = lambda x: 0
    assert read(model).function is Model.__call__


# fmt: off
PAIR = [lambda x: x + 1, lambda x: x + 2]
SAME = [lambda x: x * x, lambda x: x * x]
INNER = (lambda a: (lambda b: b - 1))
CALLED = sorted([3, 1], key=lambda v: -v), (lambda v: -v)
LONG = (lambda x, y=3:
        x * y  # product
        + 1)
TYPES = (lambda: 1, lambda: 1.0, lambda: True, lambda: 0.0, lambda: -0.0)
NÄME = ["é", lambda ö: ö * 2, lambda ö: ö * 2]
# fmt: on


@pytest.mark.parametrize(
    "function, text",
    [
        (PAIR[0], "lambda x: x + 1"),
        (PAIR[1], "lambda x: x + 2"),
        (INNER, "lambda a: (lambda b: b - 1)"),
        (INNER(0), "lambda b: b - 1"),
        (CALLED[1], "lambda v: -v"),
        (LONG, "lambda x, y=3:\n        x * y  # product\n        + 1"),
        (TYPES[0], "lambda: 1"),
        (TYPES[1], "lambda: 1.0"),
        (TYPES[2], "lambda: True"),
        (TYPES[3], "lambda: 0.0"),
        (TYPES[4], "lambda: -0.0"),
        (NÄME[2], "lambda ö: ö * 2"),
    ],
)
def test_lambdas(function, text):
    source = read(function)
    assert source.name == "lambda"
    assert isinstance(source.tree, ast.Lambda)
    assert segment(source) == text


def test_identical_lambdas_are_told_apart_by_column():
    for one, two in (SAME, NÄME[1:]):
        # Python 3.11 makes one code object of the two: then any of them is right.
        shared = one.__code__ is two.__code__
        difference = read(two).tree.col_offset - read(one).tree.col_offset
        assert difference == 0 if shared else difference > 0


def test_comments_of_a_lambda_within_brackets():
    source = read(LONG)
    assert list(source.comments.values()) == [(15, "# product")]


def test_lambda_in_an_assertion():
    assert read(lambda x: x**2).name == "lambda"


def test_function_with_rewritten_assertions():
    def checked(x):
        y = x * 2
        assert y > 0, "positive"
        if y > 3:
            assert isinstance(x, float) and x < 100
        g = lambda t: t + y  # noqa: E731
        return g(y)

    assert any("@py" in n for n in checked.__code__.co_varnames + checked.__code__.co_names)
    source = read(checked)
    assert source.tree.name == "checked"
    assert source.lines[source.firstlineno + 1].strip() == "y = x * 2"


def test_partials():
    inner = functools.partial(module_function, 1.0, k=2.0)
    outer = functools.partial(inner, 3.0, k=4.0)
    source = read(outer)
    assert source.function is module_function
    assert source.presets == ((1.0, 3.0), {"k": 4.0})
    assert source.bound is None
    assert "x" not in source.call_signature.parameters
    model = Model(3)
    of_method = read(functools.partial(model.loss, 2.0))
    assert of_method.bound is model and of_method.presets.positional == (2.0,)
    method_of_partial = read(types.MethodType(functools.partial(module_function, 1), 2))
    assert method_of_partial.bound is None
    assert method_of_partial.presets.positional == (1, 2)
    assert read(functools.partial(Model(1))).name == "__call__"


def test_partial_that_does_not_fit():
    assert refused(functools.partial(Model.static, 1, 2, 3)).slug == "no-source"


def test_caches_are_seen_through():
    @functools.cache
    def cached(x):
        return x * x

    source = read(cached)
    assert source.name == "cached"
    assert source.lines[source.firstlineno].strip() == "def cached(x):"


def test_lambda_as_a_decorator():
    @(lambda f: f)
    def decorated(x):
        return x * 3

    assert read(decorated).tree.name == "decorated"
    names = [node.id for node in decorated_list(read(decorated).tree)]
    assert names == []


def decorated_list(tree):
    return [d for d in tree.decorator_list if isinstance(d, ast.Name)]


def wrap(f):
    @functools.wraps(f)
    def wrapper(*args):
        return 2 * f(*args)

    return wrapper


def test_another_decorator_is_refused():
    error = refused(wrap(module_function))
    assert error.slug == "captured"
    assert "module_function.__wrapped__" in error.hint


def test_a_transparent_decorator_is_seen_through():
    wrapped = wrap(module_function)
    wrapped.__srcgrad_transparent__ = True
    assert read(wrapped).function is module_function
    # functools.wraps copies the mark to a wrapper that never had it.
    assert refused(wrap(wrapped)).slug == "captured"


def test_objects_of_our_own_are_seen_through():
    Ours = type("Ours", (), {"__module__": "srcgrad.api", "__call__": lambda self: 0})
    ours = Ours()
    ours.__wrapped__ = module_function
    assert read(ours).function is module_function


def test_wrapped_around_itself():
    loop = wrap(module_function)
    loop.__srcgrad_transparent__ = True
    loop.__wrapped__ = functools.partial(loop)
    assert refused(loop).slug in ("no-source", "captured")


@pytest.mark.parametrize("function", [np.sin, len, np.dot, [].append, 3, int, Model, None])
def test_without_python_source(function):
    assert refused(function).slug == "no-source"


def test_compiled_function_names_its_py_func():
    class Dispatcher:
        py_func = module_function

    assert ".py_func" in refused(Dispatcher()).hint


def test_generators_and_coroutines():
    def gives(x):
        yield x

    async def waits(x):
        return x

    error = refused(gives)
    assert error.slug == "generator" and error.lineno is not None
    assert str(error).startswith("gives is a generator")
    assert refused(waits).slug == "generator"


def test_exec_without_text():
    space = {}
    exec("def f(x):\n    return x\n", space)
    error = refused(space["f"])
    assert error.slug == "no-source"
    assert "put the function into a file, or use IPython" in error.hint


def test_text_in_linecache():
    text = "def f(x):\n    return x * 7  # seven\n"
    name = "<python-input-0>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "single"), space)
    source = read(space["f"])
    assert source.filename == name and source.comments == {2: (18, "# seven")}


def test_python_c_has_a_hint():
    code = (
        "from srcgrad.source.read import read\n"
        "import srcgrad.errors as e\n"
        "def f(x): return x\n"
        "try:\n    read(f); print('fine')\n"
        "except e.SrcgradError as error: print(error.hint)\n"
    )
    for arguments, given in ((["-c", code], None), (["-"], code)):
        out = subprocess.run([sys.executable, *arguments], input=given, capture_output=True, text=True)
        assert "put the function into a file" in out.stdout or "fine" in out.stdout, out


def test_ipython_cells():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    try:
        result = shell.run_cell("import math\ndef f(x):\n    return math.sin(x)  # cell\nf")
        source = read(result.result)
        assert source.lines == {2: "def f(x):", 3: "    return math.sin(x)  # cell"}
        two = shell.run_cell("[lambda x: x + 1, lambda x: x + 2]").result
        assert segment(read(two[1])) == "lambda x: x + 2"
    finally:
        shell.history_manager.end_session()
        InteractiveShell.clear_instance()


def test_doctest_functions():
    test = doctest.DocTestParser().get_doctest(
        ">>> def f(x):\n...     return x * 5\n>>> read(f).lines\n{1: 'def f(x):', 2: '    return x * 5'}\n",
        {"read": read},
        "example",
        "example.py",
        0,
    )
    runner = doctest.DocTestRunner(verbose=False)
    assert runner.run(test, out=lambda text: None).failed == 0


def test_future_annotations(tmp_path):
    module = load(
        tmp_path / "future.py",
        """
        from __future__ import annotations
        def f(x: Undefined):
            def g(y: Undefined) -> Undefined:
                return y
            return g(x)
        """,
    )
    assert read(module.f).tree.name == "f"


def test_file_changed_after_import(tmp_path):
    path = tmp_path / "model.py"
    module = load(path, "def f(x):\n    return x * 2\n")
    path.write_text("def f(x):\n    return x * 30\n")
    error = refused(module.f)
    assert error.slug == "no-source"
    assert str(error).startswith("model.py changed since it was imported")


def test_file_changed_to_no_python(tmp_path):
    path = tmp_path / "model.py"
    module = load(path, "def f(x):\n    return x * 2\n")
    path.write_text("def f(x:\n")
    assert "changed since" in str(refused(module.f))


def test_lines_added_above_change_nothing(tmp_path):
    path = tmp_path / "model.py"
    module = load(path, "def f(x):\n    return x * 2\n")
    path.write_text("# one\n# two\n\ndef f(x):\n    return x * 2  # same\n")
    assert read(module.f).firstlineno == 4


def test_what_was_read_stays_when_the_file_changes(tmp_path):
    path = tmp_path / "model.py"
    module = load(path, "def f(x):\n    return x * 2\n")
    before = read(module.f)
    path.write_text("def f(x):\n    return x * 30\n")
    assert read(module.f).tree is before.tree


def test_equal_code_in_two_files(tmp_path):
    one = load(tmp_path / "one.py", "def f(x):\n    return x * 2\n", "one")
    two = load(tmp_path / "two.py", "def f(x):\n    return x * 2\n", "two")
    assert one.f.__code__ == two.f.__code__
    assert read(one.f).filename != read(two.f).filename


def test_missing_file(tmp_path):
    path = tmp_path / "gone.py"
    module = load(path, "def f(x):\n    return x * 2\n")
    path.unlink()
    linecache.clearcache()
    assert "cannot be read" in str(refused(module.f))


def test_private_names_and_super(tmp_path):
    module = load(
        tmp_path / "model.py",
        """
        class Base:
            def f(self, x):
                return x
        class A(Base):
            def f(self, x):
                self.__k = x
                return super().f(self.__k)
        """,
    )
    assert read(module.A().f).tree.body[0].targets[0].attr == "__k"


def test_redefinitions_are_told_apart(tmp_path):
    module = load(
        tmp_path / "model.py",
        """
        def f(x):
            return x + 1
        first = f
        def f(x):
            return x + 1
        def f(x, y=1):
            return x + 2
        """,
    )
    assert read(module.first).firstlineno == 2
    assert read(module.f).firstlineno == 7


@pytest.mark.parametrize("module", ["functools", "argparse", "dataclasses", "textwrap", "json.decoder"])
def test_every_function_of_a_stock_module(module):
    module = importlib.import_module(module)
    for function in vars(module).values():
        if getattr(function, "__module__", "") != module.__name__:
            continue
        methods = vars(function).values() if isinstance(function, type) else [function]
        for each in methods:
            if not isinstance(each, types.FunctionType) or hasattr(each, "__wrapped__"):
                continue
            if each.__code__.co_filename != module.__file__:
                continue
            if inspect.isgeneratorfunction(each):
                continue
            assert read(each).tree.name == each.__code__.co_name


def test_signature_is_that_of_the_code():
    def f(x, y):
        return x

    f.__signature__ = read(module_function).signature
    assert list(read(f).signature.parameters) == ["x", "y"]


def test_the_cache_does_not_keep_code_alive():
    def make():
        space = {}
        text = "def f(x):\n    return x * 11\n"
        name = "<weak>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), space)
        return space["f"]

    function = make()
    read(function)
    key, code = id(function.__code__), weakref.ref(function.__code__)
    assert key in read_module._texts
    del function
    import gc

    gc.collect()
    assert code() is None
    assert key not in read_module._texts


def test_the_tree_is_left_as_it_was_parsed():
    source = read(module_function)
    file = open(__file__, encoding="utf-8").read()
    for node in ast.walk(ast.parse(file)):
        if isinstance(node, ast.FunctionDef) and node.name == "module_function":
            wanted = ast.dump(node, include_attributes=True)
    assert ast.dump(source.tree, include_attributes=True) == wanted
