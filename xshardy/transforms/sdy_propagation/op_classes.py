"""Classes of operations that propagate alike; a class is computed for its first operation, and looked up for others."""

from collections.abc import Hashable, Sequence

from xdsl.dialects.builtin import ShapedType, TupleType
from xdsl.ir import Operation, SSAValue

from xshardy.dialects.sdy.attributes.enums import PropagationDirection
from xshardy.dialects.sdy.ops import PropagationBarrierOp
from xshardy.dialects.shapes import shape_of
from xshardy.ir.hashing import Key, key_of, keys_of
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.priorities import OpKind
from xshardy.sharding.program import OpClass
from xshardy.sharding.rules.builder import InvalidRule
from xshardy.sharding.rules.registry import ShardingRules, has_own_rule
from xshardy.sharding.steps import Border, Signature
from xshardy.sharding.strategies import Direction
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.op_kinds import is_elementwise, kind_of

BARRIER_DIRECTIONS = {
    PropagationDirection.NONE: Direction.NONE,
    PropagationDirection.FORWARD: Direction.FORWARD,
    PropagationDirection.BACKWARD: Direction.BACKWARD,
}
"""The directions of barriers; one of both is no barrier, and not valid."""

_UNSEEN = OpClass(Signature(FactorRule.identity(())))
"""The default of a look-up, since None is a result: no class."""


class OpClasses:
    """
    The classes of the operations of a module. The module must not change between look-ups.

    Look-ups compare types and properties by identity: most operations with equal attributes share them.
    """

    def __init__(self, rules: ShardingRules):
        self._rules = rules
        self._known: dict[Hashable, OpClass | None] = {}
        """Memo of `look_up`: by class of operation, types and properties."""
        self._known_edges: dict[Hashable, OpClass] = {}
        """Memo of `of_edge`."""
        self._classes: dict[Hashable, OpClass] = {}
        """The classes by what determines them."""

    def look_up(self, op: Operation, types: Sequence[Key | None]) -> OpClass | None:
        """`new(op)`, memoized. Precondition: properties and `types`, the keys of types, determine the class."""
        properties = op.properties
        key = (type(op), len(op.results), *types, *properties, *keys_of(properties.values()))
        if (known := self._known.get(key, _UNSEEN)) is _UNSEEN:
            known = self.new(op)
            if not has_own_rule(type(op)):  # such a rule may depend on attributes, or on definitions
                self._known[key] = known
        return known

    def new(self, op: Operation) -> OpClass | None:
        """
        The class of operations that propagate like `op`; None if shardings do not propagate through it.

        Raises `OperationFailedException` if a result cannot be sharded, or if the rule does not fit.
        """
        check_shapes(op)
        if isinstance(op, PropagationBarrierOp):
            signature = Signature(FactorRule.identity(shape_of(op.input)))
            return OpClass(signature, direction=BARRIER_DIRECTIONS[op.direction])
        try:
            rule = self._rules.factor_rule(op)
        except InvalidRule as error:
            raise OperationFailedException(op, str(error)) from error
        if rule is None:
            return None
        key = rule, kind_of(op), is_elementwise(op)
        if (known := self._classes.get(key)) is None:
            signature = Signature(rule, is_elementwise(op), self._rules.conservative)
            known = self._classes[key] = OpClass(signature, kind_of(op), has_rule=True)
        return known

    def of_edge(self, value: SSAValue, sources: int, border: Border | None = None) -> OpClass:
        """The class of edges from this number of sources to a value with the shape of `value`."""
        key = key_of(value.type), sources, border
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
            raise OperationFailedException(
                op,
                f"Shardy propagation doesn't support tuples: '{type}'; give several results in place of the tuple",
            )
