"""Ops that apply a region to elements: reductions and map."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    AnyTensorType,
    ComplexType,
    DenseArrayBase,
    FunctionType,
    IntegerType,
    NoneAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    SameVariadicOperandSize,
    irdl_op_definition,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Commutative, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.quant import UniformQuantizedType
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.control_flow import ReturnOp
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.types import (
    TENSOR,
    bit_width,
    is_compatible,
    is_compatible_dim,
    is_compatible_shape,
    tensor_type,
)

__all__ = ["MapOp", "ReduceOp"]

I64_ARRAY = DenseArrayBase.constr(i64)


@irdl_op_definition
class ReduceOp(InfersResultTypes):
    """
    Combine the elements of `inputs` along `dimensions` with `body`, starting from `init_values`.

    With n inputs, `body` takes n accumulated values and n elements and returns n values. The order is not defined.
    """

    name = "stablehlo.reduce"
    inputs = var_operand_def(TENSOR)
    init_values = var_operand_def(TENSOR)
    dimensions = prop_def(I64_ARRAY)
    body = region_def("single_block")
    outputs = var_result_def(TENSOR)
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (SameVariadicOperandSize(),)

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        init_values: Sequence[SSAValue],
        dimensions: Sequence[int],
        body: Region,
        result_types: Sequence[Attribute],
    ):
        super().__init__(
            operands=[inputs, init_values],
            result_types=[result_types],
            properties={"dimensions": integers(dimensions)},
            regions=[body],
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        if not self.inputs:
            raise VerifyException("expected 1 or more operands, but found 0")
        inputs = [tensor_type(value) for value in self.inputs]
        shape, dimensions = inputs[0].get_shape(), self.dimensions.get_values()
        for i, input in enumerate(inputs):
            if not is_compatible_shape(input.get_shape(), shape):
                raise VerifyException(
                    f"expects all inputs to have compatible shapes. Shape at input-index {i} is not compatible with "
                    "shape at input-index 0"
                )
        for dimension in dimensions:
            if not 0 <= dimension < len(shape):
                raise VerifyException(f"Out-of-bounds dimension {dimension}, expected to be in range [0, {len(shape)})")
            if dimensions.count(dimension) > 1:
                raise VerifyException(f"Duplicate reduction dimension: {dimension}")
        remaining = [size for i, size in enumerate(shape) if i not in dimensions]
        accumulators = verify_reducer(self.body.block, self.inputs.types, self.init_values.types, remaining)
        return [TensorType(tensor_type(type).element_type, remaining) for type in accumulators]

    @classmethod
    def parse(cls, parser: Parser) -> "ReduceOp":
        inputs, inits = parse_inputs_and_inits(parser)
        applied = parser.parse_identifier() if parser.parse_optional_keyword("applies") else None
        parser.parse_keyword("across")
        parser.parse_keyword("dimensions")
        parser.parse_punctuation("=")
        dimensions = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        type = parser.parse_type()
        if not isinstance(type, FunctionType):
            parser.raise_error("expected function type", position, parser.pos)
        if not type.inputs:
            parser.raise_error("input types missing in reduce-op function type", position, parser.pos)
        operands = parser.resolve_operands([*inputs, *inits], type.inputs.data, position)
        body = parse_reducer(parser) if applied is None else reducer_of(parser, applied, type.inputs.data[0])
        return cls.create(
            operands=operands,
            result_types=type.outputs.data,
            properties={"dimensions": integers(dimensions)},
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        def print_input(pair: tuple[SSAValue, SSAValue]) -> None:
            with printer.in_parens():
                printer.print_ssa_value(pair[0])
                printer.print_string(" init: ")
                printer.print_ssa_value(pair[1])

        printer.print_list(zip(self.inputs, self.init_values, strict=True), print_input)
        if (applied := self.applied_op()) is not None:
            printer.print_string(f" applies {applied.name}")
        printer.print_string(f" across dimensions = [{', '.join(map(str, self.dimensions.get_values()))}]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        if applied is None:
            print_reducer(printer, self.body)

    def applied_op(self) -> Operation | None:
        """The only operation of the body, if the pretty form can denote the body by its name; else None."""
        operations = list(self.body.block.ops)
        if len(operations) != 2 or not self.inputs:
            return None
        inner, last = operations
        element = tensor_type(self.inputs[0]).element_type
        is_plain = (
            inner.name.startswith("stablehlo.")
            and inner.has_trait(Commutative)
            and not inner.regions
            and not inner.attributes
            and not inner.properties
            and len(inner.operands) == 2
            and isinstance(last, ReturnOp)
            and tuple(inner.operands) == self.body.block.args
            and tuple(last.operands) == tuple(inner.results)
            and all(_is_scalar(type, element) for type in (*inner.operand_types, *inner.result_types))
        )
        return inner if is_plain else None


def _is_scalar(type: Attribute, element: Attribute) -> bool:
    """Whether `type` is `tensor<element>`, without an encoding."""
    if not isinstance(type, TensorType):
        return False
    tensor = cast(AnyTensorType, type)
    return not tensor.shape.data and tensor.element_type == element and isinstance(tensor.encoding, NoneAttr)


def parse_inputs_and_inits(parser: Parser) -> tuple[list[UnresolvedOperand], list[UnresolvedOperand]]:
    """`(%input init: %init), ...`"""

    def parse_pair() -> tuple[UnresolvedOperand, UnresolvedOperand]:
        with parser.in_parens():
            operand = parser.parse_unresolved_operand()
            parser.parse_keyword("init")
            parser.parse_punctuation(":")
            return operand, parser.parse_unresolved_operand()

    pairs = parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_pair)
    return [operand for operand, _ in pairs], [init for _, init in pairs]


def parse_reducer(parser: Parser) -> Region:
    """`reducer(%a0: type, %x0: type) (%a1: type, %x1: type) { ... }`; the block takes all accumulators first."""
    parser.parse_keyword("reducer")
    accumulators: list[Parser.Argument] = []
    elements: list[Parser.Argument] = []
    while parser.parse_optional_punctuation("("):
        accumulators.append(parser.parse_argument())
        parser.parse_punctuation(",")
        elements.append(parser.parse_argument())
        parser.parse_punctuation(")")
    return parser.parse_region([*accumulators, *elements])


def print_reducer(printer: Printer, body: Region) -> None:
    """The inverse of `parse_reducer`."""
    arguments = body.block.args
    count = len(arguments) // 2
    printer.print_string("\n reducer")
    printer.enter_scope()
    for accumulator, element in zip(arguments[:count], arguments[count:], strict=True):
        printer.print_string("(")
        printer.print_block_argument(accumulator)
        printer.print_string(", ")
        printer.print_block_argument(element)
        printer.print_string(") ")
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)
    printer.exit_scope()


def reducer_of(parser: Parser, name: str, input: Attribute) -> Region:
    """A region that applies the op called `name` to an accumulator and an element of `input`."""
    op = parser.ctx.get_optional_op(name)
    if op is None or not name.startswith("stablehlo.") or not op.has_trait(Commutative):
        parser.raise_error(
            "expected the inner-op to be a commutative binary-op from the stablehlo dialect, with zero region, "
            "producing single result"
        )
    scalar = TensorType(tensor_type(input).element_type, [])
    block = Block(arg_types=[scalar, scalar])
    inner = op.create(operands=block.args, result_types=[scalar])
    block.add_ops([inner, ReturnOp.create(operands=inner.results)])
    return Region(block)


def verify_reducer(
    block: Block, inputs: Sequence[Attribute], init_values: Sequence[Attribute], allowed: Sequence[int]
) -> Sequence[Attribute]:
    """
    Check the region of a reduction against the types of its operands; return the types that it returns.

    Its values are scalars, or for each input a shape whose dimensions are among `allowed`, in order.
    """
    count = len(inputs)
    if len(block.args) != 2 * count:
        raise VerifyException(
            f"Reduction-region must take {2 * count} parameters, but takes {len(block.args)} parameter(s)"
        )
    last = block.last_op
    if not isinstance(last, ReturnOp):
        raise VerifyException("The reduction-region expected to have a terminator: end it with stablehlo.return")
    if not last.operands:
        raise VerifyException("The reduction-region expected to return some value(s)")
    returned = last.operand_types
    if len(returned) != count:
        raise VerifyException(
            f"Reduction-region here must produce {count} tensors, but produces {len(returned)} instead"
        )
    for i, accumulator in enumerate(returned):
        if not isinstance(accumulator, TensorType):
            raise VerifyException(
                f"Reduction-region here must produce tensor-typed result(s), but produces '{accumulator}' instead"
            )
        verify_accumulator(returned[i], block.args[i], block.args[count + i])
        verify_initial_value(i, returned[i], init_values[i])
        element = tensor_type(block.args[count + i])
        if not is_promotable(tensor_type(inputs[i]).element_type, element.element_type):
            raise VerifyException(
                f"The element-type of reduction-region's argument at index {count + i} is expected to be promotable "
                f"from '{tensor_type(inputs[i]).element_type}', but got '{element.element_type}'"
            )
        verify_argument_shape(i, count, element.get_shape(), allowed)
    return returned


def verify_accumulator(accumulator: Attribute, first: BlockArgument, second: BlockArgument) -> None:
    """Both parameters for an input have the type that the region returns for it; the second up to its precision."""
    elements = [tensor_type(type).element_type for type in (accumulator, second.type)]
    is_same = elements[0] == elements[1] or all(isinstance(element, AnyFloat) for element in elements)
    shapes = [tensor_type(type).get_shape() for type in (accumulator, second.type)]
    for parameter, is_right in (
        (first, is_compatible(accumulator, first.type)),
        (second, is_same and is_compatible_shape(*shapes)),
    ):
        if not is_right:
            raise VerifyException(
                f"The type of reduction-region's parameter at index {parameter.index} is different than the "
                f"corresponding result type: '{parameter.type}' vs '{accumulator}'"
            )


def verify_initial_value(i: int, accumulator: Attribute, init: Attribute) -> None:
    """The initial value of input `i` has the shape of what the region returns for it, and fits into its elements."""
    if not is_compatible_shape(tensor_type(init).get_shape(), tensor_type(accumulator).get_shape()):
        raise VerifyException(
            f"The shape of reduction-region's result type at index {i} differs from the op's corresponding init-value "
            f"type: '{accumulator}' vs '{init}'"
        )
    if not is_promotable(tensor_type(init).element_type, tensor_type(accumulator).element_type):
        raise VerifyException(
            f"The element-type of reduction-region's result type at index {i} is expected to be promotable from the "
            f"op's corresponding init-value element-type: '{accumulator}' vs '{init}'"
        )


def verify_argument_shape(i: int, count: int, shape: Sequence[int], allowed: Sequence[int]) -> None:
    """The dimensions of an argument of the region are among `allowed`, in their order."""
    if len(shape) > len(allowed):
        raise VerifyException(
            f"The rank of reduction-region's argument at index {count + i} is expected to be <= {len(allowed)}, "
            f"got {len(shape)}"
        )
    remaining = iter(allowed)
    if not all(any(is_compatible_dim(size, dimension) for dimension in remaining) for size in shape):
        raise VerifyException(
            f"The shape of reduction-region's argument at index {count + i} is not compatible with that of reduce-op's "
            f"input-parameter at index {i}"
        )


def is_promotable(source: Attribute, target: Attribute) -> bool:
    """Whether a reduction may be done in elements of `target` when its input has those of `source`."""
    if isinstance(source, UniformQuantizedType) and isinstance(target, UniformQuantizedType):
        return source.expressed == target.expressed and bit_width(source) <= bit_width(target)
    kinds = (IntegerType, AnyFloat, ComplexType)
    if not any(isinstance(source, kind) and isinstance(target, kind) for kind in kinds):
        return False
    return isinstance(source, AnyFloat) or bit_width(source) <= bit_width(target)


@irdl_op_definition
class MapOp(InfersResultTypes):
    """Apply `computation`, from scalars to a scalar, to the elements of `inputs`; `dimensions` are all of theirs."""

    name = "stablehlo.map"
    inputs = var_operand_def(TENSOR)
    dimensions = prop_def(I64_ARRAY)
    computation = region_def("single_block")
    result = result_def(TENSOR)
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, inputs: Sequence[SSAValue], dimensions: Sequence[int], computation: Region, result: Attribute):
        super().__init__(
            operands=[inputs],
            result_types=[result],
            properties={"dimensions": integers(dimensions)},
            regions=[computation],
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        arguments = self.computation.block.args
        if len(self.inputs) != len(arguments):
            raise VerifyException(
                "expects number of operands to match the arity of map computation, "
                f"but got: {len(self.inputs)} and {len(arguments)}"
            )
        for i, (operand, argument) in enumerate(zip(self.inputs, arguments, strict=True)):
            verify_map_argument(i, tensor_type(operand).element_type, argument.type)
        last = self.computation.block.last_op
        outputs = last.operand_types if isinstance(last, ReturnOp) else ()
        if len(outputs) != 1:
            raise VerifyException(f"computation must return single output, but got: {len(outputs)}")
        if not is_scalar(outputs[0]):
            raise VerifyException(f"computation must return 0-rank tensor, but got: '{outputs[0]}'")
        dimensions = self.dimensions.get_values()
        if dimensions != tuple(range(len(dimensions))):
            raise VerifyException(
                "requires monotonically increasing dimension numbers, but got: " + ", ".join(map(str, dimensions))
            )
        for operand in self.inputs:
            if (rank := tensor_type(operand).get_num_dims()) != len(dimensions):
                raise VerifyException(
                    "applied to a subset of dimensions currently not supported: operand dimensions = "
                    f"{rank}, requested map dimensions size = {len(dimensions)}"
                )
        shape = tensor_type(self.inputs[0] if self.inputs else self.result).get_shape()
        return [TensorType(tensor_type(outputs[0]).element_type, shape)]


def is_scalar(type: Attribute) -> bool:
    """Whether `type` is a tensor of rank 0."""
    return isinstance(type, TensorType) and not cast(AnyTensorType, type).shape.data


def verify_map_argument(i: int, element: Attribute, argument: Attribute) -> None:
    """Argument `i` of a map computation is a scalar of the operand's element type."""
    if not is_scalar(argument):
        raise VerifyException(f"computation arguments must be 0-rank tensor, but got: arg #{i} of type '{argument}'")
    if (argument_element := tensor_type(argument).element_type) != element:
        raise VerifyException(
            f"element type of operands and computation arguments must match, but got: '{element}' and "
            f"'{argument_element}'"
        )
