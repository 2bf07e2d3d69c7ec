"""Writes docs/peers.md from what `against_peers` measured."""

import platform
import tomllib
from importlib.metadata import version as package_version

from report import CPU_TIME, failures, machine, number, version

TEXT = """# Other peers

Workloads of `benches/suite` against PyTorch and against Rust crates.
[benchmarks.md](benchmarks.md) has all workloads against JAX. This command writes the page:

```sh
benches/against_peers --write
```

The command installs PyTorch into the target folder (5 GB on Linux, since the package supports
graphics processors too), builds the workspace `benches/crates`, and compares all values and gradients
before it measures: each differs by at most 1e-8 of its largest element.
`benches/against_peers mlp --only candle` measures a part, without PyTorch.

- **Machine**: {machine}.
- All in f64, on one thread, pinned to the same processor, in turns.
- **Times** are in milliseconds for value and gradient: the shortest of {samples} samples of at least 20 ms
  each. The median is in brackets, the ratio is that of the shortest.{clock}
- **Rust**: {rust}, `--release` without flags, for the crates as well.
- The objectives are `benches/torch_objectives.py` and `benches/crates/src`. They use what each peer
  offers: its own losses, its own convolution.
{sections}{failed}"""

TORCH = """
## PyTorch

PyTorch {torch} with Python {python}. Its matrix products are those of {blas}.
The target is for eager execution. "Compiled" is `torch.compile` of the objective with its default backend. Both take the
gradient by `torch.autograd`. A dash means that there is no target.

| workload | here, ms | eager, ms | ratio | at most | | compiled, ms | ratio |
|---|---:|---:|---:|---:|---|---:|---:|
{rows}
"""

CRATES = """
## Rust crates

{versions}.
None uses a BLAS that is not Rust. The time includes everything from the arguments to all parts of the gradient, also
recording or building a graph. It excludes reading the numbers out of the crate's own types.

| workload | crate | here, ms | crate, ms | ratio | at most | |
|---|---|---:|---:|---:|---:|---|
{rows}
"""


def write(docs, rows, problems, options, crates):
    sections = ""
    if any(row["peer"] == "torch" for row in rows):
        sections += TORCH.format(
            torch=package_version("torch"),
            python=platform.python_version(),
            blas=blas(),
            rows="\n".join(torch_rows(rows)),
        )
    if any(not row["peer"].startswith("torch") for row in rows):
        sections += CRATES.format(
            versions=", ".join(versions(crates)),
            rows="\n".join(crate_rows(rows)),
        )
    text = TEXT.format(
        machine=machine(),
        samples=options.samples,
        clock=CPU_TIME if options.cpu_time else "",
        rust=version("rustc", "--version"),
        sections=sections,
        failed=failures(problems),
    )
    (docs / "peers.md").write_text(text)


def blas():
    """What PyTorch was built with."""
    import torch

    return "MKL, Intel's library" if torch.backends.mkl.is_available() else "another library than MKL"


def versions(crates):
    """The pinned versions, as the crates' workspace says them."""
    manifest = tomllib.loads((crates / "Cargo.toml").read_text())
    for name, crate in manifest["dependencies"].items():
        yield f"{name} {crate['version'].removeprefix('=')}"


def torch_rows(rows):
    compiled = {row["name"]: row for row in rows if row["peer"] == "torch-compiled"}
    for row in rows:
        if row["peer"] == "torch":
            also = compiled.get(row["name"])
            cells = [
                f"`{row['name']}`",
                both(row["ours"]),
                both(row["theirs"]),
                f"{row['ratio']:.2f}",
                str(row["target"] or "-"),
                met(row),
                both(also["theirs"]) if also else "-",
                f"{also['ratio']:.2f}" if also else "-",
            ]
            yield "| " + " | ".join(cells) + " |"


def crate_rows(rows):
    for row in rows:
        if not row["peer"].startswith("torch"):
            cells = [
                f"`{row['name']}`",
                row["peer"],
                both(row["ours"]),
                both(row["theirs"]),
                f"{row['ratio']:.2f}",
                str(row["target"] or "-"),
                met(row),
            ]
            yield "| " + " | ".join(cells) + " |"


def both(times):
    least, median = times
    return f"{number(least)} ({number(median)})"


def met(row):
    if row["target"] is None:
        return "-"
    return "met" if row["ratio"] <= row["target"] else "missed"
