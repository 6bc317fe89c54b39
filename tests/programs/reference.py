"""Loads a program from a real file, and differentiates it without the product under test."""

import contextlib
import itertools
import sys
import tempfile
import types
from pathlib import Path

import numpy as np

COMPLEX_STEP = 1e-30
STEP = 5e-4
FOLDER = tempfile.TemporaryDirectory(prefix="programs-")
NUMBERS = itertools.count()


class Frozen:
    """A stand-in for `detach`: after `hold()` it gives back what each call gave at the base point."""

    def __init__(self):
        self.values, self.place, self.held = [], 0, False

    def __call__(self, value):
        if not self.held:
            self.values.append(np.copy(value) if isinstance(value, np.ndarray) else value)
            return value
        self.place += 1
        return self.values[self.place - 1]

    def hold(self):
        self.held = True

    def rewind(self):
        self.place = 0


@contextlib.contextmanager
def loaded(program, detach=None):
    """The program's function, from files of its own; `detach`, if given, replaces the product's."""
    source = program.source
    if detach is not None:
        source = source.replace("from srcgrad import detach", "")
    folder = Path(FOLDER.name, str(next(NUMBERS)))
    folder.mkdir()
    texts = {**program.modules, "program_under_test": source}
    before = {name: sys.modules.get(name) for name in texts}
    try:
        for name, text in texts.items():
            path = folder / f"{name}.py"
            path.write_text(text, encoding="utf-8")
            module = sys.modules[name] = types.ModuleType(name)
            module.__file__ = str(path)
            if detach is not None:
                module.detach = detach
            exec(compile(text, path, "exec"), module.__dict__)
        yield getattr(module, program.name)
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


def positions(program, function):
    """Where the differentiated arguments stand."""
    names = function.__code__.co_varnames
    return [names.index(name) for name in program.wrt]


def flat(value):
    """All numbers of an argument or a gradient, in order, as a vector."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return np.concatenate([flat(part) for part in value]) if value else np.zeros(0)
    dtype = complex if np.iscomplexobj(value) else float
    return np.array(value, dtype=dtype).ravel()


def rebuilt(like, numbers):
    """What `flat` took apart, with other numbers in it."""

    def build(part):
        if isinstance(part, dict):
            return {key: build(entry) for key, entry in part.items()}
        if isinstance(part, (list, tuple)):
            return type(part)(build(entry) for entry in part)
        if isinstance(part, np.ndarray):
            return np.array([next(numbers) for _ in range(part.size)]).reshape(part.shape)
        number = next(numbers)
        return number if isinstance(part, np.generic) else number.item()

    numbers = iter(numbers)
    return build(like)


def widened(value):
    """float32 as float64, so that a reference is as good as its method."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype == np.float32:
        return value.astype(float)
    return value


def gradients(program, method=None, seed=1.0, step=STEP):
    """The gradients of sum(seed * f(*arguments)), flat, one for each differentiated argument."""
    method = method or program.reference
    if method == "stated":
        return [flat(program.expected[name]) for name in program.wrt]
    frozen = Frozen()
    with loaded(program, detach=frozen) as function, np.errstate(all="ignore"):
        function(*program.fresh())
        frozen.hold()
        base = [widened(value) for value in program.arguments]
        places = positions(program, function)

        def output(position, numbers):
            frozen.rewind()
            arguments = [widened(value) for value in program.fresh()]
            if (
                method == "complex"
            ):  # all of them, so that what is made of one may be added to another in place
                for place in places:
                    arguments[place] = rebuilt(base[place], flat(base[place]) + 0j)
            arguments[position] = rebuilt(base[position], numbers)
            return np.sum(seed * function(*arguments))

        answer = []
        for position in places:
            parts = []
            for entry in np.eye(flat(base[position]).size):

                def along(t, position=position, entry=entry):
                    return output(position, flat(base[position]) + t * entry)

                if method == "complex":
                    parts.append(along(1j * COMPLEX_STEP).imag / COMPLEX_STEP)
                else:
                    parts.append(richardson(along, step))
            answer.append(np.array(parts, dtype=float))
        return answer


def richardson(along, step=STEP):
    """The derivative at zero from two central differences, with an error of the fourth order."""
    wide, narrow = ((along(h) - along(-h)) / (2 * h) for h in (step, step / 2))
    return (4 * narrow - wide) / 3
