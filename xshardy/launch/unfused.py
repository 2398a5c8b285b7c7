"""Operations of a program that are no steps yet: what a compiler must fuse, or hand to a library, before it can run."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.indexing.tensor_maps import bitcast_map, reshape_map
from xshardy.launch.plan_steps import MEMORY_ONLY, STEPS
from xshardy.launch.prepared_program import NESTED, ModuleError, name_of, scheduled
from xshardy.rewriting.captured import captured

LIBRARIES: Mapping[type[Operation], str] = {
    stablehlo.ConvolutionOp: "cuDNN",
    stablehlo.DotGeneralOp: "cuBLAS",
    stablehlo.DotOp: "cuBLAS",
}
"""Operations that XLA hands to a library, or to a compiler of its own, and to which."""

HOST = (hlo.RecvOp, hlo.SendOp, stablehlo.InfeedOp, stablehlo.OutfeedOp, stablehlo.RecvOp, stablehlo.SendOp)
"""Operations that need the host."""

SHARDY = "sdy"
"""The dialect of sharded programs."""

SHOWN = 12
"""How many names of operations a message has."""


@dataclass(frozen=True, slots=True)
class Unfused:
    """An operation that is no step, and what should be done with it."""

    op: Operation
    remedy: str


def unfused(entry: FuncOp) -> Iterator[Unfused]:
    """The operations of the prepared program `entry` that are no steps."""
    for op in scheduled(entry.body.block):
        if not isinstance(op, NESTED) and captured(op.regions):
            yield Unfused(op, "whose computations read values from around, which those of HLO cannot")
        elif isinstance(op, hlo.CopyOp | stablehlo.ReshapeOp) and moves_elements(op):
            yield Unfused(op, "to fuse (it changes a layout)")
        elif type(op) in STEPS or isinstance(op, MEMORY_ONLY):
            continue
        elif (library := LIBRARIES.get(type(op))) is not None:
            yield Unfused(op, f"to hand to {library}")
        elif isinstance(op, HOST):
            yield Unfused(op, "that the host executes")
        else:
            is_sharded = op.dialect_name() == SHARDY
            yield Unfused(op, "to partition (--partition, or sdy-partitioner-pipeline)" if is_sharded else "to fuse")


def moves_elements(op: hlo.CopyOp | stablehlo.ReshapeOp) -> bool:
    """Whether an element of the result is elsewhere in memory than that of the operand, as their layouts are."""
    in_memory = bitcast_map(op.result, op.operand)
    return in_memory.results != reshape_map(shape_of(op.result), shape_of(op.operand)).results


ADVICE = "fuse it with --fuse, optimise it with XLA first, or make one kernel of the whole entry with --fuse-entry"


def require_fused(entry: FuncOp, advice: str = ADVICE) -> None:
    """Raises `ModuleError` with the operations of the prepared program `entry` that are no steps, and `advice`."""
    found = [*unfused(entry)]
    if not found:
        return
    lines = ["the module is not fused, so that its operations are no kernels:"]
    for remedy in dict.fromkeys(each.remedy for each in found):
        ops = [each.op for each in found if each.remedy == remedy]
        counts = Counter(op.name.partition(".")[2] for op in ops)
        listed = ", ".join(f"{count} {opcode}" for opcode, count in sorted(counts.items()))
        names = [name_of(op) for op in ops[:SHOWN]]
        more = ", ..." if len(ops) > SHOWN else ""
        noun = "operation" if len(ops) == 1 else "operations"
        lines.append(f"  {len(ops)} {noun} {remedy} ({listed}): {', '.join(names)}{more}")
    raise ModuleError("\n".join([*lines, advice] if advice else lines))
