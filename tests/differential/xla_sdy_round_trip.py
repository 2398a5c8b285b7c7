"""What a module is after XLA's round trip, without the round trip: the normal form that import of export must give."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from xshardy.api import parse, print_module
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy_import.lift_inlined_meshes import LiftInlinedMeshesPass
from xshardy.transforms.symbol_dce import SymbolDCEPass
from xshardy.transforms.xla_sdy.canonicalize import CanonicalizeImportedPass
from xshardy.transforms.xla_sdy.import_constants import ImportConstantsPass
from xshardy.transforms.xla_sdy.import_sdy_custom_calls import ImportSdyCustomCallsPass
from xshardy.transforms.xla_sdy.open_while_free_vars_sharding import OpenWhileFreeVarsShardingPass
from xshardy.transforms.xla_sdy.round_trip_dedup_meshes import RoundTripDedupMeshesPass
from xshardy.transforms.xla_sdy.round_trip_export_pipeline import RoundTripExportPipelinePass
from xshardy.transforms.xla_sdy.round_trip_import_pipeline import RoundTripImportPipelinePass
from xshardy.transforms.xla_sdy.round_trip_import_shardy_attrs import has_sharding
from xshardy.transforms.xla_sdy.round_trip_shard_map_import import RoundTripShardMapImportPass
from xshardy.universe import new_context

MERGING = (LiftInlinedMeshesPass(), RoundTripDedupMeshesPass())
"""What the export does to meshes: equal ones are merged."""
IMPORTING = (
    SymbolDCEPass(),
    ImportConstantsPass(),
    RoundTripShardMapImportPass(),  # copies functions that are called in several manual contexts
    ImportSdyCustomCallsPass(),
    OpenWhileFreeVarsShardingPass(),
    CanonicalizeImportedPass(),
)
"""What the import does to a module that comes from no round trip."""


def forget_shardings(module: ModuleOp) -> None:
    """Drop shardings of operations that the import drops: XLA may have copied them from operation to operation."""
    for op in operations_in(module):
        if SHARDING in op.attributes and not has_sharding(op):
            del op.attributes[SHARDING]


def normal_form(text: str) -> str:
    """The module in `text` with equal meshes merged, as the import leaves it."""
    module = parse(text)
    for each in MERGING:
        each.apply(new_context(), module)
    forget_shardings(module)
    for each in IMPORTING:
        each.apply(new_context(), module)
    return comparable(module)


def round_trip(text: str, *through: ModulePass) -> str:
    """The module in `text`, exported and imported, with other passes in between."""
    module = parse(text)
    RoundTripExportPipelinePass().apply(new_context(), module)
    assert not any(op.name.startswith("sdy.") for op in operations_in(module))
    module.verify()
    module = parse(print_module(module))  # what is only in memory does not count
    for each in through:
        each.apply(new_context(), module)
    RoundTripImportPipelinePass().apply(new_context(), module)
    module.verify()
    return comparable(module)


def comparable(module: ModuleOp) -> str:
    """
    The text of `module`: meshes first, then functions, both by name; values by number, and meshes without attributes.
    """
    for op in operations_in(module):
        for value in (*op.results, *(argument for region in op.regions for b in region.blocks for argument in b.args)):
            value.name_hint = None
    meshes = sorted((op for op in module.ops if isinstance(op, MeshOp)), key=lambda op: op.sym_name.data)
    functions = sorted(functions_of(module).items())
    ordered: list[Operation] = [*meshes, *(function for _, function in functions)]
    for op in ordered:
        op.detach()
        if isinstance(op, MeshOp):
            op.attributes.clear()
    module.body.block.add_ops(ordered)
    return print_module(module)
