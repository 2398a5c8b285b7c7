"""Which operations propagate alike: each class is worked out once, for the first of its operations that is met."""

from collections.abc import Hashable, Sequence

from xdsl.dialects.builtin import ShapedType, TupleType
from xdsl.ir import Operation, SSAValue

from xshardy.dialects.sdy.attributes.enums import PropagationDirection
from xshardy.dialects.sdy.ops import PropagationBarrierOp
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.priorities import OpKind
from xshardy.sharding.propagation import OpClass
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.sharding.steps import Border, Signature
from xshardy.sharding.strategies import Direction
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.op_kinds import is_elementwise, kind_of
from xshardy.transforms.sdy.shapes import shape_of

BARRIER_DIRECTIONS = {
    PropagationDirection.NONE: Direction.NONE,
    PropagationDirection.FORWARD: Direction.FORWARD,
    PropagationDirection.BACKWARD: Direction.BACKWARD,
    PropagationDirection.BOTH: Direction.BOTH,
}

_UNSEEN = OpClass(Signature(FactorRule.identity(())))
"""Stands for the class of an operation that has not been looked up yet; None is one that is known to be none."""


class OpClasses:
    """
    The classes of the operations of a module, which must not change meanwhile.

    Attributes are shared by most operations that have equal ones, so operations look alike if theirs are the same ones.
    """

    def __init__(self, rules: ShardingRules):
        self._rules = rules
        self._known: dict[Hashable, OpClass | None] = {}
        """The class of operations that look alike, by their type and the identity of all that matters."""
        self._known_edges: dict[Hashable, OpClass] = {}
        """The class of edges that look alike."""
        self._classes: dict[Hashable, OpClass] = {}
        """The class of operations by all that decides on it."""

    def look_up(self, op: Operation, types: Sequence[int]) -> OpClass | None:
        """The class of `op`, as `new` has it, if its properties and the types of its tensors, by identity, decide."""
        key = (type(op), len(op.results), *types)
        if properties := op.properties:
            key = (*key, *properties, *map(id, properties.values()))
        if (known := self._known.get(key, _UNSEEN)) is _UNSEEN:
            known = self._known[key] = self.new(op)
        return known

    def new(self, op: Operation) -> OpClass | None:
        """
        The class of operations that propagate like `op`; None where nothing goes through it.

        Raises `OperationFailedException` if a result cannot be sharded.
        """
        check_shapes(op)
        if isinstance(op, PropagationBarrierOp):
            signature = Signature(FactorRule.identity(shape_of(op.input)), is_elementwise=True)
            return OpClass(signature, direction=BARRIER_DIRECTIONS[op.direction])
        rule = self._rules.factor_rule(op)
        if rule is None:
            return None
        # Operations of the same shapes have the very same rule, and comparing rules would take long.
        key = id(rule), kind_of(op), is_elementwise(op)
        if (known := self._classes.get(key)) is None:
            signature = Signature(rule, is_elementwise(op), self._rules.conservative)
            known = self._classes[key] = OpClass(signature, kind_of(op), has_rule=True)
        return known

    def of_edge(self, value: SSAValue, sources: int, border: Border | None = None) -> OpClass:
        """The class of edges from so many sources to something sharded like `value`."""
        key = id(value.type), sources, border
        if (known := self._known_edges.get(key)) is None:
            shape = shape_of(value)
            if (known := self._classes.get((shape, sources, border))) is None:
                signature = Signature(FactorRule.identity(shape, sources), border=border)
                known = self._classes[shape, sources, border] = OpClass(signature, OpKind.PASS_THROUGH)
            self._known_edges[key] = known
        return known


def check_shapes(op: Operation) -> None:
    """Raise `OperationFailedException` if a result of `op` is a tuple, or a tensor without a static shape."""
    for type in op.result_types:
        if isinstance(type, ShapedType) and not type.has_static_shape():
            raise OperationFailedException(
                op, f"Shardy propagation only supports ranked tensors with a static shape. type: '{type}'"
            )
        if isinstance(type, TupleType):
            raise OperationFailedException(op, f"Shardy propagation doesn't support tuples: '{type}'")
