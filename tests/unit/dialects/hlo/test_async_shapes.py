"""The tuples in which HLO text writes bundles: those of the documentation, those of XLA, and invalid ones."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, sampled_from, text

from xshardy.dialects.hlo.async_shapes import TUPLE_FORMS, BundleShapes, flat_tuple, read_tuple, write_tuple

X, Y, OUT, OUT2, STATE = "f32[64]", "f32[65]", "f32[32]", "f32[33]", "s32[]"
TOKEN = "token[]"

EXAMPLES: Mapping[str, tuple[str, object, Sequence[object], BundleShapes]] = {
    "one operand": ("async-start", ((X,), OUT, STATE), [X], BundleShapes((X,), (OUT,), (STATE,))),
    "two of each": ("async-start", ((X, Y), (OUT, OUT2), STATE), [X, Y], BundleShapes((X, Y), (OUT, OUT2), (STATE,))),
    "no state": ("async-start", ((X,), OUT), [X], BundleShapes((X,), (OUT,))),
    "two states": ("async-start", ((X,), OUT, STATE, "u8[]"), [X], BundleShapes((X,), (OUT,), (STATE, "u8[]"))),
    "no operand": ("async-start", ((), OUT), [], BundleShapes((), (OUT,))),
    "operand is a tuple": ("async-start", (((X, Y),), OUT), [(X, Y)], BundleShapes(((X, Y),), (OUT,))),
    "copy": ("copy-start", (OUT, X, "u32[]"), [X], BundleShapes((X,), (OUT,), ("u32[]",))),
    "all-reduce": ("all-reduce-start", OUT, [X], BundleShapes((X,), (OUT,))),
    "two all-reduces": ("all-reduce-start", (OUT, OUT2), [X, Y], BundleShapes((X, Y), (OUT, OUT2))),
    "all-gather": ("all-gather-start", (X, OUT), [X], BundleShapes((X,), (OUT,))),
    "two all-gathers": ("all-gather-start", ((X, Y), (OUT, OUT2)), [X, Y], BundleShapes((X, Y), (OUT, OUT2))),
    "permute": ("collective-permute-start", (X, OUT, "u32[]"), [X], BundleShapes((X,), (OUT,), ("u32[]",))),
    "two permutes": ("collective-permute-start", ((X, Y), (OUT, OUT2)), [X, Y], BundleShapes((X, Y), (OUT, OUT2))),
    "permute in place": ("collective-permute-start", (X, OUT), [X, OUT, Y], BundleShapes((X, OUT, Y), (OUT,))),
    "send": ("send", (X, "u32[]", TOKEN), [X, TOKEN], BundleShapes((X, TOKEN), (TOKEN,), ("u32[]",))),
    "recv": ("recv", (OUT, "u32[]", TOKEN), [TOKEN], BundleShapes((TOKEN,), (OUT, TOKEN), ("u32[]",))),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_shape_is_read_and_written(name: str):
    opcode, shape, operands, bundle = EXAMPLES[name]
    assert read_tuple(opcode, shape, operands) == bundle
    assert write_tuple(opcode, bundle) == shape


def test_documents_shape_of_one_operand_is_read():
    flat = (X, OUT, STATE)
    bundle = read_tuple("async-start", flat, [X])
    assert bundle == read_tuple("async-start", ((X,), OUT, STATE), [X])
    assert flat_tuple(bundle) == flat


def test_flat_operand_may_be_a_tuple():
    assert read_tuple("async-start", ((X, Y), OUT), [(X, Y)]).operands == ((X, Y),)


@pytest.mark.parametrize("operands", [(X, Y), ((X, Y), (Y, X))])
def test_outputs_of_several_permutes_may_be_one_tuple(operands: tuple[object, ...]):
    assert write_tuple("collective-permute-start", BundleShapes(operands, (operands,))) == (operands, operands)


@pytest.mark.parametrize(
    ("opcode", "shape", "operands"),
    [
        ("async-start", OUT, [X]),
        ("async-start", ((X,),), [X]),
        ("async-start", (Y, OUT, STATE), [X]),
        ("async-start", (X, OUT, STATE), [X, X]),
        ("copy-start", OUT, [X]),
        ("all-gather-start", (X, OUT, STATE), [X]),
        ("collective-permute-start", X, [X]),
        ("send", X, [X, TOKEN]),
        ("recv", OUT, [TOKEN]),
    ],
)
def test_other_shapes_are_rejected_in_xlas_words(opcode: str, shape: object, operands: list[object]):
    with pytest.raises(ValueError, match=f"{opcode} expects the op shape to be in the form of"):
        read_tuple(opcode, shape, operands)


@given(
    sampled_from(["async-start", "all-gather-start"]),
    integers(1, 3),
    integers(1, 3),
    lists(text(max_size=2), max_size=3),
)
def test_writing_and_reading_are_inverse(opcode: str, operands: int, outputs: int, contexts: list[str]):
    contexts = contexts if opcode == "async-start" else []
    bundle = BundleShapes(
        tuple(f"operand{i}" for i in range(operands)), tuple(f"output{i}" for i in range(outputs)), tuple(contexts)
    )
    assert read_tuple(opcode, write_tuple(opcode, bundle), bundle.operands) == bundle


def test_every_form_has_an_example():
    assert {opcode for opcode, *_ in EXAMPLES.values()} == TUPLE_FORMS.keys()
