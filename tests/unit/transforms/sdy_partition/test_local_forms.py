"""What `sdy-convert-global-to-local` refuses, and what it makes of operations at the border of that."""

import pytest
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i1

from xshardy.dialects import stablehlo
from xshardy.dialects.discardable import verify
from xshardy.facts.neutral_elements import identity_of
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.local.convert_global_to_local import ConvertGlobalToLocalPass, next_channel
from xshardy.universe import new_context

MESH = 'sdy.mesh @mesh = <["x"=2, "y"=2]>\nsdy.mesh @long = <["x"=4, "y"=2]>\n'


def local(body: str, *, enable_rgv3: bool = False) -> str:
    """The local form of a module with the meshes and `body`; valid, or the pass has refused it."""
    module = parse_module(MESH + body)
    ConvertGlobalToLocalPass(enable_rgv3=enable_rgv3).apply(new_context(), module)
    verify(module)
    return print_module(module)


def on_mesh(*dims: str) -> str:
    return f"<@mesh, [{', '.join(f'{{{dim}}}' for dim in dims)}]>"


def argument(name: str, type: str, *dims: str) -> str:
    return f"%{name}: tensor<{type}> {{sdy.sharding = #sdy.sharding{on_mesh(*dims)}}}"


def result(*dims: str) -> str:
    return f"{{sdy.sharding = #sdy.sharding_per_value<[{on_mesh(*dims)}]>}}"


X, Y = '"x"', '"y"'

REFUSED = {
    "an all-to-all with a pair of dimensions along no axis": (
        f"""func.func @main({argument("a", "4x4x4x4xf32", X, "", "", "")}) {{
          %0 = sdy.all_to_all [{{"x"}}: 0->1, {{}}: 2->3] %a out_sharding={on_mesh("", X, "", "")} : tensor<4x4x4x4xf32>
          return
        }}""",
        "one of its parameters has none",
    ),
    "a reduce-scatter along no axis": (
        f"""func.func @main({argument("a", "4xf32", X)}) {{
          %0 = sdy.reduce_scatter [{{}}] %a out_sharding={on_mesh(X)} : tensor<4xf32>
          return
        }}""",
        "scatters along no axis",
    ),
    "random numbers with a sharded shape": (
        f"""func.func @main(%l: tensor<f32>, {argument("s", "2xi64", X)}) {{
          %0 = "stablehlo.rng"(%l, %l, %s) <{{rng_distribution = #stablehlo<rng_distribution UNIFORM>}}>
            : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x4xf32>
          return
        }}""",
        "has a sharded operand, and each device needs all of it",
    ),
    "a scatter whose batches are sharded in the operand alone": (
        f"""func.func @main({argument("a", "4x8xf32", X, "")}, %i: tensor<4x2x1xi32>, %u: tensor<4x2xf32>) {{
          %0 = "stablehlo.scatter"(%a, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
              inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
              scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}}> ({{
          ^bb0(%l: tensor<f32>, %r: tensor<f32>):
            stablehlo.return %r : tensor<f32>
          }}) {result(X, "")} : (tensor<4x8xf32>, tensor<4x2x1xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
          return
        }}""",
        "dimension 0 is sharded differently in its operands and results",
    ),
    "a gather of parts of slices as if they were whole": (
        f"""func.func @main({argument("a", "4x8xf32", "", X)}, %i: tensor<3x1xi32>) {{
          %0 = "stablehlo.gather"(%a, %i) <{{dimension_numbers = #stablehlo.gather<
              offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>,
            indices_are_sorted = false, slice_sizes = array<i64: 2, 8>}}>
            : (tensor<4x8xf32>, tensor<3x1xi32>) -> tensor<3x2x8xf32>
          return
        }}""",
        "result 0 is not sharded, and the other tensors require",
    ),
    "a part returned as the whole": (
        f"""func.func @main({argument("a", "4xf32", X)}) -> tensor<4xf32> {{
          return %a : tensor<4xf32>
        }}""",
        "operand 0 is sharded .*, and its result is not",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    body, message = REFUSED[name]
    with pytest.raises(OperationFailedException, match=message):
        local(body)


def test_windows_may_be_padded_along_a_dimension_that_is_not_sharded():
    text = local(f"""func.func @main({argument("a", "4x8xf32", X, "")}, %z: tensor<f32>) {{
      %0 = "stablehlo.reduce_window"(%a, %z) <{{
        window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>
      }}> ({{
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %s = stablehlo.maximum %l, %r : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}) {result(X, "")} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
      return
    }}""")
    assert "(tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>" in text


def test_select_and_scatter_of_parts_has_two_sharded_operands():
    sharded = f"{argument('a', '4x8xf32', X, '')}, {argument('s', '4x4xf32', X, '')}"
    text = local(f"""func.func @main({sharded}, %z: tensor<f32>) {{
      %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{{
        window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>
      }}> ({{
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %p = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }}, {{
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %p = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %p : tensor<f32>
      }}) {result(X, "")} : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>
      return
    }}""")
    assert "(tensor<2x8xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x8xf32>" in text


def test_new_communication_has_a_channel_of_its_own():
    gathers = "".join(
        f"""%{number} = "stablehlo.all_gather"(%a) <{{
          all_gather_dim = 0, channel_handle = #stablehlo.channel_handle<handle = {number}, type = 1>,
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids
        }}> : (tensor<4xf32>) -> tensor<8xf32>
        """
        for number in (2, 5)
    )
    assert next_channel(parse_module(f"func.func @main(%a: tensor<4xf32>) {{ {gathers} return }}")) == 6
    assert next_channel(parse_module("func.func @main() { return }")) == 1


def test_tensors_that_are_whole_may_be_over_several_meshes():
    text = local("""func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@long, [{}]>},
                                    %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
      %0 = stablehlo.add %a, %b : tensor<4xf32>
      return
    }""")
    assert "stablehlo.add %arg0, %arg1 : tensor<4xf32>" in text


def test_an_iota_that_stays_whole_keeps_its_attributes():
    text = local("""func.func @main() {
      %0 = stablehlo.iota dim = 0 {note} : tensor<4xi32>
      return
    }""")
    assert "stablehlo.iota dim = 0 {note} : tensor<4xi32>" in text


def gather(arguments: str, numbers: str, types: str, then: str = "") -> str:
    return local(f"""func.func @main({arguments}, %i: tensor<3x1xi32>) {{
      %0 = "stablehlo.gather"(%a, %i) <{{dimension_numbers = #stablehlo.gather<{numbers}, index_vector_dim = 1>,
        indices_are_sorted = false, slice_sizes = array<i64: {types}
      {then}
      return
    }}""")


def test_slices_may_have_a_part_of_a_dimension_that_is_not_sharded():
    text = gather(
        argument("a", "4x8xf32", "", X),
        "offset_dims = [1, 2], start_index_map = [0]",
        f"2, 8>}}> {result('', '', X)} : (tensor<4x8xf32>, tensor<3x1xi32>) -> tensor<3x2x8xf32>",
    )
    assert "slice_sizes = array<i64: 2, 4>" in text and "-> tensor<3x2x4xf32>" in text


def test_the_first_element_of_a_dimension_needs_no_index():
    """The first part has it, whatever the indices of the other dimension are."""
    text = gather(
        argument("a", "4x8xf32", "", X),
        "offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [0]",
        "4, 1>}> : (tensor<4x8xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>",
        f'%1 = sdy.all_reduce {{"x"}} %0 out_sharding={on_mesh("", "")} : tensor<3x4xf32>',
    )
    assert '"stablehlo.gather"(%arg0, %arg1)' in text and "stablehlo.clamp" not in text


def test_a_size_that_is_not_known_stays_an_operation():
    text = local("""func.func @main(%a: tensor<?x4xf32>) -> tensor<i32> {
      %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
      return %0 : tensor<i32>
    }""")
    assert "stablehlo.get_dimension_size" in text


def test_groups_along_a_part_of_an_axis_are_lists():
    """A group over the axes of a mesh is along whole axes, and `enable-rgv3` writes only such."""
    body = """func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@long, [{"x":(1)2, "y", "x":(2)2}]>}) {
      %0 = sdy.all_gather [{"y", "x":(2)2}] %a out_sharding=<@long, [{"x":(1)2}]> : tensor<8xf32>
      return
    }"""
    assert "dense<[[0, 2, 1, 3], [4, 6, 5, 7]]>" in local(body, enable_rgv3=True)


def test_dimensions_gathered_at_once_leave_the_others_as_they_are():
    text = local(f"""func.func @main({argument("a", "4x6x8xf32", X, "", Y)}) -> tensor<4x6x8xf32> {{
      %0 = sdy.all_gather [{{"x"}}, {{}}, {{"y"}}] %a out_sharding={on_mesh("", "", "")} : tensor<4x6x8xf32>
      return %0 : tensor<4x6x8xf32>
    }}""")
    assert text.count('"stablehlo.all_gather"') == 1 and "-> tensor<4x6x8xf32>" in text


@pytest.mark.parametrize("kind", [stablehlo.AndOp, stablehlo.MulOp])
def test_the_neutral_element_of_a_conjunction_is_true(kind: type):
    neutral = identity_of(kind, i1)
    assert neutral == DenseIntOrFPElementsAttr.from_list(TensorType(i1, []), [1])
