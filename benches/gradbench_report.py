"""Writes docs/gradbench.md and docs/gradbench.svg from what `against_gradbench` measured."""

import math
import re

from plots import figure
from report import machine, number, version
from rust_side import ROOT

TEXT = """# GradBench

The evaluations of [GradBench](https://github.com/gradbench/gradbench) with the tool in `gradbench/`
and with other tools, one after the other on one thread of the same machine. GradBench compares
every value with its own. This command writes the page:

```sh
benches/against_gradbench CHECKOUT --write
```

- **Machine**: {machine}.
- **Rust**: {rust}, `--release` without flags.
- **Times** are medians in milliseconds over at least {seconds:g} s for each function. In brackets
  is the ratio of the derivative to the same tool's objective.
- `manual` is GradBench's C++ with derivatives by hand. Its `ode` takes the gradient of the exact
  solution, and integrates nothing.
- The tools in C++ are built as GradBench builds them: by {compiler} with `-O3` and, but for
  `tapenade`, `-march=native`.
- For `jax` the clock stops when a result is there.
- `ht` runs over the eleven hands of GradBench's repository. A twelfth, for which it asks by
  default, is not there.
{text}
{valid}

![Time of the derivative against size](gradbench.svg)

Both axes are logarithmic. Lines show the derivative.
{tables}

## Lines of code

Lines that are neither empty nor comments, with what reads the input and writes the output. Those of
tools in C++ include the objective that they share.

{lines}
"""

DERIVATIVES = {"jacobian", "gradient", "dir", "double", "rr", "ff", "fr", "rf"}
COLOURS = {
    "cotangent": "#b7410e",
    "manual": "#555555",
    "jax": "#2f6f9f",
    "pytorch": "#3f8f4f",
    "tapenade": "#8a5fb0",
    "codipack": "#c9a227",
    "adol-c": "#d16ba5",
    "adept": "#5fb0a8",
    "cppad": "#a0a0a0",
}


def write(docs, results, checkout, options):
    names = list(dict.fromkeys(name for name, _ in results))
    tools = ["cotangent", *options.tools]
    text = (checkout / "evals/lstm/data/lstm_full.txt").stat().st_size
    page = TEXT.format(
        machine=machine(),
        rust=version("rustc", "--version"),
        compiler=version("c++", "--version").splitlines()[0],
        seconds=options.seconds,
        text="" if text > 50_000 else "- `lstm` reads a random text, as the copy had no other.\n",
        valid=validity(results, names),
        tables="\n".join(table(name, results, tools) for name in names),
        lines=lines_of_code([name for name in names if "," not in name], checkout, tools),
    )
    (docs / "gradbench.md").write_text(page)
    panels = [panel(name, results, tools) for name in names]
    (docs / "gradbench.svg").write_text(figure([p for p in panels if p]))


def validity(results, names):
    rows = ["| evaluation | calls | valid |", "|---|---:|---:|"]
    for name in names:
        calls = results[name, "cotangent"]
        rows.append(f"| {name} | {len(calls)} | {sum(c['valid'] for c in calls)} |")
    return "\n".join(rows)


def table(name, results, tools):
    tools = [tool for tool in tools if (name, tool) in results]
    head = ["size", "function", *(f"{tool}, ms" for tool in tools)]
    if len(tools) > 1:
        head.append("ours / best other")
    rows = [f"\n## {name}\n", row(head), row(["---", "---", *("---:" for _ in head[2:])])]
    times = {tool: by_call(results[name, tool]) for tool in tools}
    values = {}
    for size, function in times["cotangent"]:
        found = {tool: times[tool].get((size, function)) for tool in tools}
        cells = [size or "-", f"`{function}`"]
        for tool, time in found.items():
            value = values.get((tool, size))
            known = time is not None and value and function in DERIVATIVES
            ratio = f" ({time / value:.1f})" if known else ""
            cells.append("-" if time is None else number(time) + ratio)
            if function not in DERIVATIVES:
                values[tool, size] = time
        others = [time for tool, time in found.items() if tool != "cotangent" and time]
        if len(tools) > 1:
            ours = found["cotangent"]
            cells.append(f"{ours / min(others):.2f}" if ours and others else "-")
        rows.append(row(cells))
    return "\n".join(rows)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def by_call(calls):
    return {(c["size"], c["function"]): c["ms"] for c in calls if c["ms"] is not None}


def size_of(name, text):
    """How large a call is: the product of the numbers in its description, or the last for files."""
    found = [int(n) for n in re.findall(r"\d+", text)]
    if not found:
        return None
    return found[-1] if name.startswith(("ba", "ht")) else math.prod(found)


def panel(name, results, tools):
    lines = []
    for tool in tools:
        points = {}
        for call in results.get((name, tool), []):
            size = size_of(name, call["size"])
            if call["function"] in DERIVATIVES and call["ms"] and size:
                points[size] = call["ms"]
        if len(points) > 1:
            lines.append((tool, COLOURS[tool], sorted(points.items())))
    return (name, "size", lines) if lines else None


def lines_of_code(names, checkout, tools):
    others = [tool for tool in tools if tool != "cotangent"]
    rows = [row(["evaluation", "here", *others]), row(["---", *("---:" for _ in tools)])]
    ours = ROOT / "gradbench/src/modules"
    for name in names:
        cells = [name, str(count([ours / f"{name}.rs"]))]
        cells += [str(count(files(tool, name, checkout)) or "-") for tool in others]
        rows.append(row(cells))
    return "\n".join(rows)


def files(tool, name, checkout):
    folder = checkout / "tools" / tool
    if not (folder / "Makefile").exists():
        return (checkout / "python/gradbench/gradbench/tools" / tool).glob(f"{name}*.py")
    own = [*folder.glob(f"{name}.cpp"), *folder.glob(f"{name}_d*.*")]
    shared = checkout / f"cpp/gradbench/evals/{name}.hpp"
    return [*own, shared] if own else []


def count(paths):
    lines = [line.strip() for p in paths for line in p.read_text().splitlines()]
    return sum(bool(line) and not line.startswith(("//", "#", "/*", "*")) for line in lines)
