"""Kernels whose results are in their arguments: srcgrad over the primal, beside JAX on a functional restatement.

    python benchmarks/kernels.py [--quick] [--only NAME]

One run, interleaved, medians. JAX's is jit(value_and_grad) of a version that was written anew, since it cannot write
arrays; its time is given over the same NumPy primal. At the end: the memory of a value and gradient of a nonlinear
stencil, over the least that can be kept.
"""

import argparse
import inspect
import statistics
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from srcgrad import grad  # noqa: E402
from tests.kernels import flow, images, linalg, mining, nbody, solvers, stencils, weather  # noqa: E402

RNG = np.random.default_rng(1)


def some(*shape):
    return RNG.uniform(0.4, 1.4, shape)


def cases():
    """name -> (function, arguments, wrt, of)"""
    spd = some(40, 40)
    spd = spd @ spd.T + 40 * np.eye(40)
    return {
        "jacobi_1d": (stencils.jacobi_1d, (100, some(10_000), some(10_000)), "A", "A"),
        "jacobi_2d": (stencils.jacobi_2d, (50, some(100, 100), some(100, 100)), "A", "A"),
        "heat_3d": (stencils.heat_3d, (20, some(24, 24, 24), some(24, 24, 24)), "A", "A"),
        "fdtd_2d": (
            stencils.fdtd_2d,
            (50, *(some(100, 100) for _ in range(3)), some(50)),
            "ex",
            "hz",
        ),
        "burgers_1d": (stencils.burgers_1d, (100, some(10_000), 1e-5, 0.01, 0.1), "u", "u"),
        "seidel_2d": (stencils.seidel_2d, (2, some(30, 30)), "A", "A"),
        "adi": (stencils.adi, (5, *(some(60, 60) for _ in range(4))), "u", "u"),
        "lu": (solvers.lu, (some(14, 14) + 14 * np.eye(14),), "A", "A"),
        "lu_outer": (solvers.lu_outer, (some(60, 60) + 60 * np.eye(60),), "A", "A"),
        "cholesky_rows": (solvers.cholesky_rows, (spd,), "A", "A"),
        "gramschmidt": (
            solvers.gramschmidt,
            (some(60, 40), np.zeros((40, 40)), np.zeros((60, 40))),
            "A",
            "Q",
        ),
        "durbin": (solvers.durbin, (0.01 * some(60), np.zeros(60)), "r", "y"),
        "trisolv_rows": (
            solvers.trisolv_rows,
            (some(80, 80) + 80 * np.eye(80), np.zeros(80), some(80)),
            "L",
            "x",
        ),
        "gemver": (linalg.gemver, (1.5, 1.2, some(200, 200), *(some(200) for _ in range(8))), "A", "w"),
        "gemm_whole": (
            linalg.gemm_whole,
            (1.5, 1.2, some(200, 220), some(200, 240), some(240, 220)),
            "A",
            "C",
        ),
        "symm_rows": (linalg.symm_rows, (1.5, 1.2, some(30, 40), some(30, 30), some(30, 40)), "A", "C"),
        "doitgen_rows": (linalg.doitgen_rows, (some(20, 20, 30), some(30, 30), some(30)), "A", "A"),
        "covariance_rows": (
            mining.covariance_rows,
            (80.0, some(80, 60), some(60, 60), some(60)),
            "data",
            "cov",
        ),
        "deriche": (
            mining.deriche,
            (0.25, some(60, 60), *(some(60, 60) for _ in range(3))),
            "image",
            "out",
        ),
        "conv2d": (images.conv2d, (some(64, 64), some(5, 5), np.zeros((60, 60))), "weights", "out"),
        "nbody_pairs": (
            nbody.nbody_pairs,
            (10, some(40, 3) * 3, some(40, 3), some(40, 1), 1.0, 0.1, 0.01),
            "pos",
            "pos",
        ),
        "horizontal_diffusion": (
            weather.horizontal_diffusion,
            (some(64, 64, 16), some(60, 60, 16), some(60, 60, 16)),
            "in_field",
            "out_field",
        ),
        "cavity_flow": (
            flow.cavity_flow,
            (5, 20, some(41, 41) * 0.1, some(41, 41) * 0.1, 0.001, 0.05, 0.05, some(41, 41), 1.0, 0.1),
            "u",
            "u",
        ),
    }


# ------------------------------------------------------------------ timing
def copies(arguments):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


def timed(run, arguments, seconds):
    """Seconds of one run: the arguments are made anew, outside of the time."""
    found = []
    end = time.perf_counter() + seconds
    while len(found) < 5 or time.perf_counter() < end:
        given = copies(arguments)
        start = time.perf_counter()
        run(*given)
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def with_jax(function, arguments, wrt):
    """value_and_grad of the restated kernel, compiled, and its gradient; None where there is none, or no JAX."""
    try:
        from tests.kernels import jax_versions
    except ImportError:
        return None
    if jax_versions.version(function.__name__) is None:
        return None
    parameters = list(inspect.signature(function).parameters)
    run = jax_versions.value_and_gradient(function.__name__, parameters, arguments, (wrt,), 1.0)
    return run, run(*arguments)[1][0]


def memory(quick):
    """Peak of value and gradient of a Burgers step over the least tape: what each step overwrites."""

    def burgers(u, dt, steps):
        for _ in range(steps):
            u[1:-1] = u[1:-1] - dt * u[1:-1] * (u[2:] - u[:-2]) + dt * (u[2:] - 2 * u[1:-1] + u[:-2])
        return np.sum(u)

    def sine(u, dt, steps):
        for _ in range(steps):
            u[1:-1] += dt * np.sin(u[1:-1]) * (u[2:] - 2 * u[1:-1] + u[:-2])
        return np.sum(u)

    steps, cells = (100 if quick else 500), 10_000
    for function in (burgers, sine):
        u = np.linspace(0.0, 1.0, cells)
        df = grad(function)
        df(u.copy(), 0.1, 2)
        tracemalloc.start()
        df(u, 0.1, steps)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        least = steps * 8 * (cells - 2)
        print(
            f"memory of {function.__name__}, {steps} steps of {cells} cells: {peak / least:.3f} times the least tape"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only")
    options = parser.parse_args()
    seconds = 0.2 if options.quick else 1.0
    print(f"{'kernel':22} {'primal ms':>10} {'srcgrad/primal':>15} {'JAX/primal':>11}")
    ratios = []
    for name, (function, arguments, wrt, of) in cases().items():
        if options.only not in (None, name):
            continue
        df = grad(function, wrt=wrt, of=of, seed=1.0)
        value, gradient = df(*copies(arguments))
        other = with_jax(function, arguments, wrt)
        if other is not None:
            np.testing.assert_allclose(gradient, other[1], rtol=1e-8, atol=1e-8 * np.max(np.abs(gradient)))
        primal = timed(function, arguments, seconds)
        mine = timed(df, arguments, seconds) / primal
        theirs = (
            f"{timed(other[0], arguments, seconds) / primal:11.2f}" if other is not None else f"{'-':>11}"
        )
        ratios.append(mine)
        print(f"{name:22} {primal * 1e3:10.3f} {mine:15.2f} {theirs}", flush=True)
    if ratios:
        print(
            f"{'geometric mean':22} {'':10} {np.exp(np.mean(np.log(ratios))):15.2f}, worst {max(ratios):.2f}"
        )
    memory(options.quick)


if __name__ == "__main__":
    main()
