"""The type of an asynchronous operation in flight, between its start and its done."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FunctionType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.types import VALUE

__all__ = ["AsyncBundleType"]


@irdl_attr_definition
class AsyncBundleType(ParametrizedAttribute, TypeAttribute):
    """
    `!hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>`: an operation in flight.

    It holds the operands (their buffers are live until the done), the outputs (their buffers are live from the start
    on), and the contexts, which track the operation, in this order. HLO text writes it as a tuple in an order that
    depends on the opcode: see `async_shapes.py`. Source: rows HLO-ASYNC-03, -07 to -10, -20.
    """

    name = "hlo.async_bundle"
    operand_types: ArrayAttr[Attribute] = param_def()
    output_types: ArrayAttr[Attribute] = param_def()
    context_types: ArrayAttr[Attribute] = param_def()

    @staticmethod
    def of(
        operands: Sequence[Attribute], outputs: Sequence[Attribute], contexts: Sequence[Attribute] = ()
    ) -> "AsyncBundleType":
        """The bundle of an operation from `operands` to `outputs`."""
        return AsyncBundleType(ArrayAttr(operands), ArrayAttr(outputs), ArrayAttr(contexts))

    def with_operands(self, more: Sequence[Attribute]) -> "AsyncBundleType":
        """The bundle after `more` operands were bound."""
        return AsyncBundleType.of((*self.operands, *more), self.outputs, self.contexts) if more else self

    @property
    def operands(self) -> tuple[Attribute, ...]:
        """The types of the operands of the operation in flight."""
        return self.operand_types.data

    @property
    def outputs(self) -> tuple[Attribute, ...]:
        """The types of its results."""
        return self.output_types.data

    @property
    def contexts(self) -> tuple[Attribute, ...]:
        """The types of its context state."""
        return self.context_types.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            at = parser.pos
            function = parser.parse_type()
            if not isinstance(function, FunctionType):
                parser.raise_error(
                    "expected the types of operands and outputs, as in `(tensor<64xf32>) -> tensor<32xf32>`", at
                )
            contexts: list[Attribute] = []
            while parser.parse_optional_punctuation(",") is not None:
                contexts.append(parser.parse_type())
        return [ArrayAttr(function.inputs), ArrayAttr(function.outputs), ArrayAttr(contexts)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_function_type(self.operands, self.outputs)
            for context in self.contexts:
                printer.print_string(", ")
                printer.print_attribute(context)

    def verify(self) -> None:
        for type in (*self.operands, *self.outputs, *self.contexts):
            if not VALUE.verifies(type):
                raise VerifyException(f"an async bundle holds tensors, tokens and tuples of them, not '{type}'")
