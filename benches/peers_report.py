"""Writes docs/peers.md from what `against_peers` measured."""

import platform
from importlib.metadata import version as package_version

from report import CPU_TIME, failures, machine, number, version

TEXT = """# Other peers

Workloads of `benches/suite` held against PyTorch; [benchmarks.md](benchmarks.md) holds all of them against JAX. This page is written by

```sh
benches/against_peers --write
```

which installs PyTorch into the target folder (5 GB on Linux: what the registry has is built for graphics processors too), and compares
all values and gradients before it measures: each differs by at most 1e-8 of its largest element.

* Measured on: {machine}.
* Rust: {rust}, `--release` without flags. PyTorch {torch} with Python {python}; its matrix products are those of {blas}.
* All in f64, on one thread, pinned to the same processor; they take turns. Times are milliseconds for value and gradient: the shortest of
  {samples} samples of at least 20 ms each (of 3 where a run takes more than a second), in brackets their median. The ratio is that of the shortest.{clock}
* Eager is what the target speaks of. Compiled is `torch.compile` of the objective with its default backend. The gradient is by
  `torch.autograd` in both. A dash says that there is no target, or that it was not measured (`--without-compiled`).
* PyTorch's objectives are `benches/torch_objectives.py`, without loops over the data, and with its own losses, convolution and `logsumexp`.

| workload | here, ms | eager, ms | ratio | at most | | compiled, ms | ratio |
|---|---:|---:|---:|---:|---|---:|---:|
{rows}
{failed}"""


def write(docs, rows, problems, options):
    text = TEXT.format(
        machine=machine(),
        samples=options.samples,
        clock=CPU_TIME if options.cpu_time else "",
        rust=version("rustc", "--version"),
        torch=package_version("torch"),
        python=platform.python_version(),
        blas=blas(),
        rows="\n".join(table_rows(rows)),
        failed=failures(problems),
    )
    (docs / "peers.md").write_text(text)


def blas():
    """What PyTorch was built with."""
    import torch

    return "MKL, Intel's library" if torch.backends.mkl.is_available() else "another library than MKL"


def table_rows(rows):
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


def both(times):
    least, median = times
    return f"{number(least)} ({number(median)})"


def met(row):
    if row["target"] is None:
        return "-"
    return "met" if row["ratio"] <= row["target"] else "missed"
