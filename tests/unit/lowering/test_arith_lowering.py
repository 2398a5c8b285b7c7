"""Integer lowerings that are more than one instruction, run on the CPU and compared with Python's integers."""

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

    @settings(max_examples=200)
    @given(a=integers(-bound, bound - 1), b=integers(-bound, bound - 1).filter(bool))
    def check(a: int, b: int):
        if (a, b) == (-bound, -1):  # the quotient does not fit
            return
        (result,) = function([(type, a), (type, b)], [type])
        assert result == signed(REFERENCES[name](a, b, width), width)

    check()


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

    @settings(max_examples=200)
    @given(a=integers(-bound, bound - 1), b=integers(-bound, bound - 1))
    def check(a: int, b: int):
        total, carry, low, high, ulow, uhigh = function([(type, a), (type, b)], outputs)
        true_sum = unsigned(a, width) + unsigned(b, width)
        assert (unsigned(int(total), width), bool(carry)) == (unsigned(true_sum, width), true_sum >> width == 1)
        assert (low, high) == (signed(a * b, width), signed(a * b >> width, width))
        product = unsigned(a, width) * unsigned(b, width)
        assert (ulow, uhigh) == (signed(product, width), signed(product >> width, width))

    check()
