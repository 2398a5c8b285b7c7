"""Convolutions: batches, features and groups are divided; windows and kernels only where they stay in parts."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, i64

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.axis_refs import contains, sharded_size
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.sharding.devices import split_axes
from xshardy.transforms.failures import OperationFailedException, warn
from xshardy.transforms.sdy_partition.local.contractions import require_reduction
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.slices import axes_text
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors, refuse
from xshardy.transforms.sdy_partition.local.windows import require_parts


@dataclass(frozen=True, slots=True)
class _Parts:
    """The tensors of a convolution, with axes cut where another one of them begins or ends."""

    op: stablehlo.ConvolutionOp
    input: WholeTensor
    kernel: WholeTensor
    output: WholeTensor
    mesh: MeshAttr
    atoms: Sequence[AxisRefAttr]

    @staticmethod
    def of(op: stablehlo.ConvolutionOp, before: WholeTensors) -> "_Parts":
        """Raises `OperationFailedException` for parts of different meshes."""
        (input, kernel), (output,) = before.operands, before.results
        if any(not tensor.is_replicated and tensor.mesh != before.mesh for tensor in (input, kernel, output)):
            raise refuse(op, "operands and results are sharded over different meshes: reshard them to one")
        axes = [
            axis for tensor in (input, kernel, output) for dim in range(len(tensor.shape)) for axis in tensor.axes(dim)
        ]
        return _Parts(op, input, kernel, output, before.mesh, split_axes(axes, before.mesh))

    def axes(self, tensor: WholeTensor, dim: int) -> AxisRefs:
        """The axes of `dim` in `tensor`, cut."""
        return tuple(atom for axis in tensor.axes(dim) for atom in self.atoms if contains(axis, atom))

    def groups(self, count: int, divided: AxisRefs, rest: AxisRefs, outputs: AxisRefs, what: str) -> int:
        """
        How many of `count` groups a device has.

        A dimension of the input is divided along the axes `divided`: first its groups, then the rest along `rest`. The
        output features are divided along `outputs`: first their groups, then the features of each.
        Raises `OperationFailedException` if a device has other groups of one than of the other, or a part of a group.
        """
        of_groups = divided[: len(divided) - len(rest)]
        parts = sharded_size(of_groups, self.mesh)
        is_whole = parts == count
        fits = (
            (*of_groups, *rest) == divided
            and count % parts == 0
            and outputs[: len(of_groups)] == of_groups
            and (is_whole or not rest)
            and (is_whole or outputs == of_groups)
        )
        if not fits:
            raise refuse(
                self.op,
                f"{what} of the input are sharded along {axes_text(divided)}, which does not fit to the other tensors "
                f"and its {count} groups. This requires a reshard which should have been handled by previous passes.",
            )
        return count // parts


def _refuse_spatial(parts: _Parts, index: int, reason: str) -> OperationFailedException:
    return refuse(
        parts.op,
        f"spatial dimension {index} is sharded and {reason}: reshard the operands so that the dimension is not sharded",
    )


def _check_spatial(parts: _Parts, index: int, window: WindowDimension, dims: tuple[int, int, int]) -> None:
    """
    Check the spatial dimension number `index`, which is one of each of the `dims` of input, kernel and output.

    Raises `OperationFailedException` if a device has another part of the input than its windows or its kernel need.
    """
    of_input, of_kernel, of_output = (
        parts.axes(tensor, dim) for tensor, dim in zip((parts.input, parts.kernel, parts.output), dims, strict=True)
    )
    if not of_kernel:
        if of_input != of_output:
            raise _refuse_spatial(parts, index, "its parts in the input are not those in the output")
        if of_input:
            require_parts(parts.op, dims[0], window, parts.input)
        return
    size, windows = parts.input.shape[dims[0]], parts.output.shape[dims[2]]
    is_reversed = parts.op.window_reversal is not None and parts.op.window_reversal.get_values()[index]
    is_plain = not (is_reversed or window.low or window.high or window.base_dilation > 1 or window.window_dilation > 1)
    is_apart = window.stride == window.size or windows == 1
    if is_plain and is_apart and not of_input and not of_output:
        warn(
            parts.op,
            f"spatial dimension {index} of the kernel is sharded and that of the input is not: as upstream, each "
            "device takes the first elements of each window, which is not what the whole convolution computes",
        )
        return
    has_one_window = parts.output.local.get_shape()[dims[2]] == 1 and size == windows * window.size
    if not (is_plain and is_apart and has_one_window and of_input == (*of_output, *of_kernel)):
        raise _refuse_spatial(parts, index, "the parts of its kernel do not meet those of its windows")


def local_groups(op: stablehlo.ConvolutionOp, before: WholeTensors) -> tuple[int, int]:
    """
    The numbers of groups of features and of batches that a device has.

    Raises `OperationFailedException` if features, batches or groups are on other devices than those that need them, or
    if nothing reduces what devices contract.
    """
    numbers, parts = op.dimension_numbers, _Parts.of(op, before)
    summed = numbers.kernel_input_feature_dimension.data, *numbers.kernel_spatial_dimensions.get_values()
    if axes := [axis for dim in summed for axis in parts.kernel.axes(dim)]:
        require_reduction(op, axes, before, "contracting convolution")
    outputs = parts.axes(parts.kernel, numbers.kernel_output_feature_dimension.data)
    if outputs != parts.axes(parts.output, numbers.output_feature_dimension.data):
        raise refuse(
            op,
            "output features are sharded differently in the kernel and the output. This requires a reshard which "
            "should have been handled by previous passes.",
        )
    features = parts.groups(
        op.feature_group_count.value.data,
        parts.axes(parts.input, numbers.input_feature_dimension.data),
        parts.axes(parts.kernel, numbers.kernel_input_feature_dimension.data),
        outputs,
        "features",
    )
    batches = parts.groups(
        op.batch_group_count.value.data,
        parts.axes(parts.input, numbers.input_batch_dimension.data),
        parts.axes(parts.output, numbers.output_batch_dimension.data),
        outputs,
        "batches",
    )
    return features, batches


class ConvolutionOfParts(LocalPattern[stablehlo.ConvolutionOp, tuple[int, int]]):
    """
    `convolution, groups = 8` -> `convolution, groups = 4`: with the groups that are in the parts.

    Requires: batches, features and groups on the devices that need them; a reduction behind sharded dimensions that are
    contracted; windows that stay in their parts.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: stablehlo.ConvolutionOp, before: WholeTensors) -> tuple[int, int] | None:
        """The numbers of groups of features and of batches."""
        if before.is_replicated:
            return None
        parts = _Parts.of(op, before)
        spatial = zip(*(dims[2:] for dims in op.dimension_numbers.roles), strict=True)
        for index, (window, (of_input, of_kernel, of_output)) in enumerate(zip(op.window(), spatial, strict=True)):
            _check_spatial(parts, index, window, (of_input, of_kernel, of_output))
        return local_groups(op, before)

    def rewrite(self, op: stablehlo.ConvolutionOp, decision: tuple[int, int], code: DeviceCode) -> None:
        features, batches = decision
        groups = {"feature_group_count": IntegerAttr(features, i64), "batch_group_count": IntegerAttr(batches, i64)}
        local = stablehlo.ConvolutionOp.create(
            operands=op.operands, result_types=op.result_types, properties={**op.properties, **groups}
        )
        code.rewriter.replace(op, local)
