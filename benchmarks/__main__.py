"""Run every benchmark of this folder in turn: `make bench`, or `python -m benchmarks NAME… [-- OPTIONS]`."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from pathlib import Path


def main(names: list[str]) -> None:
    """Run the named benchmarks, all of them by default; exits 1 if one missed its bounds or could not run."""
    options: list[str] = []
    if "--" in names:
        names, options = names[: names.index("--")], names[names.index("--") + 1 :]
        if len(names) != 1:
            raise SystemExit("options after -- go to one benchmark: name it")
    known = [m.name for m in pkgutil.iter_modules([str(Path(__file__).parent)]) if not m.name.startswith("_")]
    unknown = set(names) - set(known)
    if unknown:
        raise SystemExit(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    missed = []
    for name in names or known:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"== {name}: {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
        try:
            if options and not inspect.signature(module.main).parameters:
                raise SystemExit(f"{name} takes no options")
            code = module.main(options) if options else module.main()
        except SystemExit as stop:
            # One that cannot run here (its data is missing, say) must not keep the others from running
            code = stop.code
            if isinstance(code, str):
                print(code, flush=True)
        if code:
            missed.append(name)
    if missed:
        raise SystemExit(f"missed its bounds or could not run: {', '.join(missed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
