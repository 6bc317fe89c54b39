"""Kernels of weather codes: three-dimensional fields, temporaries, loops over the levels."""

import numpy as np

BET_M = 0.5 * (1.0 - 0.1)
BET_P = 0.5 * (1.0 + 0.1)


def horizontal_diffusion(in_field, out_field, coeff):
    """A Laplacian twice, with fluxes that are cut off where they go up the gradient; a rim of two points."""
    lap = 4.0 * in_field[1:-1, 1:-1, :] - (
        in_field[2:, 1:-1, :] + in_field[:-2, 1:-1, :] + in_field[1:-1, 2:, :] + in_field[1:-1, :-2, :]
    )
    res = lap[1:, 1:-1, :] - lap[:-1, 1:-1, :]
    flx = np.where((res * (in_field[2:-1, 2:-2, :] - in_field[1:-2, 2:-2, :])) > 0, 0, res)
    res = lap[1:-1, 1:, :] - lap[1:-1, :-1, :]
    fly = np.where((res * (in_field[2:-2, 2:-1, :] - in_field[2:-2, 1:-2, :])) > 0, 0, res)
    out_field[:, :, :] = in_field[2:-2, 2:-2, :] - coeff[:, :, :] * (
        flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :]
    )


def vertical_advection(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    """Implicit in the vertical: a tridiagonal system for each column, forward and back."""
    I, J, K = utens_stage.shape  # noqa: E741
    ccol = np.empty((I, J, K), dtype=utens_stage.dtype)
    dcol = np.empty((I, J, K), dtype=utens_stage.dtype)
    data_col = np.empty((I, J), dtype=utens_stage.dtype)

    for k in range(1):
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        cs = gcv * BET_M
        ccol[:, :, k] = gcv * BET_P
        bcol = dtr_stage - ccol[:, :, k]
        correction_term = -cs * (u_stage[:, :, k + 1] - u_stage[:, :, k])
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / bcol
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = dcol[:, :, k] * divided

    for k in range(1, K - 1):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        as_ = gav * BET_M
        cs = gcv * BET_M
        acol = gav * BET_P
        ccol[:, :, k] = gcv * BET_P
        bcol = dtr_stage - acol - ccol[:, :, k]
        correction_term = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k]) - cs * (
            u_stage[:, :, k + 1] - u_stage[:, :, k]
        )
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = (dcol[:, :, k] - dcol[:, :, k - 1] * acol) * divided

    for k in range(K - 1, K):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        as_ = gav * BET_M
        acol = gav * BET_P
        bcol = dtr_stage - acol
        correction_term = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k])
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        dcol[:, :, k] = (dcol[:, :, k] - dcol[:, :, k - 1] * acol) * divided

    for k in range(K - 1, K - 2, -1):
        data_col[:] = dcol[:, :, k]
        utens_stage[:, :, k] = dtr_stage * (data_col - u_pos[:, :, k])

    for k in range(K - 2, -1, -1):
        data_col[:] = dcol[:, :, k] - ccol[:, :, k] * data_col[:]
        utens_stage[:, :, k] = dtr_stage * (data_col - u_pos[:, :, k])
