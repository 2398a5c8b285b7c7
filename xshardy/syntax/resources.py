"""Constants whose elements stand at the end of the text: `dense_resource<weights>` of MLIR."""

from math import prod
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import AnyFloat, ComplexType, DenseResourceAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense
from xshardy.rewriting.walk import operations_of
from xshardy.syntax.parser import Parser

ALIGNMENT_BYTES = 4
"""Before its elements, a resource has their alignment, a number of 32 bits."""


def parse_with_resources(parser: Parser) -> ModuleOp:
    """The module in the text, with the elements of its resources. Raises what `read_resources` does."""
    module = parser.parse_module()
    if parser.dialect_resources:
        read_resources(module, parser.ctx)
    return module


def read_resources(module: ModuleOp, ctx: Context) -> None:
    """
    `constant dense_resource<w>` -> `constant dense<...>`, where the text that was parsed in `ctx` has the elements.

    A constant whose elements the text lacks stays as it is. Raises `DiagnosticException` for a resource of another size
    than the tensor, and for elements that do not take whole bytes. Source: MLIR's documentation, "Resources".
    """
    from xshardy.dialects import sdy  # few texts have resources, and its import takes as long as reading a small one

    resources = ctx.get_dialect("builtin").get_interface(OpAsmDialectInterface)
    for op in operations_of(module, stablehlo.ConstantOp, sdy.ConstantOp):
        value = op.properties["value"]
        if resources is None or not isinstance(value, DenseResourceAttr):
            continue
        name, type = value.resource_handle.data, cast(Any, value.type)
        text = resources.lookup(name)
        if not text:
            continue
        op.properties["value"] = elements_of(name, type, bytes.fromhex(text.removeprefix("0x"))[ALIGNMENT_BYTES:])


def elements_of(name: str, type: Any, data: bytes) -> Attribute:
    """
    `dense<...>` for the bytes of the resource `name`, a tensor of this type.

    Raises `DiagnosticException` for another number of bytes, and for elements that do not take whole bytes.
    """
    if not _is_stored_as_bytes(type.get_element_type()):
        raise DiagnosticException(f"resource '{name}' is a {type}, which is not supported: write it as dense<...>")
    size = prod(type.get_shape()) * type.get_element_type().compile_time_size
    if len(data) != size:
        raise DiagnosticException(f"resource '{name}' has {len(data)} bytes of elements: a {type} takes {size}")
    return dense(type, data)


def _is_stored_as_bytes(element: object) -> bool:
    """Whether each element takes whole bytes, in the same form as in an attribute."""
    if isinstance(element, ComplexType):
        return _is_stored_as_bytes(cast(Any, element).element_type)
    return isinstance(element, AnyFloat | IntegerType) and element.bitwidth % 8 == 0
