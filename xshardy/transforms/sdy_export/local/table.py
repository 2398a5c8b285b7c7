"""How each operation becomes local, by its class."""

from collections.abc import Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy import collectives as sdy_collectives
from xshardy.dialects.sdy import ops as sdy
from xshardy.transforms.sdy_export.local import (
    collectives,
    constants,
    contractions,
    gathers,
    regions,
    scatters,
    slices,
    windows,
)
from xshardy.transforms.sdy_export.local.before import LocalForm, types_only

LOCAL_FORMS: Mapping[type[Operation], LocalForm] = {
    sdy_collectives.AllGatherOp: collectives.all_gather,
    sdy_collectives.AllReduceOp: collectives.all_reduce,
    sdy_collectives.AllSliceOp: collectives.all_slice,
    sdy_collectives.AllToAllOp: collectives.all_to_all,
    sdy_collectives.CollectivePermuteOp: collectives.collective_permute,
    sdy_collectives.ReduceScatterOp: collectives.reduce_scatter,
    sdy.ConstantOp: constants.constant,
    sdy.ManualComputationOp: regions.manual_computation,
    stablehlo.ConcatenateOp: slices.concatenate,
    stablehlo.ConvolutionOp: contractions.convolution,
    stablehlo.DotGeneralOp: contractions.dot_general,
    stablehlo.DotOp: contractions.dot,
    stablehlo.DynamicSliceOp: slices.dynamic_slice,
    stablehlo.GatherOp: gathers.gather,
    stablehlo.IotaOp: constants.iota,
    stablehlo.PadOp: slices.pad,
    stablehlo.ReduceWindowOp: windows.windowed,
    stablehlo.ScatterOp: scatters.scatter,
    stablehlo.SelectAndScatterOp: windows.windowed,
    stablehlo.SliceOp: slices.slice_,
}
"""What has more to it than the types of its values."""

JUST_TYPES = frozenset[type[Operation]]({func.CallOp, func.ReturnOp, sdy.NamedComputationOp, sdy.ReturnOp})
"""Operations outside of StableHLO that do to parts what they do to whole tensors."""


def local_form_of(op: Operation) -> LocalForm | None:
    """How `op` becomes local; None if it cannot. What no dialect knows is taken to do the same to each part."""
    kind = type(op)
    if kind in LOCAL_FORMS:
        return LOCAL_FORMS[kind]
    is_alike = op.name.startswith("stablehlo.") or kind in JUST_TYPES or isinstance(op, UnregisteredOp)
    return types_only if is_alike else None
