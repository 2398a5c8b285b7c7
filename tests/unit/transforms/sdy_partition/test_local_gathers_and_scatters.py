"""Gathers and scatters with any layout of indices, any sharding of the operand, and windows of single elements."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from partitioning.samples import DTYPES
from test_convert_global_to_local import Axes, attribute, check, counted, meshes, module_of, of_result, shardings, text

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.collectives import sorted_and_merged
from xshardy.engines.checked_run import run_module
from xshardy.engines.simulated import Simulated
from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax import parse_module
from xshardy.transforms.sdy.main_function import main_function
from xshardy.universe import new_context

EXTENT = 4
"""The extent of each of the three dimensions of an operand."""
COUNT = 5
"""The number of index vectors."""
Layout = tuple[Sequence[int], int]
"""The dimensions that are indexed, and the dimension of the index vectors."""

layouts = st.tuples(
    st.sampled_from([(0,), (2,), (0, 1), (1, 0), (2, 0), (1, 2, 0)]),
    st.integers(0, 1),
)


def draw_indices(data: st.DataObject, layout: Layout) -> np.ndarray:
    """Some of them are out of bounds."""
    dims, vector_dim = layout
    shape = (COUNT, len(dims)) if vector_dim else (len(dims), COUNT)
    values = data.draw(st.lists(st.integers(-2, EXTENT + 1), min_size=COUNT * len(dims), max_size=COUNT * len(dims)))
    return np.array(values, np.int32).reshape(shape)


def tensor(shape: Sequence[int]) -> str:
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + "i32>"


def program(
    op: str, types: str, arguments: Sequence[str], attributes: Sequence[str], after: str, own: str, reduce: str
):
    """A function of one operation, and of the all-reduce that makes it whole."""
    inputs = ", ".join(f"%{i}: {type} {each}" for i, (type, each) in enumerate(zip(arguments, attributes, strict=True)))
    result = types.rpartition("-> ")[2]
    return f"""
        func.func @main({inputs}) -> ({result} {after}) {{
          %r = {op} {own} : {types}
          {f"%s = {reduce}" if reduce else ""}
          return {"%s" if reduce else "%r"} : {result}
        }}"""


@given(st.data(), meshes, layouts, st.tuples(st.booleans(), st.booleans(), st.booleans()))
def test_gathers(data: st.DataObject, mesh: MeshAttr, layout: Layout, single: Sequence[bool]):
    """A slice has one element of a dimension, or all."""
    dims, vector_dim = layout
    operand = data.draw(shardings(mesh, 3, most=2))
    indices = draw_indices(data, layout)
    collapsed, whole_dims = [d for d in range(3) if single[d]], [d for d in range(3) if not single[d]]
    shape = [COUNT, *(EXTENT for _ in whole_dims)]
    after: list[Axes] = [[], *(operand[dim] for dim in whole_dims)]
    reduced = sorted_and_merged([axis for dim in collapsed for axis in operand[dim]], mesh)
    sizes = ", ".join("1" if each else str(EXTENT) for each in single)
    op = f""""stablehlo.gather"(%0, %1) <{{dimension_numbers = #stablehlo.gather<
        offset_dims = {[*range(1, len(shape))]}, collapsed_slice_dims = {collapsed}, start_index_map = {[*dims]},
        index_vector_dim = {vector_dim}>, slice_sizes = array<i64: {sizes}>, indices_are_sorted = false}}>"""
    arguments = [tensor([EXTENT] * 3), tensor(indices.shape)]
    types = f"({', '.join(arguments)}) -> {tensor(shape)}"
    names = ", ".join(axis.text for axis in reduced)
    reduce = f"sdy.all_reduce {{{names}}} %r out_sharding={text(after)} : {tensor(shape)}" if reduced else ""
    sharded = program(op, types, arguments, [attribute(operand), ""], attribute(after), of_result(after), reduce)
    whole = program(op, types, arguments, ["", ""], "", "", "")
    given = [(counted(*[EXTENT] * 3), operand), (indices, [[], []])]
    check(module_of(mesh, sharded), parse_module(whole), mesh, given, after)


@given(st.data(), meshes, layouts)
def test_scatters(data: st.DataObject, mesh: MeshAttr, layout: Layout):
    """An update has one element of each indexed dimension, and all of the others."""
    dims, vector_dim = layout
    operand = data.draw(shardings(mesh, 3, most=2))
    indices = draw_indices(data, layout)
    window = [dim for dim in range(3) if dim not in dims]
    shape = [COUNT, *(EXTENT for _ in window)]
    of_updates: list[Axes] = [[], *(operand[dim] for dim in window)]
    op = f""""stablehlo.scatter"(%0, %1, %2) <{{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = {[*range(1, len(shape))]}, inserted_window_dims = {sorted(dims)},
        scatter_dims_to_operand_dims = {[*dims]}, index_vector_dim = {vector_dim}>}}> ({{
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = stablehlo.subtract %a, %b : tensor<i32>
        stablehlo.return %c : tensor<i32>
      }})"""
    arguments = [tensor([EXTENT] * 3), tensor(indices.shape), tensor(shape)]
    types = f"({', '.join(arguments)}) -> {arguments[0]}"
    attributes = [attribute(operand), "", attribute(of_updates)]
    sharded = program(op, types, arguments, attributes, attribute(operand), of_result(operand), "")
    whole = program(op, types, arguments, ["", "", ""], "", "", "")
    given = [(counted(*[EXTENT] * 3), operand), (indices, [[], []]), (counted(*shape) + 1, of_updates)]
    check(module_of(mesh, sharded), parse_module(whole), mesh, given, operand)


@pytest.mark.parametrize("element", ["i8", "ui8", "i32"])
@pytest.mark.parametrize("op", ["gather", "scatter"])
@pytest.mark.parametrize("extent", [128, 256, 300])
def test_indices_of_a_type_that_has_no_last_index(op: str, element: str, extent: int):
    """The offsets of parts are beyond the largest index that 8 bits have."""
    values = np.array([0, 1, 44, 74, 75, 99, 100, 127, 128 - 256, 255 - 256]).astype(DTYPES[element])
    x, count = f"tensor<{extent}xi32>", len(values)
    taken, types = f"tensor<{count}xi32>", f"tensor<{extent}xi32>, tensor<{count}x1x{element}>"
    combined = """({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %c : tensor<i32>
      })"""
    text = {
        "gather": f""""stablehlo.gather"(%0, %1) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
            start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}}> : ({types}) -> {taken}""",
        "scatter": f""""stablehlo.scatter"(%0, %1, %2) <{{scatter_dimension_numbers = #stablehlo.scatter<
            inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> {combined}
            : ({types}, {taken}) -> {x}""",
    }[op]
    result = taken if op == "gather" else x
    module = parse_module(f"""sdy.mesh @mesh = <["x"=4]>
      func.func @main(%0: {x} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}},
                      %1: tensor<{count}x1x{element}>, %2: {taken}) -> {result} {{
        %3 = {text}
        return %3 : {result}
      }}""")
    arguments = [np.arange(extent, dtype=np.int32) + 1, values[:, None], np.arange(count, dtype=np.int32)]
    (whole,) = evaluate(main_function(module.clone()), arguments)
    (found,) = run_module(module, Simulated(), new_context(), arguments=arguments).results
    np.testing.assert_array_equal(found, whole)
