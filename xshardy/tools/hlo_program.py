"""A program of HLO text for propagation: read with its names, and the shardings that it carries; and written."""

import re
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.lexer import Span

from xshardy.hlo_text import print_hlo, read_hlo
from xshardy.hlo_text.dissolve_tuples import dissolve_tuples
from xshardy.hlo_text.locations import locate
from xshardy.hlo_text.names import instruction_name
from xshardy.rewriting.walk import operations_in
from xshardy.syntax.source_names import SourceNames

# The pipelines load slowly, so they are imported for HLO only.


@dataclass(frozen=True, slots=True)
class HLONames(SourceNames):
    """The names of instructions. Passes that replace an operation keep the name of its result."""

    names: set[str] = field(default_factory=set[str])
    """The names of all instructions."""

    def _results(self, op: Operation) -> list[str]:
        if (name := instruction_name(op)) is None:
            return []
        return [f"%{name}"] if len(op.results) == 1 else [f"%{name}#{i}" for i in range(len(op.results))]

    def knows(self, value: SSAValue) -> bool:
        """Whether `value` is an instruction, not created by a pass."""
        name = self.of(value)
        return name is not None and name.removeprefix("%").partition("#")[0] in self.names


def read_program(text: str, name: str) -> tuple[ModuleOp, HLONames]:
    """The module in `text`, with the places of its instructions and without tuples, and the names of its values."""
    spans: dict[Operation, Span] = {}
    module = read_hlo(text, name, spans)
    locate(module)
    names = HLONames(spans, names=names_of(module))
    dissolve_tuples(module)
    return module, names


def names_of(module: ModuleOp) -> set[str]:
    """The names of the instructions of `module`, as `read_hlo` leaves it."""
    names = {name for op in operations_in(module) if (name := instruction_name(op)) is not None}
    functions = (op for op in module.ops if isinstance(op, FuncOp))
    return names | {name for function in functions for value in function.args if (name := value.name_hint) is not None}


def import_shardings(module: ModuleOp, context: Context) -> None:
    """
    Import the shardings of an HLO module: the texts `xla.sdy.*` of JAX if it has meshes, else HLO's own.

    Source: XLA, xla/service/spmd/shardy/shardy_xla_pass, which chooses so. Raises `OperationFailedException`.
    """
    from xshardy.transforms.xla_sdy.frontend_attributes import frontend_entries
    from xshardy.transforms.xla_sdy.names import MESHES
    from xshardy.transforms.xla_sdy.round_trip_import_pipeline import RoundTripImportPipelinePass
    from xshardy.transforms.xla_sdy.stablehlo_import_pipeline import StablehloImportPipelinePass

    if MESHES in frontend_entries(module.attributes):
        RoundTripImportPipelinePass().apply(context, module)
    else:
        StablehloImportPipelinePass(*(_flags(module, what) for what in ALLOWED)).apply(context, module)


ALLOWED = tuple(f"hlo.allow_spmd_sharding_propagation_to_{what}" for what in ("parameters", "output"))
"""Attributes of a module: whether propagation may shard arguments and results further that have a sharding."""


def _flags(module: ModuleOp, name: str) -> tuple[int, ...]:
    """`"{true,false}"` -> `(1, 0)`: a flag for each value, or one for all; none without the attribute."""
    listed = module.attributes.get(name)
    if not isinstance(listed, StringAttr):
        return ()
    return tuple(int(flag.strip() == "true") for flag in listed.data.strip("{}").split(",") if flag.strip())


def print_program(module: ModuleOp, context: Context, source: str) -> str:
    """The HLO text of a module after propagation, with its shardings in the notation of its text `source`."""
    export_shardings(module, context, by_axes=names_axes(source))
    return print_hlo(module)


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
