"""The interface between the rules of this package and the function under construction: access to operand elements."""

from collections.abc import Callable, Sequence
from typing import Protocol

from xdsl.ir import Operation, SSAValue

from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices
from xshardy.emitters.reads import Read


class Operands(Protocol):
    """An insertion point in a function, and access to elements there."""

    @property
    def s(self) -> Scalars:
        """The builder at this point."""
        ...

    def reads(self, op: Operation) -> Sequence[Read]:
        """The reads of the operands of `op`."""
        ...

    def operand(self, op: Operation, i: int, indices: Indices, symbols: Indices = ()) -> SSAValue:
        """The element of operand `i` that `op` reads for its element at `indices`, emitted at this point."""
        ...

    def element(self, value: SSAValue, indices: Indices) -> SSAValue:
        """The element of `value` at `indices`, computed outside of the rule."""
        ...

    def part(self, op: Operation, part: int, s: Scalars, indices: Indices, symbols: Indices = ()) -> Sequence[SSAValue]:
        """The operand elements that part `part` of the code of `op` reads, emitted at `s`."""
        ...

    def apply_body(
        self, op: Operation, s: Scalars, elements: Sequence[SSAValue], indices: Indices = ()
    ) -> Sequence[SSAValue]:
        """Apply the computation of `op` to these elements; one of tensors also gets the indices of its results."""
        ...


Rule = Callable[..., Sequence[SSAValue]]
"""`rule(operands, op, indices)`: the element at `indices` of each result of `op`."""
