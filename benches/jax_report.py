"""Writes docs/benchmarks.md and docs/benchmarks.svg from what `against_jax` measured."""

import math
import platform

import jax
from report import CPU_TIME, failures, machine, number, version

TEXT = """# Benchmarks against JAX

The workloads of `benches/suite`, value and gradient, here and in JAX compiled by `jit`, on the same
inputs. This command writes the page:

```sh
benches/against_jax --write
```

The command installs JAX into the target folder, builds the Rust side, and compares all values and
gradients before it measures: each differs by at most 1e-8 of its largest element. `cargo bench`
measures the Rust side alone. [peers.md](peers.md) has PyTorch and the Rust crates.

- **Machine**: {machine}.
- **Rust**: {rust}, {flags}, one thread.
- **JAX**: Python {python}, JAX {jax}, 64-bit floating point, one thread
  (`--xla_cpu_multi_thread_eigen=false`).
- Both are pinned to the same processor and take turns.
- **Times** are in milliseconds: the shortest of {samples} samples of at least 20 ms each,
  or of 3 if a run takes more than a second. The median is in brackets, the ratio is that of the shortest.{clock}
- **Gradient/objective** compares value and gradient with the compiled value alone.
- **Peak memory** is what is held in addition to the arguments, results included. Here it is the
  largest difference between allocated and freed bytes during one call, in a process that keeps no
  memory (`COTANGENT_POOL=off`). For JAX it is what XLA plans for intermediate results and the result
  (`memory_analysis` of the compiled function).
- Each objective runs in its own process on the Rust side, which has only made the data. An allocator
  that keeps memory from earlier work makes calls with large intermediate results up to three times
  faster.
- The objectives are written here in one way each, as a user would write them. For JAX the fastest of
  several forms is used, so formulas differ in places: matrix products for distances and mixtures,
  Horner's rule, JAX's own `logsumexp`.

| workload | here, ms | JAX, ms | ratio | at most | | gradient/objective here | JAX | peak here, MB | JAX, MB |
|---|---:|---:|---:|---:|---|---:|---:|---:|---:|
{rows}
{failed}
## Growth

![Time of value and gradient against size](benchmarks.svg)

Both axes are logarithmic. The numbers behind the lines, with the peak of memory:

{growth}
"""


def write(folder, rows, series, problems, samples, options):
    text = TEXT.format(
        machine=machine(),
        rust=version("rustc", "--version"),
        flags="`-C target-cpu=native`" if options.native else "`--release` without flags",
        python=platform.python_version(),
        jax=jax.__version__,
        samples=samples,
        clock=CPU_TIME if options.cpu_time else "",
        rows="\n".join(map(table_row, rows)),
        failed=failures(problems),
        growth="\n\n".join(growth(name, points) for name, points in series.items()),
    )
    (folder / "benchmarks.md").write_text(text)
    (folder / "benchmarks.svg").write_text(plot(series))


def table_row(row):
    cells = [
        f"`{row['name']}`",
        f"{number(row['ours'][0])} ({number(row['ours'][1])})",
        f"{number(row['jax'][0])} ({number(row['jax'][1])})",
        f"{row['ratio']:.2f}",
        f"{row['target']}",
        "met" if row["ratio"] <= row["target"] else "missed",
        f"{row['ours'][0] / row['ours_value']:.1f}",
        f"{row['jax'][0] / row['jax_value']:.1f}",
        number(row["ours_peak"] / 1e6),
        number(row["jax_peak"] / 1e6),
    ]
    return "| " + " | ".join(cells) + " |"


def growth(name, points):
    *fixed, grows = name.split()
    lines = [
        f"`{' '.join(fixed)}`:",
        "",
        f"| {grows} | here, ms | JAX, ms | peak here, MB | JAX, MB |",
        "|---:|---:|---:|---:|---:|",
    ]
    for p in points:
        cells = [p["ours"], p["jax"], p["ours_peak"] / 1e6, p["jax_peak"] / 1e6]
        lines.append(f"| {p['n']} | " + " | ".join(map(number, cells)) + " |")
    return "\n".join(lines)


# The plot: a panel for each series, two columns of them.

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 420, 300, 62, 34, 14, 40
COLOURS = {"ours": ("#b7410e", "here"), "jax": ("#2f6f9f", "JAX")}


def plot(series):
    columns = 2
    height = HEIGHT * math.ceil(len(series) / columns)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * columns} {height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for at, (name, points) in enumerate(series.items()):
        x, y = at % columns * WIDTH, at // columns * HEIGHT
        parts.append(f'<g transform="translate({x} {y})">')
        parts += panel(name, points) if points else []
        parts.append("</g>")
    return "\n".join(parts) + "\n</svg>\n"


def panel(name, points):
    *fixed, grows = name.split()
    sizes = [p["n"] for p in points]
    times = [p[side] for p in points for side in COLOURS]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def across(n):
        return LEFT + wide * (math.log10(n) - first) / ((last - first) or 1)

    def down(time):
        return TOP + tall * (1 - (math.log10(time) - low) / ((high - low) or 1))

    yield f'<text x="{LEFT}" y="18" font-weight="bold">{" ".join(fixed)}</text>'
    for power in range(low, high + 1):
        y = down(10.0**power)
        yield f'<path d="M{LEFT} {y:.1f}h{wide}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>'
    for n in sizes:
        x = across(n)
        yield f'<path d="M{x:.1f} {TOP}v{tall}" stroke="#eee"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{short(n)}</text>'
    yield f'<text x="{LEFT + wide / 2}" y="{HEIGHT - 6}" text-anchor="middle">{grows}</text>'
    for at, (side, (colour, label)) in enumerate(COLOURS.items()):
        line = " ".join(f"{across(p['n']):.1f},{down(p[side]):.1f}" for p in points)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for p in points:
            place = f'cx="{across(p["n"]):.1f}" cy="{down(p[side]):.1f}"'
            yield f'<circle {place} r="3" fill="{colour}"/>'
        x = WIDTH - RIGHT - 90 + 50 * at
        yield f'<text x="{x}" y="18" fill="{colour}" font-weight="bold">{label}</text>'


def short(n):
    for unit, letter in [(1_000_000, "M"), (1000, "k")]:
        if n >= unit:
            return f"{n / unit:g}{letter}"
    return str(n)
