"""Operations of ours under xDSL's names make xDSL's operations wherever xDSL's class is enough."""

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, gpu, llvm
from xdsl.dialects.builtin import IntegerAttr, VectorType, i1, i8, i32, i64
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from xshardy.dialects.extensions import arith_elementwise as elementwise
from xshardy.dialects.extensions import llvm as our_llvm
from xshardy.dialects.extensions import llvm_memory
from xshardy.syntax import parse_module
from xshardy.universe import new_context

VECTOR = VectorType(i32, [4])

TEXTS: list[tuple[str, type[Operation], type[Operation]]] = [
    ("arith.cmpi slt, %x, %x : i32", arith.CmpiOp, arith.CmpiOp),
    ("arith.cmpi slt, %v, %v : vector<4xi32>", elementwise.CmpiOp, elementwise.CmpiOp),
    ("arith.select %c, %v, %v : vector<4xi32>", arith.SelectOp, arith.SelectOp),
    ("arith.select %m, %v, %v : vector<4xi1>, vector<4xi32>", elementwise.SelectOp, elementwise.SelectOp),
    ("arith.extsi %x : i32 to i64", arith.ExtSIOp, arith.ExtSIOp),
    ("arith.trunci %v : vector<4xi32> to vector<4xi8>", elementwise.TruncIOp, elementwise.TruncIOp),
    ("gpu.thread_id x", gpu.ThreadIdOp, gpu.ThreadIdOp),
    ("llvm.load %p : !llvm.ptr -> i32", llvm.LoadOp, llvm_memory.LoadOp),
    ("llvm.load %p invariant : !llvm.ptr -> i32", our_llvm.RefinedLoadOp, llvm_memory.LoadOp),
    ("llvm.store %x, %p : i32, !llvm.ptr", llvm.StoreOp, llvm_memory.StoreOp),
    ('llvm.fcmp "olt" %f, %f : f32', llvm.FCmpOp, our_llvm.FCmpOp),
    ("llvm.select %c, %x, %x : i1, i32", llvm.SelectOp, our_llvm.SelectOp),
]
"""A text, the class that plain `xdsl-opt` makes of it, and the one that our contexts make of it."""

FUNCTION = """func.func @f(%x: i32, %v: vector<4xi32>, %c: i1, %m: vector<4xi1>, %p: !llvm.ptr, %f: f32) {{
  {}
  func.return
}}"""


def first_operation(module: Operation) -> Operation:
    function = module.regions[0].block.first_op
    assert function is not None
    op = function.regions[0].block.first_op
    assert op is not None
    return op


@pytest.mark.parametrize(("text", "in_xdsl", "in_ours"), TEXTS, ids=[text for text, _, _ in TEXTS])
def test_classes_of_what_is_read(text: str, in_xdsl: type[Operation], in_ours: type[Operation]):
    results = "" if text.startswith("llvm.store") else "%0 = "
    source = FUNCTION.format(results + text)
    plain = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        plain.register_dialect(name, factory)
    read = Parser(plain, source).parse_module()
    read.verify()
    assert type(first_operation(read)) is in_xdsl
    ours = parse_module(source, ctx=new_context())
    ours.verify()
    assert type(first_operation(ours)) is in_ours
    assert type(first_operation(ours.clone())) is in_ours


@pytest.mark.parametrize("type", [i32, VECTOR])
def test_what_is_built_by_functions_verifies(type: Attribute):
    value = create_ssa_value(type)
    comparison = elementwise.compare("ult", value, value)
    selection = elementwise.select(comparison, value, value)
    narrow = elementwise.with_element_type(type, i8)
    truncated = elementwise.TruncIOp.create(operands=[value], result_types=[narrow])
    extended = elementwise.ExtUIOp.create(operands=[truncated.result], result_types=[type])
    for op in (comparison, selection, truncated, extended):
        op.verify()
        assert isinstance(op, elementwise.original_of(op.__class__))
        assert (op.__class__ is elementwise.original_of(op.__class__)) == (type == i32)


def test_what_neither_class_accepts_is_diagnosed():
    scalar, vector = create_ssa_value(i32), create_ssa_value(VECTOR)
    unknown = {"predicate": IntegerAttr(17, i64)}
    with pytest.raises(VerifyException, match="unknown predicate 17"):
        elementwise.CmpiOp.create(operands=[scalar, scalar], properties=unknown, result_types=[i1]).verify()
    with pytest.raises(VerifyException, match="compares"):
        properties = {"predicate": IntegerAttr(0, i64)}
        elementwise.CmpiOp.create(operands=[vector, vector], properties=properties, result_types=[i1]).verify()
    with pytest.raises(VerifyException, match="must be larger"):
        elementwise.ExtUIOp.create(operands=[vector], result_types=[VectorType(i8, [4])]).verify()
    with pytest.raises(VerifyException, match="have the shape of"):
        elementwise.select(create_ssa_value(VectorType(i1, [2])), vector, vector).verify()
