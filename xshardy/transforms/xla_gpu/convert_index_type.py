"""
Compute indices in integers as wide as the data layout says, so that the arithmetic of LLVM applies to them.

The emitters state a width of 32 bits where every index fits, see `dialects/data_layout.py`.
"""

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.data_layout import index_integer

IndexArithmetic = arith.AddiOp | arith.MuliOp | arith.SubiOp | arith.DivUIOp | arith.RemUIOp
"""What gains from being done in integers: address arithmetic. Comparisons and casts stay."""

COMMUTATIVE = (arith.AddiOp, arith.MuliOp)


@dataclass(slots=True)
class IndexConverter:
    """Converts index computations one by one; each value is cast to `integer` once, right after its definition."""

    integer: IntegerType
    integers: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    argument_casts: dict[Block, Operation] = field(default_factory=dict[Block, Operation])
    candidates: list[Operation] = field(default_factory=list[Operation])

    def insert_after(self, value: SSAValue, cast: Operation) -> None:
        """Insert `cast` behind the definition of `value`; that of a block argument behind constants and such casts."""
        if isinstance(value.owner, Operation):
            Rewriter.insert_op(cast, InsertPoint.after(value.owner))
            return
        last = self.argument_casts.get(value.owner) or last_leading_constant(value.owner)
        Rewriter.insert_op(cast, InsertPoint.at_start(value.owner) if last is None else InsertPoint.after(last))
        self.argument_casts[value.owner] = cast

    def as_integer(self, value: SSAValue) -> SSAValue:
        """The index `value` as an integer: a new constant, what was cast to an index before, or a cast."""
        if value in self.integers:
            return self.integers[value]
        match value.owner:
            case arith.IndexCastOp(input=source) if source.type == self.integer:
                self.integers[value] = source
                return source
            case arith.ConstantOp(value=IntegerAttr(value=number)) as constant:
                converted = arith.ConstantOp.from_int_and_width(number, self.integer, truncate_bits=True)
                self.candidates.append(constant)
            case _:
                converted = arith.IndexCastOp(value, self.integer)
        self.insert_after(value, converted)
        self.integers[value] = converted.result
        return converted.result

    def convert(self, op: IndexArithmetic) -> None:
        """`addi %a, %b : index` -> `index_cast (addi (index_cast %a), (index_cast %b) : i32) : i32 to index`."""
        operands = [self.as_integer(operand) for operand in op.operands]
        if isinstance(op, COMMUTATIVE):
            operands.sort(key=lambda operand: isinstance(operand.owner, arith.ConstantOp))
        converted = type(op).create(
            operands=operands, result_types=[self.integer], properties=op.properties, attributes=op.attributes
        )
        back = arith.IndexCastOp(converted.results[0], IndexType())
        Rewriter.replace_op(op, (converted, back))
        self.integers[back.result] = converted.results[0]
        self.candidates.append(back)

    def clean_up(self) -> None:
        """Erase the casts back and the index constants that nothing uses any more."""
        for op in reversed(self.candidates):
            if not op.results[0].first_use:
                Rewriter.erase_op(op)


def last_leading_constant(block: Block) -> Operation | None:
    """The last of the constants that `block` starts with."""
    last, op = None, block.first_op
    while isinstance(op, arith.ConstantOp):
        last, op = op, op.next_op
    return last


class ConvertIndexTypePass(ModulePass):
    """Do index arithmetic in integers of the width that the data layout states for `index`."""

    name = "xla-gpu-convert-index-type"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        converter = IndexConverter(index_integer(op))
        for inner in [inner for inner in op.walk() if isinstance(inner, IndexArithmetic)]:
            if isinstance(inner.result.type, IndexType):
                converter.convert(inner)
        converter.clean_up()
