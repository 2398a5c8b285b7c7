"""
A custom compiler with Shardy's shardings: it prints the shape of each tensor per device, and the axes of reductions.

Run by `python examples/embedding/compiler.py [FILE.mlir]`; explained in docs/embedding.md.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from xdsl.dialects.builtin import ShapedType, TensorType
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def

from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.axis_refs import local_shape, sharded_size
from xshardy.dialects.sdy.value_shardings import get_sharding, lookup_mesh
from xshardy.syntax import parse_module
from xshardy.universe import new_context


@irdl_op_definition
class MatmulOp(IRDLOperation):
    """The product of an `m x k` and a `k x n` matrix."""

    name = "lin.matmul"
    lhs = operand_def(TensorType[Attribute])
    rhs = operand_def(TensorType[Attribute])
    product = result_def(TensorType[Attribute])


Lin = Dialect("lin", [MatmulOp])


def plan(op: MatmulOp) -> Iterator[str]:
    """The shape of each value on one device, and the axes of the mesh along which the contraction is divided."""
    for value, role in ((op.lhs, "lhs"), (op.rhs, "rhs"), (op.product, "product")):
        sharding = get_sharding(value)
        mesh = sharding and lookup_mesh(sharding, op)
        if sharding is None or mesh is None:
            yield f"{role} is on every device"
            continue
        assert isinstance(value.type, ShapedType)
        shape = "x".join(map(str, local_shape(value.type.get_shape(), sharding, mesh)))
        yield f"{role} is {shape} per device"
        if role == "lhs" and (divided := sharding.dim_shardings.data[1].axes.data):
            names = ", ".join(axis.axis.data for axis in divided)
            yield f"add up over {names}: {sharded_size(divided, mesh)} devices"


def compile_text(text: str, name: str) -> Iterator[str]:
    """
    The plan of each matmul in `text`. Raises xDSL's `ParseError` or `VerifyException` for invalid text or shardings.
    """
    context = new_context()
    context.load_dialect(Lin)
    module = parse_module(text, name, context)
    verify(module)
    for op in module.walk():
        if isinstance(op, MatmulOp):
            yield from plan(op)


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "model.mlir"
    print("\n".join(compile_text(path.read_text(), str(path))))
