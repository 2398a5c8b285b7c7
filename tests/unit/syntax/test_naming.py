"""Names of values: no two that can see each other are the same, however deep and wide the regions are."""

from random import Random

from hypothesis import given
from hypothesis.strategies import integers
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from xshardy.dialects.naming import ValueNames
from xshardy.syntax import parse_module


def random_op(random: Random, depth: int) -> Operation:
    """An operation with up to three results, and regions up to `depth` deep."""
    regions: list[Region] = []
    for _ in range(random.randint(0, 2) if depth else 0):
        ops = [random_op(random, depth - 1) for _ in range(random.randint(0, 3))]
        regions.append(Region(Block(ops, arg_types=[f32] * random.randint(0, 2))))
    return test.TestOp(result_types=[f32] * random.randint(0, 3), regions=regions)


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


@given(integers())
def test_names_are_unique_where_they_are_seen(seed: int):
    random = Random(seed)
    module = ModuleOp([random_op(random, 3) for _ in range(random.randint(0, 4))])
    visible_names(module.body, ValueNames(module), frozenset())


def test_an_underscore_and_digits_are_no_hint():
    module = parse_module("""func.func @f(%_0: tensor<f32>, %x_1: tensor<f32>) -> tensor<f32> {
      %_2 = stablehlo.add %_0, %x_1 : tensor<f32>
      %_3 = "stablehlo.negate"(%_2) : (tensor<f32>) -> tensor<f32>
      func.return %_3 : tensor<f32>
    }""")
    copied = next(op for op in module.clone().walk() if isinstance(op, FuncOp))
    assert [argument.name_hint for argument in copied.body.block.args] == [None, "x"]
