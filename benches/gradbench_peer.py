"""A tool of GradBench's repository as a process that answers messages.

    gradbench_peer.py CHECKOUT TOOL

GradBench's own go-between for tools in C++ builds a program anew for each evaluation; here they are
built already. Its client for JAX does not wait for results, which arrive later; here it does.
"""

import json
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    checkout, tool = Path(sys.argv[1]), sys.argv[2]
    scripts = checkout / "python/gradbench/gradbench/tools" / tool
    if (checkout / "tools" / tool / "Makefile").exists():
        for line in sys.stdin:
            message = json.loads(line)
            reply = program(checkout / "tools" / tool / "bin", message)
            print(json.dumps({"id": message["id"], **reply}), flush=True)
        return
    if tool == "jax":
        wait_for_results()
    sys.argv = ["run.py"]
    sys.path.insert(0, str(scripts))
    runpy.run_path(str(scripts / "run.py"), run_name="__main__")


def program(folder, message):
    """What the program of a module answers to a message."""
    match message["kind"]:
        case "define":
            return {"success": (folder / message["module"]).exists()}
        case "evaluate":
            with tempfile.NamedTemporaryFile("w") as file:
                json.dump(message["input"], file)
                file.flush()
                command = [folder / message["module"], file.name, message["function"]]
                run = subprocess.run(command, text=True, capture_output=True)
            if run.returncode != 0:
                return {"success": False, "error": run.stderr}
            output, *timings = map(json.loads, run.stdout.splitlines())
            return {"success": True, "output": output, "timings": timings}
    return {}


def wait_for_results():
    import jax
    from gradbench import wrap

    def waiting(original):
        def decorator(**options):
            inner = original(**options)
            return lambda function: inner(lambda x: jax.block_until_ready(function(x)))

        return decorator

    wrap.function = waiting(wrap.function)
    wrap.multiple_runs = waiting(wrap.multiple_runs)


if __name__ == "__main__":
    main()
