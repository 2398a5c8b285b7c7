"""Integer lowerings that are more than one instruction, and reductions, run on the CPU and compared with Python."""

import ctypes
import math
import operator
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers
from lowering_host import HostFunction, integer_type

WIDTHS = (8, 32, 64)


def signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def unsigned(value: int, width: int) -> int:
    return value & ((1 << width) - 1)


REFERENCES = {
    "floordivsi": lambda a, b, width: a // b,
    "ceildivsi": lambda a, b, width: -(-a // b),
    "ceildivui": lambda a, b, width: -(-unsigned(a, width) // unsigned(b, width)),
}


@pytest.mark.hypothesis
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", REFERENCES)
def test_divisions(name: str, width: int):
    type = integer_type(width)
    function = HostFunction(
        f"""func.func @f(%a: i{width}, %b: i{width}, %out: !llvm.ptr) {{
          %0 = arith.{name} %a, %b : i{width}
          llvm.store %0, %out : i{width}, !llvm.ptr
          func.return
        }}"""
    )
    bound = 1 << (width - 1)

    @settings(max_examples=2 * settings.default.max_examples)
    @given(a=integers(-bound, bound - 1), b=integers(-bound, bound - 1).filter(bool))
    def check(a: int, b: int):
        if (a, b) == (-bound, -1):  # the quotient does not fit
            return
        (result,) = function([(type, a), (type, b)], [type])
        assert result == signed(REFERENCES[name](a, b, width), width)

    check()


@pytest.mark.hypothesis
@pytest.mark.parametrize("width", (8, 32))
def test_extended_results(width: int):
    type = integer_type(width)
    text = """func.func @f(%a: T, %b: T, %p0: !llvm.ptr, %p1: !llvm.ptr, %p2: !llvm.ptr, %p3: !llvm.ptr, %p4: !llvm.ptr,
                           %p5: !llvm.ptr) {
      %0, %1 = arith.addui_extended %a, %b : T, i1
      %2, %3 = arith.mulsi_extended %a, %b : T
      %4, %5 = arith.mului_extended %a, %b : T
      llvm.store %0, %p0 : T, !llvm.ptr
      llvm.store %1, %p1 : i1, !llvm.ptr
      llvm.store %2, %p2 : T, !llvm.ptr
      llvm.store %3, %p3 : T, !llvm.ptr
      llvm.store %4, %p4 : T, !llvm.ptr
      llvm.store %5, %p5 : T, !llvm.ptr
      func.return
    }"""
    function = HostFunction(text.replace("T", f"i{width}"))
    bound = 1 << (width - 1)
    outputs = [type, integer_type(1), type, type, type, type]

    @settings(max_examples=2 * settings.default.max_examples)
    @given(a=integers(-bound, bound - 1), b=integers(-bound, bound - 1))
    def check(a: int, b: int):
        total, carry, low, high, ulow, uhigh = function([(type, a), (type, b)], outputs)
        true_sum = unsigned(a, width) + unsigned(b, width)
        assert (unsigned(int(total), width), bool(carry)) == (unsigned(true_sum, width), true_sum >> width == 1)
        assert (low, high) == (signed(a * b, width), signed(a * b >> width, width))
        product = unsigned(a, width) * unsigned(b, width)
        assert (ulow, uhigh) == (signed(product, width), signed(product >> width, width))

    check()


NUMBERS = [-7, 12, 3, -2, 5]
REDUCTIONS = {
    ("add", "i32"): sum,
    ("mul", "i32"): math.prod,
    ("and", "i32"): lambda numbers: reduce(operator.and_, numbers),
    ("or", "i32"): lambda numbers: reduce(operator.or_, numbers),
    ("xor", "i32"): lambda numbers: reduce(operator.xor, numbers),
    ("minsi", "i32"): min,
    ("maxsi", "i32"): max,
    ("minui", "i32"): lambda numbers: min(numbers, key=lambda number: unsigned(number, 32)),
    ("maxui", "i32"): lambda numbers: max(numbers, key=lambda number: unsigned(number, 32)),
    ("add", "f32"): sum,
    ("mul", "f32"): math.prod,
    ("minimumf", "f32"): min,
    ("maximumf", "f32"): max,
    ("minnumf", "f32"): min,
    ("maxnumf", "f32"): max,
}


@pytest.mark.parametrize(("kind", "element"), REDUCTIONS)
def test_reductions_of_vectors(kind: str, element: str):
    """Without an accumulator, and with the last number as one."""
    *elements, last = [f"{number}.0" if element == "f32" else str(number) for number in NUMBERS]
    vector = f"vector<{len(elements)}x{element}>"
    function = HostFunction(
        f"""func.func @f(%p0: !llvm.ptr, %p1: !llvm.ptr) {{
          %v = arith.constant dense<[{", ".join(elements)}]> : {vector}
          %last = arith.constant {last} : {element}
          %0 = vector.reduction <{kind}>, %v : {vector} into {element}
          %1 = vector.reduction <{kind}>, %v, %last : {vector} into {element}
          llvm.store %0, %p0 : {element}, !llvm.ptr
          llvm.store %1, %p1 : {element}, !llvm.ptr
          func.return
        }}"""
    )
    results = function([], [ctypes.c_float if element == "f32" else ctypes.c_int32] * 2)
    reference = REDUCTIONS[kind, element]
    assert results == [reference(NUMBERS[:-1]), reference(NUMBERS)]
