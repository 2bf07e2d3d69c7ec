"""JAX's side of `against_jax`: one objective at a time, compiled with its gradient."""

import time

import jax
import numpy as np
from jax_objectives import MODELS, STATIC

jax.config.update("jax_enable_x64", True)


class Jax:
    """What is open now, as functions without arguments that wait for the result."""

    def __init__(self, cpu_time):
        self.clock = time.process_time if cpu_time else time.perf_counter

    def open(self, opened, names, folder):
        variables, constants, static = {}, {}, {}
        for name in names:
            plain = name.rstrip("*")
            x = np.load(folder / f"{plain}.npy")
            if name.endswith("*"):
                variables[plain] = jax.device_put(x)
            elif plain in STATIC or (x.ndim == 0 and x.dtype.kind == "i"):
                static[plain] = x.tolist()
            else:
                constants[plain] = jax.device_put(x)
        function = MODELS[opened.split()[0]]

        def objective(variables, constants):
            return function(*variables, **constants, **static)

        # By position, so that the gradient comes in the order of the arguments.
        data = tuple(variables.values()), constants
        gradient = jax.jit(jax.value_and_grad(objective))
        value = jax.jit(objective)
        self.compiled = gradient.lower(*data).compile()
        self.result = lambda: jax.tree.map(np.asarray, gradient(*data))
        self.runs = {
            "gradient": lambda: jax.block_until_ready(gradient(*data)),
            "value": lambda: value(*data).block_until_ready(),
        }

    def sample(self, what, rounds):
        run = self.runs[what]
        start = self.clock()
        for _ in range(rounds):
            run()
        return (self.clock() - start) * 1e3 / rounds

    def peak(self):
        """By XLA's own plan: what it has for intermediate results, and the result."""
        plan = self.compiled.memory_analysis()
        return plan.temp_size_in_bytes + plan.output_size_in_bytes

