"""Conversion patterns: declarations, casts, and all conversions in one walk."""

from pathlib import Path

import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import BFloat16Type, IntegerType, ModuleOp, VectorType, f32
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener
from xdsl.utils.exceptions import PassFailedException

from xshardy.lowering.arith_to_llvm import ConvertArithToLLVMPass
from xshardy.lowering.conversion import declare
from xshardy.lowering.pipeline import LowerToLLVMPass, steps_for
from xshardy.lowering.types import LLVMTypes
from xshardy.syntax import parse_module
from xshardy.universe import new_context

FILES = sorted((Path(__file__).parents[2] / "filecheck" / "lowering").glob("*_to_*.mlir"))


def parse(text: str) -> ModuleOp:
    context = new_context()
    context.allow_unregistered = True
    return parse_module(text, ctx=context)


def lowered(module: ModuleOp, *passes: object) -> str:
    """The text of `module` after `passes`, or why there is none."""
    try:
        for each in passes:
            each.apply(new_context(), module)  # pyright: ignore
    except PassFailedException:
        return "refused"
    return str(module)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_one_walk_does_the_same_as_all_steps(path: Path):
    lowerable = 0
    for text in path.read_text().split("// -----"):
        together = lowered(parse(text), LowerToLLVMPass())
        if together != "refused":
            assert together == lowered(parse(text), *steps_for())
            lowerable += 1
    assert lowerable


def test_a_function_is_declared_once():
    module = parse("func.func @user() { func.return }\nfunc.func private @known(f32) -> f32")
    user = next(iter(module.ops))
    rewriter = PatternRewriter(user)
    for name in ("known", "new", "new"):
        declare(name, llvm.LLVMFunctionType([f32], f32), user, rewriter)
    assert [op.name for op in module.ops] == ["llvm.func", "func.func", "func.func"]
    declared = module.body.block.first_op
    assert isinstance(declared, llvm.FuncOp) and declared.sym_name.data == "new"


def test_a_cast_whose_value_is_read_twice_is_erased_once():
    text = "func.func @f(%i: i64) -> i64 { %0 = builtin.unrealized_conversion_cast %i : i64 to index "
    module = parse(
        text + "%1 = arith.muli %0, %0 : index %2 = arith.index_cast %1 : index to i64 func.return %2 : i64 }"
    )
    erased: list[str] = []
    listener = PatternRewriterListener(operation_removal_handler=[lambda op: erased.append(op.name)])
    ConvertArithToLLVMPass().rewrite_module(module, listener)
    assert [op.name for op in module.walk()][2:] == ["llvm.mul", "func.return"]
    cast = "builtin.unrealized_conversion_cast"
    assert erased == ["arith.muli", cast, "arith.index_cast", cast]


def test_types_that_llvm_has_stay_the_same_object():
    types = LLVMTypes(32)
    for type in (IntegerType(32), BFloat16Type(), VectorType(f32, [4]), llvm.LLVMPointerType()):
        assert types.convert(type) is type
        assert types.convert(type) is type, "also when the type is known"


def test_results_keep_their_names():
    module = parse("func.func @f(%x: i32) -> i32 {\n  %0 = arith.addi %x, %x : i32\n  func.return %0 : i32\n}")
    (addition,) = (op for op in module.walk() if op.name == "arith.addi")
    addition.results[0].name_hint = "sum"
    ConvertArithToLLVMPass().apply(new_context(), module)
    assert [op.results[0].name_hint for op in module.walk() if isinstance(op, llvm.AddOp)] == ["sum"]
