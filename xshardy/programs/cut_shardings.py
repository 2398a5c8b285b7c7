"""
The shardings of arguments and results of a program, which are cut after propagation: their parts are equal.

Source: `sdy-update-non-divisible-input-output-shardings`, `sdy-remove-sub-axes-in-input-output-shardings`.
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.sdy.sharding_text import axes_text
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.dialects.shapes import shape_of
from xshardy.transforms.sdy_export.remove_sub_axes_in_input_output_shardings import without_sub_axes
from xshardy.transforms.sdy_export.update_non_divisible_input_output_shardings import evenly_sharded_on
from xshardy.transforms.sdy_propagation.numbering import FunctionResult, Home
from xshardy.transforms.sdy_propagation.propagation_history import History


def _in_signature(home: Home) -> tuple[FuncOp, Attribute] | None:
    """The function that has `home` among its arguments and results, and its type; None if it is neither."""
    if isinstance(home, FunctionResult):
        return home.function, home.function.function_type.outputs.data[home.index]
    around = home.owner.parent_op() if isinstance(home, BlockArgument) else None
    return (around, home.type) if isinstance(around, FuncOp) else None


def cut_sharding(history: History, number: int) -> TensorShardingAttr | None:
    """The sharding that value `number` has where the program runs: that of propagation, cut if it is in a signature."""
    sharding, signature = history.sharding(number), _in_signature(history.home(number))
    if sharding is None or signature is None:
        return sharding
    function, type = signature
    return without_sub_axes(evenly_sharded_on(sharding, type, function), type)


def why_cut(history: History, number: int, dim: int) -> str | None:
    """
    `8 devices do not divide dimension 0 of 17 elements`: why `cut_sharding` has fewer axes there; None if it has all.
    """
    sharding, cut = history.sharding(number), cut_sharding(history, number)
    signature = _in_signature(history.home(number))
    if sharding is None or cut is None or signature is None or (mesh := lookup_mesh(sharding, signature[0])) is None:
        return None
    axes, extent = sharding.dim_shardings.data[dim].axes, shape_of(signature[1])[dim]
    if axes == cut.dim_shardings.data[dim].axes:
        return None
    if extent % (devices := sharded_size(axes, mesh)):
        return f"{devices} devices do not divide dimension {dim} of {extent} elements"
    return f"the program takes and returns no tensors that {axes_text(axes)} divides"
