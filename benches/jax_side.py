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

    def open(self, model, names, folder):
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
        function = MODELS[model]

        def objective(variables, constants):
            return function(*variables, **constants, **static)

        # By position, so that the gradient comes in the order of the arguments.
        data = tuple(variables.values()), constants
        gradient = jax.jit(jax.value_and_grad(objective))
        value = jax.jit(objective)
        self.compiled = gradient.lower(*data).compile()
        self.result = lambda: gradient(*data)
        self.runs = {
            "gradient": lambda: jax.block_until_ready(gradient(*data)),
            "value": lambda: value(*data).block_until_ready(),
        }

    def difference(self, folder, parts):
        """Of the worst of value and parts, in units of its largest element."""
        value, gradient = self.result()
        worst = apart(np.load(folder / "value.npy"), np.asarray(value))
        assert len(gradient) == parts
        for k, part in enumerate(gradient):
            worst = max(worst, apart(np.load(folder / f"part{k}.npy"), np.asarray(part)))
        return worst

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


def apart(a, b):
    if a.shape != b.shape:
        raise RuntimeError(f"the shapes are {a.shape} and {b.shape}")
    if not a.size or np.array_equal(a, b):
        return 0.0
    scale = max(np.abs(a).max(), np.abs(b).max())
    return float(np.abs(a - b).max() / scale)
