"""Canonicalization keeps what random programs compute."""

from random import Random

from hypothesis import given, settings
from hypothesis.strategies import integers
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, IntegerType, ModuleOp, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xshardy.dialects.extensions.arith import IndexCastUIOp
from xshardy.dialects.extensions.arith_elementwise import RELATIONS, predicate_of
from xshardy.syntax import print_module
from xshardy.transforms.canonicalization.arith_integers import RULES
from xshardy.transforms.canonicalization.constants import signed, unsigned, width_of
from xshardy.transforms.canonicalize import CanonicalizePass

TYPES: tuple[Attribute, ...] = (i1, IntegerType(4), IntegerType(8), IntegerType(16), IndexType())
NOT_ON_BOOLEANS = (arith.CeilDivSIOp, arith.FloorDivSIOp)


def random_value(random: Random, values: list[SSAValue], type: Attribute) -> SSAValue:
    return random.choice([value for value in values if value.type == type])


def random_program(random: Random, size: int) -> ModuleOp:
    """A function of one argument per type that computes `size` values and returns the last of each type."""
    block = Block(arg_types=TYPES)
    values: list[SSAValue] = list(block.args)

    def constant(type: Attribute) -> Operation:
        value = random.choice((0, 1, -1, 2, random.getrandbits(width_of(type))))
        return arith.ConstantOp(IntegerAttr(signed(value, width_of(type)), type))  # pyright: ignore

    def binary(type: Attribute) -> Operation:
        op = random.choice([op for op in RULES if type != i1 or op not in NOT_ON_BOOLEANS])
        return op.create(
            operands=[random_value(random, values, type), random_value(random, values, type)], result_types=[type]
        )

    def comparison(_: Attribute) -> Operation:
        type = random.choice(TYPES)
        return arith.CmpiOp(
            random_value(random, values, type), random_value(random, values, type), random.randrange(10)
        )

    def select(type: Attribute) -> Operation:
        return arith.SelectOp(
            random_value(random, values, i1), random_value(random, values, type), random_value(random, values, type)
        )

    def cast(type: Attribute) -> Operation:
        source = random.choice([other for other in TYPES if other != type])
        if IndexType() in (source, type):
            op = random.choice((arith.IndexCastOp, IndexCastUIOp))
        elif width_of(source) < width_of(type):
            op = random.choice((arith.ExtSIOp, arith.ExtUIOp))
        else:
            op = arith.TruncIOp
        return op.create(operands=[random_value(random, values, source)], result_types=[type])

    for _ in range(size):
        op = random.choice((constant, binary, binary, comparison, select, cast))(random.choice(TYPES))
        block.add_op(op)
        values += op.results
    returned = [[value for value in values if value.type == type][-1] for type in TYPES]
    block.add_op(func.ReturnOp(*returned))
    return ModuleOp([func.FuncOp("f", FunctionType.from_lists(TYPES, TYPES), Region(block))])


def evaluate(module: ModuleOp, arguments: list[int]) -> list[int | None]:
    """What the function returns. None: undefined."""
    function = next(op for op in module.ops if isinstance(op, func.FuncOp))
    known: dict[SSAValue, int | None] = dict(zip(function.body.block.args, arguments, strict=True))
    for op in function.body.block.ops:
        operands = [known[operand] for operand in op.operands]
        if isinstance(op, func.ReturnOp):
            return operands
        known[op.results[0]] = (
            None if None in operands else result_of(op, [value for value in operands if value is not None])
        )
    raise AssertionError("no return")


def result_of(op: Operation, operands: list[int]) -> int | None:
    width = width_of(op.results[0].type)
    source_width = width_of(op.operands[0].type) if op.operands else width
    match op:
        case arith.ConstantOp():
            assert isinstance(op.value, IntegerAttr)
            result = op.value.value.data
        case arith.CmpiOp():
            predicate = predicate_of(op)
            view = unsigned if predicate.is_unsigned else signed
            result = int(RELATIONS[predicate](*(view(value, source_width) for value in operands)))
        case arith.SelectOp():
            result = operands[1] if operands[0] else operands[2]
        case arith.ExtUIOp() | IndexCastUIOp():
            result = unsigned(operands[0], source_width)
        case arith.ExtSIOp() | arith.TruncIOp() | arith.IndexCastOp():
            result = operands[0]
        case _:
            result = RULES[type(op)].compute(operands[0], operands[1], width)
    return None if result is None else signed(result, width)


@settings(max_examples=60)
@given(integers())
def test_results_stay_the_same(seed: int):
    random = Random(seed)
    program = random_program(random, random.randint(1, 30))
    canonical = program.clone()
    CanonicalizePass().rewrite_module(canonical)
    canonical.verify()
    for _ in range(5):
        arguments = [signed(random.choice((0, 1, -1, random.getrandbits(64))), width_of(type)) for type in TYPES]
        before, after = evaluate(program, arguments), evaluate(canonical, arguments)
        # What was undefined may become anything.
        wrong = [
            values for values in zip(before, after, strict=True) if values[0] is not None and values[0] != values[1]
        ]
        assert not wrong, f"{arguments}\n{print_module(program)}{print_module(canonical)}"
