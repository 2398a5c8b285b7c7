"""Convolutions of sharded tensors run on the simulated mesh and equal the whole, or are refused with the reason."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_convert_global_to_local import (
    Argument,
    attempt,
    attribute,
    check,
    counted,
    meshes,
    module_of,
    of_result,
    shardings,
    text,
)

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.axis_refs import merged, sharded_size
from xshardy.dialects.sdy.collectives import sorted_and_merged
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException, OperationWarning
from xshardy.transforms.sdy_partition.local.convert_global_to_local import ConvertGlobalToLocalPass
from xshardy.universe import new_context

X, Y = AxisRefAttr("x"), AxisRefAttr("y")
MESH = MeshAttr.of([("x", 2), ("y", 2)])
ONE_GROUP = "batch_group_count = 1 : i64, feature_group_count = 1 : i64"


def convolution(
    window: str, groups: str, lhs: str, rhs: str, out: str
) -> Callable[[Sequence[str], str, str, str], str]:
    """A convolution of one spatial dimension; from the attributes of arguments and results, and what follows it."""

    def program(arguments: Sequence[str], result: str, own: str, then: str) -> str:
        return f"""
            func.func @main(%x: tensor<{lhs}> {arguments[0]}, %k: tensor<{rhs}> {arguments[1]})
                -> (tensor<{out}> {result}) {{
              %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{{window}}}
                {{{groups}{own}}} : (tensor<{lhs}>, tensor<{rhs}>) -> tensor<{out}>
              {then}
              return {"%1" if then else "%0"} : tensor<{out}>
            }}"""

    return program


@given(st.data(), meshes)
def test_convolutions_are_right_or_refused(data: st.DataObject, mesh: MeshAttr):
    """Sharded batches, features, groups, windows and kernels; sums over sharded dimensions are completed."""
    size = data.draw(st.sampled_from([1, 2, 4, 8]))
    stride = data.draw(st.sampled_from([1, 2, 4, size]))
    pad = data.draw(st.sampled_from([0, 0, 0, 1]))
    batch_groups, feature_groups = data.draw(st.sampled_from([(1, 1), (1, 1), (4, 1), (1, 4)]))
    reverse = data.draw(st.sampled_from(["", "", ", reverse = [true]"]))
    windows = (8 + 2 * pad - size) // stride + 1
    lhs, rhs, out = [4, 8, 8], [size, 8 // feature_groups, 8], [4 // batch_groups, windows, 8]
    wanted: list[list[list[AxisRefAttr]]]
    if data.draw(st.booleans()):  # a sharding that fits together
        batch, spatial, feature, summed, group, kernel = data.draw(shardings(mesh, 6, most=2))
        has_batch_groups, has_feature_groups = batch_groups > 1, feature_groups > 1
        of_batch = [*(group if has_batch_groups else []), *batch]
        of_feature = [*(group if has_feature_groups else []), *summed]
        outputs = [*(group if has_batch_groups or has_feature_groups else []), *feature]
        wanted = [
            [of_batch, [*spatial, *kernel], of_feature],
            [kernel, summed, outputs],
            [batch, spatial, outputs],
        ]
        wanted = [[[*merged(axes, mesh)] for axes in each] for each in wanted]
    else:
        wanted = [data.draw(shardings(mesh, 3, most=1)) for _ in range(3)]
    divided = (
        (extent, axes)
        for shape, each in zip((lhs, rhs, out), wanted, strict=True)
        for extent, axes in zip(shape, each, strict=True)
    )
    if any(extent % sharded_size(axes, mesh) for extent, axes in divided):
        return
    of_x, of_k, of_out = wanted
    reduced = sorted_and_merged([*of_k[0], *of_k[1]], mesh)
    listed = ", ".join(axis.text for axis in reduced)
    shapes = ["x".join(map(str, shape)) + "xi32" for shape in (lhs, rhs, out)]
    program = convolution(
        f"stride = [{stride}], pad = [[{pad}, {pad}]]{reverse}",
        f"batch_group_count = {batch_groups} : i64, feature_group_count = {feature_groups} : i64",
        *shapes,
    )
    then = f"%1 = sdy.all_reduce {{{listed}}} %0 out_sharding={text(of_out)} : tensor<{shapes[2]}>" if reduced else ""
    own = f", {of_result(of_out).removeprefix('{').removesuffix('}')}"
    module = module_of(mesh, program([attribute(of_x), attribute(of_k)], attribute(of_out), own, then))
    whole = parse_module(program(["", ""], "", "", ""))
    if of_k[0] and not of_x[1]:
        return  # as upstream, with a warning: see below
    if attempt(module):
        arguments: list[Argument] = [(counted(*lhs), of_x), (counted(*rhs) - 20, of_k)]
        check(module, whole, mesh, arguments, of_out)


def test_a_kernel_that_alone_is_sharded_is_warned_of():
    """Upstream's tests fix what is computed where the windows are apart; anything else is refused."""
    program = convolution(
        "stride = [2]",
        ONE_GROUP,
        "1x8x1xf32",
        "2x1x1xf32",
        "1x4x1xf32",
    )
    then = 'sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}, {}]> : tensor<1x4x1xf32>'
    module = module_of(MESH, program(["", attribute([[X], [], []])], "", "", f"%1 = {then}"))
    with pytest.warns(OperationWarning, match="not what the whole convolution computes"):
        ConvertGlobalToLocalPass().apply(new_context(), module)


def with_sharded_kernel(
    window: str, size: int, windows: int, axes: Sequence[AxisRefAttr]
) -> tuple[str, str, list[list[AxisRefAttr]]]:
    """
    A convolution of 8 elements, in parts along `axes`, with a kernel of `size` elements, in parts along "x"; the same
    without shardings; and the axes of the result, whose windows are in parts along those of `axes` that are not "x".
    """
    shapes = "1x8x1xi32", f"{size}x1x1xi32", f"1x{windows}x1xi32"
    program = convolution(window, ONE_GROUP, *shapes)
    of_out = [[], [axis for axis in axes if axis != X], []]
    then = f'%1 = sdy.all_reduce {{"x"}} %0 out_sharding={text(of_out)} : tensor<{shapes[2]}>'
    arguments = [attribute([[], axes, []]), attribute([[X], [], []])]
    own = f", {of_result(of_out).removeprefix('{').removesuffix('}')}"
    return program(arguments, attribute(of_out), own, then), program(["", ""], "", "", ""), of_out


@pytest.mark.parametrize(("window", "size", "windows", "axes"), [("stride = [4]", 4, 2, [Y, X]), ("", 8, 1, [X])])
def test_a_device_may_have_a_part_of_the_only_window_of_its_part(
    window: str, size: int, windows: int, axes: Sequence[AxisRefAttr]
):
    sharded, whole, of_out = with_sharded_kernel(window, size, windows, axes)
    arguments: list[Argument] = [(counted(1, 8, 1), [[], axes, []]), (counted(size, 1, 1) - 2, [[X], [], []])]
    check(module_of(MESH, sharded), parse_module(whole), MESH, arguments, of_out)


@pytest.mark.parametrize(
    ("window", "size", "windows", "axes"),
    [
        ("stride = [6]", 6, 1, [X]),  # two elements behind the only window
        ("stride = [2]", 2, 4, [Y, X]),  # two windows in each part
        ("stride = [4]", 4, 2, [X, Y]),  # the parts of the kernel are not next to each other
        ("stride = [3]", 4, 2, [Y, X]),  # windows overlap
        ("stride = [4], reverse = [true]", 4, 2, [Y, X]),
        ("", 2, 7, []),  # windows overlap
        ("stride = [2], rhs_dilate = [2]", 2, 3, []),
        ("stride = [2], lhs_dilate = [2]", 2, 7, []),
        ("stride = [2], pad = [[2, 0]]", 2, 5, []),
        ("stride = [2], pad = [[0, 2]]", 2, 5, []),
        ("stride = [2], reverse = [true]", 2, 4, []),
    ],
)
def test_parts_of_a_kernel_that_do_not_meet_their_elements_are_refused(
    window: str, size: int, windows: int, axes: Sequence[AxisRefAttr]
):
    sharded, _, _ = with_sharded_kernel(window, size, windows, axes)
    with pytest.raises(OperationFailedException, match="the parts of its kernel do not meet those of its windows"):
        ConvertGlobalToLocalPass().apply(new_context(), module_of(MESH, sharded))
