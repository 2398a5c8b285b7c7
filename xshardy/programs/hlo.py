"""A program of HLO text: read with its names for propagation, and written with its shardings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.utils.lexer import Span

from xshardy.hlo_text import read_hlo
from xshardy.hlo_text.dissolve_tuples import dissolve_tuples
from xshardy.hlo_text.locations import locate
from xshardy.hlo_text.names import instruction_name
from xshardy.programs.names import SourceNames
from xshardy.programs.source import Source
from xshardy.rewriting.walk import operations_in

# The pipeline loads slowly, so it is imported for HLO only.


@dataclass(frozen=True, slots=True)
class HLONames(SourceNames):
    """The names of instructions. Passes that replace an operation keep the name of its result."""

    names: set[str] = field(default_factory=set[str])
    """The names of all instructions."""

    def _result_name(self, result: OpResult) -> str | None:
        if (name := instruction_name(result.op)) is None:
            return None
        return f"%{name}" if len(result.op.results) == 1 else f"%{name}#{result.index}"

    def knows(self, value: SSAValue) -> bool:
        """Whether `value` is an instruction, not created by a pass."""
        name = self.of(value)
        return name is not None and name.removeprefix("%").partition("#")[0] in self.names


def read_hlo_program(text: str, name: str) -> tuple[ModuleOp, HLONames, Mapping[Operation, Span]]:
    """
    The module in `text`, with the places of its instructions and without tuples, the names of its values, and where its
    operations stand in the text.
    """
    spans: dict[Operation, Span] = {}
    module = read_hlo(text, name, spans)
    locate(module)
    names = HLONames(spans, names=names_of(module))
    of_tuples = {
        (op.parent, instruction_name(op)): span
        for op, span in spans.items()
        if any(isinstance(type, TupleType) for type in op.result_types)
    }
    dissolve_tuples(module)
    for op in operations_in(module) if of_tuples else ():
        if op not in spans and (span := of_tuples.get((op.parent, instruction_name(op)))) is not None:
            spans[op] = span  # it gives the elements of a tuple
    return module, names, spans


def names_of(module: ModuleOp) -> set[str]:
    """The names of the instructions of `module`, as `read_hlo` leaves it."""
    names = {name for op in operations_in(module) if (name := instruction_name(op)) is not None}
    functions = (op for op in module.ops if isinstance(op, FuncOp))
    return names | {name for function in functions for value in function.args if (name := value.name_hint) is not None}


def print_hlo_program(module: ModuleOp, context: Context, source: Source) -> str:
    """The HLO text of a module after propagation, with its shardings in the notation of `source`, if that is HLO."""
    from xshardy.transforms.hlo.to_opcodes import write_hlo

    export_shardings(module, context, by_axes=isinstance(source.content, str) and names_axes(source.content))
    return write_hlo(module)


def names_axes(text: str) -> bool:
    """Whether shardings in this HLO text name the axes of a mesh: `sharding={mesh['a'=2], [{'a'}]}`."""
    return re.search(r"sharding=\{+mesh\[", text) is not None


def export_shardings(module: ModuleOp, context: Context, *, by_axes: bool = False) -> None:
    """
    Write the shardings of a module after propagation as HLO has them, by the axes of meshes if `by_axes`.

    Raises `OperationFailedException`.
    """
    from xshardy.transforms.xla_sdy.stablehlo_export_pipeline import StablehloExportPipelinePass

    StablehloExportPipelinePass(enable_hlo_sharding_v3=by_axes).apply(context, module)
