"""A script of JAX that runs as it is, in a process of its own, and what JAX compiled for several devices meanwhile."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from xshardy.programs.errors import InputError
from xshardy.programs.jax_functions import check_installed
from xshardy.programs.source import Source
from xshardy.tools.interrupts import status_of
from xshardy.tools.tracing.jax_plugin import EXECUTED, TIMES_EXECUTIONS

STAGES: Mapping[str, str] = {
    "/jax/core/compile/jaxpr_trace_duration": "traced",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowered",
    "/jax/core/compile/backend_compile_duration": "compiled",
}
"""What JAX does with a function, by the name of the event that says how long it took. The last one ends the others."""

STDERR = 2
INTERRUPTED = 128 + signal.SIGINT

_DUMPS = "jax_ir*_compile.mlir"
_PARTITIONS = re.compile(r"mhlo\.num_partitions = (\d+)")
_MODULE = re.compile(r"^module @(\S+)", re.MULTILINE)
_WRAPPED = re.compile(r"\w+\((.*)\)")


@dataclass(frozen=True, slots=True)
class CompiledFunction:
    """A function that JAX compiled for several devices."""

    name: str
    """That of the function in Python, with a number if others have it too: `step`, `step (2)`."""
    source: Source
    times: Sequence[Mapping[str, float]]
    """For each compilation, the seconds of the `STAGES`; those that JAX did not need again are missing."""
    executions: Sequence[float] = ()
    """The seconds of each execution, if they were asked for, and no other program of the script has this name."""

    def seconds(self, stage: str) -> float:
        """The time of a stage in all compilations."""
        return sum(times.get(stage, 0.0) for times in self.times)


@dataclass(frozen=True, slots=True)
class TracedScript:
    """A run of a script."""

    functions: Sequence[CompiledFunction]
    """In the order in which they were compiled first."""
    seconds: float
    status: int
    """The exit status of the script, as a shell has it."""


def trace_script(
    file: str,
    arguments: Sequence[str],
    devices: int | None = None,
    *,
    on_stderr: bool = False,
    times_executions: bool = False,
) -> TracedScript:
    """
    Run the script `file` with `arguments`, on virtual CPUs unless `JAX_PLATFORMS` in the environment has it otherwise.

    There are `devices`, by default 8, or as many as the first mesh needs; a script that asks JAX for another number
    gets that. With `on_stderr`, what it prints goes to standard error; with `times_executions`, JAX waits for the
    results of each function that it executes, and the times are recorded. After a Ctrl-C, which ends the script too,
    the result is what it had compiled. Raises `InputError` if the file is missing, and `EngineError` without JAX.
    """
    if not Path(file).is_file():
        raise InputError(f"{file}: error: there is no such file")
    check_installed()
    with TemporaryDirectory(prefix="xshardy-trace-") as name:
        folder = Path(name)
        start = perf_counter()
        sys.stdout.flush()
        script = subprocess.Popen(
            [sys.executable, file, *arguments],
            env=_environment(folder, devices, times_executions=times_executions),
            stdout=STDERR if on_stderr else None,
        )
        try:
            status = _wait(script)
        finally:
            script.kill()
        seconds = perf_counter() - start
        return TracedScript(compiled_in(folder), seconds, 128 - status if status < 0 else status)


def _wait(script: "subprocess.Popen[bytes]") -> int:
    """The status of `script` when it ends. The terminal sends a Ctrl-C to it too."""
    try:
        return script.wait()
    except KeyboardInterrupt as interrupt:
        if status_of(interrupt) != INTERRUPTED:
            raise
        return script.wait()


def _environment(folder: Path, devices: int | None, *, times_executions: bool) -> Mapping[str, str]:
    """The environment in which JAX writes to `folder` what it compiles, and finds our plugin there."""
    plugins = folder / "jax_plugins"
    plugins.mkdir()
    shutil.copy(Path(__file__).with_name("jax_plugin.py"), plugins / "xshardy_trace.py")
    inherited = os.environ.get("PYTHONPATH")
    paths = str(folder) if not inherited else f"{folder}{os.pathsep}{inherited}"
    ours = {"PYTHONPATH": paths, "JAX_DUMP_IR_TO": str(folder), "JAX_DUMP_IR_MODES": "stablehlo"}
    if devices is not None:
        ours["JAX_NUM_CPU_DEVICES"] = str(devices)
    if times_executions:
        ours[TIMES_EXECUTIONS] = "1"
    return {"JAX_PLATFORMS": "cpu", **os.environ, **ours}


def compiled_in(folder: Path) -> Sequence[CompiledFunction]:
    """The functions for several devices among those that JAX wrote to `folder`. Equal programs are one function."""
    events = _events_in(folder / "times.jsonl")
    times, executions = _times_in(events), _executions_in(events)
    found: dict[str, tuple[str, tuple[str, ...], list[Mapping[str, float]]]] = {}
    named = defaultdict[tuple[str, ...], set[str]](set)  # the programs that have a name
    for file in sorted(folder.glob(_DUMPS), key=lambda file: int(file.name[len("jax_ir") :].partition("_")[0])):
        text = file.read_text()
        module, partitions = _MODULE.search(text), _PARTITIONS.search(text)
        if module is None or partitions is None:
            continue
        words = _words(module[1])
        named[words].add(text)
        compilations = times[words]
        name, taken = compilations.pop(0) if compilations else (module[1].removeprefix("jit_"), dict[str, float]())
        if int(partitions[1]) > 1:
            found.setdefault(text, (name, words, []))[2].append(taken)
    seen: dict[str, int] = defaultdict(int)
    functions: list[CompiledFunction] = []
    for text, (name, words, of_function) in found.items():
        seen[name] += 1
        unique = name if seen[name] == 1 else f"{name} ({seen[name]})"
        source, executed = Source(text, unique, is_text=False), executions[words] if named[words] == {text} else ()
        functions.append(CompiledFunction(unique, source, of_function, executed))
    return functions


Event = tuple[str, float, str | None]
"""What `jax_plugin` records: what happened, for how many seconds, and the name of the module."""


def _events_in(file: Path) -> Sequence[Event]:
    return [tuple(json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else ()


def _executions_in(events: Sequence[Event]) -> dict[tuple[str, ...], list[float]]:
    """By the words of the name of a module, the seconds of each execution."""
    executions = defaultdict[tuple[str, ...], list[float]](list)
    for event, seconds, module in events:
        if module is not None and event == EXECUTED:
            executions[_words(module)].append(seconds)
    return executions


def _times_in(events: Sequence[Event]) -> dict[tuple[str, ...], list[tuple[str, Mapping[str, float]]]]:
    """By the words of the name of a module: for each compilation, the name of the function and the times."""
    times = defaultdict[tuple[str, ...], list[tuple[str, Mapping[str, float]]]](list)
    pending = defaultdict[str, dict[str, float]](dict)
    for event, seconds, module in events:
        if (stage := STAGES.get(event)) is None or module is None:
            continue
        wrapped = _WRAPPED.fullmatch(module)  # `jit(step)`; only `step` while it is traced
        name = module if wrapped is None else wrapped[1]
        pending[name][stage] = seconds
        if stage == "compiled":
            times[_words(module)].append((name, pending.pop(name)))
    return times


def _words(module: str) -> tuple[str, ...]:
    """`jit(step)` and `jit_step` -> `("jit", "step")`: JAX replaces what a symbol of MLIR does not have."""
    return tuple(re.findall(r"[^\W_]+", module))
