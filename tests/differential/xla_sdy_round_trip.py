"""What a module is after XLA's round trip, without the round trip: the normal form that import of export must give."""

import re

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter

from xshardy.api import parse, print_module
from xshardy.dialects.hlo import CopyOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting.walk import operations_in, operations_of
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy_export.inline_meshes import InlineMeshesPass
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
from xshardy.transforms.xla_sdy.signatures import Signature, signature_of
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


def normal_form_by_axes(text: str) -> str:
    """The normal form of what a round trip by the axes of meshes keeps: without priorities and names of meshes."""
    return comparable_by_axes(parse(re.sub(r"\}p\d+", "}", normal_form(text))))


def comparable_by_axes(module: ModuleOp) -> str:
    """The text of `module` with its meshes in the shardings, without copies and open shardings of results."""
    InlineMeshesPass().apply(new_context(), module)
    for copy in operations_of(module, CopyOp):
        Rewriter.replace_op(copy, (), copy.operands)
    for function in functions_of(module).values():
        known = signature_of(function)
        results = [{} if is_open(entry.get(SHARDING)) else entry for entry in known.results]
        Signature(known.arguments, results).set_on(function, PatternRewriter(function))
    return comparable(module)


def is_open(sharding: Attribute | None) -> bool:
    """Whether `sharding` is one that says nothing."""
    return isinstance(sharding, TensorShardingAttr) and sharding == TensorShardingAttr.fully_open(
        sharding.mesh_or_ref, sharding.rank
    )


def round_trip(text: str, *through: ModulePass, by_axes: bool = False) -> str:
    """The module in `text`, exported and imported, with other passes in between."""
    module = parse(text)
    RoundTripExportPipelinePass(enable_hlo_sharding_v3=by_axes).apply(new_context(), module)
    assert not any(op.name.startswith("sdy.") for op in operations_in(module))
    module.verify()
    module = parse(print_module(module))  # what is only in memory does not count
    for each in through:
        each.apply(new_context(), module)
    RoundTripImportPipelinePass(enable_hlo_sharding_v3=by_axes).apply(new_context(), module)
    module.verify()
    return comparable_by_axes(module) if by_axes else comparable(module)


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
