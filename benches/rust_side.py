"""The Rust side of the comparisons: how it is built, and a process that takes samples."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def target_folder():
    if folder := os.environ.get("CARGO_TARGET_DIR"):
        return Path(folder).resolve()
    command = ["cargo", "metadata", "--format-version=1", "--no-deps"]
    answer = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return Path(json.loads(answer.stdout)["target_directory"])


def pin(cpu):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0)) if cpu is None else cpu})


def enter(folder, *packages):
    """Goes on in a virtual environment that has these packages of the Python registry."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    for package in packages:
        ready = folder / f"has-{package}"
        if not ready.exists():
            print(f"installing {package} into {folder}", flush=True)
            install = [python, "-m", "pip", "install", "--quiet", package]
            subprocess.run(install, check=True)
            ready.touch()
    if Path(sys.prefix).resolve() != folder.resolve():
        os.execv(python, [python, *sys.argv])


def one_thread():
    for library in ["OMP", "OPENBLAS", "MKL", "RAYON"]:
        os.environ[f"{library}_NUM_THREADS"] = "1"


def build(native=False, folder=None, variables=None):
    """The benchmark's executable, as `cargo bench` builds it; with variables of the environment."""
    environment = {**os.environ, **(variables or {})}
    command = ["cargo", "bench", "--package=cotangent", "--bench=gradients", "--no-run"]
    if native:
        # A folder of its own, so that the usual build is not thrown away.
        flags = environment.get("RUSTFLAGS", "")
        environment["RUSTFLAGS"] = f"{flags} -C target-cpu=native".strip()
        folder = "native"
    if folder:
        command.append(f"--target-dir={target_folder() / folder}")
    return executable(command, "gradients", ROOT, environment)


def executable(command, name, folder, environment=None, errors=None):
    """What this command of cargo's builds under the name. Its messages can go to a file."""
    command = [*command, "--message-format=json-render-diagnostics"]
    answer = subprocess.run(
        command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, stderr=errors
    )
    for line in answer.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == name:
            return message["executable"]
    sys.exit("cargo names no executable")


class Ours:
    """The Rust side: a process that is told what to do line by line."""

    def __init__(self, binary, cpu_time, variables=None):
        self.binary, self.cpu_time = binary, cpu_time
        self.environment = {**os.environ, **(variables or {})}
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.binary, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self.environment,
            text=True,
        )

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def ask(self, *words):
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.process.wait()
            self.start()
            raise RuntimeError("the Rust side has ended; its message is above")
        if answer.startswith("error"):
            raise RuntimeError(answer.strip())
        return answer.strip()

    def list(self):
        workloads, line = [], self.ask("list")
        while line:
            name, model, kind, target, by_hand, large, *sizes = line.split()
            workloads.append(
                {
                    "name": name,
                    "open": " ".join([model, *sizes]),
                    "model": model,
                    "kind": kind,
                    "target": float(target),
                    "target_by_hand": None if by_hand == "-" else float(by_hand),
                    "large": large == "large",
                }
            )
            line = self.process.stdout.readline().strip()
        return workloads

    def sample(self, what, rounds):
        before = self.on_processor()
        milliseconds = float(self.ask("time", what, rounds))
        if self.cpu_time:
            return (self.on_processor() - before) / 1e6 / rounds
        return milliseconds

    def on_processor(self):
        """How many nanoseconds it has had; it waits for us now, so that they are counted."""
        if not self.cpu_time:
            return 0
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0])

    def peak(self, kind="gradient"):
        return int(self.ask("peak", kind))


def calibrate(side, what, samples):
    """How many runs last 20 ms, and how many samples are taken: 3 if a run takes more than a second."""
    if side.sample(what, 1) > 1000:
        return 1, min(samples, 3)
    rounds = 1
    while True:
        each = side.sample(what, rounds)
        if each * rounds >= 20:
            return rounds, samples
        rounds = max(rounds + 1, math.ceil(21 / max(each, 1e-6)))
