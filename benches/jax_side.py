"""JAX's side of `against_jax`: one objective at a time, compiled with its gradient or another derivative."""

import time

import jax
import numpy as np
from jax_derivatives import DIRECTED, ENTRIES, OF_MODELS
from jax_objectives import MODELS, STATIC

jax.config.update("jax_enable_x64", True)


class Jax:
    """What is open now; it is compiled when it is first asked for."""

    def __init__(self, cpu_time):
        self.clock = time.process_time if cpu_time else time.perf_counter

    def open(self, opened, names, folder):
        variables, self.constants, self.static = [], {}, {}
        for name in names:
            plain = name.rstrip("*")
            x = np.load(folder / f"{plain}.npy")
            if name.endswith("*"):
                variables.append(jax.device_put(x))
            elif plain in STATIC or (x.ndim == 0 and x.dtype.kind == "i"):
                self.static[plain] = x.tolist()
            else:
                self.constants[plain] = jax.device_put(x)
        # By position, so that the gradient comes in the order of the arguments.
        self.variables = tuple(variables)
        self.model = opened.split()[0]
        self.compiled = {}

    def function(self, what):
        """As a function of the data, with these."""
        function, static = MODELS[self.model], self.static
        data = self.variables, self.constants

        def value(variables, constants):
            return function(*variables, **constants, **static)

        if what == "value":
            return value, data
        if what == "gradient":
            return jax.value_and_grad(value), data
        if what in DIRECTED:

            def along(variables, direction, constants):
                return DIRECTED[what](function, variables, direction, **constants, **static)

            return along, (self.variables, *data)
        derivative = OF_MODELS[self.model, what]
        return lambda variables, constants: derivative(
            function, variables, **constants, **static
        ), data

    def run(self, what):
        if what not in self.compiled:
            function, data = self.function(what)
            self.compiled[what] = jax.jit(function), data
        compiled, data = self.compiled[what]
        return jax.block_until_ready(compiled(*data))

    def result(self, kind):
        value, parts = self.run("value"), self.run(kind)
        if kind == "gradient":
            value, parts = parts
        parts = [np.asarray(part) for part in parts]
        if arrange := ENTRIES.get((self.model, kind)):
            parts = arrange(*parts)
        return np.asarray(value), parts

    def sample(self, what, rounds):
        self.run(what)
        start = self.clock()
        for _ in range(rounds):
            self.run(what)
        return (self.clock() - start) * 1e3 / rounds

    def peak(self, kind):
        """By XLA's own plan: what it has for intermediate results, and the result."""
        compiled, data = self.compiled[kind]
        plan = compiled.lower(*data).compile().memory_analysis()
        return plan.temp_size_in_bytes + plan.output_size_in_bytes
