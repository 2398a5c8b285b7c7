"""
Conversion between tuples and several values, for operations that give tuples in HLO and several values in StableHLO.

Such an operation gets implicit operations before and after it that unpack and pack tuples. They are marked
`hlo.implicit`: they are no instructions of the text.
"""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import TupleType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.stablehlo import GetTupleElementOp, TupleOp

IMPLICIT = "hlo.implicit"
ROOT = "hlo.root"
"""Of a return: the name of the tuple that the function returns in HLO text."""
UNIT = UnitAttr()


def unpack(value: SSAValue, operations: list[Operation]) -> list[SSAValue]:
    """The arrays in `value`, in order. Appends the operations that unpack it to `operations`."""
    if not isinstance(value.type, TupleType):
        return [value]
    found: list[SSAValue] = []
    for i in range(len(value.type.types.data)):
        element = GetTupleElementOp(value, i)
        element.attributes[IMPLICIT] = UNIT
        operations.append(element)
        found += unpack(element.result, operations)
    return found


def pack(values: Sequence[SSAValue], type: Attribute, operations: list[Operation]) -> SSAValue:
    """`values`, in order, packed into one value of `type`. Appends the operations to `operations`."""
    remaining = iter(values)

    def build(type: Attribute) -> SSAValue:
        if not isinstance(type, TupleType):
            return next(remaining)
        made = TupleOp.create(operands=[build(part) for part in elements(type)], result_types=[type])
        made.attributes[IMPLICIT] = UNIT
        operations.append(made)
        return made.results[0]

    return build(type)


def leaf_types(type: Attribute) -> Iterator[Attribute]:
    """The types in `type` that are not tuples, in order."""
    if isinstance(type, TupleType):
        for part in elements(type):
            yield from leaf_types(part)
    else:
        yield type


def is_implicit(op: Operation) -> bool:
    """Whether `op` is implicit: no instruction of the text."""
    return IMPLICIT in op.attributes


def wholes_of(values: Sequence[SSAValue]) -> Iterator[SSAValue]:
    """
    The tuples or arrays whose arrays `values` are, in order, extracted by implicit operations: the innermost first.

    A tuple of one tuple has the same arrays as that, and another type.
    """
    if not values:
        return
    value = values[0]
    while isinstance(owner := value.owner, GetTupleElementOp) and is_implicit(owner):
        value = owner.operand
        if is_unpacked(value, values):
            yield value
    if value is values[0] and len(values) == 1:
        yield value


def is_unpacked(value: SSAValue, leaves: Sequence[SSAValue]) -> bool:
    """Whether `leaves` are the arrays in `value`, in order."""
    paths = list(leaf_paths(value.type))
    return len(paths) == len(leaves) and all(
        is_element(leaf, value, path) for path, leaf in zip(paths, leaves, strict=True)
    )


def leaf_paths(type: Attribute, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """The paths to the parts of `type` that are not tuples, in order."""
    if isinstance(type, TupleType):
        for i, part in enumerate(elements(type)):
            yield from leaf_paths(part, (*path, i))
    else:
        yield path


def is_element(leaf: SSAValue, value: SSAValue, path: Sequence[int]) -> bool:
    """Whether `leaf` is the element of `value` at the end of `path`."""
    for index in reversed(path):
        owner = leaf.owner
        if not isinstance(owner, GetTupleElementOp) or owner.index.value.data != index:
            return False
        leaf = owner.operand
    return leaf is value


def parts_of(value: SSAValue) -> list[SSAValue] | None:
    """The arrays packed into `value` by implicit operations; None if `value` is the result of an instruction."""
    owner = value.owner
    if not (isinstance(owner, TupleOp) and is_implicit(owner)):
        return None
    found: list[SSAValue] = []
    for part in owner.val:
        inner = parts_of(part) if isinstance(part.type, TupleType) else [part]
        if inner is None:
            return None
        found += inner
    return found
