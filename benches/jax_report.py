"""Writes docs/benchmarks.md and docs/benchmarks.svg from what `against_jax` measured."""

import platform

import jax
from plots import figure
from report import CPU_TIME, failures, machine, met, number, version

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

## Other derivatives

The same command measures Jacobians, Hessians, products with Hessians and Taylor series of the same
objectives. Each is compared with JAX's, and with the one by hand, as the gradients are.

- **By hand** are Jacobians in Rust, derived as in ADBench's manual C++. Bundle adjustment by hand
  lists the rows, columns and values of the entries, as `jacobian(sparse)` does here. Hand tracking
  by hand poses all vertices by products of matrices with ndarray, and takes the derivatives by the
  angles of a finger from the bones of this finger only.
- **JAX** has one block of `jacfwd` for each observation in bundle adjustment, by `vmap`, without
  rows and columns. In hand tracking it has `jacfwd` by the pose, and a block for each point by its
  place in a triangle. The others are `hessian`, `jvp` of `grad`, and `jax.experimental.jet`, with
  the logarithm in place of `softplus`, which `jet` lacks.
- **Sizes**: bundle adjustment has 49 cameras, 7,776 points and 31,843 observations. The small hand
  has 544 vertices and 100 points, the big one 10,445 and 12,800. Logistic regression has 100
  variables and 20,000 points for the Hessian, 100,000 for its product, 10,000 for series. The
  network of the series is that of `mlp` above.
- Products and series are along the point itself.
- **Derivative/objective** compares with the compiled value of the scalar objective alone.

| workload | here, ms | JAX, ms | ratio | at most | | by hand, ms | ratio | at most | | derivative/objective here | JAX | peak here, MB | JAX, MB |
|---|---:|---:|---:|---:|---|---:|---:|---:|---|---:|---:|---:|---:|
{derivatives}
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
        rows="\n".join(table_row(row) for row in rows if row["kind"] == "gradient"),
        derivatives="\n".join(table_row(row) for row in rows if row["kind"] != "gradient"),
        failed=failures(problems),
        growth="\n\n".join(growth(name, points) for name, points in series.items()),
    )
    (folder / "benchmarks.md").write_text(text)
    panels = [panel(name, points) for name, points in series.items()]
    (folder / "benchmarks.svg").write_text(figure(panels))


def table_row(row):
    cells = [
        f"`{row['name']}`",
        times(row["ours"]),
        times(row["jax"]),
        f"{row['ratio']:.2f}",
        f"{row['target']}",
        met(row),
        *by_hand(row),
        f"{row['ours'][0] / row['ours_value']:.1f}",
        f"{row['jax'][0] / row['jax_value']:.1f}",
        number(row["ours_peak"] / 1e6),
        number(row["jax_peak"] / 1e6),
    ]
    return "| " + " | ".join(cells) + " |"


def by_hand(row):
    if row["kind"] == "gradient":
        return []
    if not row["by_hand"]:
        return [""] * 4
    ratio = f"{row['ratio_by_hand']:.2f}"
    return [times(row["by_hand"]), ratio, f"{row['target_by_hand']}", met(row, "_by_hand")]


def times(found):
    return f"{number(found[0])} ({number(found[1])})"


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


def panel(name, points):
    *fixed, grows = name.split()
    lines = [
        (label, colour, [(p["n"], p[side]) for p in points])
        for side, colour, label in [("ours", "#b7410e", "here"), ("jax", "#2f6f9f", "JAX")]
    ]
    return " ".join(fixed), grows, lines
