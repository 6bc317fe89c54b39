"""Bodies that attract each other: leapfrog on positions and velocities, a helper that fills the accelerations."""

import numpy as np


def fill_accelerations(acc, pos, mass, G, softening):
    n = pos.shape[0]
    for i in range(n):
        acc[i, :] = 0.0
        for j in range(n):
            if i != j:
                d = pos[j] - pos[i]
                r2 = np.dot(d, d) + softening**2
                acc[i] += G * mass[j] * d / (r2 * np.sqrt(r2))


def nbody(steps, pos, vel, mass, G, softening, dt):
    acc = np.zeros_like(pos)
    fill_accelerations(acc, pos, mass, G, softening)
    for t in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        fill_accelerations(acc, pos, mass, G, softening)
        vel += acc * dt / 2.0


def fill_accelerations_pairs(acc, pos, mass, G, softening):
    """All pairs at once."""
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = (dx**2 + dy**2 + dz**2 + softening**2) ** (-1.5)
    acc[:, 0:1] = G * (dx * inv_r3) @ mass
    acc[:, 1:2] = G * (dy * inv_r3) @ mass
    acc[:, 2:3] = G * (dz * inv_r3) @ mass


def nbody_pairs(steps, pos, vel, mass, G, softening, dt):
    vel -= np.sum(mass * vel, axis=0) / np.sum(mass)
    acc = np.empty_like(pos)
    fill_accelerations_pairs(acc, pos, mass, G, softening)
    for t in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        fill_accelerations_pairs(acc, pos, mass, G, softening)
        vel += acc * dt / 2.0


def nbody_energy(steps, pos, vel, mass, G, softening, dt):
    """The energy afterwards: the state is in the arguments, the result is not."""
    nbody_pairs(steps, pos, vel, mass, G, softening, dt)
    kinetic = 0.5 * np.sum(mass * vel**2)
    potential = 0.0
    n = pos.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            d = pos[i] - pos[j]
            potential -= G * mass[i, 0] * mass[j, 0] / np.sqrt(d @ d + softening**2)
    return kinetic + potential
