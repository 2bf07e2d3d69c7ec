"""Objectives here and elsewhere, on the same inputs: first compared, then timed in turns.

The other side, or sides, have a `name`; `open` an objective with the inputs that lie in a folder; know its `result`,
value and gradient; and take a `sample` of the time for one `gradient` or `value`. Importing this needs numpy.
"""

import gc
import statistics

import numpy as np
from rust_side import calibrate

# Small instances that are only compared: some of the large ones have gradients that are zero, or nearly.
CHECKS = [
    "ode n=6 s=20",
    "gmm d=3 k=4 n=20",
    "lstm l=3 c=12",
    "ba n=3 m=7 p=20",
    "hand v=30 n=8",
    "hand_complicated v=30 n=8",
    "kmeans k=5 n=60 d=3",
    "llsq n=9 m=5",
    "conv n=7 m=6 k=3",
    "logistic n=30 d=5",
    "mlp batch=7 from=5 hidden=6 to=3",
]


def attempt(problems, name, action):
    """What the action returns; what it raises is a problem, and not the end."""
    try:
        return action()
    except Exception as problem:
        problems.append((name, problem))
        print(f"{name}: {problem}", flush=True)
        return None


class Bench:
    """Our side, and how the others are held against it."""

    def __init__(self, ours, folder, samples):
        self.ours, self.folder, self.samples = ours, folder, samples

    def begin(self, opened, kind="gradient"):
        """Opens an objective on our side, for a derivative of this kind."""
        for file in self.folder.iterdir():
            file.unlink()
        self.ours.ask("open", opened)
        self.names = self.ours.ask("inputs", self.folder).split()
        self.kind = kind
        self.value, self.parts = self.outputs(kind)

    def outputs(self, what):
        count = int(self.ours.ask("outputs", self.folder, what))
        files = ["value", *(f"part{k}" for k in range(count))]
        value, *parts = (np.load(self.folder / f"{file}.npy") for file in files)
        return value, parts

    def compare(self, opened, peer):
        """Opens it on another side: by how much value and derivative differ, in units of the largest element."""
        peer.open(opened, self.names, self.folder)
        return self.differs(*peer.result(self.kind))

    def differs(self, value, parts):
        if len(parts) != len(self.parts):
            raise RuntimeError(f"the {self.kind} has {len(self.parts)} parts, or {len(parts)}")
        pairs = zip([self.value, *self.parts], [value, *parts])
        differs = max(apart(a, b) for a, b in pairs)
        if not differs <= 1e-8:
            raise RuntimeError(f"value or {self.kind} differ by {differs:.1e}")
        return differs

    def fresh(self, opened):
        """What an allocator has kept from earlier work decides how fast it is: each objective has a process of its own."""
        self.ours.close()
        self.ours.start()
        self.ours.ask("open", opened)

    def open(self, opened, peer, kind="gradient", by_hand=False):
        self.begin(opened, kind)
        differs = self.compare(opened, peer)
        if by_hand:
            differs = max(differs, self.differs(*self.outputs(f"{kind}-by-hand")))
        self.fresh(opened)
        return differs

    def turns(self, samples, *pairs):
        """Samples of each side and thing by turns: the minimum and the median of each."""
        planned = [calibrate(side, what, samples) for side, what in pairs]
        times = [[] for _ in pairs]
        gc.collect()
        gc.disable()
        for turn in range(samples):
            for (side, what), (rounds, enough), all in zip(pairs, planned, times):
                if turn < enough:
                    all.append(side.sample(what, rounds))
        gc.enable()
        return [(min(all), statistics.median(all)) for all in times]


def apart(a, b):
    if a.shape != b.shape:
        raise RuntimeError(f"the shapes are {a.shape} and {b.shape}")
    if not a.size or np.array_equal(a, b):
        return 0.0
    scale = max(np.abs(a).max(), np.abs(b).max())
    return float(np.abs(a - b).max() / scale)
