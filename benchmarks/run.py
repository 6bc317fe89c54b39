"""srcgrad beside hand-written adjoints, autograd, JAX and PyTorch: one run, interleaved, medians.

    python benchmarks/run.py [--quick] [--only NAME] [--json FILE]

Tables: value-and-gradient as a ratio over the primal; what a call, a transformation and an import cost.
Every gradient is compared with the hand-written one. A tool that is not installed is left out.
The ratios depend little on the machine; the milliseconds do.
"""

import argparse
import importlib.util
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

TARGET_MEAN, TARGET_WORST, TARGET_OVER_HAND = 3.0, 5.0, 1.15
TARGET_CALL, TARGET_TRANSFORM, TARGET_IMPORT = 2e-6, 0.050, 0.15
TOOLS = ("srcgrad", "hand", "autograd", "jax", "torch")
COMPILES = ("srcgrad", "jax")  # the first call is another matter
RTOL = 1e-6


class NotHere(Exception):
    """A tool that cannot be run on a workload, and why."""


# ------------------------------------------------------------------ what is run
def cases():
    """name -> (function, its arguments, positions of the differentiated ones, the hand-written adjoint)"""
    import hand_adjoints as hand
    import workloads

    def gmm_grad(*args):
        alphas, _, _, x, gamma, m = args
        return hand.gmm_grad(*args, workloads.wishart_constant(x.shape[1], gamma, m))

    by_hand = {
        "damped_sqrt": hand.damped_sqrt_grad,
        "lotka_volterra": hand.lotka_volterra_grad,
        "lotka_volterra_scalar": hand.lotka_volterra_scalar_grad,
        "hmm": hand.hmm_grad,
        "gmm": gmm_grad,
        "lstm": hand.lstm_grad,
    }
    result = {}
    for name, adjoint in by_hand.items():
        function, arguments, wrt = workloads.CASES["sqrt" if name == "damped_sqrt" else name]
        result[name] = function, arguments(), wrt, adjoint
    return result


def build(tool, name, function, args, wrt, adjoint):
    """A function without arguments that gives (value, tuple of gradients)."""
    if tool == "hand":
        return lambda: (lambda value, *gradients: (value, gradients))(*adjoint(*args))
    if tool == "srcgrad":
        import workloads

        import srcgrad

        if name in workloads.RESTATED:  # what writes arrays in place, said without
            function, arguments = workloads.RESTATED[name]
            args = arguments()
        gradient = srcgrad.grad(function, wrt=wrt)
        return lambda: gradient(*args)
    import peers

    return peers.BUILD[tool](name, args, wrt)


def first_calls(tool, *case):
    """-> what to run, the gradients that it gave, seconds per call; NotHere where the tool has none."""
    try:
        run = build(tool, *case)
        if tool in COMPILES:
            run()
        start = time.perf_counter()
        found = run()[1]
        return run, found, time.perf_counter() - start
    except ImportError as error:
        raise NotHere(f"not installed ({error.name})") from None
    except KeyError:
        raise NotHere("not written for this tool") from None
    except Exception as error:  # what a tool says to a program is a result
        said = (str(error).splitlines() or [type(error).__name__])[0]
        refused = any(kind.__name__ == "SrcgradError" for kind in type(error).__mro__)
        raise NotHere(f"refused: {said}" if refused else f"{type(error).__name__}: {said}") from None


def disagreement(found, wanted):
    """The largest difference, as a part of the largest entry of its gradient."""
    import numpy as np

    worst = 0.0
    for mine, theirs in zip(found, wanted, strict=True):
        mine, theirs = np.asarray(mine, float), np.asarray(theirs, float)
        if mine.shape != theirs.shape or not np.all(np.isfinite(mine)):
            return math.inf
        worst = max(worst, float(np.max(np.abs(mine - theirs)) / max(np.max(np.abs(theirs)), 1e-300)))
    return worst


# ------------------------------------------------------------------ how it is timed
def once(run, calls):
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def interleaved(runs, seconds, at_least=3, batch=2e-3):
    """name -> median seconds per call; the runs take turns, so that a slow moment of the machine meets all."""
    calls = {name: max(1, math.ceil(batch / max(once(run, 1), 1e-9))) for name, run in runs.items()}
    times = {name: [] for name in runs}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(times.values()))) < at_least:
        for name, run in runs.items():
            times[name].append(once(run, calls[name]))
    return {name: statistics.median(taken) for name, taken in times.items()}


# ------------------------------------------------------------------ the measurements
def gradients(only, quick):
    result = {}
    for name, (function, args, wrt, adjoint) in cases().items():
        if only and name not in only:
            continue
        row, found, fast, slow = {"primal": {}}, {}, {"primal": lambda f=function, a=args: f(*a)}, {}
        for tool in TOOLS:
            print(f"{name}, {tool} ...", file=sys.stderr, flush=True)
            try:
                run, found[tool], taken = first_calls(tool, name, function, args, wrt, adjoint)
            except NotHere as error:
                row[tool] = {"left_out": str(error)}
                continue
            if taken > (
                0.3 if quick else 3.0
            ):  # a turn in each round would take all of the time: this call counts
                slow[tool] = taken
            else:
                fast[tool] = run
        for tool in found:
            row[tool] = {"disagreement": disagreement(found[tool], found["hand"])}
        seconds = slow | interleaved(fast, *((0.5, 3) if quick else (6.0, 7)))
        for tool, taken in seconds.items():
            row[tool] |= {"seconds": taken, "ratio": taken / seconds["primal"]}
        result[name] = row
    return result


def call_overhead(quick):
    """Seconds per call of grad(f)(x), and of the bare generated function, for a function that does almost nothing."""
    import srcgrad

    def square(x):
        return x * x

    gradient = srcgrad.grad(square)
    gradient(1.5)
    bare = gradient.compiled_for(1.5)
    runs = {"full": lambda: gradient(1.5), "bare": lambda: bare(1.5)}
    seconds = interleaved(runs, 0.3 if quick else 2.0)
    return {"seconds": seconds["full"] - seconds["bare"], **seconds, "target": TARGET_CALL}


def program(lines):
    """The text of a function of so many lines: elementwise statements, a loop, a branch."""
    body = [
        "y = np.sin(x) * {a} + y",
        "z = y * y + np.exp(-x) / {a}",
        "for i in range(3):",
        "    z = z + np.tanh(y) * i",
        "if s > 0:",
        "    y = y + z * s",
        "w = z * {a}",
        "w = w + np.sum(y[:-2] * z[2:])",
        "s = s + np.sum(w * y) / {a}",
        "y = np.where(w > 0, y, w / {a})",
    ]
    text = ["y = x * 1.0", "s = 0.0"]
    while len(text) < lines - 2:
        text += [line.format(a=f"{1.0 + len(text) / 7:.3f}") for line in body]
    text = text[: lines - 2]
    if text[-1].endswith(":"):
        text[-1] = "y = y * 0.5"
    text = [
        "import numpy as np",
        "",
        "",
        "def f(x):",
        *("    " + line for line in text),
        "    return s + np.sum(y)",
    ]
    return "\n".join(text) + "\n"


def transformation(lines, quick):
    """Seconds from the first call of grad(f) to its end, less those of the second: median over fresh functions."""
    import numpy as np

    import srcgrad

    taken = []
    with tempfile.TemporaryDirectory() as folder:
        for trial in range(2 if quick else 5):
            path = pathlib.Path(folder) / f"program_{lines}_{trial}.py"
            path.write_text(program(lines))
            spec = importlib.util.spec_from_file_location(path.stem, path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            x = np.linspace(0.1, 0.2, 8)
            start = time.perf_counter()
            gradient = srcgrad.grad(module.f)
            gradient(x)
            first = time.perf_counter() - start
            taken.append(first - once(lambda gradient=gradient, x=x: gradient(x), 1))
    return {"seconds": statistics.median(taken), "target": TARGET_TRANSFORM if lines == 60 else None}


def import_time(quick):
    """Seconds that `import srcgrad` takes once NumPy is there: best of several fresh interpreters."""
    code = "import numpy, time; t = time.perf_counter(); import srcgrad; print(time.perf_counter() - t)"
    taken = []
    for _ in range(3 if quick else 9):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ImportError(done.stderr.strip().splitlines()[-1], name="srcgrad")
        taken.append(float(done.stdout))
    return {"seconds": min(taken), "target": TARGET_IMPORT}


def costs(quick):
    measurements = {
        "a call, over the bare generated function": lambda: call_overhead(quick),
        "transforming 60 lines": lambda: transformation(60, quick),
        "transforming 600 lines": lambda: transformation(600, quick),
        "import, without NumPy": lambda: import_time(quick),
    }
    result = {}
    for name, measure in measurements.items():
        try:
            result[name] = measure()
        except Exception as error:  # not there yet, or refused: said in the table
            said = (str(error).splitlines() or [""])[0]
            result[name] = {"left_out": f"{type(error).__name__}: {said}"}
    return result


# ------------------------------------------------------------------ the tables
def table(rows):
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        cells = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        print("  ".join([name.ljust(widths[0]), *cells]).rstrip())


def show_gradients(result):
    print("\nvalue and gradient, as a ratio over the primal in plain Python and NumPy")
    rows, notes, ours = [("", "primal", *TOOLS, "srcgrad/hand")], [], {}
    agreed, wrong = 0, []
    for name, row in result.items():
        cells = [name, f"{row['primal']['seconds'] * 1e3:.2f} ms"]
        for tool in TOOLS:
            found = row[tool]
            cells.append(f"{found['ratio']:.2f}" if "ratio" in found else "-")
            if "left_out" in found:
                notes.append(f"{name}, {tool}: {found['left_out']}")
            elif found["disagreement"] > RTOL:
                wrong.append(f"{name}, {tool}: off by {found['disagreement']:.1e} of the largest entry")
            else:
                agreed += 1
        has = "ratio" in row["srcgrad"]
        cells.append(f"{row['srcgrad']['ratio'] / row['hand']['ratio']:.2f}" if has else "-")
        if has:
            ours[name] = row["srcgrad"]["ratio"]
        rows.append(tuple(cells))
    table(rows)
    if ours:
        mean, worst = statistics.geometric_mean(ours.values()), max(ours.values())
        print(
            f"srcgrad: geometric mean {mean:.2f} (target {TARGET_MEAN:g}), worst {worst:.2f} ({TARGET_WORST:g})"
        )
    print(f"target for srcgrad/hand: {TARGET_OVER_HAND:g}")
    print(f"gradients equal to the hand-written ones to {RTOL:g}: {agreed} of {agreed + len(wrong)}")
    for line in wrong:
        print(f"  WRONG {line}")
    for line in notes:
        print(f"  left out: {line}")
    return not wrong


def show_costs(result):
    print("\nwhat it costs besides")
    rows = [("", "measured", "target")]
    for name, found in result.items():
        if "left_out" in found:
            rows.append((name, found["left_out"], ""))
            continue
        target = found["target"]
        rows.append((name, seconds(found["seconds"]), seconds(target) if target else "-"))
    table(rows)


def seconds(value):
    return f"{value * 1e6:.2f} us" if abs(value) < 1e-3 else f"{value * 1e3:.1f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick", action="store_true", help="seconds instead of minutes; the figures are rough"
    )
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="this workload; may be given again; no costs"
    )
    parser.add_argument("--json", metavar="FILE", help="write all that was measured")
    options = parser.parse_args()
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")  # before NumPy is imported
    unknown = set(options.only or ()) - set(cases())
    if unknown:
        parser.error(f"no workload {sorted(unknown)[0]!r}; there are {', '.join(cases())}")
    measured = {"gradients": gradients(options.only, options.quick)}
    right = show_gradients(measured["gradients"])
    if not options.only:
        measured["costs"] = costs(options.quick)
        show_costs(measured["costs"])
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(measured, indent=1) + "\n")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
