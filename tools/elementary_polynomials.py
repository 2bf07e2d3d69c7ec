#!/usr/bin/env python3
"""Prints the polynomials of ad-runtime/src/elementary, with their errors. Needs mpmath.

Each one interpolates its function at the Chebyshev nodes of its interval, which is within a small factor of the
best polynomial. The error is that of the whole function after rounding the coefficients, relative to it.
"""

from mpmath import (asin, atan, atanh, cbrt, cos, cosh, erf, erfc, exp, expm1, fabs, log, lu_solve, matrix, mp, mpf, pi, sin,
                    sinh, sqrt)
from struct import pack, unpack

mp.prec = 400


def single(x):
    return unpack("f", pack("f", float(x)))[0]


def interpolate(g, a, b, n):
    """The coefficients of the polynomial with n terms through g at the Chebyshev nodes of a..b."""
    nodes = [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    vandermonde = matrix(n, n)
    for i, x in enumerate(nodes):
        for j in range(n):
            vandermonde[i, j] = x**j
    return list(lu_solve(vandermonde, matrix([g(x) for x in nodes])))


def show(name, g, a, b, n, error, kind="f64"):
    """g is interpolated on a..b; error(x, p) is the error of the whole function where the polynomial gives p."""
    a, b = mpf(a), mpf(b)
    exact = interpolate(g, a, b, n)
    rounded = [single(c) if kind == "f32" else float(c) for c in exact]
    worst = mpf(0)
    for i in range(401):
        x = a + (b - a) * (mpf(i) + mpf("0.37")) / mpf("400.7")
        p = sum(mpf(c) * x**j for j, c in enumerate(rounded))
        worst = max(worst, fabs(error(x, p)))
    print(f"{name} ({kind}): {n} terms on {float(a):.6g}..{float(b):.6g}, error 2^{float(log(worst, 2)):.1f}")
    for c in rounded:
        if kind == "f32":
            digits = next(f"{c:.{d}g}" for d in range(1, 18) if single(float(f"{c:.{d}g}")) == c)
            print(f"    {digits},")
        else:
            print(f"    {c!r},")


def odd(f):
    """f(x) = x + x^3 p(x^2), as a function of x^2."""
    return lambda z: (f(sqrt(z)) - sqrt(z)) / (z * sqrt(z))


def odd_error(f):
    return lambda z, p: (sqrt(z) + z * sqrt(z) * p) / f(sqrt(z)) - 1


HALF_LN2 = float(log(mpf(2)) / 2) * 1.0001
QUARTER_PI = float(pi / 4) * 1.0001
SQRT2 = sqrt(mpf(2))
LN_Z = float(((SQRT2 - 1) / (SQRT2 + 1)) ** 2) * 1.0001


def everything(f64, f32):
    for kind, n in (("f64", f64), ("f32", f32)):
        pick = dict(kind=kind)
        # exp(r) = 1 + r + r^2 / 2 + r^3 p(r)
        tail = lambda r: (exp(r) - 1 - r - r * r / 2) / r**3
        show("exp", tail, -HALF_LN2, 1.0001 * HALF_LN2, n["exp"],
             lambda r, p: (1 + r + r * r / 2 + r**3 * p) / exp(r) - 1, **pick)
        # The same for exp(r) - 1; the error is relative to that.
        show("exp_m1", tail, -HALF_LN2, 1.0001 * HALF_LN2, n["exp_m1"],
             lambda r, p: (r + r * r / 2 + r**3 * p) / expm1(r) - 1, **pick)
        # 2^r = 1 + r p(r)
        show("exp2", lambda r: (mpf(2) ** r - 1) / r, -0.5001, 0.5002, n["exp2"],
             lambda r, p: (1 + r * p) / mpf(2) ** r - 1, **pick)
        # ln((1 + s) / (1 - s)) = 2 s + s z p(z), z = s^2
        atanh2 = lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z
        atanh2_error = lambda z, p: (2 + z * p) * sqrt(z) / (2 * atanh(sqrt(z))) - 1
        show("ln", atanh2, 0, LN_Z, n["ln"], atanh2_error, **pick)
        # The same without its first term, for powers
        show("power", lambda z: (atanh2(z) - mpf(2) / 3) / z, 0, LN_Z, n["power"],
             lambda z, p: atanh2_error(z, mpf(2) / 3 + z * p), **pick)
        show("softplus", atanh2, 0, 0.11112, n["softplus"], atanh2_error, **pick)
        show("atanh", atanh2, 0, 0.1226, n["atanh"], atanh2_error, **pick)
        show("asin", odd(asin), 0, 0.25001, n["asin"], odd_error(asin), **pick)
        show("atan", odd(atan), 0, 0.25001, n["atan"], odd_error(atan), **pick)
        show("sinh", odd(sinh), 0, 0.4806, n["sinh"], odd_error(sinh), **pick)
        # cosh(r) = 1 + z / 2 + z^2 p(z), z = r^2
        show("cosh", lambda z: (cosh(sqrt(z)) - 1 - z / 2) / z**2, 0, 0.4806, n["cosh"],
             lambda z, p: (1 + z / 2 + z * z * p) / cosh(sqrt(z)) - 1, **pick)
        show("cbrt", cbrt, 1, 2, n["cbrt"], lambda x, p: p / cbrt(x) - 1, **pick)
        # erf(x) = x + x p(x^2) up to 1, and 1 - exp(-x^2) p((x - 2) / (x + 2)) beyond
        show("erf", lambda z: erf(sqrt(z)) / sqrt(z) - 1, 0, 1, n["erf"],
             lambda z, p: (sqrt(z) + sqrt(z) * p) / erf(sqrt(z)) - 1, **pick)
        far = lambda u: 2 * (1 + u) / (1 - u)
        tail = lambda x: erfc(x) * exp(x * x)
        show("erfc", lambda u: tail(far(u)), mpf(-1) / 3, mpf(1) / 2 if kind == "f64" else mpf(1) / 3, n["erfc"],
             lambda u, p: exp(-far(u)**2) * (p - tail(far(u))), **pick)
        show("sin", odd(sin), 0, QUARTER_PI**2, n["sin"], odd_error(sin), **pick)
        # cos(r) = 1 - z / 2 + z^2 p(z), z = r^2
        show("cos", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, 0, QUARTER_PI**2, n["cos"],
             lambda z, p: (1 - z / 2 + z * z * p) / cos(sqrt(z)) - 1, **pick)


everything(
    dict(exp=9, exp_m1=10, exp2=11, ln=7, power=8, softplus=11, atanh=11, erf=12, erfc=16, asin=13, atan=13, sinh=6, cosh=6, cbrt=6, sin=6, cos=6),
    dict(exp=5, exp_m1=5, exp2=6, ln=3, power=3, softplus=5, atanh=5, erf=7, erfc=7, asin=6, atan=6, sinh=3, cosh=3, cbrt=4, sin=3, cos=3),
)
