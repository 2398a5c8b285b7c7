"""Constants survive the way through text to LLVM bit by bit."""

import re

import llvmlite.binding as binding
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import integers
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerType,
    TensorType,
    VectorType,
    i1,
    i8,
)
from xdsl.dialects.llvm import LLVMArrayType

from xshardy.lowering.arith_to_llvm import constant_attribute
from xshardy.lowering.conversion import integer_attribute
from xshardy.lowering.llvm_text import module_text
from xshardy.lowering.llvm_values import LLVMTextError, constant_text, global_name, mangled, scalar_text, type_text
from xshardy.syntax import parse_module

NUMPY_TYPES = {
    BFloat16Type(): ml_dtypes.bfloat16,
    Float16Type(): np.float16,
    Float32Type(): np.float32,
    Float64Type(): np.float64,
}


def bits_in_llvm(text: str, type: AnyFloat) -> int:
    """The bits that LLVM sees in a constant: it folds the bitcast."""
    width = type.bitwidth
    module = binding.parse_assembly(
        f"define i{width} @f() {{\n%x = bitcast {type_text(type)} {text} to i{width}\nret i{width} %x\n}}"
    )
    machine = _machine()
    options = binding.create_pipeline_tuning_options(1)
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    (number,) = re.findall(rf"ret i{width} (-?\d+)", str(module))
    return int(number) % (1 << width)


def _machine() -> binding.TargetMachine:
    binding.initialize_native_target()
    return binding.Target.from_default_triple().create_target_machine()


@pytest.mark.hypothesis
@pytest.mark.parametrize("type", NUMPY_TYPES, ids=str)
def test_floats_are_exact(type: AnyFloat):
    width = type.bitwidth
    unsigned = {16: np.uint16, 32: np.uint32, 64: np.uint64}[width]

    @given(integers(0, (1 << width) - 1))
    def check(bits: int):
        value = float(np.array(bits, unsigned).view(NUMPY_TYPES[type]))
        seen = bits_in_llvm(constant_text(FloatAttr(value, type), type), type)
        if np.isnan(value):
            assert np.isnan(np.array(seen, unsigned).view(NUMPY_TYPES[type]))
        else:
            assert seen == bits

    check()


@pytest.mark.parametrize("type", [Float8E4M3FNType(), Float8E5M2Type()], ids=str)
def test_narrow_floats_are_their_bits(type: AnyFloat):
    numpy_type = {Float8E4M3FNType(): ml_dtypes.float8_e4m3fn, Float8E5M2Type(): ml_dtypes.float8_e5m2}[type]
    for bits in range(256):
        value = float(np.array(bits, np.uint8).view(numpy_type))
        if np.isnan(value):
            continue
        text = constant_text(constant_attribute(FloatAttr(value, type), i8), i8)
        assert int(text) % 256 == bits


def test_nested_arrays():
    value = DenseIntOrFPElementsAttr.from_list(TensorType(IntegerType(32), [2, 2]), [1, 2, 3, 4])
    type = LLVMArrayType(2, LLVMArrayType(2, IntegerType(32)))
    assert constant_text(value, type) == "[[2 x i32] [i32 1, i32 2], [2 x i32] [i32 3, i32 4]]"


def test_splats():
    zeros = DenseIntOrFPElementsAttr.from_list(VectorType(Float32Type(), [2]), [0.0])
    assert constant_text(zeros, zeros.type) == "zeroinitializer"
    ones = DenseIntOrFPElementsAttr.from_list(VectorType(i1, [2]), [True])
    assert constant_text(ones, ones.type) == "<i1 true, i1 true>"


@pytest.mark.parametrize("name", ["main", "a b", 'quo"te', "fusion.1", "-", "é", "1"])
def test_names_are_read_back(name: str):
    module = binding.parse_assembly(f"define void {global_name(name)}() {{\nret void\n}}")
    assert module.get_function(name).name == name


def test_a_vector_of_integers_that_are_too_wide_is_cut_to_their_bits():
    assert integer_attribute(300, VectorType(i8, [2])) == DenseIntOrFPElementsAttr.from_list(VectorType(i8, [2]), [44])


def test_there_is_no_constant_of_another_type():
    with pytest.raises(LLVMTextError, match="there is no constant 1 of index in LLVM"):
        scalar_text(1, IndexType())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%0 = arith.addi %x, %x : i32", "'arith.addi' is no operation of LLVM: lower it with xla-gpu-lower-to-llvm"),
        ("%0 = llvm.mlir.poison : index\n%1 = llvm.freeze %0 : index", "type index is not LLVM's: lower the"),
        ("%0 = llvm.mlir.constant(@f) : i32\n%1 = llvm.freeze %0 : i32", "@f is not a constant of LLVM"),
    ],
)
def test_what_llvm_has_not(text: str, message: str):
    module = parse_module(f"llvm.func @f(%x: i32) {{\n{text}\nllvm.return\n}}")
    with pytest.raises(LLVMTextError, match=message):
        module_text(module)


def test_words_of_functions_are_names_or_pairs():
    module = parse_module("llvm.func @f() attributes {passthrough = [3 : i32]} {\nllvm.return\n}")
    with pytest.raises(
        LLVMTextError, match="passthrough attribute 3 : i32: expected a name, or a pair of a name and a"
    ):
        module_text(module)


def test_intrinsics_are_on_numbers():
    with pytest.raises(LLVMTextError, match="there is no intrinsic on index"):
        mangled(IndexType())
