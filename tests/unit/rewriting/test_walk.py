"""Our walks give what xDSL's give, kept or not; unused operations are found through regions."""

from dataclasses import dataclass
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.stablehlo import AddOp, NegOp, ReturnOp
from xshardy.ir.region_walk import walk_regions
from xshardy.rewriting import BACKWARD, FORWARD, INNER_FIRST, Walk, match_op_type, operation_index, rewrite
from xshardy.rewriting.operation_index import indexed, not_indexed
from xshardy.rewriting.walk import operations_in, operations_of, walk_inside
from xshardy.syntax import parse_module
from xshardy.transforms.unused_operations import EraseUnusedOperation
from xshardy.universe import installed_passes, new_context

LOOP = """func.func @main(%x: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = stablehlo.while(%i = %x) : tensor<8xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %2 = stablehlo.add %0, %i : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  %3 = stablehlo.negate %x : tensor<8xf32>
  return %3 : tensor<8xf32>
}"""


def test_walks():
    module = parse_module(LOOP)
    assert list(operations_in(module)) == list(module.walk())[1:]
    assert list(operations_in(module, inner_first=True)) == list(module.walk(region_first=True))[:-1]


def test_operations_of_a_class():
    module = parse_module(LOOP)
    assert [type(op) for op in operations_of(module, NegOp, AddOp)] == [NegOp, AddOp, NegOp]
    assert list(operations_of(module, ModuleOp)) == []


def test_operands_of_a_dead_loop_are_dead():
    module = parse_module(LOOP)
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    rewrite(function, (EraseUnusedOperation(),), BACKWARD)
    assert [op.name for op in function.body.block.ops] == ["stablehlo.negate", "func.return"]


# -- Walks that a pipeline keeps ---------------------------------------------------------------------------------------


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> list[Walk]:
    """Filled with the walks over operations at the top of a module that are made and kept."""
    made: list[Walk] = []

    def counted(regions: tuple[Region, ...], walk: Walk, *wanted: Any) -> list[Operation]:
        made.append(walk)
        return walk_regions(regions, walk, *wanted)

    monkeypatch.setattr(operation_index, "walk_regions", counted)
    return made


@dataclass(frozen=True)
class Mark(RewritePattern):
    """`add` -> `add {marked}`"""

    @match_op_type
    def match_and_rewrite(self, op: AddOp, rewriter: PatternRewriter, /) -> None:
        op.attributes["marked"] = UnitAttr()
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class Negate(RewritePattern):
    """`x + y` -> `-x`"""

    @match_op_type
    def match_and_rewrite(self, op: AddOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, NegOp.create(operands=op.operands[:1], result_types=op.result_types))


@pytest.mark.parametrize("walk", [FORWARD, BACKWARD, INNER_FIRST, Walk(walk_reverse=True)])
def test_a_kept_walk_has_the_order_of_a_new_one(walk: Walk):
    module = parse_module(LOOP)
    with indexed(module):
        assert walk_inside(module, walk) == walk_regions(module.regions, walk)
        some = [op for op in walk_regions(module.regions, walk) if isinstance(op, NegOp | ReturnOp)]
        assert [op for op in walk_inside(module, walk) if isinstance(op, NegOp | ReturnOp)] == some


def test_a_walk_is_kept_until_an_operation_of_its_classes_is_inserted(walked: list[Walk]):
    module = parse_module(LOOP)
    with indexed(module):
        assert len(operations_of(module, NegOp)) == 2
        rewrite(module, (Mark(),))
        assert len(operations_of(module, AddOp)) == 1
        assert len(walked) == 1
        rewrite(module, (Negate(),))
        assert operations_of(module, AddOp) == []  # the only one is erased
        assert len(operations_of(module, ReturnOp)) == 2
        assert len(walked) == 1
        assert len(operations_of(module, NegOp)) == 3
        assert len(walked) == 2
        with not_indexed(module):
            operations_in(module)
        assert len(walked) == 2
    operations_in(module)
    assert len(walked) == 2


def test_a_kept_walk_has_the_walks_over_functions(walked: list[Walk]):
    module = parse_module(LOOP + LOOP.replace("@main", "@other"))
    with indexed(module):
        operations_in(module)
        for function in module.ops:
            assert operations_in(function) == list(function.walk())[1:]
            assert operations_of(function, NegOp) == [op for op in function.walk() if isinstance(op, NegOp)]
            assert operations_in(function, inner_first=True) == list(function.walk(region_first=True))[:-1]
    assert len(walked) == 2  # one for each function


def test_an_inserted_function_is_walked_alone(walked: list[Walk]):
    """What inserts a function for each kernel does not walk over the module for each."""
    module = parse_module(LOOP)
    with indexed(module):
        operations_in(module)
        before = len(walked)
        for number in range(3):
            function = next(iter(parse_module(LOOP.replace("@main", f"@f{number}")).ops)).clone()
            module.body.block.add_op(function)
            index = operation_index.index_over(module)
            assert index is not None
            index.insert(function)
            assert operations_in(function) == list(function.walk())[1:]
        assert len(walked) == before + 6  # over each new function: for its classes, and for what is in it
        assert len(operations_in(module)) == len(list(module.walk())) - 1


def test_a_pipeline_walks_over_a_module_a_few_times_only(walked: list[Walk]):
    """Of the 30 passes of the pipeline, few change the structure of this module."""
    module: ModuleOp = parse_module(LOOP)
    installed_passes()["sdy-propagation-pipeline"]()().apply(new_context(), module)
    assert len(walked) <= 8


def called(times: int) -> ModuleOp:
    """A function that is called `times` times, with locations, which a copy of it gets for each call."""
    calls = [
        f'%{i} = func.call @f(%{i - 1 if i else "x"}) : (tensor<8xf32>) -> tensor<8xf32> loc("line {i}")'
        for i in range(times)
    ]
    body = " ".join([*calls, f"return %{times - 1} : tensor<8xf32>"])
    return parse_module(
        "func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }\n"
        f"func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {{ {body} }}"
    )


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> list[ModuleOp]:
    """Filled with a module for each walk over the whole of it that is kept."""
    walked: list[ModuleOp] = []

    class Counted(operation_index._Order):  # pyright: ignore[reportPrivateUsage]
        def __init__(self, module: ModuleOp):
            super().__init__(module)
            walked.append(module)

    monkeypatch.setattr(operation_index, "_Order", Counted)
    return walked


@pytest.mark.parametrize("pipeline", ["sdy-propagation-pipeline", "hlo-fusion-pipeline"])
def test_what_changes_functions_one_by_one_does_not_walk_over_the_module_for_each(
    pipeline: str, orders: list[ModuleOp]
):
    counts: list[int] = []
    for times in (4, 16):
        orders.clear()
        installed_passes()[pipeline]()().apply(new_context(), called(times))
        counts.append(len(orders))
    assert counts[0] == counts[1]
