"""Dense literals: the quick way through lists of numbers against the one from token to token, and against xDSL's."""

from typing import cast
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis.strategies import SearchStrategy, booleans, floats, integers, lists, sampled_from, tuples
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    ComplexType,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    IndexType,
    IntegerType,
    Signedness,
    TensorType,
    f16,
    f32,
    f64,
)
from xdsl.utils.exceptions import ParseError

from xshardy.dialects.dense_elements import Dense, dense
from xshardy.syntax.dense_literals import DenseLiteralParser, dense_text, flattened, narrowed, widened
from xshardy.syntax.parser import Parser
from xshardy.universe import new_context

ELEMENT_TYPES = (
    *(IntegerType(width) for width in (1, 2, 4, 8, 12, 16, 32, 64)),
    *(IntegerType(width, Signedness.UNSIGNED) for width in (4, 8, 64)),
    *(IndexType(), f16, f32, f64, BFloat16Type(), Float8E4M3FNType(), ComplexType(f32), ComplexType(IntegerType(8))),
)


def read(text: str) -> Dense | str:
    try:
        literal = Parser(new_context(), text).parse_attribute()
    except ParseError as error:
        return f"{error.span.start} {error.msg}"
    assert isinstance(literal, DenseIntOrFPElementsAttr)
    return cast(Dense, literal)


def write(literal: Dense) -> str:
    return f"{dense_text(literal)} : {literal.type}"


def element_bytes(type: object) -> SearchStrategy[bytes]:
    """The bytes of an element, as they are kept."""
    match type:
        case ComplexType():
            return tuples(element_bytes(type.element_type), element_bytes(type.element_type)).map(b"".join)
        case IntegerType():
            return integers(*(bound - is_upper for is_upper, bound in enumerate(kept_range(type)))).map(
                lambda value: type.pack([value])
            )
        case IndexType():
            return integers(-(2**63), 2**63 - 1).map(lambda value: type.pack([value]))
        case _:
            assert isinstance(type, AnyFloat)
            return integers(0, 2**type.bitwidth - 1).map(lambda bits: bits.to_bytes(type.compile_time_size, "little"))


def kept_range(type: IntegerType) -> tuple[int, int]:
    """From which integer to before which the elements of a literal are: those of a signless type are signed."""
    if type.signedness.data == Signedness.UNSIGNED:
        return 0, 2**type.bitwidth
    half = 2**type.bitwidth // 2
    return -half, half


@pytest.mark.hypothesis
@pytest.mark.parametrize("element_type", ELEMENT_TYPES, ids=str)
def test_literals_round_trip(element_type: IntegerType | IndexType | AnyFloat):
    @given(
        lists(sampled_from([1, 2, 3]), max_size=3),
        lists(element_bytes(element_type), min_size=1, max_size=27),
        booleans(),
    )
    def check(shape: list[int], elements: list[bytes], is_long: bool):
        type = TensorType(element_type, [*shape, *([101] if is_long else [])])
        size = 1
        for dimension in type.get_shape():
            size *= dimension
        data = b"".join((elements * (size // len(elements) + 1))[:size])
        literal = dense(type, data)
        found = read(write(literal))
        assert found == literal
        assert isinstance(found, DenseIntOrFPElementsAttr) and found.data.data == data

    check()


NUMBERS = (
    integers(-300, 300).map(str) | floats(-1e3, 1e3).map(lambda value: f"{value:.3e}") | sampled_from(["0x1", "tr"])
)
TYPES = ("i1", "i8", "ui8", "i64", "f32", "index", "complex<f32>", "i65", "!nothing")


@given(lists(lists(NUMBERS, max_size=3), max_size=3), sampled_from(TYPES), sampled_from(["3", "2x2", "1x3", "0", "?"]))
def test_the_fast_path_for_lists_gives_the_same_value_or_error(rows: list[list[str]], element_type: str, shape: str):
    texts = [f"[{', '.join(row)}]" for row in rows]
    text = f"dense<[{', '.join(texts)}]> : tensor<{shape}x{element_type}>"
    found = read(text)
    with patch.object(DenseLiteralParser, "_read_numbers", return_value=None):
        assert found == read(text)


@given(lists(sampled_from("[],0123-+.eE x\nabtruefals//"), max_size=12).map("".join))
def test_malformed_lists_have_the_same_error(text: str):
    text = f"dense<[{text}]> : tensor<2xf32>"
    found = read(text)
    with patch.object(DenseLiteralParser, "_read_numbers", return_value=None):
        assert found == read(text)


def test_flattened():
    assert flattened([[1, 2], [3, 4]]) == ([1, 2, 3, 4], [2, 2])
    assert flattened([[], []]) == ([], [2, 0])
    assert flattened(1) == ([1], [])
    for ragged in ([[1], 2], [[1], [2, 3]], [[[1]], [2]]):
        with pytest.raises(ValueError, match="lists of one depth differ"):
            flattened(ragged)


@pytest.mark.parametrize("width", [1, 3, 4, 7, 8, 12, 16])
def test_bytes_are_narrowed_and_widened(width: int):
    type = IntegerType(width)
    every = range(-(2**width) // 2, 2**width // 2)
    data = type.pack(list(every))
    size = type.compile_time_size
    kept = narrowed(data, type)
    assert widened(kept, type) == data
    bits = [int.from_bytes(kept[i : i + size], "little") for i in range(0, len(data), size)]
    assert bits == [value % 2**width for value in every]
