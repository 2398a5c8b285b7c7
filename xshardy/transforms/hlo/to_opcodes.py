"""Operations that HLO has no opcode for, and properties that its opcodes lack, in what HLO has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, ClassVar, cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.target import Target

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import SplatElementsAttr, dense
from xshardy.dialects.hlo.annotation_names import BACKEND_CONFIG, FRONTEND_ATTRIBUTES
from xshardy.dialects.hlo.layout import LAYOUT
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.building import Decomposition, Tensors
from xshardy.dialects.stablehlo.calls import TYPED_FFI
from xshardy.facts.decompositions.chlo import DECOMPOSITIONS
from xshardy.facts.decompositions.deprecated import DEPRECATED
from xshardy.hlo_text.codecs import TRUE
from xshardy.hlo_text.errors import HLOPrintError
from xshardy.hlo_text.forms.arrays import repeated_ones
from xshardy.hlo_text.forms.collectives import moves_between_dimensions
from xshardy.hlo_text.forms.custom_calls import ANNOTATED, MHLO_BACKEND_CONFIG, is_to_annotate
from xshardy.hlo_text.opcodes import FORMS
from xshardy.hlo_text.printer import print_hlo
from xshardy.hlo_text.write_values import array_text
from xshardy.ir import clone_operation
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.rewriting.walk import operations_in
from xshardy.syntax.printer import Printer
from xshardy.transforms.hlo.outline_regions import OutlineRegionsPass, is_outlined

WITHOUT_OPCODE: Mapping[type[Operation], Decomposition] = {
    op: decompose for op, decompose in {**DECOMPOSITIONS, **DEPRECATED}.items() if op not in FORMS
}


class DecomposeWithoutOpcode(RewritePattern):
    """`chlo.erfc %a`, `stablehlo.dot %a, %b` -> its decomposition."""

    op_types: ClassVar[tuple[type[Operation], ...]] = tuple(WITHOUT_OPCODE)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if (decompose := WITHOUT_OPCODE.get(type(op))) is None:
            return
        try:
            results = decompose(op, Tensors(rewriter))
        except NotImplementedError as error:
            raise HLOPrintError(f"HLO has no opcode for '{op.name}': {error}") from None
        rewriter.replace(op, (), results)


class DropRepeatedOnes(RewritePattern):
    """`broadcast_in_dim x : 4x1 -> 4x8, dims = [0, 1]` -> `broadcast_in_dim (reshape x : 4x1 -> 4), dims = [0]`"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.BroadcastInDimOp, rewriter: PatternRewriter, /) -> None:
        if not (dropped := repeated_ones(op)):
            return
        kept = [i for i in range(len(shape_of(op.operand))) if i not in dropped]
        t = Tensors(rewriter)
        op.operands = [t.reshape(op.operand, [shape_of(op.operand)[i] for i in kept])]
        op.broadcast_dimensions = integers([op.broadcast_dimensions.get_values()[i] for i in kept])
        rewriter.notify_op_modified(op)


class BroadcastLargeSplat(RewritePattern):
    """`constant dense<5> : 2000000`, kept as one element -> `broadcast_in_dim (constant dense<5>)`: short in HLO too"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.ConstantOp, rewriter: PatternRewriter, /) -> None:
        if is_large_splat(op):
            scalar = dense(TensorType(op.value.get_element_type(), []), op.value.data.data)
            t = Tensors(rewriter)
            rewriter.replace(op, (), (t.splat(t(stablehlo.ConstantOp(scalar)), shape_of(op.output)),))


def is_large_splat(op: stablehlo.ConstantOp) -> bool:
    return isinstance(op.value, SplatElementsAttr)


class CallOfComposite(RewritePattern):
    """`composite "f" x {decomposition = @g}` -> `call @g(x) {hlo.is_composite}`, with frontend attributes"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.CompositeOp, rewriter: PatternRewriter, /) -> None:
        if op.regions:
            raise HLOPrintError("HLO has no regions of 'stablehlo.composite'")
        frontend = op.attributes.get(FRONTEND_ATTRIBUTES, DictionaryAttr({}))
        assert isinstance(frontend, DictionaryAttr)
        named = {
            "composite.attributes": StringAttr(Printer().attribute_text(op.composite_attributes)),
            "composite.name": op.composite_name,
            "composite.version": StringAttr(str(op.version.value.data)),
        }
        call = func.CallOp(op.decomposition, op.inputs, op.result_types)
        call.attributes = {
            **op.attributes,
            "hlo.is_composite": TRUE,
            FRONTEND_ATTRIBUTES: DictionaryAttr({**frontend.data, **named}),
        }
        rewriter.replace(op, call)


class AnnotateCustomCall(RewritePattern):
    """`custom_call @f(x) {operand_layouts, ...}` -> `custom_call @f(x) {hlo.operand_layout_constraints, ...}`"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.CustomCallOp, rewriter: PatternRewriter, /) -> None:
        if not is_to_annotate(op):
            return
        if op.result_tilings is not None:
            raise HLOPrintError("'stablehlo.custom_call': its result_tilings cannot be written as HLO text")
        if op.operand_layouts is not None and op.result_layouts is not None:
            shapes = map(shape_text, op.operand_types, op.operand_layouts)
            op.attributes["hlo.operand_layout_constraints"] = StringAttr(f"{{{', '.join(shapes)}}}")
            layouts = [*map(order_of, op.result_layouts)]
            op.attributes[LAYOUT] = layouts[0] if len(op.outputs) == len(layouts) == 1 else ArrayAttr(layouts)
        config = op.attributes.pop(MHLO_BACKEND_CONFIG, op.backend_config)
        if isinstance(config, DictionaryAttr):
            op.api_version = IntegerAttr(TYPED_FFI, i32)
            op.attributes[BACKEND_CONFIG] = StringAttr(Printer().attribute_text(config))
        elif isinstance(config, StringAttr | BytesAttr) and config.data:
            op.attributes[BACKEND_CONFIG] = config
        for name in ANNOTATED:
            op.properties.pop(name, None)
        rewriter.notify_op_modified(op)


def order_of(layout: DenseIntOrFPElementsAttr) -> DenseArrayBase[I64]:
    """The dimensions from minor to major."""
    return integers(cast(tuple[int, ...], layout.get_values()))


def shape_text(type: Attribute, layout: DenseIntOrFPElementsAttr) -> str:
    """`f32[2,3]{0,1}`"""
    return array_text(type, order_of(layout), None)


class AnnotateInfeed(RewritePattern):
    """`infeed t {layout = [[0, 1]]}` -> `infeed t {hlo.layout = [array<i64: 0, 1>, unit]}`"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.InfeedOp, rewriter: PatternRewriter, /) -> None:
        if op.layout is None:
            return
        layout = cast(ArrayAttr[ArrayAttr[IntegerAttr]], op.layout)
        orders = [integers([dimension.value.data for dimension in order]) for order in layout]
        op.attributes[LAYOUT] = ArrayAttr([*orders, UnitAttr()])  # the last result is a token
        op.layout = None
        rewriter.notify_op_modified(op)


class ExchangeInOneDimension(RewritePattern):
    """
    `all_to_all x {split = 0, concat = 1} : 4x3 -> 2x6` -> `reshape x : 2x2x3`, `all_to_all {split = concat = 0}`, which
    exchanges what the new dimension counts, `transpose : 2x2x3`, `reshape : 2x6`; each operand likewise
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.AllToAllOp, rewriter: PatternRewriter, /) -> None:
        if not moves_between_dimensions(op):
            return
        split, concat, count = (
            number.value.data for number in (op.split_dimension, op.concat_dimension, op.split_count)
        )
        t = Tensors(rewriter)
        counted: list[SSAValue] = []
        for operand in op.operands:
            shape = [*shape_of(operand)]
            shape[split : split + 1] = count, shape[split] // count
            counted.append(t.reshape(operand, shape))
        exchange = stablehlo.AllToAllOp(counted, split, split, count, op.replica_groups, op.channel_handle)
        exchange.attributes |= op.attributes
        rewriter.insert(exchange)
        places = [dim + (dim >= split) for dim in range(len(shape_of(op.results[0])))]
        places.insert(concat, split)
        moved = [t.transpose(value, places) for value in exchange.results]
        wanted = [shape_of(result) for result in op.results]
        rewriter.replace(op, (), [t.reshape(value, shape) for value, shape in zip(moved, wanted, strict=True)])


def is_rewritten(op: Operation) -> bool:
    """Whether a pattern here rewrites `op`."""
    if isinstance(op, stablehlo.ConstantOp):
        return is_large_splat(op)
    if (printed := FORMS.get(type(op))) is None:
        return type(op) in WITHOUT_OPCODE or isinstance(op, stablehlo.CompositeOp)
    _, form = printed
    return bool(form.needs_rewrite(op))


def is_in_opcodes(module: ModuleOp) -> bool:
    """Whether HLO has an opcode for every operation of `module`, and all its properties; and no region is left."""
    return is_outlined(module) and not any(map(is_rewritten, operations_in(module)))


PATTERNS = (
    DecomposeWithoutOpcode(),
    DropRepeatedOnes(),
    BroadcastLargeSplat(),
    CallOfComposite(),
    AnnotateCustomCall(),
    AnnotateInfeed(),
    ExchangeInOneDimension(),
)


class HloToOpcodesPass(PatternPass):
    """
    Write each operation as instructions of HLO, and outline regions: then `-t hlo` has a line for each.

    Raises `HLOPrintError` for an operation that HLO cannot have, and `OutlineError` for a region that cannot be
    outlined.
    """

    name = "hlo-to-opcodes"
    source: ClassVar[str] = "XLA, from StableHLO to HLO: operations that HLO has in other terms"

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        yield Step(PATTERNS)
        yield from OutlineRegionsPass().steps(module)


def write_hlo(module: ModuleOp, *, uses_sugar: bool = True, flat_async: bool = False) -> str:
    """
    `module` as HLO text: `print_hlo` after `hlo-to-opcodes`, which runs on a copy, and only where it has work.

    Raises what the two raise.
    """
    if not is_in_opcodes(module):
        module = clone_operation(module)
        HloToOpcodesPass().rewrite_module(module)
    return print_hlo(module, uses_sugar=uses_sugar, flat_async=flat_async)


@dataclass(frozen=True)
class HLOTarget(Target):
    """`-t hlo`: a module of StableHLO and `hlo` operations as HLO text."""

    name: ClassVar[str] = "hlo"
    plain_async: bool = False
    flat_async: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(write_hlo(module, uses_sugar=not self.plain_async, flat_async=self.flat_async))
