"""A kernel that applies scalar operations to each element of arrays."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp

from xshardy.syntax import parse_module

THREADS = 256


def padded_size(count: int) -> int:
    """The smallest multiple of the number of threads that is not below `count`."""
    return -(-count // THREADS) * THREADS


def elementwise_kernel(body: str, result: str, operands: Sequence[str], size: int) -> ModuleOp:
    """
    A kernel that runs `body`, operations on scalars `%x`, `%y` that define `%r`, on each of `size` elements.

    `result` and `operands` are element types. The last argument is the output. `size` is a multiple of `THREADS`.
    """
    arguments = [f"%in{i}: tensor<{size}x{type}>" for i, type in enumerate(operands)]
    reads = [
        f"%{name} = tensor.extract %in{i}[%i] : tensor<{size}x{type}>"
        for i, (name, type) in enumerate(zip("xyz", operands, strict=False))
    ]
    return parse_module(f"""
    func.func @kernel({", ".join(arguments)}, %out: tensor<{size}x{result}>) -> tensor<{size}x{result}>
        attributes {{xla.entry, gpu.known_block_size = array<i32: {THREADS}, 1, 1>,
                     gpu.known_grid_size = array<i32: {size // THREADS}, 1, 1>}} {{
      %threads = arith.constant {THREADS} : index
      %thread = gpu.thread_id x
      %block = gpu.block_id x
      %first = arith.muli %block, %threads : index
      %i = arith.addi %first, %thread : index
      {" ".join(reads)}
      {body}
      %written = tensor.insert %r into %out[%i] : tensor<{size}x{result}>
      func.return %written : tensor<{size}x{result}>
    }}""")
