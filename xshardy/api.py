"""
The library behind `import xshardy`: modules read, printed, verified, sharded, divided between devices, and compiled.

What a function needs is imported when it is called, so that `xshardy.parse` does not wait for the compiler.
`docs/api.md` shows each function.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import LocationAttr, ModuleOp
    from xdsl.ir import Operation, SSAValue

    from xshardy.compiler import Observer
    from xshardy.engines.checked_run import ProgramRun
    from xshardy.engines.compiled_program import CompiledProgram
    from xshardy.engines.engine import Engine
    from xshardy.lowering.kernel import Kernel
    from xshardy.planning.advice import Advice
    from xshardy.planning.auto.find import FoundShardings
    from xshardy.planning.plan import Plan
    from xshardy.planning.topology import Topology
    from xshardy.programs.distributed_tensor import DistributedTensor
    from xshardy.programs.meshes import MeshSizes
    from xshardy.programs.partitioned import PartitionedProgram
    from xshardy.programs.program import Program
    from xshardy.programs.source import ProgramSource
    from xshardy.proving.verdict import Verdict

SHOWN_LINES = 4
"""How many lines of an explanation its `repr` has."""


def parse(source: "ProgramSource", name: str | None = None, *, context: "Context | None" = None) -> "ModuleOp":
    """
    The module in `source`, verified: MLIR in upstream's or xDSL's syntax, which diagnostics call `name`, or bytecode.

    `source` is the text, as a string or bytes, or the bytes of MLIR bytecode; a path of either, as a `Path` or a string
    such as `"model.mlir"`; what `jax.jit(f).lower(...)`, `jax.jit(f).trace(...)` or `jax.export.export(f)(...)`
    returns; or a module of jaxlib's `mlir.ir`. What JAX gives has locations, which operations keep.

    `context` has the dialects of the module: by default, those of xDSL, of xshardy, and of other installed universes.
    Raises xDSL's `ParseError` with the place in the text, `BytecodeError`, or `VerifyException`; `ValueError` for
    HLO text, and `TypeError` for another `source`.
    """
    from xshardy.programs.program import read_module
    from xshardy.programs.source import BINARY_HLO, source_of
    from xshardy.universe import new_context

    if isinstance(source, str) and source.endswith(BINARY_HLO) and "\n" not in source:
        raise ValueError(f"{source}: this is HLO in binary form: read it with xshardy.read_hlo")
    read = source_of(source, name)
    if read.is_hlo:
        raise ValueError(f"{read.name}: this is HLO text: read it with xshardy.read_hlo")
    return read_module(read, context or new_context())[0]


def print_module(module: "ModuleOp", *, debug_info: bool = False) -> str:
    """`module` as text in upstream's syntax, as `mlir-opt` prints it; with `debug_info`, also the locations."""
    from xshardy import syntax

    return syntax.print_module(module, debug_info=debug_info)


def write_bytecode(module: "ModuleOp") -> bytes:
    """
    `module` as MLIR bytecode, with the operations as they are: a `.mlirbc` file, which `parse` and `mlir-opt` read.

    Raises `BytecodeError` for what has no form there: resources.
    """
    from xshardy.syntax import bytecode

    return bytecode.write_bytecode(module)


def write_artifact(module: "ModuleOp", version: str | None = None) -> bytes:
    """
    `module` as a portable artifact of StableHLO, the `mlir_module_serialized` of what `jax.export` returns.

    StableHLO reads it from `version` on; by default, that is the version of the jaxlib that xshardy is tested with.
    Raises `BytecodeError` for what that version lacks, and `ValueError` for a version that is not known.
    """
    from xshardy.syntax import bytecode

    return bytecode.write_artifact(module, version or bytecode.ARTIFACT_VERSION)


def location_of(located: "Operation | SSAValue") -> "LocationAttr":
    """
    The location of an operation, a block argument, or of the operation of a result.

    It is one of xDSL's `UnknownLoc`, `FileLineColLoc`, `NameLoc`, `CallSiteLoc`, `FusedLoc`, or a `FileRangeLoc`. What
    `parse` puts into `operation.location` stands for it, and is read when it is asked for.
    """
    from xshardy.syntax import locations

    return locations.location_of(located)


def read_hlo(source: "ProgramSource", name: str | None = None) -> "ModuleOp":
    """
    The module in HLO: text, or bytes that are text or XLA's binary form, or the path of such a file, `"step.hlo.pb"`.

    The binary form is read through jaxlib. Raises `HLOError` with the place in the text, `HLOProtoError` for bytes that
    are no HLO, or if jaxlib is not installed, and `ValueError` for MLIR.
    """
    from xshardy import hlo_text
    from xshardy.programs.source import is_mlir, source_of

    read = source_of(source, name)
    if not isinstance(read.content, str) or is_mlir(read.content):
        raise ValueError(f"{read.name}: this is MLIR: read it with xshardy.parse")
    return hlo_text.read_hlo(read.content, read.name)


def emit(
    source: "ProgramSource",
    *,
    target: str = "sm_90",
    fusion: str | None = None,
    name: str | None = None,
    arguments: "Sequence[object]" = (),
) -> "ModuleOp":
    """
    The `xla_gpu` module of the only fusion in `source`, or of the one called `fusion`, launched as on `target`.

    `source` is what `partition` takes: a module of HLO or StableHLO, or an emitted one. A program without fusions is
    one. Raises what `read_hlo` and `parse` do, and `FusionNotFoundError` for an ambiguous or missing fusion.
    """
    from xshardy import compiler

    content, name = _kernel_source(source, name, arguments)
    return compiler.emit(content, target=target, fusion=fusion, name=name)


def compile(
    source: "ProgramSource",
    *,
    target: str = "sm_90",
    fusion: str | None = None,
    math: str = "auto",
    name: str | None = None,
    observe: "Observer | None" = None,
    entry: str | None = None,
    arguments: "Sequence[object]" = (),
) -> "Kernel":
    """
    Compile the only fusion in `source`, or the one called `fusion`, for `target` (`sm_70` to `sm_121`).

    `source` is as for `emit`; an emitted module is lowered in place. The kernel carries PTX, LLVM IR, the name of its
    entry, launch dimensions, bytes of shared memory and the list of its arguments. `math` chooses what computes exp,
    tanh, ...: "libdevice", "expanded" (arithmetic of ours), or "auto" (libdevice if installed). With `entry`, the names
    of all symbols of the PTX begin with it. `observe` is called after every pass.
    """
    from xshardy import compiler

    content, name = _kernel_source(source, name, arguments)
    return compiler.compile(content, target=target, fusion=fusion, math=math, name=name, observe=observe, entry=entry)


def _kernel_source(
    source: "ProgramSource", name: str | None, arguments: "Sequence[object]"
) -> "tuple[ModuleOp | str, str]":
    """The module of a fusion or a kernel, or its HLO text; and its name in diagnostics."""
    from xshardy.programs.inner_programs import program_in
    from xshardy.programs.program import read_module
    from xshardy.programs.source import is_mlir, source_of
    from xshardy.universe import new_context

    read = source_of(source, name, arguments)
    if isinstance(read.content, str) and not is_mlir(read.content):
        return read.content, read.name
    return program_in(read_module(read, new_context())[0], read), read.name


def verify(module: "ModuleOp") -> None:
    """
    Verify `module` and everything in it, with discardable attributes such as `sdy.sharding`.

    `module.verify()` is xDSL's, and does not look at those. Raises `VerifyException`.
    """
    from xshardy.dialects import discardable

    discardable.verify(module)


def run_passes(
    source: "ProgramSource",
    pipeline: str,
    name: str | None = None,
    *,
    context: "Context | None" = None,
    arguments: "Sequence[object]" = (),
) -> "ModuleOp":
    """
    Run the passes of `pipeline` on a module, in place, and return it. Anything else is read first.

    `source` is what `partition` takes; HLO loses its tuples. `pipeline` is written as for `xshardy-opt -p`:
    `"canonicalize,sdy-propagation-pipeline{inline-meshes=true}"`. Raises `ValueError` for an unknown pass or option,
    and `PassFailedException` for a module that a pass cannot take.
    """
    from xshardy.programs.program import read_module
    from xshardy.programs.source import source_of
    from xshardy.tools.pipelines import passes_of
    from xshardy.transforms.pipeline_pass import IndexedPipeline
    from xshardy.universe import installed_passes, new_context

    passes = passes_of(pipeline, installed_passes())
    context = context or new_context()
    module, _ = read_module(source_of(source, name, arguments), context)
    IndexedPipeline(passes).apply(context, module)
    return module


def propagate(
    source: "ProgramSource",
    name: str | None = None,
    *,
    arguments: "Sequence[object]" = (),
    mesh: "MeshSizes | None" = None,
) -> "ModuleOp":
    """
    Propagate the shardings of a program, in place: the result of `sdy-propagation-pipeline`.

    `source`, `arguments` and `mesh` are those of `partition`. A program without meshes, and with HLO shardings
    (`mhlo.sharding`) or with shardings as texts (`xla.sdy.meshes`), as older versions of JAX wrote it, gets those of
    Shardy first, and HLO loses its tuples. Options of the pipeline go through `run_passes`.
    """
    program = _program(source, name, arguments, mesh)
    return run_passes(program.module, "sdy-propagation-pipeline", context=program.context)


def partition(
    source: "ProgramSource",
    name: str | None = None,
    *,
    arguments: "Sequence[object]" = (),
    mesh: "MeshSizes | None" = None,
) -> "PartitionedProgram":
    """
    The program that each device executes: shardings propagated, reshards as collectives, types those of parts.

    `source` is a module, which is changed in place, what `parse` or `read_hlo` takes, or a function of JAX, which is
    lowered for `arguments`: arrays, or `jax.ShapeDtypeStruct`s with shardings. `mesh`, `{"model": 2}` or the text
    `model=2`, gives axes other sizes, or a mesh to a program without. The result has the module, whose collectives are
    StableHLO's, the mesh, and how arguments and results are divided. Raises what `run_passes` does, and `EngineError`
    for meshes that do not fit.
    """
    from xshardy.programs.partitioned import partition_module

    program = _program(source, name, arguments, mesh)
    return partition_module(program.module, program.context)


def run(
    source: "ProgramSource",
    arguments: "Sequence[Any] | None" = None,
    *,
    on: "str | Engine" = "simulated",
    mesh: "MeshSizes | None" = None,
    check: bool = False,
    seed: int = 0,
    processes: int = 1,
    platform: str = "cpu",
    time_out: float | None = 600,
    name: str | None = None,
) -> "ProgramRun":
    """
    Partition a program as `partition` does, and run it on all devices of its mesh with whole `arguments`.

    Those of a function of JAX, which is lowered for them, are what JAX takes, such as dictionaries of arrays; the
    results of a run are arrays. Without `arguments`, or with a `jax.ShapeDtypeStruct` among those of a function, it
    gets random ones, which depend on `seed` only. Engine `simulated` is our evaluator;
    `kernels` executes the fused kernels of each device on the CPU; `pjrt` is XLA, with the devices of `platform` in
    `processes` processes, given up after `time_out` seconds. With `check`, the results are compared with those of the
    program on one device. Raises what `partition` does, `EngineError`, and xDSL's `DiagnosticException`.
    """
    from xshardy.engines.checked_run import run_module
    from xshardy.engines.engine import engine_named
    from xshardy.programs.jax_functions import values_of

    options = {
        "kernels": {"check": check},
        "pjrt": {"processes": processes, "platform": platform, "time_out": time_out},
    }
    engine = engine_named(on, **options.get(on, {})) if isinstance(on, str) else on
    program = _program(source, name, arguments or (), keep_unused=True)
    if program.source.structure.arguments is not None and arguments is not None:
        arguments = program.source.structure.kept_of(values_of(arguments))
    return run_module(program.module, engine, program.context, arguments=arguments, mesh=mesh, seed=seed, check=check)


def compile_program(
    source: "ProgramSource",
    name: str | None = None,
    *,
    arguments: "Sequence[object]" = (),
    mesh: "MeshSizes | None" = None,
    target: str = "sm_90",
    math: str = "auto",
    jobs: int = 1,
) -> "CompiledProgram":
    """
    A whole program as kernels, library calls and collectives for GPUs, with a launch plan; it is run on the CPU.

    `source` is a module, which is left as it is, what `parse` takes, HLO text, or a function of JAX, which is lowered
    for `arguments`: arrays, or `jax.ShapeDtypeStruct`s with shardings. A program that XLA has optimised is compiled as
    it is. Another one is fused, and before that partitioned if it has a mesh of several devices; `mesh` gives axes
    other sizes, or a mesh to a program without. `target` and `math` are those of `compile`; `jobs` processes compile.
    Raises what `partition` does, and xDSL's `DiagnosticException` for what cannot be fused, planned or compiled.
    """
    from xdsl.dialects.builtin import ModuleOp

    from xshardy.engines.compiled_program import compile_for_devices
    from xshardy.hlo_text import parse_hlo
    from xshardy.ir.clones import clone_operation
    from xshardy.launch.module_devices import is_optimised
    from xshardy.programs.source import source_of
    from xshardy.universe import new_context

    read, context = source_of(source, name, arguments), new_context()
    if isinstance(read.content, ModuleOp):
        module = clone_operation(read.content)
    else:
        module = parse_hlo(read.text, read.name) if read.is_hlo else None
        if module is None or not is_optimised(module):
            module = _program(read).module
    return compile_for_devices(module, context, mesh=mesh, target=target, math=math, jobs=jobs)


def _program(
    source: "ProgramSource",
    name: str | None = None,
    arguments: "Sequence[object]" = (),
    mesh: "MeshSizes | None" = None,
    *,
    keep_unused: bool = False,
) -> "Program":
    """The program that is given, with the shardings of sdy over its mesh of these sizes."""
    from xshardy.programs.program import read_program
    from xshardy.programs.source import source_of

    program = read_program(source_of(source, name, arguments, keep_unused=keep_unused))
    program.names.place_loops(program.module, program.source.name)
    program.import_shardings()
    program.resize(mesh)
    return program


def plan(
    source: "ProgramSource",
    name: str | None = None,
    *,
    arguments: "Sequence[object]" = (),
    mesh: "MeshSizes | None" = None,
) -> "Plan":
    """
    What each device communicates and holds when it executes a program, and why: computed, not run.

    `source`, `arguments` and `mesh` are those of `partition`, but a module is left as it is. Names and lines of
    operations come from the text; those of a module are the names that `print_module` gives. Raises what `partition`
    does, and `InputError`, with its place, for an operation that is refused.
    """
    from xshardy.planning.plan import plan_program

    with _named_program(source, name, arguments, mesh) as program:
        return plan_program(program)


def auto(
    source: "ProgramSource",
    name: str | None = None,
    *,
    arguments: "Sequence[object]" = (),
    mesh: "MeshSizes | None" = None,
    devices: int | None = None,
    topology: "Topology | str" = "h100x8",
    memory: float | str = inf,
    keep: "Mapping[str, Sequence[Sequence[str]]] | None" = None,
    free: bool = False,
    seconds: float = 60,
) -> "FoundShardings":
    """
    The shardings that make a program fast, by the estimate of its plan on `topology`, within `memory` bytes per device.

    `source`, `arguments` and `mesh` are those of `plan`; for `devices`, shapes of a mesh are tried. `memory` may be
    text, such as `64GiB`. What is annotated stays, unless `free`; `keep` has axes for the dimensions of arguments.
    Takes about `seconds`. Raises what `plan` and `find_shardings` do.
    """
    from xshardy.planning.auto.find import find_shardings
    from xshardy.planning.auto.meshes import find_mesh_and_shardings
    from xshardy.planning.byte_counts import bytes_in

    limit = bytes_in(memory) if isinstance(memory, str) else memory
    find = partial(find_shardings, topology=topology, memory=limit, free=free, keep=keep)
    with _named_program(source, name, arguments, mesh) as program:
        if devices is None:
            return find(program, seconds=seconds)
        return find_mesh_and_shardings(program, devices, find, seconds=seconds)


@contextmanager
def _named_program(
    source: "ProgramSource", name: str | None, arguments: "Sequence[object]", mesh: "MeshSizes | None"
) -> Generator["Program"]:
    """As `_program`, of a copy of a module, with names that stay; failures inside have their places."""
    from xdsl.dialects.builtin import ModuleOp

    from xshardy.ir.clones import clone_operation
    from xshardy.programs.program import read_program
    from xshardy.programs.source import source_of

    given = clone_operation(source) if isinstance(source, ModuleOp) else source
    program = read_program(source_of(given, name, arguments)).named()
    with program.failures_placed():
        program.import_shardings()
        program.resize(mesh)
        yield program


def prove(
    source: "ProgramSource",
    local: "ProgramSource | None" = None,
    name: str | None = None,
    *,
    arguments: "Sequence[object]" = (),
    mesh: "MeshSizes | None" = None,
    run: bool = True,
    certify: bool = False,
    budget: int | None = None,
) -> "Verdict":
    """
    Whether each device computes its part of the results of a program, for all inputs, in exact arithmetic.

    `source`, `arguments` and `mesh` are those of `partition`, but a module is left as it is. `local` is the program of
    each device, with the parts that the shardings of `source` say, or a program of whole tensors with a `shard_map`;
    without it, our passes partition `source`. The answer is proved, refuted with an input, or undecided; with `run`,
    inputs are tried for what is not proved. With `certify`, a proof has a certificate. A proof is given up after
    `budget` steps, by default a million, some 10,000 a second. Raises what `partition` does, and `InputError` for two
    programs that do not fit.
    """
    from xshardy.programs.program import read_program
    from xshardy.programs.source import source_of
    from xshardy.proving.kernel import BUDGET
    from xshardy.proving.pair import import_local, pair_of, partitioned_pair
    from xshardy.proving.verdict import prove_pair

    steps = BUDGET if budget is None else budget
    with _named_program(source, name, arguments, mesh) as program:
        if local is None:
            return prove_pair(partitioned_pair(program), run=run, certify=certify, budget=steps)
        other = read_program(source_of(local, name, arguments)).named()
        with other.failures_placed():
            import_local(other)
            return prove_pair(pair_of(program, other), run=run, certify=certify, budget=steps)


def advise(plan: "Plan", topology: "Topology | str" = "h100x8") -> "Sequence[Advice]":
    """
    Other shardings that were tried out, and make a program faster than `plan` by the estimate on `topology`.

    `topology` is that of a machine we know, by its name, or the path of a file. Takes the time of up to 32 plans.
    Raises `TopologyError`.
    """
    from xshardy.planning import advice

    return advice.advise(plan, topology)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where the sharding of a tensor comes from; `str` is the whole text."""

    tensor: str
    """The name of the tensor in the text, and its place, such as `%2 (line 10)`."""
    lines: Sequence[str] = field(repr=False)
    placement: "DistributedTensor" = field(repr=False)
    """Which device has which part of the tensor."""

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        """The picture of `placement`, and the text, for notebooks."""
        from html import escape

        return f"{self.placement._repr_html_()}<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        shown, rest = self.lines[:SHOWN_LINES], len(self.lines) - SHOWN_LINES
        return "\n".join((*shown, f"  ... {rest} more lines: print it") if rest > 0 else shown)


def explain(
    source: "ProgramSource",
    *,
    value: str | None = None,
    argument: int | None = None,
    result: int | None = None,
    name: str | None = None,
    arguments: "Sequence[object]" = (),
    mesh: "MeshSizes | None" = None,
) -> Explanation:
    """
    Where the sharding of a tensor comes from, step by step, and why it is not sharded further.

    `source`, `arguments` and `mesh` are those of `plan`. The tensor is a `value`, or an `argument` or `result` of the
    main function, by its index: name one of the three. A value is what the text calls `%2` or `%7#1`, what JAX calls
    `p['emb']`, what `xshardy shard` prints, `%44 (line 116)`, or what is made at `line 116` or `model.py:42`. Raises
    `ValueError` if there is no such tensor, or several.
    """
    from xshardy.programs.sharded import shard
    from xshardy.tools.explain import picking
    from xshardy.tools.explain.placement import placement
    from xshardy.tools.explain.story import story, value_name

    if sum(which is not None for which in (value, argument, result)) != 1:
        raise ValueError("name one tensor: by `value`, `argument` or `result`")
    with _named_program(source, name, arguments, mesh) as program:
        sharded = shard(program)
    number = picking.chosen(sharded, program.source.name, value, argument, result)
    return Explanation(value_name(sharded, number), tuple(story(sharded, number)), placement(sharded, number))
