"""What follows from the type and the sharding of a value, worked out once for each of these in a module."""

from collections.abc import Callable
from typing import Generic, TypeVar

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.value_shardings import local_sharding
from xshardy.transforms.sdy.function_shardings import written_shardings

T = TypeVar("T")


class BySharding(Generic[T]):
    """
    What `function` returns for a type and a sharding, remembered by the identity of both: they take long to hash.

    The operation that `function` gets is below the mesh of the sharding, and the place of errors.
    """

    def __init__(self, function: Callable[[Attribute, TensorShardingAttr | None, Operation], T]):
        self._function = function
        self._known: dict[tuple[int, int], tuple[T, Attribute, TensorShardingAttr | None]] = {}
        """The type and the sharding are kept, so that no other objects get their identities."""

    def of(self, type: Attribute, sharding: TensorShardingAttr | None, op: Operation) -> T:
        """What follows for a value of `type`."""
        key = id(type), id(sharding)
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._function(type, sharding, op), type, sharding
        return known[0]

    def of_value(self, value: SSAValue, op: Operation) -> T:
        """What follows for `value`, which `op` defines or reads."""
        return self.of(value.type, local_sharding(value), op)


def function_type(op: FuncOp, types: BySharding[Attribute]) -> FunctionType:
    """The type of `op` whose arguments and results have `types`."""
    before = op.function_type
    inputs, outputs = (
        [
            types.of(type, sharding, op)
            for type, sharding in zip(listed, written_shardings(attributes, len(listed)), strict=True)
        ]
        for listed, attributes in ((before.inputs, op.arg_attrs), (before.outputs, op.res_attrs))
    )
    return FunctionType.from_lists(inputs, outputs)
