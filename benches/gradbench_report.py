"""Writes docs/gradbench.md and docs/gradbench.svg from what `against_gradbench` measured."""

import math
import re
import tomllib
from pathlib import Path

from plots import figure
from report import CPU_TIME, number, version
from rust_side import ROOT

STD_AUTODIFF = ROOT / "benches/std_autodiff"

TEXT = """# GradBench

The evaluations of [GradBench](https://github.com/gradbench/gradbench) with the tool in `gradbench/`
and with other tools, one after the other on one thread of the same machine. GradBench compares
values with its own{but}.
This command writes the page:

```sh
benches/against_gradbench CHECKOUT --tools {tools} --write
```

- **Machine**: {machine}.
- **Load**: {load}
- **Rust**: {rust}, `--release` without flags.
- **Times** are the lower quartile of the runs in at least {seconds:g} s for each function, in
  milliseconds. In brackets is the ratio of the derivative to the same tool's objective.{cpu_time}
- A call has no time if it failed, or if the tool took longer than {patience:g} s. Such a tool is
  not asked for larger sizes.
- `manual` is GradBench's C++ with derivatives by hand. Its `ode` takes the gradient of the exact
  solution, and integrates nothing.
- The tools in C++ share the code of their objectives. They are built as GradBench builds them, with
  `-O3` and, but for `tapenade`, `-march=native`, by {compiler}.
- For `jax` the clock stops when a result is there.
- The tool in `gradbench/` keeps memory that it has freed; the others use the allocator as it is.
{std_autodiff}- `ht` runs over the eleven hands of GradBench's repository. A twelfth, for which it asks by
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

# What is said of `autodiff`, if it was measured.
AUTODIFF = """- `autodiff` is Rust's own `std::autodiff`, with its back end Enzyme, by
  {compiler}. It is built with `-O3`, link-time
  optimisation, `-Zautodiff=Enable` and `-Ctarget-cpu=native`. Its objectives, in
  `benches/std_autodiff`, are written in plain slices. The gradient of `gmm` and the Hessian of
  `kmeans` are left out: what Enzyme made of them failed when it ran.
"""

UNCHECKED = ", but not those of the other tools in `ba`, `gmm`, `ht` and `lstm`"

DERIVATIVES = {"jacobian", "gradient", "dir", "double", "rr", "ff", "fr", "rf"}
COLOURS = {
    "cotangent": "#b7410e",
    "manual": "#555555",
    "autodiff": "#7a9a01",
    "tapenade": "#8a5fb0",
    "codipack": "#c9a227",
    "adol-c": "#d16ba5",
    "adept": "#5fb0a8",
    "cppad": "#a0a0a0",
    "jax": "#2f6f9f",
    "pytorch": "#3f8f4f",
}


def write(docs, results, checkout, options):
    tools = [tool for tool in COLOURS if any(tool in found for found in results.values())]
    loads = [part["load"] for found in results.values() for part in found.values()]
    machines = [machine_of(found) for found in results.values()]
    machine = max(machines, key=machines.count)
    text = (checkout / "evals/lstm/data/lstm_full.txt").stat().st_size
    notes = sections(Path(__file__).with_name("gradbench_notes.md").read_text())
    page = TEXT.format(
        tools=",".join(tools[1:]),
        machine=machine + (",\n  where nothing else is said" if len(set(machines)) > 1 else ""),
        load=f"While measuring, the load average was {min(loads):.1f} to {max(loads):.1f}.",
        rust=version("rustc", "--version"),
        compiler=version("c++", "--version").splitlines()[0],
        std_autodiff=std_autodiff() if "autodiff" in tools else "",
        seconds=options.seconds,
        but=UNCHECKED if options.trust else "",
        cpu_time=CPU_TIME if options.cpu_time else "",
        patience=options.patience,
        text="" if text > 50_000 else "- `lstm` reads a random text, as the copy had no other.\n",
        valid=validity(results, tools),
        tables="\n".join(
            table(name, found, tools)
            + by_clock(found, options)
            + elsewhere(found, machine)
            + notes.get(name, "")
            for name, found in results.items()
        ),
        lines=lines_of_code([name for name in results if "," not in name], checkout, tools),
    )
    (docs / "gradbench.md").write_text(page)
    panels = [panel(name, found, tools) for name, found in results.items()]
    (docs / "gradbench.svg").write_text(figure([p for p in panels if p]))


def std_autodiff():
    toolchain = tomllib.loads((STD_AUTODIFF / "rust-toolchain.toml").read_text())["toolchain"]
    channel = toolchain["channel"]
    compiler = version("rustup", "run", channel, "rustc", "--version") or channel
    return AUTODIFF.format(compiler=compiler)


def by_clock(found, options):
    """What is said of tools whose times are not of the same kind as those of the page."""
    tools = [t for t, part in found.items() if part["calls"] and part["cpu_time"] != options.cpu_time]
    kind = "by the clock" if options.cpu_time else "on the processor"
    return f"\n\nThe times of {', '.join(tools)} are those {kind}." if tools else ""


def machine_of(found):
    """Where an evaluation was measured: all of its tools in one run."""
    return found["cotangent"]["machine"]


def elsewhere(found, machine):
    """What is said of an evaluation that was measured on another machine than the rest."""
    own = machine_of(found)
    return f"\n\nMeasured on {own}." if own != machine else ""


def sections(text):
    """The text below each heading."""
    parts = text.split("\n## ")[1:]
    return {head: f"\n\n{body.strip()}" for head, body in (p.split("\n", 1) for p in parts)}


def validity(results, tools):
    """How many calls each tool answered with a valid value."""
    rows = [row(["evaluation", "calls", *tools]), row(["---", *("---:" for _ in ["calls", *tools])])]
    for name, found in results.items():
        calls = found["cotangent"]["calls"]
        parts = [found.get(tool, {"calls": []})["calls"] for tool in tools]
        valid = [str(sum(c["valid"] for c in part)) if part else "-" for part in parts]
        rows.append(row([name, str(len(calls)), *valid]))
    return "\n".join(rows)


def table(name, found, tools):
    tools = [tool for tool in tools if tool in found and found[tool]["calls"]]
    head = ["size", "function", *(f"{tool}, ms" for tool in tools)]
    if len(tools) > 1:
        head.append("ours / best other")
    rows = [f"\n## {name}\n", row(head), row(["---", "---", *("---:" for _ in head[2:])])]
    answers = {tool: by_call(found[tool]["calls"]) for tool in tools}
    values = {}
    for size, function in answers["cotangent"]:
        cells, times = [size or "-", f"`{function}`"], {}
        for tool in tools:
            call = answers[tool].get((size, function))
            if call is None or not call["valid"]:
                cells.append(mark(call))
                continue
            times[tool] = time = call["ms"]
            value = values.get((tool, size))
            ratio = f" ({time / value:.1f})" if value and function in DERIVATIVES else ""
            cells.append(number(time) + ratio)
            if function not in DERIVATIVES:
                values[tool, size] = time
        others = [time for tool, time in times.items() if tool != "cotangent"]
        if len(tools) > 1:
            ours = times.get("cotangent")
            cells.append(f"{ours / min(others):.2f}" if ours and others else "-")
        rows.append(row(cells))
    return "\n".join(rows)


def mark(call):
    """What a table shows for a call without a valid answer."""
    if call is None:
        return "-"
    return call["error"] if call["error"] == "invalid" or call["error"][0] == ">" else "failed"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def by_call(calls):
    """What became of each call, and the fastest where there are several of a kind."""
    found = {}
    for call in calls:
        key = call["size"], call["function"]
        if not (found.get(key) and found[key]["valid"] and found[key]["ms"] <= call["ms"]):
            found[key] = call
    return found


def size_of(name, text):
    """How large a call is: the product of the numbers in its description, or the last for files."""
    found = [int(n) for n in re.findall(r"\d+", text)]
    if not found:
        return None
    return found[-1] if name.startswith(("ba", "ht")) else math.prod(found)


def panel(name, found, tools):
    lines = []
    for tool in tools:
        points = {}
        for call in found.get(tool, {"calls": []})["calls"]:
            size = size_of(name, call["size"])
            if call["function"] in DERIVATIVES and call["valid"] and size:
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
    if tool == "autodiff":
        return [path for path in [STD_AUTODIFF / f"src/modules/{name}.rs"] if path.exists()]
    folder = checkout / "tools" / tool
    if not (folder / "Makefile").exists():
        return (checkout / "python/gradbench/gradbench/tools" / tool).glob(f"{name}*.py")
    own = [*folder.glob(f"{name}.cpp"), *folder.glob(f"{name}_d*.*")]
    shared = checkout / f"cpp/gradbench/evals/{name}.hpp"
    return [*own, shared] if own else []


def count(paths):
    lines = [line.strip() for p in paths for line in p.read_text().splitlines()]
    return sum(bool(line) and not line.startswith(("//", "#", "/*", "*")) for line in lines)
