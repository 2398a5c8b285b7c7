"""What is printed reads back the same, in xDSL's text and in upstream's, by itself and inside operations."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdy_strategies import meshes, rules, shardings, split_meshes
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, IntAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from xshardy import syntax
from xshardy.dialects.sdy import SDY
from xshardy.dialects.sdy.attributes.axes import (
    AllToAllParamAttr,
    AllToAllParamListAttr,
    AxisRefAttr,
    AxisRefListAttr,
    ListOfAxisRefListsAttr,
)
from xshardy.dialects.sdy.attributes.edges import (
    AxisToPropagationDetailsAttr,
    EdgeValueRefAttr,
    PropagationEdgesAttr,
    PropagationOneStepAttr,
)
from xshardy.dialects.sdy.attributes.enums import (
    EdgeNodeType,
    PropagationDirection,
    ReductionOp,
    ReductionOpAttr,
    member_of,
    number_of,
)
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr, MeshAttr
from xshardy.dialects.sdy.attributes.rule import factor_symbol
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.ops import MeshOp


def context() -> Context:
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(SDY)
    return ctx


CONTEXT = context()


def reads_back(attribute: Attribute) -> bool:
    return Parser(CONTEXT, str(attribute)).parse_attribute() == attribute


@given(meshes())
def test_meshes(mesh: MeshAttr):
    assert reads_back(mesh)
    assert all(map(reads_back, mesh.axes))


@given(shardings(), shardings())
def test_shardings(one, another):
    sharding, mesh = one
    assert reads_back(sharding)
    assert reads_back(TensorShardingPerValueAttr([sharding, another[0]]))
    assert all(map(reads_back, sharding.dim_shardings))
    assert reads_back(ManualAxesAttr(axis.axis for axis in mesh.axes))


@given(split_meshes(), st.integers(0, 5), st.integers(0, 5))
def test_axes_and_lists_of_them(sample, source: int, target: int):
    _, axes = sample
    assert all(map(reads_back, axes))
    assert all(reads_back(axis.sub_axis) for axis in axes if not axis.is_full)
    assert reads_back(AxisRefListAttr(axes))
    assert reads_back(ListOfAxisRefListsAttr([AxisRefListAttr(axes), AxisRefListAttr([])]))
    param = AllToAllParamAttr(axes, source, target)
    assert reads_back(param)
    assert reads_back(AllToAllParamListAttr([param, param]))


@given(rules())
def test_rules(rule):
    assert reads_back(rule)
    for mapping in (*rule.operand_mappings, *rule.result_mappings):
        assert reads_back(mapping)
        assert all(map(reads_back, mapping.dim_mappings))


@given(split_meshes(), st.lists(st.integers(0, 99), unique=True, max_size=3))
def test_propagation_edges(sample, steps: list[int]):
    _, axes = sample
    source = EdgeValueRefAttr(EdgeNodeType.OPERAND, 3)
    targets = [EdgeValueRefAttr(EdgeNodeType.RESULT, index) for index in range(3)]
    entries = [AxisToPropagationDetailsAttr(axis, source, targets) for axis in axes]
    for attribute in (source, *entries, PropagationEdgesAttr(PropagationOneStepAttr(step, entries) for step in steps)):
        assert reads_back(attribute)


@pytest.mark.parametrize("reduction", ReductionOp)
def test_enum_attributes(reduction: ReductionOp):
    assert reads_back(ReductionOpAttr(reduction))


@given(meshes())
def test_a_mesh_in_upstream_text(mesh: MeshAttr):
    op = MeshOp("mesh", mesh)
    [again] = syntax.parse_module(str(op)).ops
    assert isinstance(again, MeshOp) and again.mesh == mesh


@given(st.integers(0, 10**6))
def test_factor_symbols_are_in_order(index: int):
    symbol = factor_symbol(index)
    assert symbol == "ijklmnopqrstuvwxyz"[index] if index < 18 else symbol == f"z_{index - 17}"


@pytest.mark.parametrize("enum", [ReductionOp, PropagationDirection])
def test_numbers_of_enums(enum: type[ReductionOp] | type[PropagationDirection]):
    assert [member_of(enum, number_of(member)) for member in enum] == list(enum)
    assert [number_of(member).value.data for member in enum] == list(range(len(enum)))


@pytest.mark.parametrize(
    "build, complaint",
    [
        (lambda: MeshAttr.of([("a", 2), ("a", 2)]), 'duplicate axis name: "a"'),
        (lambda: MeshAttr.of([("a", 2)], [0, 0]), "sorted device ids must be iota"),
        (lambda: MeshAttr.of([], [-1]), "device id must be non-negative"),
    ],
)
def test_invalid_meshes(build: Callable[[], Attribute], complaint: str):
    with pytest.raises(VerifyException, match=complaint):
        build()


def test_device_ids_in_their_order_are_read_and_not_kept():
    assert MeshAttr.of([("a", 3)], [0, 1, 2]) == MeshAttr.of([("a", 3)])
    with pytest.raises(VerifyException, match="no need to specify them"):
        MeshAttr(MeshAttr.of([("a", 2)]).axes, [IntAttr(0), IntAttr(1)])


def test_a_priority_that_upstream_could_not_read():
    with pytest.raises(ParseError, match="expecting integer priority"):
        Parser(CONTEXT, f"#sdy<dimension_sharding{{?}}p{2**63}>").parse_attribute()
    assert reads_back(DimensionShardingAttr(is_closed=False, priority=2**63 - 1))


BUILT = {
    '#sdy.mesh<["a"=2, "b"=4]>': lambda: MeshAttr([("a", 2), ("b", 4)]),
    '#sdy.mesh<["a"=2]>': lambda: MeshAttr({"a": 2}),
    '#sdy.mesh<["a"=3], device_ids=[2, 0, 1]>': lambda: MeshAttr([("a", 3)], [2, 0, 1]),
    "#sdy.mesh<[], device_ids=[3]>": lambda: MeshAttr([], device_ids=[3]),
    "#sdy.mesh<[]>": lambda: MeshAttr([]),
    '#sdy<axis_ref"a":(1)2>': lambda: AxisRefAttr("a", (1, 2)),
    '#sdy<dimension_sharding{"a", "b"}>': lambda: DimensionShardingAttr(["a", AxisRefAttr("b")]),
    '#sdy<dimension_sharding{"a", ?}p1>': lambda: DimensionShardingAttr(["a", "?"], priority=1),
    "#sdy<dimension_sharding{?}>": lambda: DimensionShardingAttr(("?",)),
    "#sdy<dimension_sharding{}>": lambda: DimensionShardingAttr(),
    '#sdy.sharding<@mesh, [{"a"}, {"b":(1)2, ?}, {}]>': lambda: TensorShardingAttr(
        "mesh", [["a"], [AxisRefAttr("b", (1, 2)), "?"], []]
    ),
    '#sdy.sharding<mesh<["a"=2]>, [{"a"}p0]>': lambda: TensorShardingAttr(
        MeshAttr({"a": 2}), (DimensionShardingAttr(["a"], priority=0),)
    ),
    '#sdy.sharding<@mesh, [], replicated={"a"}, unreduced=max{"b"}>': lambda: TensorShardingAttr(
        "mesh", [], ["a"], ["b"], ReductionOp.MAX
    ),
}


@pytest.mark.parametrize("text", BUILT)
def test_attributes_are_built_as_their_text_reads(text: str):
    assert BUILT[text]() == Parser(CONTEXT, text).parse_attribute()


WRONG = {
    "name of an axis": (lambda: MeshAttr(["a"]), "'a' is no axis of a mesh: write its name and size, such as"),
    "two letters": (lambda: MeshAttr(["ab"]), "'ab' is no axis of a mesh"),
    "size as text": (lambda: MeshAttr([("a", "2")]), "no axis of a mesh"),
    "no list": (lambda: DimensionShardingAttr("data"), r'"data" is no list of axes: write \["data"\]'),
    "dimension": (lambda: TensorShardingAttr("mesh", ["data"]), r'"data" is no list of axes: write \["data"\]'),
    "replicated": (lambda: TensorShardingAttr("mesh", [], "a"), '"a" is no list of axes'),
    "number": (lambda: TensorShardingAttr("mesh", [[1]]), "1 is no axis: write its name"),
    "open and closed": (lambda: DimensionShardingAttr(["?"], is_closed=True), "says that the dimension is open"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_axis_is_refused(what: str):
    build, complaint = WRONG[what]
    with pytest.raises(TypeError, match=complaint):
        build()
