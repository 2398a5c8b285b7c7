"""The program of each device, executed on all of them, computes the parts of the results of the whole program."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.axis_refs import contains, merged
from xshardy.dialects.sdy.collectives import sorted_and_merged
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array
from xshardy.sharding.devices import device_groups, shard_indices
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_export.drop_sharding_and_mesh import DropShardingAndMeshPass
from xshardy.transforms.sdy_export.reshard_to_collectives import ReshardToCollectivesPass
from xshardy.transforms.sdy_partition.local.convert_global_to_local import ConvertGlobalToLocalPass
from xshardy.universe import new_context

Axes = Sequence[AxisRefAttr]
Argument = tuple[Array, Sequence[Axes]]
"""A whole tensor, and the axes of each dimension."""

MESHES = (
    MeshAttr.of([("x", 4)]),
    MeshAttr.of([("x", 2), ("y", 2)]),
    MeshAttr.of([("x", 2), ("y", 4)]),
    MeshAttr.of([("x", 4), ("y", 2)], [3, 1, 0, 2, 7, 5, 6, 4]),
)
IDENTITY = "func.func @main(%x: tensor<8x8x8xi32>) -> tensor<8x8x8xi32> { return %x : tensor<8x8x8xi32> }"


def atoms(mesh: MeshAttr) -> list[AxisRefAttr]:
    """Axes of two devices each, which every other axis of `mesh` is made of."""
    return [
        AxisRefAttr(name) if extent == 2 else AxisRefAttr.part(name, 1 << bit, 2)
        for name, extent in mesh.sizes.items()
        for bit in range(extent.bit_length() - 1)
    ]


@st.composite
def shardings(draw: st.DrawFn, mesh: MeshAttr, rank: int, most: int = 3) -> list[list[AxisRefAttr]]:
    """The axes of each of `rank` dimensions, which are in at most 2 ** `most` parts together."""
    order = draw(st.permutations(atoms(mesh)))[:most]
    places = [draw(st.integers(0, rank)) for _ in order]
    return [[*merged((a for a, at in zip(order, places, strict=True) if at == dim), mesh)] for dim in range(rank)]


def text(axes: Sequence[Axes]) -> str:
    """`<@mesh, [{"x"}, {}]>`"""
    return "<@mesh, [" + ", ".join("{" + ", ".join(a.text for a in of_dim) + "}" for of_dim in axes) + "]>"


def attribute(axes: Sequence[Axes]) -> str:
    return f"{{sdy.sharding = #sdy.sharding<@mesh, {text(axes).removeprefix('<@mesh, ')}}}"


def of_result(axes: Sequence[Axes]) -> str:
    return f"{{sdy.sharding = #sdy.sharding_per_value<[{text(axes)}]>}}"


def module_of(mesh: MeshAttr, body: str) -> ModuleOp:
    sizes = ", ".join(f'"{name}"={extent}' for name, extent in mesh.sizes.items())
    ids = ", ".join(str(device.data) for device in mesh.device_ids)
    return parse_module(f"sdy.mesh @mesh = <[{sizes}]{f', device_ids=[{ids}]' if ids else ''}>\n{body}")


def parts(whole: Array, axes: Sequence[Axes], mesh: MeshAttr) -> list[Array]:
    """What each device has of `whole`."""
    result = [whole] * mesh.device_count
    for dim, of_dim in enumerate(axes):
        indices = shard_indices(of_dim, mesh)
        count = max(indices) + 1
        result = [np.split(part, count, dim)[index] for part, index in zip(result, indices, strict=True)]
    return result


def converted(module: ModuleOp, **options: bool) -> ModuleOp:
    local = module.clone()
    ConvertGlobalToLocalPass(**options).apply(new_context(), local)
    verify(local)
    DropShardingAndMeshPass().apply(new_context(), local)
    return local


def check(
    module: ModuleOp,
    whole: ModuleOp,
    mesh: MeshAttr,
    arguments: Sequence[Argument],
    result: Sequence[Axes],
    **options: bool,
) -> None:
    """The local form of `module` gives each device its part of what `whole` gives."""
    (expected,) = evaluate(whole, [array for array, _ in arguments])
    per_argument = [parts(array, axes, mesh) for array, axes in arguments]
    given = [[parts[device] for parts in per_argument] for device in range(mesh.device_count)]
    found = evaluate_spmd(converted(module, **options), given)
    for (part,), wanted in zip(found, parts(expected, result, mesh), strict=True):
        np.testing.assert_array_equal(part, wanted)


def counted(*shape: int) -> Array:
    """An array without two equal elements."""
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)


meshes = st.sampled_from(MESHES)


@given(st.data(), meshes)
def test_groups_differ_along_their_axes_only(data: st.DataObject, mesh: MeshAttr):
    (axes,) = data.draw(shardings(mesh, 1, most=2))
    groups = device_groups(axes, mesh)
    indices = shard_indices(axes, mesh)
    assert sorted(device for group in groups for device in group) == [*range(mesh.device_count)]
    assert all([indices[device] for device in group] == [*range(len(group))] for group in groups)
    others = [atom for atom in atoms(mesh) if not any(contains(axis, atom) for axis in axes)]
    elsewhere = shard_indices(others, mesh)
    assert all(len({elsewhere[device] for device in group}) == 1 for group in groups)


@given(st.data(), meshes, st.booleans())
def test_moving_a_tensor(data: st.DataObject, mesh: MeshAttr, per_dim: bool):
    """Whatever collectives a reshard takes, the tensor arrives: gathers, slices, exchanges and permutations."""
    before, after = data.draw(shardings(mesh, 3)), data.draw(shardings(mesh, 3))
    program = f"""
        func.func @main(%x: tensor<8x8x8xi32> {attribute(before)}) -> (tensor<8x8x8xi32> {attribute(after)}) {{
          %0 = sdy.reshard %x {text(after)} : tensor<8x8x8xi32>
          return %0 : tensor<8x8x8xi32>
        }}"""
    module = module_of(mesh, program)
    ReshardToCollectivesPass().apply(new_context(), module)
    assert not any(op.name == "sdy.reshard" for op in module.walk())
    check(module, parse_module(IDENTITY), mesh, [(counted(8, 8, 8), before)], after, per_dim_all_gather=per_dim)


@given(st.data(), meshes, st.booleans(), st.booleans())
def test_sums_over_sharded_dimensions(data: st.DataObject, mesh: MeshAttr, scatters: bool, combine: bool):
    """A dot product is completed by an all-reduce, or by a reduce-scatter over one dimension or two."""
    rows, columns, summed = data.draw(shardings(mesh, 3))
    if not summed:
        return
    operands = [rows, summed], [summed, columns]
    if scatters:
        parts_of_summed = [atom for atom in atoms(mesh) if any(contains(axis, atom) for axis in summed)]
        of_rows = [atom for atom in parts_of_summed if data.draw(st.booleans())]
        of_columns = [atom for atom in parts_of_summed if atom not in of_rows]
        lists = ", ".join("{" + ", ".join(a.text for a in merged(axes, mesh)) + "}" for axes in (of_rows, of_columns))
        result = [[*merged([*rows, *of_rows], mesh)], [*merged([*columns, *of_columns], mesh)]]
        combined = f"sdy.reduce_scatter [{lists}] %0"
    else:
        result = [rows, columns]
        ordered = ", ".join(a.text for a in sorted_and_merged(summed, mesh))
        combined = f"sdy.all_reduce {{{ordered}}} %0"
    body = "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]"
    types = "(tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>"
    program = f"""
        func.func @main(%a: tensor<8x8xi32> {attribute(operands[0])}, %b: tensor<8x8xi32> {attribute(operands[1])})
            -> (tensor<8x8xi32> {attribute(result)}) {{
          %0 = {body} {of_result([rows, columns])} : {types}
          %1 = {combined} out_sharding={text(result)} : tensor<8x8xi32>
          return %1 : tensor<8x8xi32>
        }}"""
    whole = f"""
        func.func @main(%a: tensor<8x8xi32>, %b: tensor<8x8xi32>) -> tensor<8x8xi32> {{
          %0 = {body} : {types}
          return %0 : tensor<8x8xi32>
        }}"""
    arguments: list[Argument] = [(counted(8, 8), axes) for axes in operands]
    module = module_of(mesh, program)
    check(module, parse_module(whole), mesh, arguments, result, combine_multi_dimension_reduce_scatter=combine)


@given(st.data(), meshes, st.integers(0, 1))
def test_constants_and_iotas(data: st.DataObject, mesh: MeshAttr, dim: int):
    axes = data.draw(shardings(mesh, 2))
    values = counted(8, 8).tolist()
    program = f"""
        func.func @main() -> (tensor<8x8xi32> {attribute(axes)}) {{
          %0 = sdy.constant {of_result(axes)} dense<{values}> : tensor<8x8xi32>
          %1 = sdy.constant {of_result(axes)} dense<7> : tensor<8x8xi32>
          %2 = stablehlo.iota dim = {dim} {of_result(axes)} : tensor<8x8xi32>
          %3 = stablehlo.multiply %0, %1 {of_result(axes)} : tensor<8x8xi32>
          %4 = stablehlo.add %3, %2 {of_result(axes)} : tensor<8x8xi32>
          return %4 : tensor<8x8xi32>
        }}"""
    expected = counted(8, 8) * 7 + (np.arange(8) if dim else np.arange(8)[:, None])
    found = evaluate_spmd(converted(module_of(mesh, program)), [()] * mesh.device_count)
    for (part,), wanted in zip(found, parts(expected, axes, mesh), strict=True):
        np.testing.assert_array_equal(part, wanted)


@given(st.data(), meshes, st.sampled_from(["i32", "i64", "ui32"]))
def test_gathers_from_sharded_rows(data: st.DataObject, mesh: MeshAttr, index: str):
    """Rows and single elements, by indices that may be out of bounds."""
    rows, columns = data.draw(shardings(mesh, 2))
    indices = data.draw(st.lists(st.integers(0 if index == "ui32" else -3, 20), min_size=6, max_size=6))
    operand = [rows, columns]
    reduced = sorted_and_merged(rows, mesh)
    gather = """#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
        index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>"""
    types = f"(tensor<8x8xi32>, tensor<6x{index}>) -> tensor<6x8xi32>"
    op = f'"stablehlo.gather"(%x, %i) <{{dimension_numbers = {gather}, indices_are_sorted = false}}>'
    after = [[], columns]
    reduce = f"sdy.all_reduce {{{', '.join(a.text for a in reduced)}}} %0 out_sharding={text(after)} : tensor<6x8xi32>"
    program = f"""
        func.func @main(%x: tensor<8x8xi32> {attribute(operand)}, %i: tensor<6x{index}>)
            -> (tensor<6x8xi32> {attribute(after)}) {{
          %0 = {op} {of_result(after)} : {types}
          {f"%1 = {reduce}" if reduced else ""}
          return {"%1" if reduced else "%0"} : tensor<6x8xi32>
        }}"""
    whole = f"""
        func.func @main(%x: tensor<8x8xi32>, %i: tensor<6x{index}>) -> tensor<6x8xi32> {{
          %0 = {op} : {types}
          return %0 : tensor<6x8xi32>
        }}"""
    kind = {"i32": np.int32, "i64": np.int64, "ui32": np.uint32}[index]
    arguments: list[Argument] = [(counted(8, 8), operand), (np.array(indices, kind), [[]])]
    check(module_of(mesh, program), parse_module(whole), mesh, arguments, after)


@given(st.data(), meshes, st.sampled_from(["add", "maximum", "minimum"]))
def test_scatters_into_sharded_rows(data: st.DataObject, mesh: MeshAttr, combiner: str):
    """The operand is sharded, the updates are, or both; updates out of bounds are ignored."""
    rows, columns, updates = data.draw(shardings(mesh, 3))
    indices = data.draw(st.lists(st.integers(-3, 10), min_size=8, max_size=8))
    operand, of_updates = [rows, columns], [updates, columns]
    numbers = """#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"""
    region = f"""({{
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = stablehlo.{combiner} %a, %b : tensor<i32>
        stablehlo.return %c : tensor<i32>
    }})"""
    op = f'"stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = {numbers}}}> {region}'
    types = "(tensor<8x8xi32>, tensor<8x1xi64>, tensor<8x8xi32>) -> tensor<8x8xi32>"
    kind = {"add": "", "maximum": "max ", "minimum": "min "}[combiner]
    listed = ", ".join(a.text for a in sorted_and_merged(updates, mesh))
    reduce = f"sdy.all_reduce {kind}{{{listed}}} %0 out_sharding={text(operand)} : tensor<8x8xi32>"
    program = f"""
        func.func @main(%x: tensor<8x8xi32> {attribute(operand)}, %i: tensor<8x1xi64> {attribute([updates, []])},
            %u: tensor<8x8xi32> {attribute(of_updates)}) -> (tensor<8x8xi32> {attribute(operand)}) {{
          %0 = {op} {of_result(operand)} : {types}
          {f"%1 = {reduce}" if updates else ""}
          return {"%1" if updates else "%0"} : tensor<8x8xi32>
        }}"""
    whole = f"""
        func.func @main(%x: tensor<8x8xi32>, %i: tensor<8x1xi64>, %u: tensor<8x8xi32>) -> tensor<8x8xi32> {{
          %0 = {op} : {types}
          return %0 : tensor<8x8xi32>
        }}"""
    arguments: list[Argument] = [
        (counted(8, 8) - 20, operand),
        (np.array(indices, np.int64)[:, None], [updates, []]),
        (counted(8, 8) * 3 - 90, of_updates),
    ]
    check(module_of(mesh, program), parse_module(whole), mesh, arguments, operand)


def attempt(module: ModuleOp) -> bool:
    """Whether `module` can be made local; one that cannot is left as it was."""
    before = str(module)
    try:
        ConvertGlobalToLocalPass().apply(new_context(), module.clone())
    except OperationFailedException:
        with pytest.raises(OperationFailedException):
            ConvertGlobalToLocalPass().apply(new_context(), module)
        assert str(module) == before
        return False
    return True


@given(st.data(), meshes, st.integers(-2, 8), st.integers(-2, 8), st.integers(0, 2))
def test_pads_are_right_or_refused(data: st.DataObject, mesh: MeshAttr, low: int, high: int, interior: int):
    axes = data.draw(shardings(mesh, 2, most=2))
    size = 8 + low + high + 7 * interior
    module, whole = (
        module_of(
            mesh,
            f"""
            func.func @main(%x: tensor<8x8xi32> {given}, %p: tensor<i32>) -> (tensor<{size}x9xi32> {given}) {{
              %0 = stablehlo.pad %x, %p, low = [{low}, 0], high = [{high}, 1], interior = [{interior}, 0] {result}
                : (tensor<8x8xi32>, tensor<i32>) -> tensor<{size}x9xi32>
              return %0 : tensor<{size}x9xi32>
            }}""",
        )
        for given, result in ((attribute([axes[0], []]), of_result([axes[0], []])), ("", ""))
    )
    if attempt(module):
        of_x = [axes[0], []]
        check(module, whole, mesh, [(counted(8, 8), of_x), (np.int32(-1) + np.zeros((), np.int32), [])], of_x)


@given(st.data(), meshes, st.integers(0, 3), st.integers(5, 8), st.integers(1, 3))
def test_slices_are_right_or_refused(data: st.DataObject, mesh: MeshAttr, start: int, limit: int, stride: int):
    axes = data.draw(shardings(mesh, 1, most=2))
    size = -(-(limit - start) // stride)
    module, whole = (
        module_of(
            mesh,
            f"""
            func.func @main(%x: tensor<8xi32> {given}) -> (tensor<{size}xi32> {given}) {{
              %0 = stablehlo.slice %x [{start}:{limit}:{stride}] {result} : (tensor<8xi32>) -> tensor<{size}xi32>
              return %0 : tensor<{size}xi32>
            }}""",
        )
        for given, result in ((attribute(axes), of_result(axes)), ("", ""))
    )
    if attempt(module):
        check(module, whole, mesh, [(counted(8), axes)], axes)


@given(st.data(), meshes, st.integers(1, 4), st.integers(1, 4), st.integers(1, 2), st.integers(1, 2))
def test_windows_are_right_or_refused(
    data: st.DataObject, mesh: MeshAttr, size: int, stride: int, base_dilation: int, dilation: int
):
    axes = data.draw(shardings(mesh, 1, most=2))
    reach, length = (size - 1) * dilation + 1, 7 * base_dilation + 1
    if reach > length:
        return
    count = (length - reach) // stride + 1
    module, whole = (
        module_of(
            mesh,
            f"""
            func.func @main(%x: tensor<8xi32> {given}, %z: tensor<i32>) -> (tensor<{count}xi32> {given}) {{
              %0 = "stablehlo.reduce_window"(%x, %z) <{{
                window_dimensions = array<i64: {size}>, window_strides = array<i64: {stride}>,
                base_dilations = array<i64: {base_dilation}>, window_dilations = array<i64: {dilation}>}}> ({{
              ^bb0(%a: tensor<i32>, %b: tensor<i32>):
                %c = stablehlo.add %a, %b : tensor<i32>
                stablehlo.return %c : tensor<i32>
              }}) {result} : (tensor<8xi32>, tensor<i32>) -> tensor<{count}xi32>
              return %0 : tensor<{count}xi32>
            }}""",
        )
        for given, result in ((attribute(axes), of_result(axes)), ("", ""))
    )
    if attempt(module):
        check(module, whole, mesh, [(counted(8), axes), (np.zeros((), np.int32), [])], axes)


def test_exchange_between_several_pairs_of_dimensions():
    mesh = MESHES[2]
    x, y = AxisRefAttr("x"), AxisRefAttr("y")
    for order in ((2, 3), (3, 2)):
        before: list[Axes] = [[x], [y], [], []]
        after: list[Axes] = [[], [], [], []]
        after[order[0]], after[order[1]] = [x], [y]
        program = f"""
            func.func @main(%x: tensor<4x4x4x4xi32> {attribute(before)}) -> (tensor<4x4x4x4xi32> {attribute(after)}) {{
              %0 = sdy.all_to_all [{{"x"}}: 0->{order[0]}, {{"y"}}: 1->{order[1]}] %x out_sharding={text(after)}
                : tensor<4x4x4x4xi32>
              return %0 : tensor<4x4x4x4xi32>
            }}"""
        whole = "func.func @main(%x: tensor<4x4x4x4xi32>) -> tensor<4x4x4x4xi32> { return %x : tensor<4x4x4x4xi32> }"
        check(module_of(mesh, program), parse_module(whole), mesh, [(counted(4, 4, 4, 4), before)], after)


def test_loops_calls_and_bodies():
    mesh = MESHES[1]
    axes: list[Axes] = [[AxisRefAttr("x")], [AxisRefAttr("y")]]
    at, on = attribute(axes), of_result(axes)
    both = f"{{sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, {text(axes)}]>}}"
    program = """
        func.func private @twice(%x: tensor<4x8xi32> {at}) -> (tensor<4x8xi32> {at}) {{
          %0 = stablehlo.add %x, %x {on} : tensor<4x8xi32>
          return %0 : tensor<4x8xi32>
        }}
        func.func public @main(%x: tensor<4x8xi32> {at}) -> (tensor<4x8xi32> {at}) {{
          %n = stablehlo.constant dense<3> : tensor<i32>
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4x8xi32> attributes {both}
          cond {{
            %less = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %less : tensor<i1>
          }} do {{
            %next = stablehlo.add %i, %one : tensor<i32>
            %z = func.call @twice(%y) {on} : (tensor<4x8xi32>) -> tensor<4x8xi32>
            %part = stablehlo.dynamic_slice %z, %zero, %i, sizes = [4, 8] {on}
              : (tensor<4x8xi32>, tensor<i32>, tensor<i32>) -> tensor<4x8xi32>
            %sum = stablehlo.add %part, %x {on} : tensor<4x8xi32>
            stablehlo.return %next, %sum : tensor<i32>, tensor<4x8xi32>
          }}
          return %0#1 : tensor<4x8xi32>
        }}"""
    local = module_of(mesh, program.format(at=at, on=on, both=both))
    check(local, parse_module(program.format(at="", on="", both="{}")), mesh, [(counted(4, 8), axes)], axes)
