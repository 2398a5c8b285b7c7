"""Operations without a rule: they propagate nothing, or in another way."""

from collections.abc import Mapping

from xdsl.ir import Operation

from xshardy.dialects.sdy.ops import (
    ConstantOp,
    DataFlowEdgeOp,
    FuncDataFlowEdgeOp,
    MeshOp,
    PropagationBarrierOp,
    ReshardOp,
    ShardingGroupOp,
)
from xshardy.dialects.stablehlo import control_flow, host_communication, nullary
from xshardy.dialects.stablehlo.collectives import PartitionIdOp
from xshardy.dialects.stablehlo.tuples import GetTupleElementOp
from xshardy.sharding.rules.builder import Row

WITHOUT_RULE: tuple[type[Operation], ...] = (
    *(ConstantOp, DataFlowEdgeOp, FuncDataFlowEdgeOp, MeshOp, PropagationBarrierOp, ReshardOp, ShardingGroupOp),
    *(control_flow.AfterAllOp, control_flow.CaseOp, control_flow.OptimizationBarrierOp, control_flow.WhileOp),
    *(host_communication.CreateTokenOp, host_communication.InfeedOp, host_communication.OutfeedOp),
    *(host_communication.RecvOp, host_communication.SendOp),
    *(nullary.ConstantOp, nullary.IotaOp, PartitionIdOp, GetTupleElementOp),
)

RULES: Mapping[type[Operation], Row | None] = dict.fromkeys(WITHOUT_RULE)
