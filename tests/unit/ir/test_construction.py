"""What `xshardy.ir` sets up equals what xDSL's constructors do: each field of each object, and each link."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis.strategies import DrawFn, composite, dictionaries, from_regex, integers, lists, sampled_from
from xdsl.dialects import test
from xdsl.dialects.builtin import UNKNOWN_LOC, FileLineColLoc, IntAttr, NoneAttr, StringAttr, f32, i1, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, ParametrizedAttribute, Region, SSAValue
from xdsl.ir.core import Use
from xdsl.irdl import IRDLOperation

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, SubAxisInfoAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.ir import (
    add_operands,
    clone_operation,
    clone_region,
    fill_block,
    new_attribute,
    new_block,
    new_operation,
    new_region,
    parameters_of,
    set_name_hint,
)
from xshardy.universe import XSHARDY_UNIVERSE

NODES = (Operation, OpResult, BlockArgument, Use, Block, Region)
TYPES, NAMES = sampled_from([f32, i1, i32]), sampled_from(["a", "b", "c"])
LOCATION = FileLineColLoc(StringAttr("model.py"), IntAttr(1), IntAttr(2))


def assert_same(first: object, second: object) -> None:
    """
    Both are equal, and so is all that they refer to.

    Objects of the IR that are reached by the same fields correspond, each to one other.
    """
    twins: dict[int, Any] = {}
    kept: list[object] = []  # so that no `id` is used again
    pending: list[tuple[str, Any, Any]] = [("", first, second)]
    while pending:
        path, one, other = pending.pop()
        assert type(one) is type(other), path
        if isinstance(one, NODES):
            if id(one) in twins:
                assert twins[id(one)] is other, path
                continue
            twins[id(one)] = other
            kept.append(one)
            names = [field.name for field in fields(one)]
            assert vars(one).keys() <= set(names) and vars(other).keys() <= set(names), path
            pending += [(f"{path}.{name}", getattr(one, name), getattr(other, name)) for name in names]
        elif isinstance(one, tuple):
            assert len(one) == len(other), path
            pending += [(f"{path}[{index}]", *pair) for index, pair in enumerate(zip(one, other, strict=True))]
        elif isinstance(one, dict):
            assert [*one.items()] == [*other.items()], path
        else:
            assert one == other, path
    assert len({id(twin) for twin in twins.values()}) == len(twins)


@dataclass(frozen=True)
class Recipe:
    """An operation to build. Operands are numbers of values, counted through the whole program in turn."""

    op_type: type[Operation]
    operands: Sequence[int]
    result_types: Sequence[Attribute]
    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    is_located: bool
    regions: Sequence[Sequence[tuple[Sequence[Attribute], Sequence["Recipe"]]]]
    """For each region the argument types and the operations of each block."""


@composite
def recipes(draw: DrawFn, depth: int = 2) -> Recipe:
    contents = dictionaries(NAMES, TYPES, max_size=2)
    block_recipes = lists(recipes(depth=depth - 1), max_size=3) if depth else lists(recipes(depth=0), max_size=0)
    regions: list[Any] = []
    for _ in range(draw(integers(0, 2)) if depth else 0):
        blocks = [(draw(lists(TYPES, max_size=2)), draw(block_recipes)) for _ in range(draw(integers(0, 2)))]
        regions.append(blocks)
    operands = draw(lists(integers(0, 30), max_size=3))
    op_type = draw(sampled_from([test.TestOp, test.TestTermOp]))
    types = draw(lists(TYPES, max_size=2))
    return Recipe(op_type, operands, types, draw(contents), draw(contents), draw(sampled_from([True, False])), regions)


class Build:
    """Builds recipes, by xDSL's constructors or by ours."""

    def __init__(self, *, fast: bool):
        self.fast = fast
        self.outside = test.TestOp(result_types=[f32, i1])
        self.values: list[SSAValue] = [*self.outside.results]

    def operation(self, recipe: Recipe) -> Operation:
        operands = [self.values[number % len(self.values)] for number in recipe.operands]
        location = LOCATION if recipe.is_located else UNKNOWN_LOC
        regions = tuple([self.region(blocks) for blocks in recipe.regions])
        properties, attributes, types = dict(recipe.properties), dict(recipe.attributes), recipe.result_types
        if self.fast:
            op = new_operation(recipe.op_type, operands, types, properties, attributes, location, regions)
        else:
            op = recipe.op_type.create(
                operands=operands,
                result_types=types,
                properties=properties,
                attributes=attributes,
                location=location,
                regions=regions,
            )
        self.values += op.results
        return op

    def region(self, blocks: Sequence[tuple[Sequence[Attribute], Sequence[Recipe]]]) -> Region:
        built = [self.block(types, ops) for types, ops in blocks]
        return new_region(built) if self.fast else Region(built)

    def block(self, types: Sequence[Attribute], recipes: Sequence[Recipe]) -> Block:
        block = new_block(types) if self.fast else Block(arg_types=types)
        self.values += block.args
        ops = [self.operation(recipe) for recipe in recipes]
        if self.fast:
            fill_block(block, ops)
        else:
            block.add_ops(ops)
        return block


@given(recipes())
def test_constructed_is_what_xdsl_creates(recipe: Recipe):
    assert_same(Build(fast=True).operation(recipe), Build(fast=False).operation(recipe))


def tangle(op: Operation) -> None:
    """Let operations use values that are defined later, and go to blocks; give values names and locations."""
    inside = list(op.walk())
    values = [result for inner in inside for result in inner.results]
    values += [argument for inner in inside for region in inner.regions for b in region.blocks for argument in b.args]
    for number, inner in enumerate(inside):
        if inner.operands and values:
            inner.operands[0] = values[(7 * number + 3) % len(values)]
        if isinstance(inner, test.TestTermOp) and inner.parent is not None and inner.parent.parent is not None:
            inner.successors = list(inner.parent.parent.blocks)
    for number, value in enumerate(values):
        value.name_hint = f"value{number}" if number % 2 else None
        if isinstance(value, BlockArgument):
            value.location = LOCATION


@given(recipes())
def test_clone_is_what_xdsl_clones(recipe: Recipe):
    ours, theirs = Build(fast=False), Build(fast=False)
    for built, clone in ((ours, clone_operation), (theirs, Operation.clone)):
        op = built.operation(recipe)
        tangle(op)
        others = test.TestOp(result_types=[f32, i1])
        mapping: dict[SSAValue, SSAValue] = dict(zip(built.outside.results, others.results, strict=True))
        copy = clone(op, mapping)
        built.outside.regions = (Region(Block([op, copy, others])),)
        built.outside.attributes["copied"] = IntAttr(sum(mapping.get(value) is not None for value in built.values))
        for region in op.regions:
            again = clone_region(region) if built is ours else region.clone()
            built.outside.regions = (*built.outside.regions, again)
    assert_same(ours.outside, theirs.outside)


def test_clone_of_operands_only_is_shallow():
    first, second = test.TestOp(result_types=[f32]), test.TestOp(result_types=[f32])
    user = test.TestOp(operands=[first.results[0]])
    copy = clone_operation(user, {first.results[0]: second.results[0]})
    assert tuple(copy.operands) == (second.results[0],)
    assert [use.operation for use in second.results[0].uses] == [copy]
    assert [use.operation for use in first.results[0].uses] == [user]


def test_operands_can_be_changed_afterwards():
    value = test.TestOp(result_types=[f32]).results[0]
    ops = [new_operation(test.TestOp) for _ in range(3)]
    for op in ops:
        add_operands(op, (value, value))
    ops[1].operands = ()
    ops[0].erase()
    assert [(use.operation, use.index) for use in value.uses] == [(ops[2], 1), (ops[2], 0)]
    value.erase(safe_erase=False)
    assert not value.uses


@given(from_regex(r"[A-Za-z_$.-][A-Za-z0-9_$.-]*", fullmatch=True) | from_regex(r"[a_]+(_[0-9]+)*", fullmatch=True))
def test_name_hint_is_what_xdsl_sets(name: str):
    ours, theirs = test.TestOp(result_types=[f32]).results[0], test.TestOp(result_types=[f32]).results[0]
    set_name_hint(ours, name)
    theirs.name_hint = name
    assert ours.name_hint == theirs.name_hint


def operation_classes() -> Iterator[type[Operation]]:
    for dialect in XSHARDY_UNIVERSE.all_dialects.values():
        yield from dialect().operations


def test_no_operation_sets_up_more_than_default_properties():
    """The preconditions name all that `create` does beside setting the fields."""
    assert {op_type.__post_init__ for op_type in operation_classes()} == {IRDLOperation.__post_init__}
    fields_of_operations = {field.name for field in fields(Operation)}
    assert all(
        not fields_of_operations & vars(cls).keys()
        for op_type in operation_classes()
        for cls in op_type.__mro__
        if issubclass(cls, Operation) and cls is not Operation
    )


@pytest.mark.parametrize(
    "attribute",
    [
        NoneAttr(),  # no parameters
        SubAxisInfoAttr(1, 2),
        TensorShardingPerValueAttr([TensorShardingAttr("mesh", (), [AxisRefAttr("a")])]),
        TensorShardingAttr("mesh", [DimensionShardingAttr([AxisRefAttr("a")], is_closed=True, priority=1)]),
    ],
)
def test_an_attribute_is_what_its_own_constructor_makes(attribute: ParametrizedAttribute):
    parameters = parameters_of(type(attribute))(attribute)
    assert parameters == attribute.parameters
    made = new_attribute(type(attribute), *parameters)
    assert made == attribute and vars(made) == vars(attribute) and hash(made) == hash(attribute)
