"""Ops for a computation that is defined elsewhere: custom calls and composites."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AnyTensorType,
    ArrayAttr,
    BoolAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    MemRefType,
    ShapedType,
    StringAttr,
    TensorType,
    TupleType,
    UnrankedTensorType,
    i1,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.dense_elements import first_values
from xshardy.dialects.stablehlo.structs import OutputOperandAliasAttr
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.dialects.stablehlo.types import CALL_VALUE, COMPOSITE_VALUE, is_compatible_shape
from xshardy.dialects.symbols import find_symbol

__all__ = ["CompositeOp", "CustomCallOp"]


class EffectsIfDeclared(MemoryEffect):
    """A custom call has all effects if it says `has_side_effect`, and none if it does not."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        assert isinstance(op, CustomCallOp)
        return set(map(EffectInstance, MemoryEffectKind)) if op.has_side_effect.value.data else set()


LAYOUTS = ArrayAttr[DenseIntOrFPElementsAttr]
NO_ELEMENTS = ArrayAttr[Attribute]([])
NO_ATTRIBUTES = DictionaryAttr({})


@irdl_custom_directive
class SymbolName(CustomDirective):
    """A string attribute, written as a symbol: `@foo`, `@"foo bar"`."""

    name: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.name.set(state, parser.parse_symbol_name())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        name = self.name.get(op)
        assert isinstance(name, StringAttr)
        state.print_whitespace(printer)
        printer.print_symbol_name(name.data)


RAGGED_ALL_TO_ALL = "ragged_all_to_all"
"""The target by which JAX calls the `ragged-all-to-all` of HLO; the groups are in the configuration."""
PAD_TO_STATIC, SLICE_TO_DYNAMIC = "PadToStatic", "SliceToDynamic"
"""The calls by which XLA goes between dynamic tensors and tensors of their largest sizes."""


@irdl_op_definition
class CustomCallOp(IRDLOperation):
    """
    A call of the target's function `call_target_name`.

    `output_operand_aliases` says which (parts of) results live in the memory of which operands. A result that is a
    buffer (memref) has such an alias, unless one of the `BUFFER_CALLS` makes it.
    """

    name = "stablehlo.custom_call"
    inputs = var_operand_def(CALL_VALUE)
    call_target_name = prop_def(StringAttr)
    has_side_effect = opt_prop_def(BoolAttr, default_value=IntegerAttr(0, i1))
    backend_config = opt_prop_def(StringAttr | BytesAttr | DictionaryAttr)
    api_version = opt_prop_def(IntegerAttr.constr(i32), default_value=IntegerAttr(1, i32))
    called_computations = opt_prop_def(ArrayAttr.constr(FlatSymbolRefAttrConstr), default_value=NO_ELEMENTS)
    operand_layouts = opt_prop_def(LAYOUTS)
    result_layouts = opt_prop_def(LAYOUTS)
    output_operand_aliases = opt_prop_def(ArrayAttr[OutputOperandAliasAttr], default_value=NO_ELEMENTS)
    result_tilings = opt_prop_def(ArrayAttr[ArrayAttr[DenseIntOrFPElementsAttr]])
    outputs = var_result_def(CALL_VALUE)
    traits = traits_def(EffectsIfDeclared())
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (SymbolName,)
    assembly_format = (
        "custom<SymbolName>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        call_target_name: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        properties: Mapping[str, Attribute] | None = None,
    ):
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"call_target_name": StringAttr(call_target_name), **(properties or {})},
        )

    @property
    def config(self) -> Mapping[str, Attribute]:
        """The entries of the configuration; none if that is a text."""
        return self.backend_config.data if isinstance(self.backend_config, DictionaryAttr) else {}

    @property
    def result_tree(self) -> Attribute:
        """The type of the result; with several, or none, a tuple of their types."""
        return self.result_types[0] if len(self.outputs) == 1 else tuple_type(self.result_types)

    @property
    def part_types(self) -> Sequence[Attribute]:
        """The types of the results; those of its elements if the only one is a tuple."""
        tree = self.result_tree
        return tree.types.data if isinstance(tree, TupleType) else self.result_types

    def verify_(self) -> None:
        self.verify_layouts()
        for alias in self.output_operand_aliases:
            self.verify_alias(alias)
        self.verify_backend_config()
        if (verify_call := BUFFER_CALLS.get(self.call_target_name.data)) is not None:
            verify_call(self)
        else:
            self.verify_buffers()

    def verify_layouts(self) -> None:
        """Operands and results have layouts, or none of them; a layout orders the dimensions."""
        if self.operand_layouts is None and self.result_layouts is None:
            return
        if self.operand_layouts is None or self.result_layouts is None:
            raise VerifyException("Layout attributes should be specified for either both operands and results or none.")
        for name, types, layouts in (
            ("operand", self.operand_types, self.operand_layouts.data),
            ("result", self.part_types, self.result_layouts.data),
        ):
            if len(types) != len(layouts):
                raise VerifyException(
                    f"Number of {name}s must match the number of {name} layouts, {len(types)} != {len(layouts)}"
                )
            for i, (type, layout) in enumerate(zip(types, layouts, strict=True)):
                verify_layout(f"{name} #{i}", type, layout)

    def verify_alias(self, alias: OutputOperandAliasAttr) -> None:
        """Both parts that an alias names are there, and have one type."""
        index = alias.operand_index.data
        if not 0 <= index < len(self.inputs):
            raise VerifyException(
                "expects operandIndex in the output_operand_alias attribute to be in range "
                f"[0, {len(self.inputs)}); got: {index}."
            )
        operand = part_of(self.inputs[index].type, alias.operand_tuple_indices.get_values(), "operand_tuple_indices")
        output = part_of(self.result_tree, alias.output_tuple_indices.get_values(), "output_tuple_indices")
        if operand != output:
            raise VerifyException(
                f"shapes mismatch in the output_operand_alias attribute: operand part has type '{operand}' and output "
                f"part has type '{output}'"
            )

    def verify_backend_config(self) -> None:
        """The typed interface takes a dictionary, all others a string."""
        version = self.api_version.value.data
        if version not in API_VERSIONS:
            raise VerifyException(
                f"attribute 'api_version' failed to satisfy constraint: Custom call API version, but got {version}"
            )
        kinds, text = ((DictionaryAttr,), "dictionary") if version == TYPED_FFI else ((StringAttr, BytesAttr), "string")
        if self.backend_config is not None and type(self.backend_config) not in kinds:
            raise VerifyException(f"backend_config for api_version {API_VERSIONS[version]} must be a {text} attribute.")

    def verify_buffers(self) -> None:
        """A buffer among the operands is written by one result at most, and each buffer among the results is one."""
        operands: set[tuple[int, ...]] = set()
        outputs: set[tuple[int, ...]] = set()
        for alias in self.output_operand_aliases:
            index, path = alias.operand_index.data, alias.operand_tuple_indices.get_values()
            if not isinstance(part_of(self.inputs[index].type, path, "operand_tuple_indices"), MemRefType):
                continue
            output = alias.output_tuple_indices.get_values()
            for name, part, seen in (
                (f"output {list(output)}", output, outputs),
                (f"operand {index}{list(path)}", (index, *path), operands),
            ):
                if part in seen:
                    raise VerifyException(f"buffer {name} is used in output_operand_alias more than once")
                seen.add(part)
        for path in buffers_in(self.result_tree):
            if path not in outputs:
                raise VerifyException(f"buffer output {list(path)} is not used in output_operand_alias")


API_VERSIONS: Mapping[int, str] = {
    0: "API_VERSION_UNSPECIFIED",
    1: "API_VERSION_ORIGINAL",
    2: "API_VERSION_STATUS_RETURNING",
    3: "API_VERSION_STATUS_RETURNING_UNIFIED",
    4: "API_VERSION_TYPED_FFI",
}
TYPED_FFI = 4


def verify_layout(name: str, type: Attribute, layout: DenseIntOrFPElementsAttr) -> None:
    """`layout` orders the dimensions of `type`, from the one whose elements are next to each other."""
    if isinstance(type, TupleType):
        raise VerifyException("Tuple types are not fully supported with layout constraints yet")
    order = cast(tuple[int, ...], first_values(layout))
    if not isinstance(type, ShapedType):
        if order:
            raise VerifyException(
                f"Only tensor types can have non-empty layout: {name} of type '{type}' has layout {layout}"
            )
        return
    if isinstance(type, UnrankedTensorType):
        return
    rank = type.get_num_dims()
    if sorted(order) != list(range(rank)):
        raise VerifyException(
            f"incorrect layout {layout} for type '{type}', layout must be a permutation of [0, {rank})"
        )


def part_of(type: Attribute, path: Sequence[int], name: str) -> Attribute:
    """The type at the end of `path`, an index for each level of nested tuples."""
    for index in path:
        if not isinstance(type, TupleType) or not 0 <= index < len(type.types):
            raise VerifyException(f"{name} in the output_operand_alias attribute out of bounds")
        type = type.types.data[index]
    return type


def buffers_in(type: Attribute, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """The paths to all buffers in a type."""
    if isinstance(type, MemRefType):
        yield path
    elif isinstance(type, TupleType):
        for index, part in enumerate(type.types):
            yield from buffers_in(part, (*path, index))


def is_buffer(type: Attribute) -> bool:
    """Whether `type` is that of memory that calls write in place."""
    return type.__class__ is MemRefType


def contents_of(buffer: Attribute) -> AnyTensorType:
    """`memref<4xf32>` -> `tensor<4xf32>`. Precondition: `buffer` is such a type."""
    type = cast(MemRefType, buffer)
    return TensorType(type.element_type, type.shape)


def verify_create_buffer(call: CustomCallOp) -> None:
    """`() -> memref`"""
    if call.inputs:
        raise VerifyException("CreateBuffer custom_call shouldn't have any inputs")
    if len(call.outputs) != 1:
        raise VerifyException("CreateBuffer custom_call should have one result")
    if not isinstance(call.outputs[0].type, MemRefType):
        raise VerifyException("CreateBuffer custom_call should have a memref result")


def verify_conversion(name: str, source: type[Attribute], target: type[Attribute]) -> Callable[[CustomCallOp], None]:
    """The rule of a call that makes a tensor a buffer, or the other way: one operand, one result, of the same shape."""
    texts: Mapping[type[Attribute], str] = {TensorType: "tensor", MemRefType: "memref"}

    def verify(call: CustomCallOp) -> None:
        for count, text in ((len(call.inputs), "input"), (len(call.outputs), "output")):
            if count != 1:
                raise VerifyException(f"{name} custom_call should have one {text}")
        input, output = call.inputs[0].type, call.outputs[0].type
        for type, kind, text in ((input, source, "input"), (output, target, "output")):
            if not isinstance(type, kind):
                raise VerifyException(f"{name} custom_call should have a {texts[kind]} {text}")
        before, after = cast(AnyTensorType, input), cast(AnyTensorType, output)
        if before.element_type != after.element_type or not is_compatible_shape(before.get_shape(), after.get_shape()):
            raise VerifyException(f"{name} custom_call should have compatible input and output types")

    return verify


BUFFER_CALLS: Mapping[str, Callable[[CustomCallOp], None]] = {
    "CreateBuffer": verify_create_buffer,
    "Pin": verify_conversion("Pin", TensorType, MemRefType),
    "Unpin": verify_conversion("Unpin", MemRefType, TensorType),
}
"""The calls that create and end buffers."""

COMPOSITE_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+")


class DecompositionIsFunction(SymbolUserOpInterface):
    """The decomposition of a composite is a function of the same type."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, CompositeOp)
        name = op.decomposition.string_value()
        function = find_symbol(op, op.decomposition)
        if not isinstance(function, FuncOp):
            raise VerifyException(f"'{name}' does not reference a valid function")
        for kind, ours, theirs in (
            ("operand", op.operand_types, function.function_type.inputs.data),
            ("result", op.result_types, function.function_type.outputs.data),
        ):
            if len(ours) != len(theirs):
                raise VerifyException(f"has {len(ours)} {kind}(s), but decomposition has {len(theirs)}")
            for i, (our, their) in enumerate(zip(ours, theirs, strict=True)):
                if our != their:
                    raise VerifyException(f"{kind} at index {i} has type '{our}', but decomposition has type '{their}'")


@irdl_op_definition
class CompositeOp(IRDLOperation):
    """A named operation that computes `decomposition`; a target may implement it by its name."""

    name = "stablehlo.composite"
    inputs = var_operand_def(COMPOSITE_VALUE)
    composite_name = prop_def(StringAttr, prop_name="name")
    composite_attributes = opt_prop_def(DictionaryAttr, default_value=NO_ATTRIBUTES)
    decomposition = prop_def(FlatSymbolRefAttrConstr)
    version = opt_prop_def(IntegerAttr.constr(i32), default_value=IntegerAttr(0, i32))
    composite_regions = var_region_def()
    outputs = var_result_def(COMPOSITE_VALUE)
    traits = traits_def(DecompositionIsFunction())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$name operands (`(` $composite_regions^ `)`)? attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        if COMPOSITE_NAME.fullmatch(self.composite_name.data) is None:
            raise VerifyException(
                "name must be a valid namespaced op name, i.e. it must match the following regular expression: "
                f'^{COMPOSITE_NAME.pattern}$ e.g. "my_namespace.my_op"'
            )
