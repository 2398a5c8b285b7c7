"""A builder of scalar arithmetic with a short method per operation, so that a rule reads like its formula."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from math import copysign, inf
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import arith, complex, scf
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyFloat,
    ComplexType,
    Float16Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from xshardy.emitters.elemental.kinds import integer, real_part
from xshardy.rewriting.locations import give_location

F16_OVERFLOW = 65520.0
"""The first number that rounds to infinity as f16. Other float types represent every integer constant used here."""

MakeOp = Callable[..., Operation]
"""Makes an operation from the operands of one element; usually the operation's class."""


class Scalars:
    """Inserts scalar operations at one insertion point of a function."""

    def __init__(self, builder: Builder):
        self.builder = builder

    @staticmethod
    def at_end(block: Block) -> "Scalars":
        """A builder at the end of `block`."""
        return Scalars(Builder(InsertPoint.at_end(block)))

    def __call__(self, op: Operation) -> SSAValue:
        """Insert `op` and return its first result."""
        self.builder.insert(op)
        return op.results[0]

    @contextmanager
    def located(self, location: LocationAttr) -> Generator[None]:
        """Let operations that are inserted within the context, and have no location, come from `location`."""
        block = self.builder.insertion_point.block
        last = block.last_op
        yield
        if location is UNKNOWN_LOC:
            return
        new = block.first_op if last is None else last.next_op
        while new is not None:
            give_location(new, location)
            new = new.next_op

    # -- Constants ----------------------------------------------------------------------------------------------------

    def constant(self, value: int | float, type: Attribute) -> SSAValue:
        """
        The number `value` as a scalar of `type`: float, integer, index or complex.

        Integers wrap to the width: -1 and 255 are the same i8. Floats are rounded, to infinity on overflow.
        """
        match type:
            case ComplexType():
                part = real_part(type)
                return self.complex(self.constant(value, part), self.constant(0, part))
            case IntegerType():
                return self(arith.ConstantOp(IntegerAttr(value_in_range(int(value), type.width.data), type)))
            case IndexType():
                return self(arith.ConstantOp(IntegerAttr(int(value), type)))
            case Float16Type() if inf > abs(value) >= F16_OVERFLOW:
                return self(arith.ConstantOp(FloatAttr(copysign(inf, value), type)))
            case _:
                return self(arith.ConstantOp(FloatAttr(float(value), cast(AnyFloat, type))))

    # -- Comparison and choice ----------------------------------------------------------------------------------------

    def compare(self, predicate: str, lhs: SSAValue, rhs: SSAValue | int | float) -> SSAValue:
        """
        `arith.cmpi` or `arith.cmpf`, by the type of `lhs`; a Python number on the right becomes a constant of that
        type.
        """
        if not isinstance(rhs, SSAValue):
            rhs = self.constant(rhs, lhs.type)
        comparison = arith.CmpiOp if isinstance(lhs.type, IntegerType | IndexType) else arith.CmpfOp
        return self(comparison(lhs, rhs, predicate))

    def select(self, condition: SSAValue, then: SSAValue, otherwise: SSAValue) -> SSAValue:
        return self(arith.SelectOp(condition, then, otherwise))

    def all_of(self, conditions: Sequence[SSAValue]) -> SSAValue:
        """The conjunction of i1 values; true for an empty sequence."""
        if not conditions:
            return self.constant(1, i1)
        result, *others = conditions
        for condition in others:
            result = self(arith.AndIOp(result, condition))
        return result

    def branch(
        self,
        condition: SSAValue,
        type: Attribute,
        then: Callable[["Scalars"], SSAValue],
        otherwise: Callable[["Scalars"], SSAValue],
    ) -> SSAValue:
        """`scf.if` with one result: the value that the executed region yields."""

        def region(body: Callable[["Scalars"], SSAValue]) -> Region:
            block = Block()
            inner = Scalars.at_end(block)
            inner.builder.insert(scf.YieldOp(body(inner)))
            return Region(block)

        return self(scf.IfOp(condition, [type], region(then), region(otherwise)))

    def branch_all(
        self, condition: SSAValue, values: Sequence[SSAValue], then: Callable[["Scalars"], Sequence[SSAValue]]
    ) -> Sequence[SSAValue]:
        """`scf.if`: the values that `then` returns if `condition` holds, otherwise `values`."""
        changed, unchanged = Block(), Block()
        inner = Scalars.at_end(changed)
        inner.builder.insert(scf.YieldOp(*then(inner)))
        unchanged.add_op(scf.YieldOp(*values))
        branch = scf.IfOp(condition, [value.type for value in values], Region(changed), Region(unchanged))
        self.builder.insert(branch)
        return branch.results

    # -- Complex ------------------------------------------------------------------------------------------------------

    def complex(self, real: SSAValue, imag: SSAValue) -> SSAValue:
        """A complex number from its parts."""
        return self(complex.CreateOp(real, imag, ComplexType(cast(AnyFloat, real.type))))

    def parts(self, value: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The real and the imaginary part of a complex value."""
        return self(complex.ReOp(value)), self(complex.ImOp(value))


Rule = Callable[..., SSAValue]
"""Takes `Scalars` and the operands of one element, returns the element of the result."""


def width_of(value: SSAValue) -> int:
    """The width of an integer value, in bits."""
    return integer(value.type).width.data


def value_in_range(value: int, width: int) -> int:
    """The signed integer of `width` bits congruent to `value`; for one bit, 0 or 1."""
    value %= 1 << width
    return value - (1 << width) if width > 1 and value >> (width - 1) else value
