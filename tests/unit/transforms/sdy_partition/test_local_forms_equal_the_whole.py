"""Any sharding of an operation runs on the simulated mesh and equals the whole, or is refused with the reason."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_convert_global_to_local import (
    Argument,
    Axes,
    attempt,
    attribute,
    check,
    converted,
    counted,
    meshes,
    module_of,
    of_result,
    parts,
    shardings,
)
from xdsl.dialects.builtin import ModuleOp, bf16, f32

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.collectives import AllReduceOp
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.local.convert_global_to_local import ConvertGlobalToLocalPass
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

X = AxisRefAttr("x")
ELEMENTS = {"f32": f32, "bf16": bf16}
TWO = MeshAttr.of([("x", 2)])

Program = Callable[[Sequence[str], str], str]
"""A program, from the attributes of its arguments and of its result."""


def partitioned(module: ModuleOp) -> ModuleOp:
    """`module` with collectives where data moves, ready to be made local."""
    PropagationPipelinePass(enable_insert_explicit_collectives=True).apply(new_context(), module)
    return module


def check_partitioned(mesh: MeshAttr, program: Program, arguments: Sequence[Argument], result: Sequence[Axes]) -> None:
    """The whole pipeline makes of `program` one that gives each device its part of what the whole program gives."""
    sharded = program([attribute(axes) for _, axes in arguments], attribute(result))
    whole = program(["" for _ in arguments], "")
    check(partitioned(module_of(mesh, sharded)), parse_module(whole), mesh, arguments, result)


def why_refused(module: ModuleOp) -> str:
    """Why `module` cannot be made local."""
    with pytest.raises(OperationFailedException) as caught:
        ConvertGlobalToLocalPass().apply(new_context(), module)
    return str(caught.value)


# -- Reductions -------------------------------------------------------------------------------------------------------


COMBINERS = [
    *(("i32", name) for name in ("add", "maximum", "minimum", "multiply", "and", "or", "xor")),
    *(("i1", name) for name in ("add", "maximum", "minimum", "multiply", "and", "or", "xor")),
    *(("f32", name) for name in ("maximum", "minimum")),
]


def values(element: str, shape: Sequence[int], seed: int) -> Array:
    random = np.random.default_rng(seed)
    if element == "i1":
        return random.random(shape) < 0.8
    if element == "f32":
        return random.permutation(np.array([-np.inf, np.inf, *range(-31, 31)], np.float32)).reshape(shape)
    return random.integers(-9, 9, shape, dtype=np.int32)


def reduction(element: str, combiner: str, dims: Sequence[int], at_constant: int | None) -> Program:
    """A reduction of a matrix; of an initial value that is an argument, or a constant."""
    target = "tensor<" + "8x" * (2 - len(dims)) + f"{element}>"
    literal = {"i1": ("false", "true"), "f32": ("0.0", "1.5")}.get(element, ("0", "3"))
    given = (
        f"%i = stablehlo.constant dense<{literal[at_constant]}> : tensor<{element}>" if at_constant is not None else ""
    )
    argument = "%i" if at_constant is None else "%unused"

    def program(arguments: Sequence[str], result: str) -> str:
        return f"""
            func.func @main(%x: tensor<8x8x{element}> {arguments[0]}, {argument}: tensor<{element}>)
                -> ({target} {result}) {{
              {given}
              %0 = stablehlo.reduce(%x init: %i) applies stablehlo.{combiner} across dimensions = {[*dims]}
                : (tensor<8x8x{element}>, tensor<{element}>) -> {target}
              return %0 : {target}
            }}"""

    return program


@given(st.data(), meshes, st.sampled_from(COMBINERS), st.integers(0, 99), st.sampled_from([None, 0, 1]))
def test_reductions(data: st.DataObject, mesh: MeshAttr, kind: tuple[str, str], seed: int, at_constant: int | None):
    """Each kind of reduction over any sharded dimensions, from any initial value, which counts once."""
    element, combiner = kind
    dims = data.draw(st.sampled_from([[0], [1], [0, 1]]))
    of_x, of_reduced = data.draw(shardings(mesh, 2)), data.draw(shardings(mesh, 2 - len(dims)))
    initial = values(element, [8, 8], seed + 1)[0, 0]
    arguments: list[Argument] = [(values(element, [8, 8], seed), of_x), (np.array(initial), [])]
    check_partitioned(mesh, reduction(element, combiner, dims, at_constant), arguments, of_reduced)


@pytest.mark.parametrize(
    ("element", "combiner", "kind"),
    [
        ("f32", "add", "sum"),
        ("f32", "maximum", "max"),
        ("f32", "minimum", "min"),
        ("f32", "multiply", None),
        ("i32", "or", None),
        ("i1", "or", "max"),
        ("i1", "add", "max"),
        ("i1", "and", "min"),
        ("i1", "multiply", "min"),
        ("i1", "xor", None),
    ],
)
def test_kind_of_the_all_reduce(element: str, combiner: str, kind: str | None):
    """A sum, maximum or minimum is completed by an all-reduce of its kind; anything else reduces what it has whole."""
    written = reduction(element, combiner, [0], None)([attribute([[X], []])], "")
    reduces = [op for op in partitioned(module_of(TWO, written)).walk() if isinstance(op, AllReduceOp)]
    assert [op.reduction.value for op in reduces] == ([] if kind is None else [kind])


def test_softmax_over_sharded_logits():
    def program(arguments: Sequence[str], result: str) -> str:
        return f"""
            func.func @main(%x: tensor<4x8xf32> {arguments[0]}) -> (tensor<4x8xf32> {result}) {{
              %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
              %zero = stablehlo.constant dense<0.0> : tensor<f32>
              %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1]
                : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
              %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
              %2 = stablehlo.subtract %x, %1 : tensor<4x8xf32>
              %3 = stablehlo.exponential %2 : tensor<4x8xf32>
              %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1]
                : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
              %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
              %6 = stablehlo.divide %3, %5 : tensor<4x8xf32>
              return %6 : tensor<4x8xf32>
            }}"""

    logits = np.array(np.random.default_rng(0).normal(0, 300, (4, 8)), np.float32)
    axes: list[Axes] = [[], [X]]
    (whole,) = evaluate(parse_module(program([""], "")), [logits])
    local = converted(partitioned(module_of(TWO, program([attribute(axes)], attribute(axes)))))
    found = evaluate_spmd(local, [[part] for part in parts(logits, axes, TWO)])
    for (part,), wanted in zip(found, parts(whole, axes, TWO), strict=True):
        np.testing.assert_allclose(part, wanted, rtol=1e-6)


@pytest.mark.parametrize("kind", ["", "min "])
def test_all_reduce_of_another_kind_is_refused(kind: str):
    written = f"""
        func.func @main(%x: tensor<8x8xf32> {attribute([[X], []])}, %i: tensor<f32>) -> tensor<8xf32> {{
          %0 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [0]
            : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
          %1 = sdy.all_reduce {kind}{{"x"}} %0 out_sharding=<@mesh, [{{}}]> : tensor<8xf32>
          return %1 : tensor<8xf32>
        }}"""
    assert "The reduction of the sdy.all_reduce should be max" in why_refused(module_of(TWO, written))


@pytest.mark.parametrize(("combiner", "sign"), [("maximum", -1), ("minimum", 1)])
@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_scatter_into_infinities(combiner: str, sign: int, element: str):
    """Devices without the operand start from an infinity: elements that no update reaches keep theirs."""
    literal = ("0xFF80" if sign < 0 else "0x7F80") + ("0000" if element == "f32" else "")

    def program(arguments: Sequence[str], result: str) -> str:
        return f"""
            func.func @main(%i: tensor<2x1xi32> {arguments[0]}, %u: tensor<2x{element}> {arguments[1]})
                -> (tensor<4xf32> {result}) {{
              %x = stablehlo.constant dense<{literal}> : tensor<4x{element}>
              %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
                inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
              ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
                %c = stablehlo.{combiner} %a, %b : tensor<{element}>
                stablehlo.return %c : tensor<{element}>
              }}) : (tensor<4x{element}>, tensor<2x1xi32>, tensor<2x{element}>) -> tensor<4x{element}>
              %1 = stablehlo.convert %0 : (tensor<4x{element}>) -> tensor<4xf32>
              return %1 : tensor<4xf32>
            }}"""

    indices, updates = np.array([[1], [3]], np.int32), np.array([5, -5], numpy_dtype(ELEMENTS[element]))
    check_partitioned(TWO, program, [(indices, [[X], []]), (updates, [[X]])], [[]])


# -- Updates and slices at positions known at run time ----------------------------------------------------------------


INDEX_TYPES = {"i8": np.int8, "i32": np.int32, "i64": np.int64, "ui32": np.uint32, "ui64": np.uint64}


def indices_of(data: st.DataObject, index: str) -> list[Array]:
    """Two indices into dimensions of 8 elements: inside, outside, and as far outside as they can be."""
    dtype = INDEX_TYPES[index]
    info = np.iinfo(dtype)
    near = st.integers(max(-4, int(info.min)), 12)
    drawn = data.draw(
        st.lists(st.one_of(near, st.sampled_from([int(info.min), int(info.max)])), min_size=2, max_size=2)
    )
    return [np.array(value, dtype) for value in drawn]


@given(st.data(), meshes, st.integers(1, 8), st.integers(1, 8), st.sampled_from([*INDEX_TYPES]), st.booleans())
def test_updates(data: st.DataObject, mesh: MeshAttr, rows: int, columns: int, index: str, at_constants: bool):
    """Each device writes what falls into its part, wherever the indices point."""
    of_x = data.draw(shardings(mesh, 2))
    of_update: list[list[AxisRefAttr]] = [[], []]
    if rows == columns == 8:
        of_update = data.draw(shardings(mesh, 2))
    indices = indices_of(data, index)
    constants = [
        f"%{name} = stablehlo.constant dense<{value}> : tensor<{index}>"
        for name, value in zip("ij", indices, strict=True)
    ]
    names = ("%k", "%l") if at_constants else ("%i", "%j")

    def program(arguments: Sequence[str], result: str) -> str:
        return f"""
            func.func @main(%x: tensor<8x8xi32> {arguments[0]}, %u: tensor<{rows}x{columns}xi32> {arguments[1]},
                {names[0]}: tensor<{index}>, {names[1]}: tensor<{index}>) -> (tensor<8x8xi32> {result}) {{
              {" ".join(constants) if at_constants else ""}
              %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j
                : (tensor<8x8xi32>, tensor<{rows}x{columns}xi32>, tensor<{index}>, tensor<{index}>) -> tensor<8x8xi32>
              return %0 : tensor<8x8xi32>
            }}"""

    arguments: list[Argument] = [(counted(8, 8), of_x), (-1 - counted(rows, columns), of_update)]
    check_partitioned(mesh, program, [*arguments, *((value, []) for value in indices)], of_x)


@given(st.data(), meshes, st.integers(1, 8), st.integers(1, 8), st.sampled_from([*INDEX_TYPES]))
def test_dynamic_slices(data: st.DataObject, mesh: MeshAttr, rows: int, columns: int, index: str):
    """A slice of a sharded dimension is taken of all of it, wherever the indices point."""
    of_x = data.draw(shardings(mesh, 2))

    def program(arguments: Sequence[str], result: str) -> str:
        return f"""
            func.func @main(%x: tensor<8x8xi32> {arguments[0]}, %i: tensor<{index}>, %j: tensor<{index}>)
                -> (tensor<{rows}x{columns}xi32> {result}) {{
              %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [{rows}, {columns}]
                : (tensor<8x8xi32>, tensor<{index}>, tensor<{index}>) -> tensor<{rows}x{columns}xi32>
              return %0 : tensor<{rows}x{columns}xi32>
            }}"""

    arguments: list[Argument] = [(counted(8, 8), of_x), *((value, []) for value in indices_of(data, index))]
    check_partitioned(mesh, program, arguments, [[], []])


def test_dynamic_slice_with_a_sharded_result_of_a_whole_operand_is_refused():
    written = f"""
        func.func @main(%x: tensor<8xi32>, %i: tensor<i32>) -> (tensor<4xi32> {attribute([[X]])}) {{
          %0 = stablehlo.dynamic_slice %x, %i, sizes = [4] {of_result([[X]])}
            : (tensor<8xi32>, tensor<i32>) -> tensor<4xi32>
          return %0 : tensor<4xi32>
        }}"""
    assert "dimension 0 has mismatched sharding axes" in why_refused(module_of(TWO, written))


def test_a_sharded_update_of_a_part_of_a_dimension_is_refused():
    written = f"""
        func.func @main(%x: tensor<8xi32> {attribute([[X]])}, %u: tensor<4xi32> {attribute([[X]])}, %i: tensor<i32>)
            -> (tensor<8xi32> {attribute([[X]])}) {{
          %0 = stablehlo.dynamic_update_slice %x, %u, %i {of_result([[X]])}
            : (tensor<8xi32>, tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
          return %0 : tensor<8xi32>
        }}"""
    assert "dimension 0 of the operand, update and result" in why_refused(module_of(TWO, written))


# -- Random numbers ---------------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.data(), meshes, st.sampled_from(["THREE_FRY", "PHILOX"]))
def test_random_numbers(data: st.DataObject, mesh: MeshAttr, algorithm: str):
    """The devices together draw the numbers that the whole program draws."""
    axes = data.draw(shardings(mesh, 2))
    state = np.array([3, 5], np.uint64)

    def program(arguments: Sequence[str], result: str) -> str:
        return f"""
            func.func @main(%s: tensor<2xui64> {arguments[0]}) -> (tensor<8x8xui32> {result}) {{
              %0, %1 = stablehlo.rng_bit_generator %s, algorithm = {algorithm}
                : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x8xui32>)
              return %1 : tensor<8x8xui32>
            }}"""

    check_partitioned(mesh, program, [(state, [[]])], axes)


# -- Reversals --------------------------------------------------------------------------------------------------------


@given(st.data(), meshes, st.sampled_from([[0], [1], [0, 1]]))
def test_reversals_are_right_or_refused(data: st.DataObject, mesh: MeshAttr, dims: list[int]):
    axes = data.draw(shardings(mesh, 2, most=2))
    module, whole = (
        module_of(
            mesh,
            f"""
            func.func @main(%x: tensor<8x8xi32> {given}) -> (tensor<8x8xi32> {given}) {{
              %0 = stablehlo.reverse %x, dims = {dims} {result} : tensor<8x8xi32>
              return %0 : tensor<8x8xi32>
            }}""",
        )
        for given, result in ((attribute(axes), of_result(axes)), ("", ""))
    )
    is_right = attempt(module)
    assert is_right == (not any(axes[dim] for dim in dims))
    if is_right:
        check(module, whole, mesh, [(counted(8, 8), axes)], axes)
