"""The entry function: the attributes of its arguments, and the rule that outputs are only updated."""

import pytest
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import IndexType, IntegerType, TensorType, bf16, f32, i1
from xdsl.dialects.func import ReturnOp
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import PassFailedException

from xshardy.affine.expressions import sym
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.dialects.xla_gpu.discardable import is_entry, is_invariant, launch_dimensions, slice_index
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.entry import Entry, make_entry, size_in_bytes, verify_outputs
from xshardy.emitters.indices import loop_over
from xshardy.emitters.launch_dimensions import LaunchDimensions


def entry() -> tuple[Entry, Scalars]:
    """An entry function with one input and two outputs, and the place to write its body at."""
    types = [TensorType(f32, [8]), TensorType(f32, [8]), TensorType(bf16, [4])]
    parameter, *results = AnyOp(result_types=types).results
    made = make_entry("main", [parameter], results, LaunchDimensions(8, (3, 2)))
    return made, Scalars.at_end(made.function.body.block)


def test_signature():
    made, _ = entry()
    args = made.function.body.block.args
    assert [slice_index(arg) for arg in args] == [0, 1, 2]
    assert [is_invariant(arg) for arg in args] == [True, False, False]
    assert made.function.function_type.outputs.data == (args[1].type, args[2].type)
    assert is_entry(made.function)
    assert launch_dimensions(made.function) == ((8, 1, 1), (3, 2, 1))


@pytest.mark.parametrize(
    ("type", "size"),
    [
        (TensorType(f32, [3, 2]), 24),
        (TensorType(i1, [9]), 9),
        (TensorType(IntegerType(4), [5]), 3),
        (TensorType(f32, []), 4),
    ],
)
def test_size_in_bytes(type: TensorType, size: int):
    assert size_in_bytes(type) == size


def test_outputs_may_be_updated():
    made, s = entry()
    index, value, yes = s.constant(0, IndexType()), s.constant(1, f32), s.constant(1, i1)
    updated = s.branch(
        yes,
        made.outputs[0].type,
        lambda b: b(tensor.InsertOp(value, made.outputs[0], [index])),
        lambda _: made.outputs[0],
    )
    body = Block(arg_types=[IndexType(), updated.type])
    inner = Scalars.at_end(body)
    inner.builder.insert(scf.YieldOp(inner(tensor.InsertOp(value, body.args[1], [body.args[0]]))))
    looped = s(scf.ForOp(index, s.constant(8, IndexType()), s.constant(1, IndexType()), [updated], Region(body)))
    s.builder.insert(ReturnOp(looped, made.outputs[1]))
    verify_outputs(made)


def test_outputs_may_not_be_read():
    made, s = entry()
    index, value = s.constant(0, IndexType()), s.constant(1, f32)
    updated = s(tensor.InsertOp(value, made.outputs[0], [index]))
    s(tensor.ExtractOp(updated, [index], f32))
    s.builder.insert(ReturnOp(updated, made.outputs[1]))
    with pytest.raises(PassFailedException, match=r"tensor.extract uses an output of @main"):
        verify_outputs(made)


@pytest.mark.parametrize("reads", [False, True])
def test_outputs_may_be_updated_in_a_loop_over_a_map_but_not_read(reads: bool):
    made, s = entry()
    value = s.constant(1, f32)

    def body(inner, ivs, indices, carried):
        updated = inner(tensor.InsertOp(value, carried[0], indices))
        if reads:
            inner(tensor.ExtractOp(updated, indices, f32))
        return [updated, carried[1]]

    map = IndexingMap((sym(0),), (), (Variable("s0", Interval(0, 7)),))
    s.builder.insert(ReturnOp(*loop_over(s, map, [], made.outputs, body)))
    if reads:
        with pytest.raises(PassFailedException, match=r"tensor.extract uses an output of @main"):
            verify_outputs(made)
    else:
        verify_outputs(made)
