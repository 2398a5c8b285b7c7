"""Opcodes that execute computations (calls, fusions, loops, branches), and tuples."""

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, SymbolRefAttr, TensorType, TupleType, i1, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.instruction import elements
from xshardy.hlo_text.codecs import Fields
from xshardy.hlo_text.fields import ComputationName
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Form, Opcode, Operands, Regions, described, no_fields, row
from xshardy.hlo_text.shapes import print_type
from xshardy.hlo_text.tuples import pack, unpack

PRED = TensorType(i1, [])
S32 = TensorType(i32, [])


def call(instruction: Instruction) -> Operation:
    """`call(x, y), to_apply=f`: not compiled to one kernel, unlike a fusion."""
    function = instruction.function("to_apply")
    op = func.CallOp(function.sym_name.data, instruction.operands, [instruction.shape.type])
    check_callee(instruction, op, function, "a call")
    return op


def call_fields(op: func.CallOp, regions: Regions) -> Fields:
    """`to_apply=f`"""
    return {"to_apply": ComputationName(op.callee.string_value(), 0)}


def fusion(instruction: Instruction) -> Operation:
    """`fusion(x, y), kind=kLoop, calls=f`"""
    op = hlo.FusionOp.create(
        operands=instruction.operands,
        result_types=[instruction.shape.type],
        properties={
            "kind": hlo.FusionKindAttr(instruction.fields["kind"]),
            "callee": SymbolRefAttr(instruction.fields["calls"].name),
        },
    )
    assert isinstance(op, hlo.FusionOp)
    check_callee(instruction, op, instruction.function("calls"), "a fusion")
    return op


def fusion_fields(op: hlo.FusionOp, regions: Regions) -> Fields:
    """`kind=kLoop, calls=f`"""
    return {"kind": op.kind.data, "calls": ComputationName(op.callee.string_value(), 0)}


def check_callee(instruction: Instruction, op: func.CallOp | hlo.FusionOp, function: func.FuncOp, what: str) -> None:
    """Raise `HLOError` unless `op` has the operands and the result of `function`."""
    try:
        hlo.check_callee_types(op, function)
    except VerifyException as error:
        hint = f"{what} has the operands and the result of the computation it calls"
        raise instruction.error(str(error), hint) from error


def calling_region(function: func.FuncOp, types: Sequence[Attribute]) -> Region:
    """A region with arguments of `types` that calls `function`, whose parameter is the tuple of them."""
    block = Block(arg_types=types)
    operations: list[Operation] = []
    parameter = pack(block.args, function.function_type.inputs.data[0], operations)
    return finish_calling(block, function, parameter, operations)


def finish_calling(block: Block, function: func.FuncOp, operand: SSAValue, operations: list[Operation]) -> Region:
    """The region of `block`, completed with a call of `function` and a return of the arrays of its result."""
    called = func.CallOp(function.sym_name.data, [operand], function.function_type.outputs.data)
    operations.append(called)
    results = unpack(called.results[0], operations)
    block.add_ops([*operations, stablehlo.ReturnOp(*results)])
    return Region(block)


def check_types(instruction: Instruction, key: str, operand: Attribute, result: Attribute) -> None:
    """Raise `HLOError` unless the computation `key` has the types `operand` and `result`."""
    types = instruction.function(key).function_type
    for what, found, expected in (("takes", types.inputs.data, operand), ("gives", types.outputs.data, result)):
        if tuple(found) != (expected,):
            shapes = ", ".join(map(print_type, found)) or "nothing"
            raise instruction.error(f"{key} {what} {shapes}, not {print_type(expected)}")


def while_(instruction: Instruction) -> Operation:
    """`while(state), condition=f, body=g`: StableHLO carries the arrays of the state individually."""
    (state,) = instruction.operands
    check_types(instruction, "condition", state.type, PRED)
    check_types(instruction, "body", state.type, instruction.shape.type)
    if state.type != instruction.shape.type:
        raise instruction.error(f"the operand is {print_type(state.type)}, not {print_type(instruction.shape.type)}")
    arrays = instruction.unpack(state)
    types = [array.type for array in arrays]
    return stablehlo.WhileOp.create(
        operands=arrays,
        result_types=types,
        regions=[calling_region(instruction.function(key), types) for key in ("condition", "body")],
    )


def while_fields(op: stablehlo.WhileOp, regions: Regions) -> Fields:
    """`condition=f, body=g`"""
    return {"condition": regions.callee(op.cond), "body": regions.callee(op.body)}


def packed_operands(op: Operation, regions: Regions) -> Operands:
    """The tuple of the operands, of the type of the result."""
    return [regions.operand_like_result(op)]


def conditional(instruction: Instruction) -> Operation:
    """
    `conditional(p, x, y), true_computation=f, false_computation=g`, or with an index `branch_computations={f, g}`.

    StableHLO's branches have no arguments: each calls its computation with its operand.
    """
    if not instruction.operands:
        raise instruction.error("takes what chooses the branch, and an operand for each branch")
    selector, *operands = instruction.operands
    fields = instruction.fields
    names = fields.get("branch_computations")
    if names is None:
        if not {"true_computation", "false_computation"} <= fields.keys():
            raise instruction.error(
                "attribute 'branch_computations' is missing",
                "write `branch_computations={f, g}`, or `true_computation=f, false_computation=g`",
            )
        names = (fields["true_computation"], fields["false_computation"])
    if len(names) != len(operands):
        raise instruction.error(f"takes an operand for each of the {len(names)} branches, got {len(operands)}")
    if selector.type not in (PRED, S32):
        raise instruction.error(f"the branch is chosen by a pred[] or an s32[], not a {print_type(selector.type)}")
    if selector.type == PRED and len(names) != 2:
        raise instruction.error(f"a pred[] chooses between two branches, got {len(names)}")
    result = instruction.shape.type
    branches: list[Region] = []
    for name, operand in zip(names, operands, strict=True):
        function = instruction.functions[name.name]
        types = function.function_type
        if tuple(types.inputs) != (operand.type,) or tuple(types.outputs) != (result,):
            raise instruction.error(
                f"branch '{name.name}' goes from {', '.join(map(print_type, types.inputs))} to "
                f"{', '.join(map(print_type, types.outputs))}, not from {print_type(operand.type)} to "
                f"{print_type(result)}"
            )
        branches.append(finish_calling(Block(), function, operand, []))
    op = stablehlo.IfOp if selector.type == PRED else stablehlo.CaseOp
    return op.create(operands=[selector], result_types=instruction.result_types, regions=branches)


def conditional_fields(op: stablehlo.IfOp | stablehlo.CaseOp, regions: Regions) -> Fields:
    """`branch_computations={f, g}`"""
    names = tuple(regions.callee(region) for region in op.regions)
    if isinstance(op, stablehlo.IfOp):
        return {"true_computation": names[0], "false_computation": names[1]}
    return {"branch_computations": names}


def branch_operand(region: Region) -> SSAValue | None:
    """The operand of the call in a branch that contains only a call."""
    first = region.block.first_op
    return first.operands[0] if isinstance(first, func.CallOp) and len(first.operands) == 1 else None


def conditional_operands(op: stablehlo.IfOp | stablehlo.CaseOp, regions: Regions) -> Operands:
    """The branch selector, and the operand of each branch."""
    operands = [branch_operand(region) for region in op.regions]
    return [op.operands[0], *(() if operand is None else operand for operand in operands)]


def get_tuple_element(instruction: Instruction) -> Operation:
    """`get-tuple-element(t), index=1`"""
    (operand,) = instruction.operands
    index: int = instruction.fields["index"]
    if not isinstance(operand.type, TupleType):
        raise instruction.error("the operand is not a tuple")
    types = elements(cast(Attribute, operand.type))
    if not 0 <= index < len(types):
        raise instruction.error(f"index {index} is out of range for a tuple of {len(types)}")
    return stablehlo.GetTupleElementOp.create(
        operands=[operand], result_types=[types[index]], properties={"index": IntegerAttr(index, i32)}
    )


def get_tuple_element_fields(op: stablehlo.GetTupleElementOp, regions: Regions) -> Fields:
    """`index=1`"""
    return {"index": op.index.value.data}


def tuple_(instruction: Instruction) -> Operation:
    """`tuple(x, y)`"""
    shape = instruction.shape
    found = tuple(operand.type for operand in instruction.operands)
    expected = elements(shape.type) if isinstance(shape.type, TupleType) else None
    if found != expected:
        texts = ", ".join(map(print_type, found))
        raise instruction.error(f"gives ({texts}), not {print_type(shape.type)}")
    return stablehlo.TupleOp.create(operands=instruction.operands, result_types=[shape.type])


def unpacked_operand(instruction: Instruction) -> Sequence[SSAValue]:
    """The arrays of the operand, one by one."""
    (operand,) = instruction.operands
    return instruction.unpack(operand)


ROWS: Mapping[str, Opcode] = {
    "after-all": described(stablehlo.AfterAllOp, None),
    "call": row(
        call, None, "to_apply", extras="is_composite", forms=[Form(func.CallOp, call_fields)], needs_module=True
    ),
    "conditional": row(
        conditional,
        None,
        "",
        "branch_computations true_computation false_computation",
        forms=[
            Form(stablehlo.IfOp, conditional_fields, conditional_operands),
            Form(stablehlo.CaseOp, conditional_fields, conditional_operands),
        ],
    ),
    "fusion": row(fusion, None, "kind calls", forms=[Form(hlo.FusionOp, fusion_fields)], needs_module=True),
    "get-tuple-element": row(
        get_tuple_element, 1, "index", forms=[Form(stablehlo.GetTupleElementOp, get_tuple_element_fields)]
    ),
    "opt-barrier": described(
        stablehlo.OptimizationBarrierOp, 1, read_operands=unpacked_operand, write_operands=packed_operands
    ),
    "tuple": row(tuple_, None, forms=[Form(stablehlo.TupleOp, no_fields)]),
    "while": row(while_, 1, "condition body", forms=[Form(stablehlo.WhileOp, while_fields, packed_operands)]),
}
