"""Operations of the xtile dialect. Source: XLA, `xla/codegen/xtile`."""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    AnyTensorType,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    i8,
    i32,
)
from xdsl.dialects.builtin import i64 as i64_type
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
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
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xshardy.dialects.stablehlo.attributes import DotDimensionNumbersAttr, parse_integers
from xshardy.dialects.xtile.attributes import verify_layout

BUFFER = base(MemRefType)
TENSOR = base(TensorType)
INDEX = base(IndexType)
I64_ARRAY = DenseArrayBase.constr(i64_type)
I64_NUMBER = IntegerAttr.constr(i64_type)


@irdl_custom_directive
class IntegerList(CustomDirective):
    """`[10, 1]`: an array of integers of 64 bits."""

    array: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.array.set(state, parse_integers(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_string(str([*values_of(self.array.get(op))]))


def values_of(array: Attribute | None) -> tuple[int, ...]:
    """The numbers of an array of integers."""
    assert isinstance(array, DenseArrayBase)
    return array.get_values()


# -- Functions --------------------------------------------------------------------------------------------------------

RESERVED = ("sym_name", "function_type", "arg_attrs", "res_attrs")


@irdl_op_definition
class EntryFuncOp(IRDLOperation):
    """
    `xtile.entry_func @main(%a: memref<8xf32>, %tile: index) { ... }`: a kernel that runs once for each tile number.

    The buffers come first, then `num_opaque_args` arguments that have nothing to do with tiles, then the number.
    """

    name = "xtile.entry_func"
    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    num_opaque_args = opt_prop_def(IntegerAttr.constr(i32))
    body = region_def("single_block")
    traits = traits_def(SymbolOpInterface(), IsolatedFromAbove())

    @property
    def opaque_count(self) -> int:
        """The number of opaque arguments."""
        return 0 if self.num_opaque_args is None else self.num_opaque_args.value.data

    @classmethod
    def parse(cls, parser: Parser) -> "EntryFuncOp":
        name, inputs, outputs, body, extra, arg_attrs, res_attrs = parse_func_op_like(
            parser, reserved_attr_names=RESERVED
        )
        attributes = dict(extra.data) if extra is not None else {}
        properties: dict[str, Attribute | None] = {
            "sym_name": StringAttr(name),
            "function_type": FunctionType.from_lists(inputs, outputs),
            "arg_attrs": arg_attrs,
            "res_attrs": res_attrs,
            "num_opaque_args": attributes.pop("num_opaque_args", None),
        }
        given = {key: value for key, value in properties.items() if value is not None}
        return cls.create(properties=given, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        opaque = {"num_opaque_args": self.num_opaque_args} if self.num_opaque_args is not None else {}
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            {**self.attributes, **opaque},
            arg_attrs=self.arg_attrs,
            res_attrs=self.res_attrs,
            reserved_attr_names=RESERVED,
        )

    def verify_(self) -> None:
        inputs = self.function_type.inputs.data
        if self.function_type.outputs.data:
            raise VerifyException("entry function should not have any return values: write results into its buffers")
        if not inputs:
            raise VerifyException("entry function must have at least the workgroup id: an index, as its last argument")
        buffers = inputs[: len(inputs) - 1 - self.opaque_count]
        if not isinstance(inputs[-1], IndexType) or not all(isinstance(type, MemRefType) for type in buffers):
            raise VerifyException(
                "entry function arguments should be of the form (arg: memref..., tile_id: index), with "
                f"{self.opaque_count} opaque arguments before the last"
            )
        if tuple(self.body.block.arg_types) != inputs:
            raise VerifyException("the arguments of the body have other types than those of the function")
        for type in buffers:
            verify_layout(cast(MemRefType, type))


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The end of an entry function, which returns nothing."""

    name = "xtile.return"
    traits = traits_def(IsTerminator(), HasParent(EntryFuncOp))
    assembly_format = "attr-dict"


# -- Tiles ------------------------------------------------------------------------------------------------------------


@irdl_op_definition
class SelectBufferOp(IRDLOperation):
    """`select_buffer %all[%i]`: one of several buffers, whose addresses `source` holds."""

    name = "xtile.select_buffer"
    source = operand_def(BUFFER)
    replica_id = operand_def(INDEX)
    result = result_def(BUFFER)
    traits = traits_def(Pure())
    assembly_format = "$source `[` $replica_id `]` `:` type($source) `->` type($result) attr-dict"


class TileOp(IRDLOperation):
    """
    An access to a tile of a buffer: element `i` of dimension `d` is at `offsets[d] + i * strides[d]`.

    The tensor has the shape `full_tile_shape`, perhaps without some of its dimensions of size 1.
    """

    offsets = var_operand_def(INDEX)
    full_tile_shape = prop_def(I64_ARRAY)
    strides = prop_def(I64_ARRAY)

    @property
    def buffer(self) -> SSAValue:
        raise NotImplementedError

    @property
    def tile(self) -> SSAValue:
        raise NotImplementedError

    @property
    def sizes(self) -> tuple[int, ...]:
        return values_of(self.full_tile_shape)

    @property
    def steps(self) -> tuple[int, ...]:
        return values_of(self.strides)

    def verify_(self) -> None:
        buffer, tile = cast(MemRefType, self.buffer.type), cast(AnyTensorType, self.tile.type)
        rank = buffer.get_num_dims()
        verify_layout(buffer)
        if len(self.sizes) != rank:
            raise VerifyException(f"full tile shape size: {len(self.sizes)} does not match rank of buffer: {rank}")
        if len(self.offsets) != rank:
            raise VerifyException(f"expected {rank} offset operands, got {len(self.offsets)}")
        if len(self.steps) != rank:
            raise VerifyException(f"expected {rank} strides, got {len(self.steps)}")
        if not reduces_to(self.sizes, tile.get_shape()):
            raise VerifyException(
                f"full tile shape: {[*self.sizes]} does not reduce to tile shape: {[*tile.get_shape()]}: only "
                "dimensions of size 1 may be left out"
            )
        if buffer.element_type != tile.element_type:
            raise VerifyException(
                f"buffer element type: '{buffer.element_type}' does not match element type of tile: "
                f"'{tile.element_type}'"
            )


def reduces_to(shape: Sequence[int], reduced: Sequence[int]) -> bool:
    """Whether `reduced` is `shape` without some of its sizes of 1."""
    left = [*reduced]
    for size in shape:
        if left and left[0] == size:
            left.pop(0)
        elif size != 1:
            return False
    return not left


@irdl_op_definition
class ExtractOp(TileOp):
    """`extract %buffer[%i][4][1]`: read a tile. What is outside of the buffer is 0."""

    name = "xtile.extract"
    source = operand_def(BUFFER)
    result = result_def(TENSOR)
    assembly_format = (
        "$source `[` $offsets `]` custom<IntegerList>($full_tile_shape) custom<IntegerList>($strides) "
        "`:` type($source) `->` type($result) attr-dict"
    )
    custom_directives = (IntegerList,)

    @property
    def buffer(self) -> SSAValue:
        return self.source

    @property
    def tile(self) -> SSAValue:
        return self.result


@irdl_op_definition
class InsertOp(TileOp):
    """`insert %tile into %buffer[%i][4][1]`: write a tile. What is outside of the buffer is not written."""

    name = "xtile.insert"
    source = operand_def(TENSOR)
    destination = operand_def(BUFFER)
    assembly_format = (
        "$source `into` $destination `[` $offsets `]` custom<IntegerList>($full_tile_shape) "
        "custom<IntegerList>($strides) `:` type($source) `->` type($destination) attr-dict"
    )
    custom_directives = (IntegerList,)

    @property
    def buffer(self) -> SSAValue:
        return self.destination

    @property
    def tile(self) -> SSAValue:
        return self.source


# -- Tensors ----------------------------------------------------------------------------------------------------------


@irdl_op_definition
class MaskOp(IRDLOperation):
    """`mask %x bounds [3], %v`: `%x` where each index is below its bound, and elsewhere `%v`."""

    name = "xtile.mask"
    E: ClassVar = VarConstraint("E", AnyAttr())
    T: ClassVar = VarConstraint("T", TensorType.constr(E))
    source = operand_def(T)
    bounds = prop_def(I64_ARRAY)
    value = operand_def(E)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$source `bounds` custom<IntegerList>($bounds) `,` $value `:` type($result) attr-dict"
    custom_directives = (IntegerList,)

    def verify_(self) -> None:
        shape, bounds = self.result.type.get_shape(), values_of(self.bounds)
        if len(shape) != len(bounds):
            raise VerifyException(f"tensor rank: {len(shape)} does not match mask bounds rank: {len(bounds)}")
        if any(bound > size for bound, size in zip(bounds, shape, strict=True)):
            raise VerifyException(
                f"mask bound not less than or equal to the tensor size: {[*bounds]} for a shape of {[*shape]}"
            )


@irdl_op_definition
class ScanOp(IRDLOperation):
    """
    `scan(%x) inits(%c) dimension = 0 ... { f }`: `y0, c1 = f(x0, c0)`, `y1, c2 = f(x1, c1)`, ... along a dimension.

    The results are the outputs `y`, put together again, and the last carried values. A body that returns only the
    outputs carries them on. Its arguments are slices, or scalars, to which it is applied element by element.
    """

    name = "xtile.scan"
    inputs = var_operand_def(TENSOR)
    inits = var_operand_def(TENSOR)
    dimension = prop_def(I64_NUMBER)
    scan_dim_size = prop_def(I64_NUMBER)
    is_reverse = opt_prop_def(BoolAttr)
    body = region_def("single_block")
    outputs = var_result_def(TENSOR)
    carries = var_result_def(TENSOR)
    traits = traits_def(Pure())
    irdl_options = (
        AttrSizedOperandSegments(as_property=True),
        AttrSizedResultSegments(as_property=True),
        ParsePropInAttrDict(),
    )
    assembly_format = (
        "`(` $inputs `)` `inits` `(` $inits `)` `dimension` `=` $dimension attr-dict "
        "`:` `(` type($inputs) `)` `,` `(` type($inits) `)` `->` `(` type($outputs) `)` `,` `(` type($carries) `)` "
        "$body"
    )

    def verify_(self) -> None:
        dimension, arguments = self.dimension.value.data, self.body.block.args
        for value in (*self.inputs, *self.outputs):
            if not 0 <= dimension < (rank := cast(AnyTensorType, value.type).get_num_dims()):
                raise VerifyException(f"dimension {dimension} is not one of the {rank} of {value.type}")
        if len(arguments) != len(self.operands):
            raise VerifyException(
                f"the body has {len(arguments)} arguments: expected {len(self.operands)}, a slice of each input and "
                "the carried values"
            )
        if not len(self.inputs) == len(self.outputs) or not len(self.inits) == len(self.carries):
            raise VerifyException("there is an output for each input, and a carried value for each init")
        if len(self.inputs) != len(self.inits):
            raise VerifyException(f"{len(self.inputs)} inputs need as many inits, not {len(self.inits)}")
        last = self.body.block.last_op
        if last is not None and len(last.operands) not in (len(self.outputs), len(self.results)):
            raise VerifyException(
                f"the body returns {len(last.operands)} values: expected {len(self.outputs)} outputs, perhaps with "
                f"{len(self.carries)} values to carry on behind them"
            )


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The end of the body of a scan: what it returns."""

    name = "xtile.yield"
    arguments = var_operand_def()
    traits = traits_def(IsTerminator(), HasParent(ScanOp), Pure())
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"


SCALES = (Float8E8M0FNUType, Float8E4M3FNType, Float8E5M2Type)


@irdl_op_definition
class DotScaledOp(IRDLOperation):
    """
    `dot_scaled %a scale %s, %b scale %t`: the matrix product of `%a` and `%b`, whose blocks are scaled.

    A row of `%s` has the factors of the blocks of a row of `%a`, and a row of `%t` those of a column of `%b`. Elements
    of 4 bits are packed along K, two in an i8, if `lhs_k_pack` or `rhs_k_pack` says so, as by default. A factor of i8
    is the exponent of a power of two, as in f8E8M0FNU.
    """

    name = "xtile.dot_scaled"
    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    lhs_scale = opt_operand_def(TENSOR)
    rhs_scale = opt_operand_def(TENSOR)
    fast_math = prop_def(BoolAttr, prop_name="fastMath")
    lhs_k_pack = opt_prop_def(BoolAttr)
    rhs_k_pack = opt_prop_def(BoolAttr)
    lhs_elem_type = prop_def()
    rhs_elem_type = prop_def()
    dot_dimension_numbers = opt_prop_def(DotDimensionNumbersAttr)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$lhs (`scale` $lhs_scale^)? `,` $rhs (`scale` $rhs_scale^)? attr-dict "
        "`:` type($lhs) (`,` type($lhs_scale)^)? `*` type($rhs) (`,` type($rhs_scale)^)? `->` type($result)"
    )

    def verify_(self) -> None:
        for number, operand in enumerate(self.operands):
            element = cast(AnyTensorType, operand.type).element_type
            if not isinstance(element, AnyFloat) and element != i8:
                raise VerifyException(
                    f"operand #{number} must be ranked tensor of floating-point or 8-bit signless integer values, "
                    f"but got '{operand.type}'"
                )
        sides = (("LHS", self.lhs_elem_type, self.lhs_scale), ("RHS", self.rhs_elem_type, self.rhs_scale))
        for side, element, _ in sides:
            if not isinstance(element, AnyFloat) and not (isa(element, IntegerType) and element.bitwidth in (4, 8)):
                raise VerifyException(
                    f"{side} logical element type '{element}' is not supported: expected a float, or an integer of 4 "
                    "or 8 bits"
                )
        for side, _, scale in sides:
            element = None if scale is None else cast(AnyTensorType, scale.type).element_type
            if element is not None and not isinstance(element, SCALES) and element != i8:
                raise VerifyException(
                    f"{side} scale element type '{element}' is not supported: expected f8E8M0FNU, f8E4M3FN, f8E5M2 "
                    "or i8"
                )
