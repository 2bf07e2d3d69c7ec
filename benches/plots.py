"""Plots of times against sizes as SVG, both axes logarithmic."""

import math

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 420, 300, 62, 34, 14, 40
# A bold letter at most, and what is between two names of lines.
LETTER, GAP = 8, 12


def figure(panels):
    """Panels in two columns: a title, the name of the size, and lines (label, colour, points)."""
    columns = 2
    height = HEIGHT * math.ceil(len(panels) / columns)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * columns} {height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for at, (title, grows, lines) in enumerate(panels):
        x, y = at % columns * WIDTH, at // columns * HEIGHT
        parts.append(f'<g transform="translate({x} {y})">')
        parts += panel(title, grows, lines) if any(points for *_, points in lines) else []
        parts.append("</g>")
    return "\n".join(parts) + "\n</svg>\n"


def panel(title, grows, lines):
    """A point is a size and a time in milliseconds."""
    sizes = sorted({n for *_, points in lines for n, _ in points})
    times = [time for *_, points in lines for _, time in points]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def across(n):
        return LEFT + wide * (math.log10(n) - first) / ((last - first) or 1)

    def down(time):
        return TOP + tall * (1 - (math.log10(time) - low) / ((high - low) or 1))

    yield f'<text x="{LEFT}" y="18" font-weight="bold">{title}</text>'
    for power in range(low, high + 1):
        y = down(10.0**power)
        yield f'<path d="M{LEFT} {y:.1f}h{wide}" stroke="#ddd"/>'
        unit = f"{10.0**power:g} ms" if power < 3 else f"{10.0 ** (power - 3):g} s"
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{unit}</text>'
    named = -math.inf
    for n in sizes:
        x = across(n)
        yield f'<path d="M{x:.1f} {TOP}v{tall}" stroke="#eee"/>'
        if x - named > 32:
            named = x
            place = f'x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}"'
            yield f'<text {place} text-anchor="middle">{short(n)}</text>'
    yield f'<text x="{LEFT + wide / 2}" y="{HEIGHT - 6}" text-anchor="middle">{grows}</text>'
    end, row = WIDTH - RIGHT, 18
    for label, colour, points in reversed(lines):
        line = " ".join(f"{across(n):.1f},{down(time):.1f}" for n, time in points)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for n, time in points:
            place = f'cx="{across(n):.1f}" cy="{down(time):.1f}"'
            yield f'<circle {place} r="3" fill="{colour}"/>'
        if end - LETTER * len(label) < LEFT + LETTER * len(title) + GAP:
            end, row = WIDTH - RIGHT, row + 13
        place = f'x="{end}" y="{row}" text-anchor="end"'
        yield f'<text {place} fill="{colour}" font-weight="bold">{label}</text>'
        end -= LETTER * len(label) + GAP


def short(n):
    for unit, letter in [(1_000_000, "M"), (1000, "k")]:
        if n >= unit:
            return f"{n / unit:.3g}{letter}"
    return str(n)
