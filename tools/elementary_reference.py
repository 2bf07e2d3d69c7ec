#!/usr/bin/env python3
"""Prints references for the elementary functions: `elementary_reference.py COUNT [FUNCTION..]`. Needs mpmath.

With `angles` instead of a count it prints sines, cosines or tangents for every exponent.

A line has the name of a function, the bits of its arguments, the bits of the nearest result, and what the exact one
has beyond that, in thousandths of a unit in the last place. `ad-runtime/src/elementary/tests.rs` reads it.
"""

import random
import sys
from struct import pack, unpack
from mpmath import (acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, digamma, erf, exp, expm1, floor,
                    frexp, gamma, hypot, isinf, isnan, ldexp, log, loggamma, log1p, mp, mpf, nint, pi, sin, sinh, sqrt, tan, tanh, workprec)

mp.prec = 320
LARGEST = float.fromhex("0x1.fffffffffffffp1023")


def bits(x):
    return unpack("Q", pack("d", x))[0]


def number(b):
    return unpack("d", pack("Q", b))[0]


def nearest(y):
    """The nearest f64 as a float, and what is missing in thousandths of its last place."""
    if y == 0:
        return 0.0, 0
    e = max(int(frexp(y)[1]) - 53, -1074)
    n = nint(ldexp(y, -e))
    missing = ldexp(y, -e) - n
    if ldexp(abs(n), e) > mpf(LARGEST):
        return (float("inf") if y > 0 else float("-inf")), 0
    return float.fromhex(hex(int(n)) + f"p{e}") if n >= 0 else -float.fromhex(hex(int(-n)) + f"p{e}"), int(nint(missing * 1000))


def near(x, steps=200):
    """A number next to x."""
    return number(bits(float(x)) + random.randint(-steps, steps)) if x else random.uniform(-1, 1) * 1e-300


def around(*places):
    def pick():
        place = random.choice(places)
        return random.choice([near(place, 3), near(place, 1000), float(place) * (1 + random.gauss(0, 1) * 2.0 ** -random.randint(4, 50))])
    return pick


def magnitude(low, high):
    """Any exponent of 2 from low to high, positive."""
    return lambda: max(random.uniform(1, 2) * 2.0 ** random.randint(low + 500, high + 500) * 2.0**-500 if low >= -500 else random.uniform(1, 2) * 2.0 ** random.randint(low + 60, high + 60) * 2.0**-60, 5e-324)


def signed(pick):
    return lambda: random.choice([-1, 1]) * pick()


def between(a, b):
    return lambda: random.uniform(a, b)


def wide():
    return number(random.getrandbits(63) % 0x7FF0000000000000)


def multiples(step, most):
    """Numbers next to multiples of step."""
    def pick():
        k = random.randint(1, int(2 ** random.uniform(0, most)))
        return near(float(k * step), 3)
    return pick


def closest_to_multiples(exponent):
    """The number of 53 bits with this exponent of 2 that is closest to a multiple of pi / 2, by continued fractions.

    It is m 2^(exponent - 52), and the multiple n pi / 2, so n / m is close to 2^(exponent - 52) / (pi / 2), the `rest`: a
    convergent, or one with numerator and denominator multiplied so that m has 53 bits.
    """
    best = None
    with workprec(1400):
        rest = mpf(2) ** (exponent - 52) / (pi / 2)
        whole = floor(rest)
        (n, before), (m, m_before) = (int(whole), 1), (1, 0)
        x = rest - whole
        while m < 2**53:
            factor = -(-(2**52) // m)
            if factor * m < 2**53:
                distance = abs(factor * (m * rest - n))
                if best is None or distance < best[0]:
                    best = distance, factor * m
            x = 1 / x
            whole = int(floor(x))
            x -= whole
            n, before = whole * n + before, n
            m, m_before = whole * m + m_before, m
    return times_power(best[1], exponent - 52)


def times_power(m, e):
    return float.fromhex(hex(m) + f"p{e}")


def hard_angles():
    found = [closest_to_multiples(e) for e in range(1024)]
    return lambda: random.choice(found)


def angles():
    """Lines for each exponent from 2^0 on: the number that is closest to a multiple of pi / 2, and any one."""
    random.seed("angles")
    for e in range(1024):
        name = ("sin", "cos", "tan")[e % 3]
        for x in (closest_to_multiples(e), times_power(random.randint(2**52, 2**53 - 1), e - 52)):
            y, missing = nearest(FUNCTIONS[name][0](mpf(x)))
            print(name, f"{bits(x):x}", f"{bits(y):x}", missing)


def pair(first, second):
    return lambda: (first(), second())


def close():
    """Two numbers that differ little, or by a factor of 2."""
    x = random.choice([-1, 1]) * number(random.getrandbits(63) % 0x7FD0000000000000)
    return near(x, 10**9), random.choice([1, 1, 0.5, 2]) * near(x, 1000)


def towards_ends():
    """A power that is close to overflow or underflow."""
    x = wide()
    return x, random.uniform(0.9, 1.001) * float(random.choice([1024, -1022, -1074]) * log(mpf(2)) / log(mpf(x)))


def softplus(x):
    return log1p(exp(x))


def minus_inverse(x):
    return 1 / (1 + exp(-x))


# For each function, how it is computed and what its arguments are picked from.
tiny = magnitude(-1074, -20)
hard = hard_angles()


def huge():
    """Any number of at least 1/2, all exponents alike."""
    return number(random.randint(bits(0.5), bits(LARGEST)))


FUNCTIONS = {
    "exp": (exp, [between(-746, 710), between(-1, 1), around(709.782712893384, -708.3964185322641, -745.13), signed(tiny), multiples(log(2) / 2, 9)]),
    "exp2": (lambda x: mpf(2) ** x, [between(-1076, 1025), between(-1, 1), around(1023.9999999, -1022, -1074.5), signed(tiny), multiples(0.5, 10)]),
    "exp_m1": (expm1, [between(-50, 710), between(-1, 1), around(709.782712893384, 0.3466, -0.3466, 1.04, -1.04, -37.4), signed(tiny), signed(magnitude(-60, 1))]),
    "ln": (log, [wide, between(0, 3), around(1, 0.7071067811865476, 1.4142135623730951, 2.2250738585072014e-308), magnitude(-1074, -1000)]),
    "ln_1p": (log1p, [wide, between(-1, 2), around(-1 + 2.0**-50, 0.4142135623730951, -0.2928932188134524), signed(tiny), signed(magnitude(-60, -1))]),
    "log2": (lambda x: log(x) / log(mpf(2)), [wide, between(0, 3), around(1, 0.7071067811865476, 1.4142135623730951, 2.2250738585072014e-308), magnitude(-1074, -1000)]),
    "log10": (lambda x: log(x) / log(mpf(10)), [wide, between(0, 3), around(1, 0.7071067811865476, 1.4142135623730951, 2.2250738585072014e-308), magnitude(-1074, -1000)]),
    "sin": (sin, [between(-10, 10), signed(magnitude(-40, 29)), signed(multiples(pi / 2, 52)), signed(multiples(pi / 4, 53)), signed(tiny), signed(hard), signed(magnitude(30, 522)), huge]),
    "cos": (cos, [between(-10, 10), signed(magnitude(-40, 29)), signed(multiples(pi / 2, 52)), signed(multiples(pi / 4, 53)), signed(tiny), signed(hard), signed(magnitude(30, 522)), huge]),
    "tan": (tan, [between(-10, 10), signed(magnitude(-40, 29)), signed(multiples(pi / 2, 52)), signed(multiples(pi / 4, 53)), signed(tiny), signed(hard), signed(magnitude(30, 522)), huge]),
    "tanh": (tanh, [between(-20, 20), between(-1, 1), signed(magnitude(-60, 5)), signed(tiny), around(0.1733, 0.5199, -0.1733)]),
    "sinh": (sinh, [between(-720, 720), between(-3, 3), signed(magnitude(-60, 3)), signed(tiny), around(0.6931471805598903, 1.0397, 710.4758600739439, 22)]),
    "cosh": (cosh, [between(-720, 720), between(-3, 3), signed(magnitude(-60, 3)), signed(tiny), around(0.6931471805598903, 1.0397, 710.4758600739439, 22)]),
    "asin": (asin, [between(-1, 1), signed(magnitude(-60, -1)), signed(tiny), around(0.5, -0.5, 1, -1)]),
    "acos": (acos, [between(-1, 1), signed(magnitude(-60, -1)), signed(tiny), around(0.5, -0.5, 1, -1)]),
    "atan": (atan, [between(-5, 5), signed(wide), signed(magnitude(-60, 60)), around(0.5, 2, 1, -1)]),
    "asinh": (asinh, [between(-5, 5), signed(wide), signed(magnitude(-40, 40)), around(1e9, 0.5, 1e-9, -1)]),
    "acosh": (acosh, [between(1, 5), wide, lambda: 1 + magnitude(-52, 1)(), magnitude(0, 60), around(1, 1e9)]),
    "atanh": (atanh, [between(-1, 1), signed(magnitude(-60, -1)), signed(tiny), around(1 / 3, -1 / 3, 1, 0.6, 0.77)]),
    "cbrt": (lambda x: cbrt(x) if x > 0 else -cbrt(-x), [signed(wide), between(-10, 10), signed(magnitude(-1074, -1010)), signed(magnitude(-3, 3)), around(1, 2, 4, 8)]),
    "atan2": (atan2, [pair(signed(wide), signed(wide)), pair(between(-5, 5), between(-5, 5)), pair(signed(magnitude(-1074, -1060)), signed(magnitude(-1074, -1020))), close]),
    "powf": (lambda x, y: x**y, [pair(between(0, 5), between(-300, 300)), pair(wide, between(-3, 3)), towards_ends, lambda: (near(1.0, 10**12), signed(magnitude(20, 52))()), pair(between(0, 3), lambda: float(random.randint(-9, 9))), pair(magnitude(-1074, -1020), between(-1, 1))]),
    "hypot": (hypot, [pair(signed(wide), signed(wide)), pair(between(-5, 5), between(-5, 5)), pair(signed(magnitude(-1074, -1060)), signed(magnitude(-1074, -1020))), close]),
    "erf": (erf, [between(-6.5, 6.5), between(-1.1, 1.1), signed(tiny), signed(magnitude(-60, 2)), around(1, -1, 6)]),
    "lgamma": (lambda x: log(abs(gamma(x))) if x < 1e5 else loggamma(x), [between(0, 15), magnitude(-200, 40), around(1, 2, 3, 10)]),
    "digamma": (digamma, [between(0, 15), magnitude(-200, 40), around(1, 2, 3, 10, 1.4616321449683622)]),
    "sigmoid": (minus_inverse, [between(-750, 40), between(-40, 40), between(-1, 1), signed(tiny), around(0.3466, -0.3466, -745.13, -708.396, 36.7)]),
    "softplus": (softplus, [between(-750, 40), between(-40, 40), between(-1, 1), signed(tiny), around(0.3466, -0.3466, -745.13, -708.396, 36.7)]),
}


def main():
    if sys.argv[1] == "angles":
        angles()
        return
    count = int(sys.argv[1])
    for name in sys.argv[2:] or FUNCTIONS:
        random.seed(name)
        function, picks = FUNCTIONS[name]
        arity = 2 if name in ("powf", "hypot", "atan2") else 1
        done = 0
        while done < count:
            pick = picks[done % len(picks)]
            xs = pick() if arity == 2 else (pick(),)
            try:
                y = function(*map(mpf, xs))
            except (ValueError, ZeroDivisionError):
                continue
            if not isinstance(y, mpf) or isnan(y) or isinf(y):
                continue
            done += 1
            y, missing = nearest(y)
            print(name, *(f"{bits(x):x}" for x in xs), f"{bits(y):x}", missing)


main()
