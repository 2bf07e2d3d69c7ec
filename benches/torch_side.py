"""PyTorch's side of `against_peers`: one objective at a time, with its gradient by `torch.autograd`."""

import time

import numpy as np
import torch
from torch_objectives import MODELS

torch.set_num_threads(1)
torch.set_num_interop_threads(1)


class Torch:
    """What is open now; eager, or compiled by `torch.compile`."""

    models = MODELS

    def __init__(self, cpu_time, compiled=False):
        self.name = "torch-compiled" if compiled else "torch"
        self.compiled = compiled
        self.clock = time.process_time if cpu_time else time.perf_counter

    def open(self, opened, names, folder):
        variables, constants = [], {}
        for name in names:
            plain = name.rstrip("*")
            x = np.load(folder / f"{plain}.npy")
            if name.endswith("*"):
                variables.append(torch.from_numpy(x).requires_grad_())
            elif x.ndim == 0 and x.dtype.kind == "i":
                constants[plain] = x.item()
            else:
                constants[plain] = torch.from_numpy(x)
        function = MODELS[opened.split()[0]]
        if self.compiled:
            torch.compiler.reset()
            function = torch.compile(function, fullgraph=True, dynamic=False)

        def gradient():
            value = function(*variables, **constants)
            return value, torch.autograd.grad(value, variables)

        def value():
            with torch.no_grad():
                return function(*variables, **constants)

        self.runs = {"gradient": gradient, "value": value}

    def result(self, kind):
        value, gradient = self.runs[kind]()
        return value.detach().numpy(), [part.numpy() for part in gradient]

    def sample(self, what, rounds):
        run = self.runs[what]
        start = self.clock()
        for _ in range(rounds):
            run()
        return (self.clock() - start) * 1e3 / rounds

    def close(self):
        """It has no process of its own."""
