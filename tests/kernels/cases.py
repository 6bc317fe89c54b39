"""The kernels with small arguments: which argument holds the result, and which are differentiated."""

from dataclasses import dataclass

import numpy as np

from . import flow, images, linalg, mining, nbody, solvers, stencils, weather

RNG = np.random.default_rng(7)


@dataclass(frozen=True)
class Case:
    """One kernel. `linear`: the result is linear in what is differentiated, so that nothing need be kept."""

    function: object
    arguments: tuple
    of: str | None
    wrt: tuple
    linear: bool = False

    @property
    def name(self):
        return self.function.__name__


def some(*shape):
    return RNG.uniform(0.4, 1.4, shape)


def dominant(n):
    """A matrix with a heavy diagonal: solvers need no pivots."""
    return some(n, n) + 3.0 * np.eye(n)


def definite(n):
    a = some(n, n)
    return a @ a.T + n * np.eye(n)


def case(function, *arguments, of=None, wrt, linear=False):
    return Case(function, arguments, of, wrt if isinstance(wrt, tuple) else (wrt,), linear)


M = some(4, 5)
CASES = [
    case(stencils.jacobi_1d, 3, some(7), some(7), of="A", wrt=("A", "B"), linear=True),
    case(stencils.jacobi_1d_loops, 3, some(7), some(7), of="A", wrt="A", linear=True),
    case(stencils.jacobi_2d, 2, some(5, 6), some(5, 6), of="A", wrt=("A", "B"), linear=True),
    case(stencils.seidel_2d, 2, some(5, 5), of="A", wrt="A", linear=True),
    case(stencils.seidel_2d_rows, 2, some(5, 5), of="A", wrt="A", linear=True),
    case(stencils.heat_3d, 2, some(4, 5, 4), some(4, 5, 4), of="A", wrt="A", linear=True),
    case(
        stencils.fdtd_2d,
        3,
        some(5, 6),
        some(5, 6),
        some(5, 6),
        some(3),
        of="hz",
        wrt=("ex", "hz", "fict"),
        linear=True,
    ),
    case(
        stencils.adi, 2, some(5, 5), some(5, 5), some(5, 5), some(5, 5), of="u", wrt="u"
    ),  # p and q are recursions
    case(stencils.burgers_1d, 3, some(7), 0.01, 0.1, 0.05, of="u", wrt=("u", "nu")),
    case(stencils.burgers_2d, 2, some(5, 5), some(5, 5), 0.01, 0.2, 0.2, 0.05, of="u", wrt=("u", "v")),
    case(stencils.wave_1d, 4, 0.4, some(7), some(7), some(7), of="current", wrt=("previous", "current")),
    case(solvers.lu, dominant(5), of="A", wrt="A"),
    case(solvers.lu_outer, dominant(5), of="A", wrt="A"),
    case(solvers.ludcmp, dominant(4), some(4), some(4), some(4), of="x", wrt=("A", "b")),
    case(solvers.cholesky, definite(5), of="A", wrt="A"),
    case(solvers.cholesky_rows, definite(5), of="A", wrt="A"),
    case(solvers.gramschmidt, some(5, 3), np.zeros((3, 3)), np.zeros((5, 3)), of="Q", wrt="A"),
    case(solvers.durbin, 0.2 * some(5), np.zeros(5), of="y", wrt="r"),
    case(solvers.durbin_flipped, 0.2 * some(5), np.zeros(5), of="y", wrt="r"),
    case(solvers.trisolv, dominant(5), np.zeros(5), some(5), of="x", wrt=("L", "b")),
    case(solvers.trisolv_rows, dominant(5), np.zeros(5), some(5), of="x", wrt=("L", "b")),
    case(linalg.gemm, 1.5, 1.2, some(3, 4), some(3, 5), some(5, 4), of="C", wrt=("C", "A", "B")),
    case(linalg.gemm_whole, 1.5, 1.2, some(3, 4), some(3, 5), some(5, 4), of="C", wrt=("A", "alpha")),
    case(
        linalg.two_mm,
        1.5,
        1.2,
        some(3, 4),
        some(3, 5),
        some(5, 4),
        some(4, 6),
        some(3, 6),
        of="D",
        wrt=("A", "C"),
    ),
    case(
        linalg.three_mm,
        some(3, 4),
        some(3, 5),
        some(5, 4),
        some(4, 6),
        some(4, 3),
        some(3, 6),
        some(3, 6),
        of="G",
        wrt=("A", "D"),
    ),
    case(linalg.atax, M, some(5), some(5), some(4), of="y", wrt=("A", "x")),
    case(linalg.bicg, M, some(5), some(4), some(5), some(4), of="s", wrt=("A", "r")),
    case(linalg.mvt, some(4), some(4), some(4), some(4), some(4, 4), of="x1", wrt=("A", "y1")),
    case(
        linalg.gemver, 1.5, 1.2, some(4, 4), *(some(4) for _ in range(8)), of="w", wrt=("A", "u1", "y", "z")
    ),
    case(
        linalg.gemver_loops,
        1.5,
        1.2,
        some(4, 4),
        *(some(4) for _ in range(8)),
        of="w",
        wrt=("A", "u1", "y", "z"),
    ),
    case(linalg.gesummv, 1.5, 1.2, some(4, 4), some(4, 4), some(4), some(4), some(4), of="y", wrt=("A", "x")),
    case(linalg.symm, 1.5, 1.2, some(4, 5), some(4, 4), some(4, 5), of="C", wrt=("A", "B")),
    case(linalg.symm_rows, 1.5, 1.2, some(4, 5), some(4, 4), some(4, 5), of="C", wrt=("A", "B")),
    case(linalg.syrk, 1.5, 1.2, some(4, 4), some(4, 3), of="C", wrt=("C", "A")),
    case(linalg.syr2k, 1.5, 1.2, some(4, 4), some(4, 3), some(4, 3), of="C", wrt=("A", "B")),
    case(linalg.trmm, 1.5, some(4, 4), some(4, 5), of="B", wrt=("A", "B")),
    case(linalg.trmm_rows, 1.5, some(4, 4), some(4, 5), of="B", wrt="B", linear=True),
    case(linalg.doitgen, some(3, 2, 4), some(4, 4), some(4), of="A", wrt=("A", "C4")),
    case(linalg.doitgen_rows, some(3, 2, 4), some(4, 4), some(4), of="A", wrt=("A", "C4")),
    case(mining.covariance, 5.0, some(5, 3), some(3, 3), some(3), of="cov", wrt="data"),
    case(mining.covariance_rows, 5.0, some(5, 3), some(3, 3), some(3), of="cov", wrt="data"),
    case(mining.correlation, 5.0, some(5, 3), some(3, 3), some(3), some(3), of="corr", wrt="data"),
    case(
        mining.deriche, 0.25, some(5, 6), some(5, 6), some(5, 6), some(5, 6), of="out", wrt=("image", "alpha")
    ),
    case(
        mining.deriche_loops,
        0.25,
        some(4, 5),
        some(4, 5),
        some(4, 5),
        some(4, 5),
        of="out",
        wrt="image",
        linear=True,
    ),
    case(mining.floyd_warshall, some(5, 5), of="path", wrt="path"),
    case(images.conv2d, some(6, 7), some(3, 2), np.zeros((4, 6)), of="out", wrt=("image", "weights")),
    case(images.conv2d_loops, some(5, 6), some(2, 3), np.zeros((4, 4)), of="out", wrt=("image", "weights")),
    case(
        nbody.nbody,
        3,
        some(4, 3) * np.arange(1.0, 5.0)[:, None],
        some(4, 3),
        some(4),
        1.0,
        0.1,
        0.02,
        of="pos",
        wrt=("pos", "vel"),
    ),
    case(
        nbody.nbody_pairs,
        3,
        some(3, 3) * np.arange(1.0, 4.0)[:, None],
        some(3, 3),
        some(3, 1),
        1.0,
        0.1,
        0.02,
        of="pos",
        wrt=("pos", "mass"),
    ),
    case(
        nbody.nbody_energy,
        3,
        some(4, 3) * np.arange(1.0, 5.0)[:, None],
        some(4, 3),
        some(4, 1),
        1.0,
        0.1,
        0.02,
        wrt=("pos", "vel"),
    ),
    case(
        weather.horizontal_diffusion,
        some(8, 8, 2),
        some(4, 4, 2),
        some(4, 4, 2),
        of="out_field",
        wrt=("in_field", "coeff"),
    ),
    case(
        weather.vertical_advection,
        some(3, 3, 5),
        some(3, 3, 5),
        some(4, 3, 5),
        some(3, 3, 5),
        some(3, 3, 5),
        0.15,
        of="utens_stage",
        wrt=("u_stage", "wcon"),
    ),
    case(
        flow.cavity_flow,
        3,
        3,
        some(6, 6) * 0.1,
        some(6, 6) * 0.1,
        0.01,
        0.4,
        0.4,
        some(6, 6),
        1.0,
        0.1,
        of="u",
        wrt=("u", "p"),
    ),
]
BY_NAME = {c.name: c for c in CASES}
