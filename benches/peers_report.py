"""Writes docs/peers.md from what `against_peers` measured."""

import platform
import tomllib
from importlib.metadata import version as package_version

from report import CPU_TIME, failures, machine, number, version

TEXT = """# Other peers

The workloads of `benches/suite` that are held against PyTorch and against Rust crates; [benchmarks.md](benchmarks.md) holds all of them
against JAX. This page is written by

```sh
benches/against_peers --write
```

which installs PyTorch into the target folder (5 GB on Linux: what the registry has is built for graphics processors too), builds
`benches/crates`, a workspace of its own, and compares all values and gradients before it measures: each differs by at most 1e-8 of its
largest element. `benches/against_peers mlp --only candle` measures a part, without PyTorch.

* Measured on: {machine}.
* All in f64, on one thread, pinned to the same processor; they take turns. Times are milliseconds for value and gradient: the shortest of {samples} samples
  of at least 20 ms each, in brackets their median. The ratio is that of the shortest.{clock}
* Here: {rust}, `--release` without flags; so are the crates.
* The objectives are `benches/torch_objectives.py` and `benches/crates/src`, written with what each peer offers: its own losses, its own
  convolution.
{sections}{failed}"""

TORCH = """
## PyTorch

PyTorch {torch} with Python {python}, whose matrix products are those of {blas}. Eager is what the target speaks of. Compiled is `torch.compile` of the objective with
its default backend; the gradient is by `torch.autograd` in both. A dash says that there is no target.

| workload | here, ms | eager, ms | ratio | at most | | compiled, ms | ratio |
|---|---:|---:|---:|---:|---|---:|---:|
{rows}
"""

CRATES = """
## Rust crates

{versions}; none uses a BLAS that is not Rust. What is timed is the whole
way from the arguments to all parts of the gradient, with the recording or the graph that it takes; that the numbers are read
from what the crate answers is not.

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
