"""What the rules of this package ask of the code that is being emitted: elements of operands, now or in a part."""

from collections.abc import Callable, Sequence
from typing import Protocol

from xdsl.ir import Operation, SSAValue

from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices
from xshardy.emitters.reads import Read


class Operands(Protocol):
    """A place in the code of a function, and the elements that can be had there."""

    @property
    def s(self) -> Scalars:
        """Writes at this place."""
        ...

    def reads(self, op: Operation) -> Sequence[Read]:
        """How `op` reads each operand."""
        ...

    def operand(self, op: Operation, i: int, indices: Indices, symbols: Indices = ()) -> SSAValue:
        """The element of operand `i` that `op` reads for its element at `indices`, here and now."""
        ...

    def element(self, value: SSAValue, indices: Indices) -> SSAValue:
        """The element of `value`, which other code makes, at `indices`."""
        ...

    def part(self, op: Operation, part: int, s: Scalars, indices: Indices, symbols: Indices = ()) -> Sequence[SSAValue]:
        """The elements of the operands that a part of the code of `op` reads, emitted where `s` writes."""
        ...

    def apply_body(self, op: Operation, s: Scalars, elements: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """What the computation that `op` applies makes of these elements."""
        ...


Rule = Callable[..., Sequence[SSAValue]]
"""`rule(operands, op, indices)`: the element at `indices` of each result of `op`."""
