"""
From HLO text to a GPU kernel: the library behind `xshardy emit`, `compile` and `run`.

The steps are HLO -> `emit` -> the levels of `codegen_pipeline.stages`, in order -> LLVM IR -> PTX. Every function takes
the result of the one before it, so a caller can stop, inspect and continue at any level.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.xla_gpu.discardable import entry_function, is_entry, slice_index
from xshardy.dialects.xla_gpu.output_tensors import verify_outputs_are_written_first
from xshardy.emitters import emit_fusion
from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.gpus.targets import device_of
from xshardy.hlo_text import fuse_entry, parse_hlo
from xshardy.ir.release import release
from xshardy.rewriting.changes import PassRunner
from xshardy.rewriting.reasons import Reasons
from xshardy.rewriting.walk import operations_from
from xshardy.syntax.close_names import did_you_mean
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED, LEVELS, check_level, stages
from xshardy.universe import new_context

if TYPE_CHECKING:
    from xshardy.lowering.code_generators import Kernel

Observer = Callable[[str, ModuleOp, float], None]
"""
Called after each pass with its name, the resulting module, and the seconds it took.

It reads the module while it is called: the next pass changes it, and `compile` takes it apart at the end.
"""

EMITTED_DIALECTS = frozenset({"gpu", "tensor", "vector", "xla_gpu"})
"""Dialects of kernels that HLO modules never use."""
TO_PTX = "llvm-to-ptx"
"""The name of the step after the passes, as reported to observers."""


class FusionNotFoundError(DiagnosticException, ValueError):
    """The module has no fusion of the requested name, none at all, or several where one was expected."""


def fusions(module: ModuleOp) -> tuple[FusionOp, ...]:
    """The fusion operations of an HLO module in execution order, without those nested in other fusions."""
    found = [op for op in operations_from(module) if isinstance(op, FusionOp)]
    fused = set(map(fusion_name, found))
    return tuple(op for op in found if _function_around(op) not in fused)


def _function_around(fusion: FusionOp) -> str | None:
    parent = fusion.parent_op()
    return parent.sym_name.data if isinstance(parent, FuncOp) else None


def fusion_name(fusion: FusionOp) -> str:
    """The name of the fused computation, by which a user selects `fusion`."""
    return fusion.callee.root_reference.data


def select_fusions(module: ModuleOp, name: str | None = None) -> tuple[FusionOp, ...]:
    """
    The fusions of an HLO module, or the one called `name`. Raises `FusionNotFoundError` if there are none.

    A module without fusions has its entry computation made into one.
    """
    found = fusions(module) or _fused_entry(module)
    chosen = found if name is None else tuple(fusion for fusion in found if fusion_name(fusion) == name)
    if chosen:
        return chosen
    if not found:
        raise FusionNotFoundError(
            "the module has no fusion, and no single entry that could be one: write `fusion(...), kind=kLoop, calls=f`"
        )
    names = ", ".join(map(fusion_name, found))
    hint = did_you_mean(name or "", map(fusion_name, found), f": choose one of {names}")
    raise FusionNotFoundError(f"the module has no fusion called '{name}'{hint}")


def _fused_entry(module: ModuleOp) -> tuple[FusionOp, ...]:
    entries = [op for op in module.ops if isinstance(op, FuncOp) and op.sym_visibility != StringAttr("private")]
    return (fuse_entry(module, entries[0]),) if len(entries) == 1 and entries[0].body.blocks else ()


def is_emitted(module: ModuleOp) -> bool:
    """
    Whether `module` is an emitted kernel, not HLO.

    It has an entry function: one that is marked, or the only public one if that has operations of an emitted kernel.
    """
    entry = entry_function(module)
    if entry is None or is_entry(entry):
        return entry is not None
    return any(op.dialect_name() in EMITTED_DIALECTS for op in entry.body.walk())


def emit(
    source: str | ModuleOp, *, target: str = DEFAULT_TARGET, fusion: str | None = None, name: str = "<string>"
) -> ModuleOp:
    """As `xshardy.emit`, for HLO text, an HLO module, or an emitted module, which is returned unchanged."""
    module = parse_hlo(source, name) if isinstance(source, str) else source
    if is_emitted(module):
        return module
    chosen = select_fusions(module, fusion)
    if len(chosen) != 1:
        names = ", ".join(map(fusion_name, chosen))
        raise FusionNotFoundError(f"the module has {len(chosen)} fusions, name one of them: {names}")
    return emit_fusion(chosen[0], device_of(target))


def lower(
    module: ModuleOp,
    level: str,
    *,
    target: str = DEFAULT_TARGET,
    math: str = "auto",
    observe: Observer | None = None,
    reasons: Reasons | None = None,
) -> ModuleOp:
    """
    Lower an emitted `module`, in place, to `level`, one of `LEVELS`; returns it. Raises what `lower_by_level` does, and
    `PassFailedException` for HLO. `reasons` gets why passes left operations as they are.
    """
    if fusions(module):
        raise PassFailedException("this is HLO, and kernels are lowered: emit a fusion first, with xshardy.emit")
    for _ in lower_by_level(module, target=target, math=math, last=level, observe=observe, reasons=reasons):
        pass
    return module


def lower_by_level(
    module: ModuleOp,
    *,
    target: str = DEFAULT_TARGET,
    math: str = "auto",
    last: str = LEVELS[-1],
    observe: Observer | None = None,
    ctx: Context | None = None,
    reasons: Reasons | None = None,
) -> Iterator[str]:
    """
    Lower an emitted `module` step by step, in place; yields the name of each level reached, up to `last`.

    `math` is one of `codegen_pipeline.MATH_CHOICES`. Raises `VerifyException` for a kernel that reads an output before
    it is written, `PassFailedException` if a pass fails, and `ValueError` for an unknown target, choice of `math` or
    level `last`.
    """
    check_level(last)
    if (entry := entry_function(module)) is not None:
        verify_outputs_are_written_first(entry)
    runner = PassRunner(ctx or new_context(), module, reasons)
    yield EMITTED
    for stage in stages(target, math):
        if last == EMITTED:
            return
        for step in stage.passes:
            start = perf_counter()
            runner.run(step)
            if observe is not None:
                observe(step.name, module, perf_counter() - start)
        yield stage.level
        if stage.level == last:
            return


def compile(
    source: str | ModuleOp,
    *,
    target: str = DEFAULT_TARGET,
    fusion: str | None = None,
    math: str = "auto",
    name: str = "<string>",
    observe: Observer | None = None,
    entry: str | None = None,
) -> "Kernel":
    """As `xshardy.compile`, for HLO text, an HLO module, or an emitted module. See `compile_text` for `entry`."""
    from xshardy.lowering.code_generators import compile_module  # loads LLVM, which no other function here needs

    start = perf_counter()
    hlo = parse_hlo(source, name) if isinstance(source, str) else source
    module = emit(hlo, target=target, fusion=fusion, name=name)
    if observe is not None:
        observe("emit", module, perf_counter() - start)
    buffers = _buffers(module)  # the lowering merges the arguments for one buffer and drops their number
    lower(module, LEVELS[-1], target=target, math=math, observe=observe)
    start = perf_counter()
    kernel = compile_module(module, target=target, entry=entry)
    if observe is not None:
        observe(TO_PTX, module, perf_counter() - start)
    for own in {hlo, module} - {source}:
        release(own)
    arguments = (replace(argument, slice_index=buffers.get(argument.index)) for argument in kernel.arguments)
    return replace(kernel, arguments=tuple(arguments))


def _buffers(module: ModuleOp) -> dict[int, int | None]:
    """The number of the buffer of each argument of an emitted kernel; None where the module does not say."""
    entry = entry_function(module)
    return {} if entry is None else {argument.index: slice_index(argument) for argument in entry.args}
