"""Turn manual computations into calls of functions between custom calls, which HLO carries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.rewriting import INNER_FIRST, DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy.shardings import meshes_of, with_mesh
from xshardy.transforms.sdy.symbols import SymbolNames
from xshardy.transforms.xla_sdy.frontend_attributes import with_frontend
from xshardy.transforms.xla_sdy.names import (
    GLOBAL_TO_LOCAL,
    IN_SHARDINGS,
    INLINEABLE,
    LOCAL_TO_GLOBAL,
    MANUAL_AXES,
    MANUAL_COMPUTATION_BODY,
    OUT_SHARDINGS,
)
from xshardy.transforms.xla_sdy.round_trip_export_ops import SIDE_EFFECT


def names_of_bodies(module: ModuleOp) -> Mapping[ManualComputationOp, str]:
    """The names of the functions that get the bodies of manual computations, inner computations first."""
    names = SymbolNames(module)
    computations = operations_of(module, ManualComputationOp, inner_first=True)
    return {computation: names.fresh(MANUAL_COMPUTATION_BODY) for computation in computations}


@dataclass(frozen=True)
class OutlineManualComputation(DecisionPattern[ManualComputationOp, str]):
    """
    `%g = sdy.manual_computation(x) { body }` -> `%l = custom_call @GlobalToLocalShape(x)`,
    `%r = call @manual_computation_body(%l)`, `%g = custom_call @LocalToGlobalShape(%r)`, and `func` with the body at
    the end of the module.

    A custom call without operands is left out. Its shardings have the meshes of `meshes` in them, instead of names.
    """

    module: ModuleOp
    meshes: Mapping[str, MeshAttr]

    def rewrite(self, op: ManualComputationOp, decision: str, rewriter: PatternRewriter, /) -> None:
        end = op.terminator
        local_types = tuple(op.body.block.arg_types), tuple(end.operand_types)
        rewriter.replace(end, FuncReturnOp(*end.operands))
        function = FuncOp(decision, local_types, rewriter.move_region_contents_to_new_regions(op.body))
        rewriter.insert(function, InsertPoint.at_end(self.module.body.block))
        before = InsertPoint.before(op)
        inputs = self._changed_shapes(op, op.inputs, local_types[0], GLOBAL_TO_LOCAL, rewriter)
        call = CallOp(decision, inputs, local_types[1])
        call.attributes = with_frontend(op.attributes, {INLINEABLE: StringAttr("false")})
        rewriter.insert(call, before)
        outputs = self._changed_shapes(op, call.results, op.result_types, LOCAL_TO_GLOBAL, rewriter)
        rewriter.replace(op, (), outputs)

    def _changed_shapes(
        self,
        op: ManualComputationOp,
        values: Iterable[SSAValue],
        types: Iterable[Attribute],
        target: str,
        rewriter: PatternRewriter,
    ) -> list[SSAValue]:
        """`values` with other `types`, by a custom call in front of `op`."""
        if not (old := list(values)):
            return []
        shardings: dict[str, TensorShardingPerValueAttr] = {
            GLOBAL_TO_LOCAL: op.in_shardings,
            LOCAL_TO_GLOBAL: op.out_shardings,
        }
        name = {GLOBAL_TO_LOCAL: IN_SHARDINGS, LOCAL_TO_GLOBAL: OUT_SHARDINGS}[target]
        call = CustomCallOp(target, old, list(types), SIDE_EFFECT)
        written = map(self._with_mesh, shardings[target].shardings)
        call.attributes = with_frontend({}, {name: TensorShardingPerValueAttr(written), MANUAL_AXES: op.manual_axes})
        rewriter.insert(call, InsertPoint.before(op))
        return list(call.results)

    def _with_mesh(self, sharding: TensorShardingAttr) -> TensorShardingAttr:
        """`sharding`, with its mesh instead of the name of one that is among `meshes`."""
        mesh = None if sharding.mesh_name is None else self.meshes.get(sharding.mesh_name)
        return sharding if mesh is None else with_mesh(sharding, mesh)


@dataclass(frozen=True)
class RoundTripShardMapExportPass(PatternPass):
    """
    Replace manual computations by calls of functions with their bodies, which come last in the module.

    The names of the functions say what they are; their calls are marked as not to be inlined. With
    `enable_hlo_sharding_v3`, shardings have their meshes in them, as the notation of HLO has then.
    """

    name = "xla-sdy-round-trip-shard-map-export"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-shard-map-export"
    enable_hlo_sharding_v3: bool = False

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        meshes = meshes_of(module) if self.enable_hlo_sharding_v3 else {}
        yield Step((OutlineManualComputation(names_of_bodies(module), module, meshes),), INNER_FIRST)
