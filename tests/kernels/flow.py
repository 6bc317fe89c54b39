"""Cavity and channel flow as in the 12 steps to Navier-Stokes: helpers that write their arguments, copies of fields."""

import numpy as np


def build_up_b(b, rho, dt, u, v, dx, dy):
    b[1:-1, 1:-1] = rho * (
        1 / dt * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) + (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))
        - ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)) ** 2
        - 2 * ((u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx))
        - ((v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)) ** 2
    )


def pressure_poisson(nit, p, dx, dy, b):
    pn = np.empty_like(p)
    for q in range(nit):
        pn = p.copy()
        p[1:-1, 1:-1] = (
            (pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2
        ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]  # dp/dx = 0 at x = 2
        p[0, :] = p[1, :]  # dp/dy = 0 at y = 0
        p[:, 0] = p[:, 1]  # dp/dx = 0 at x = 0
        p[-1, :] = 0  # p = 0 at y = 2


def step(u, v, un, vn, p, dt, dx, dy, rho, nu):
    """The inner points of the velocities; un and vn are filled with what they were."""
    un[:] = u
    vn[:] = v
    u[1:-1, 1:-1] = (
        un[1:-1, 1:-1]
        - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, 0:-2])
        - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[0:-2, 1:-1])
        - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
        + nu
        * (
            dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2])
            + dt / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[0:-2, 1:-1])
        )
    )
    v[1:-1, 1:-1] = (
        vn[1:-1, 1:-1]
        - un[1:-1, 1:-1] * dt / dx * (vn[1:-1, 1:-1] - vn[1:-1, 0:-2])
        - vn[1:-1, 1:-1] * dt / dy * (vn[1:-1, 1:-1] - vn[0:-2, 1:-1])
        - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[0:-2, 1:-1])
        + nu
        * (
            dt / dx**2 * (vn[1:-1, 2:] - 2 * vn[1:-1, 1:-1] + vn[1:-1, 0:-2])
            + dt / dy**2 * (vn[2:, 1:-1] - 2 * vn[1:-1, 1:-1] + vn[0:-2, 1:-1])
        )
    )


def walls(u, v):
    u[0, :] = 0
    u[:, 0] = 0
    u[:, -1] = 0
    u[-1, :] = 1  # the lid moves
    v[0, :] = 0
    v[-1, :] = 0
    v[:, 0] = 0
    v[:, -1] = 0


def cavity_flow(nt, nit, u, v, dt, dx, dy, p, rho, nu):
    un = np.empty_like(u)
    vn = np.empty_like(v)
    b = np.zeros(u.shape)
    for n in range(nt):
        build_up_b(b, rho, dt, u, v, dx, dy)
        pressure_poisson(nit, p, dx, dy, b)
        step(u, v, un, vn, p, dt, dx, dy, rho, nu)
        walls(u, v)


def channel_flow(nit, u, v, dt, dx, p, rho, nu, force, tolerance):
    """Periodic in x, until the flow hardly changes; the number of steps is returned, as such codes do."""
    udiff = 1
    stepcount = 0
    b = np.zeros_like(u)
    while udiff > tolerance:
        un = u.copy()
        vn = v.copy()
        b[1:-1] = (
            rho / dt * ((np.roll(u, -1, axis=1) - np.roll(u, 1, axis=1))[1:-1] + v[2:] - v[:-2]) / (2 * dx)
        )
        for q in range(nit):
            pn = p.copy()
            p[1:-1] = (
                (np.roll(pn, -1, axis=1) + np.roll(pn, 1, axis=1))[1:-1] + pn[2:] + pn[:-2]
            ) / 4 - dx**2 / 4 * b[1:-1]
            p[-1, :] = p[-2, :]
            p[0, :] = p[1, :]
        right = np.roll(un, -1, axis=1)
        left = np.roll(un, 1, axis=1)
        u[1:-1] = (
            un[1:-1]
            - un[1:-1] * dt / dx * (un - left)[1:-1]
            - vn[1:-1] * dt / dx * (un[1:-1] - un[:-2])
            - dt / (2 * rho * dx) * (np.roll(p, -1, axis=1) - np.roll(p, 1, axis=1))[1:-1]
            + nu * dt / dx**2 * (right[1:-1] + left[1:-1] + un[2:] + un[:-2] - 4 * un[1:-1])
            + force * dt
        )
        v[1:-1] = (
            vn[1:-1]
            - vn[1:-1] * dt / dx * (vn[1:-1] - vn[:-2])
            - dt / (2 * rho * dx) * (p[2:] - p[:-2])
            + nu * dt / dx**2 * (vn[2:] + vn[:-2] - 2 * vn[1:-1])
        )
        u[0, :] = 0
        u[-1, :] = 0
        v[0, :] = 0
        v[-1, :] = 0
        udiff = (np.sum(u) - np.sum(un)) / np.sum(u)
        stepcount += 1
    return stepcount
