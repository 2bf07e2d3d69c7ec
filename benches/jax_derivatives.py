"""Other derivatives than gradients as they are written for JAX, where several ways were tried the fastest of them.

Each takes an objective, its variables as a tuple, and its other arguments by name, and returns a tuple of arrays.
"""

import math

import jax
import jax.numpy as jnp
import jax_objectives as objectives
import numpy as np
from jax.experimental.jet import jet


def ba_jacobian(_, variables, which, seen):
    """A block of the sparse Jacobian for each observation; the places of entries are not computed."""
    cameras, points, weights = variables

    def residuals(x, seen):
        shown = objectives.reprojection(x[:11], x[11:14], seen)
        return x[14] * shown

    each = jnp.concatenate([cameras[which[:, 0]], points[which[:, 1]], weights[:, None]], axis=1)
    return jax.vmap(jax.jacfwd(residuals))(each, seen), -2 * weights


def ba_entries(blocks, by_weights):
    """The entries that are not zero whatever the arguments are, by cameras, points and weights."""
    own = np.delete(np.arange(11), 8), np.delete(np.arange(11), 7)
    cameras = np.stack([blocks[:, e, own[e]] for e in range(2)], axis=1)
    weights = np.concatenate([blocks[:, :, 14].ravel(), by_weights])
    return cameras.ravel(), blocks[:, :, 11:14].ravel(), weights


def hand_jacobian(_, variables, touching, points, **model):
    def residuals(theta):
        return points - objectives.vertices(theta, **model)[touching]

    return (jax.jacfwd(residuals)(*variables),)


def hand_complicated_jacobian(_, variables, triangles, touching, points, **model):
    theta, places = variables
    corners = triangles[touching]

    def residual(place, corners, point):
        u, v = place
        return point - (u * corners[0] + v * corners[1] + (1 - u - v) * corners[2])

    def residuals(theta):
        there = objectives.vertices(theta, **model)[corners]
        return jax.vmap(residual)(places, there, points), there

    by_theta, there = jax.jacfwd(residuals, has_aux=True)(theta)
    return by_theta, jax.vmap(jax.jacfwd(residual))(places, there, points)


def gmm_hessian(objective, variables, **constants):
    shapes = [v.shape for v in variables]
    ends = [sum(v.size for v in variables[: k + 1]) for k in range(len(variables))]

    def of_all(parameters):
        parts = jnp.split(parameters, ends[:-1])
        return objective(*(p.reshape(s) for p, s in zip(parts, shapes)), **constants)

    return (jax.hessian(of_all)(jnp.concatenate([v.ravel() for v in variables])),)


def logistic_hessian(objective, variables, **constants):
    w, b = variables
    return (jax.hessian(lambda w: objective(w, b, **constants))(w),)


def hvp(objective, variables, direction, **constants):
    gradient = jax.grad(lambda variables: objective(*variables, **constants))
    return jax.jvp(gradient, (variables,), (direction,))[1]


def logistic(w, b, x, y):
    """Without `softplus`, which has a rule of its own that `jet` does not get through."""
    z = x @ w + b
    return jnp.mean(jnp.maximum(z, 0) + jnp.log1p(jnp.exp(-jnp.abs(z))) - y * z)


def taylor(order):
    def coefficients(objective, variables, direction, **constants):
        if objective is objectives.logistic:
            objective = logistic

        def along(t):
            return objective(*(v + t * d for v, d in zip(variables, direction)), **constants)

        series = [jnp.array(float(k == 0)) for k in range(order)]
        value, terms = jet(along, (jnp.array(0.0),), (series,))
        found = [value, *(term / math.factorial(k + 1) for k, term in enumerate(terms))]
        return (jnp.stack(found),)

    return coefficients


OF_MODELS = {
    ("ba", "jacobian"): ba_jacobian,
    ("hand", "jacobian"): hand_jacobian,
    ("hand_complicated", "jacobian"): hand_complicated_jacobian,
    ("gmm", "hessian"): gmm_hessian,
    ("logistic", "hessian"): logistic_hessian,
}
# Of any model, at a point along a direction.
DIRECTED = {"hvp": hvp, "taylor-4": taylor(4), "taylor-8": taylor(8)}
# What is compared, where that is not what is measured.
ENTRIES = {("ba", "jacobian"): ba_entries}
