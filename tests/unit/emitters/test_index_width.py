"""When a kernel needs indices of 64 bits: for its tensors, and for intermediate values of an index."""

import pytest
from test_operations_numerics import computation_of, main, reduction
from xdsl.dialects.func import FuncOp

from xshardy.dialects.data_layout import index_width
from xshardy.emitters.index_width import narrow_indices
from xshardy.emitters.loop import emit_loop_fusion
from xshardy.syntax import parse_module


def width_of(text: str) -> int:
    computation = computation_of(text)
    module = emit_loop_fusion(computation, "main").module
    narrow_indices(module, computation)
    return index_width(module)


@pytest.mark.parametrize(("size", "width"), [(2**20, 32), (2**28, 32), (2**31, 64), (2**33, 64)])
def test_tensors(size: int, width: int):
    assert width_of(main("stablehlo.negate {0} : {result}", [f"{size}xi8"], f"{size}xi8")) == width


@pytest.mark.parametrize(("dilation", "width"), [(3, 32), (32, 64)])
def test_places_between_the_elements_of_a_dilated_base(dilation: int, width: int):
    """Both tensors are small, but with 31 gaps between elements a window stands at one of 2 ** 32 places."""
    size, stride = 2**27, dilation - 1
    positions = (size - 1) * dilation // stride + 1
    window = (
        f"window_dimensions = array<i64: 1>, window_strides = array<i64: {stride}>, "
        f"base_dilations = array<i64: {dilation}>"
    )
    body = reduction("stablehlo.add", "i8").replace("{", "{{").replace("}", "}}")
    operation = f'"stablehlo.reduce_window"({{0}}, {{1}}) <{{{{{window}}}}}> {body} : ({{types}}) -> {{result}}'
    assert width_of(main(operation, [f"{size}xi8", "i8"], f"{positions}xi8")) == width


LARGEST = 2**31 - 1
SMALL = "func.func private @c(%x: tensor<8xi8>) {\n  return\n}"


def width_of_kernel(kernel: str, computation: str = SMALL) -> int:
    """The width for a kernel of a computation, both written by hand."""
    module = parse_module(kernel)
    (function,) = parse_module(computation).ops
    assert isinstance(function, FuncOp)
    narrow_indices(module, function)
    return index_width(module)


def launched(block: tuple[int, int], grid: int, loops: str = "") -> str:
    sizes = (
        f"gpu.known_block_size = array<i32: {block[0]}, {block[1]}, 1>, gpu.known_grid_size = array<i32: {grid}, 1, 1>"
    )
    return f"func.func @main(%x: index) attributes {{{sizes}, xla.entry}} {{\n{loops}\n  return\n}}"


def loop(trips: int, constraint: str = "") -> str:
    map = f'#xla_gpu.indexing_map<"(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, {trips - 1}]{constraint}">'
    return (
        f"  xla_gpu.loop (%x)[%i] -> (%r) in {map} iter_args(%a = %x) -> (index) {{\n    xla_gpu.yield %a : index\n  }}"
    )


def applied(expr: str, high: int) -> str:
    map = f'#xla_gpu.indexing_map<"(d0) -> ({expr}), domain: d0 in [0, {high}]">'
    return f"func.func @main(%x: index) {{\n  %0 = xla_gpu.apply_indexing {map}(%x)\n  return\n}}"


@pytest.mark.parametrize(
    ("kernel", "width"),
    [
        (applied("d0 + 1", LARGEST - 1), 32),
        (applied("d0 + 1", LARGEST), 64),
        (applied("d0 - 1", 5), 32),
        (applied("d0 * -1 - 1", LARGEST - 1), 32),
        (applied("d0 * -1 - 1", LARGEST), 64),
        (applied("(d0 * 2) floordiv 2", 2**30 - 1), 32),
        (applied("(d0 * 2) floordiv 4", 2**30), 64),  # a part of the expression does not fit
        (launched((1, 1), 1, loop(2**20, ", s0 * 4096 in [0, 4096]")), 64),  # nor a part of a constraint
        (launched((1024, 1), 2**21 - 1), 32),
        (launched((1024, 1), 2**21), 64),
        (launched((32, 32), 2**21), 64),
        (launched((1024, 1), 2**20, loop(1)), 32),
        (launched((1024, 1), 2**20, loop(2)), 64),
        (launched((1024, 1), 2**20, f"{loop(1)}\n{loop(2)}"), 64),  # the longest loop counts
        (launched((1, 1), 1, loop(LARGEST)), 32),
        (launched((1, 1), 1, loop(LARGEST + 1)), 64),
        (launched((1024, 1), 2**21).replace(", xla.entry", ""), 32),  # no thread runs this by itself
    ],
)
def test_numbers_in_a_kernel(kernel: str, width: int):
    assert width_of_kernel(kernel) == width


@pytest.mark.parametrize(("size", "width"), [(LARGEST, 32), (LARGEST + 1, 64)])
def test_tensors_of_the_computation(size: int, width: int):
    """Also those that are neither read nor written by the kernel."""
    kernel = "func.func @main(%x: index) {\n  return\n}"
    argument = f"func.func private @c(%x: tensor<{size}xi8>, %y: i32) {{\n  return\n}}"
    inside = (
        f"func.func private @c(%x: tensor<i8>) {{\n  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<i8>) -> "
        f"tensor<{size}xi8>\n  return\n}}"
    )
    assert width_of_kernel(kernel, argument) == width
    assert width_of_kernel(kernel, inside) == width
