"""What the written pages of measurements have in common."""

import math
import os
import platform
import subprocess
from pathlib import Path

CPU_TIME = """
  The machine had other work to do: counted is the time on the processor, not that of the clock
  (`--cpu-time`)."""


def failures(problems):
    if not problems:
        return ""
    lines = [f"* `{name}`: {problem}" for name, problem in problems]
    return "\n".join(["", "## What failed", "", *lines, ""])


def machine():
    return f"{computer()},\n  load average at the end {os.getloadavg()[0]:.1f}"


def computer():
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":")[1].strip()
                break
    except OSError:
        pass
    return f"{name}, {platform.system()}, {os.cpu_count()} processors"


def version(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def number(x):
    """Three digits, without an exponent."""
    if x == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(x))))
    return f"{round(x, 2 - math.floor(math.log10(abs(x)))):.{digits}f}"


def met(row, against=""):
    """Whether a ratio is at most its target."""
    return "met" if row[f"ratio{against}"] <= row[f"target{against}"] else "missed"
