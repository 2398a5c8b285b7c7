"""
The constants of a function, each once, at its start.

An analysis determines the place of each constant, a pattern moves it. Afterwards `FunctionConstants` finds constants by
value and adds new ones. Tensor constants are not moved: they are memory, not values.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.rewriting import match_op_type

Constant = arith.ConstantOp | llvm.ConstantOp

ConstantKey = tuple[type[Operation], Attribute, Attribute]
"""A key that is equal for equal constants."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a constant: at the start of `block`, after `previous` if there is one."""

    block: Block
    previous: Constant | None


ConstantPlaces = Mapping[Operation, Place | Constant]
"""For each constant its place, or the equal constant that replaces it."""


def constant_places(bodies: Mapping[FuncOp, Iterable[Operation]]) -> ConstantPlaces:
    """
    The first constant of each value moves to the start of its function; later ones are replaced by it.

    `bodies` has the operations of each function, in text order.
    """
    places: dict[Operation, Place | Constant] = {}
    for function, operations in bodies.items():
        known: dict[ConstantKey, Constant] = {}
        previous: Constant | None = None
        for op in operations:
            if not isinstance(op, Constant) or isinstance(op.result.type, TensorType):
                continue
            first = known.setdefault(_key(op), op)
            places[op] = Place(function.body.block, previous) if first is op else first
            previous = op if first is op else previous
    return places


@dataclass(frozen=True)
class HoistConstant(RewritePattern):
    """`func @f { a; %c = arith.constant 1 }` -> `func @f { %c = arith.constant 1; a }`; an equal one replaces it."""

    places: ConstantPlaces

    @match_op_type
    def match_and_rewrite(self, op: Constant, rewriter: PatternRewriter, /):
        match self.places.get(op):
            case None:
                return
            case Place(block, previous):
                if op.prev_op is previous and op.parent is block:
                    return
                op.detach()
                rewriter.insert(op, InsertPoint.at_start(block) if previous is None else InsertPoint.after(previous))
            case first:
                rewriter.replace(op, (), (first.result,))


class EraseUnusedConstant(RewritePattern):
    """`%c = arith.constant 1` -> nothing, if `%c` is unused."""

    @match_op_type
    def match_and_rewrite(self, op: Constant, rewriter: PatternRewriter, /):
        if not op.result.first_use and not isinstance(op.result.type, TensorType):
            rewriter.erase(op)


class FunctionConstants:
    """The leading constants of a function by value; new ones are inserted after them."""

    def __init__(self, function: FuncOp):
        self._block = function.body.block
        self._last: Constant | None = None
        self._known: dict[ConstantKey, Constant] = {}
        op = self._block.first_op
        while isinstance(op, Constant) and not isinstance(op.result.type, TensorType):
            self._known[_key(op)] = self._last = op
            op = op.next_op

    def get(self, op: Constant, builder: Builder) -> SSAValue:
        """The constant equal to the new operation `op`; without one, `op` itself, inserted by `builder`."""
        known = self._known.get(key := _key(op))
        if known is None:
            self._known[key] = known = op
            point = InsertPoint.at_start(self._block) if self._last is None else InsertPoint.after(self._last)
            self._last = builder.insert(op, point)
        return known.result


def after_constants(block: Block) -> InsertPoint:
    """The insertion point after the leading constants of `block`, tensors excluded."""
    op = block.first_op
    while isinstance(op, Constant) and not isinstance(op.result.type, TensorType):
        op = op.next_op
    return InsertPoint.at_end(block) if op is None else InsertPoint.before(op)


def _key(op: Constant) -> ConstantKey:
    return type(op), op.value, op.result.type
