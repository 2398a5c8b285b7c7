"""Names of values: no two that can see each other are the same, however deep and wide the regions are."""

from hypothesis import given
from hypothesis.strategies import SearchStrategy, builds, integers, lists, recursive
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, Operation, Region, SSAValue

from xshardy.syntax.naming import ValueNames


def op_with(results: int, bodies: list[list[Operation]]) -> Operation:
    regions = [Region(Block([body_op.clone() for body_op in body], arg_types=[f32])) for body in bodies]
    return test.TestOp(result_types=[f32] * results, regions=regions)


def operations() -> SearchStrategy[Operation]:
    leaves = builds(
        op_with, integers(0, 3), lists(lists(builds(op_with, integers(1, 2), lists(lists(builds(test.TestOp))))))
    )
    return recursive(leaves, lambda inner: builds(op_with, integers(0, 3), lists(lists(inner, max_size=3), max_size=3)))


def visible_names(region: Region, names: ValueNames, outer: frozenset[str]) -> None:
    """Checks that a name is given once in a region and those around it."""
    found: set[str] = set()

    def see(value: SSAValue) -> None:
        name = names.of(value)
        assert name not in outer and name not in found
        found.add(name)

    for block in region.blocks:
        for argument in block.args:
            see(argument)
        for op in block.ops:
            for result in op.results:
                see(result)
    for block in region.blocks:
        for op in block.ops:
            for inner in op.regions:
                visible_names(inner, names, outer | found)


@given(lists(operations(), max_size=4))
def test_names_are_unique_where_they_are_seen(ops: list[Operation]):
    module = ModuleOp([op.clone() for op in ops])
    visible_names(module.body, ValueNames(module), frozenset())
