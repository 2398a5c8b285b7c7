"""A memo of a function of the type and the sharding of a value."""

from collections.abc import Callable
from typing import Generic, TypeVar

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.value_shardings import local_sharding
from xshardy.ir.hashing import Key, key_of
from xshardy.transforms.sdy.function_shardings import written_shardings

T = TypeVar("T")


class BySharding(Generic[T]):
    """
    `function` of a type and a sharding, remembered for each two.

    The operation that `function` gets is below the mesh of the sharding, and the place of errors.
    """

    def __init__(self, function: Callable[[Attribute, TensorShardingAttr | None, Operation], T]):
        self._function = function
        self._results: dict[tuple[Key, Key | None], T] = {}

    def __call__(self, type: Attribute, sharding: TensorShardingAttr | None, op: Operation) -> T:
        key = key_of(type), sharding and key_of(sharding)
        if key not in self._results:
            self._results[key] = self._function(type, sharding, op)
        return self._results[key]

    def of_value(self, value: SSAValue, op: Operation) -> T:
        """The result for the type and the sharding of `value`, which `op` defines or reads."""
        return self(value.type, local_sharding(value), op)


def function_type(op: FuncOp, types: BySharding[Attribute]) -> FunctionType:
    """The type of `op` whose arguments and results have `types`."""
    before = op.function_type
    inputs, outputs = (
        [
            types(type, sharding, op)
            for type, sharding in zip(listed, written_shardings(attributes, len(listed)), strict=True)
        ]
        for listed, attributes in ((before.inputs, op.arg_attrs), (before.outputs, op.res_attrs))
    )
    return FunctionType.from_lists(inputs, outputs)
