"""The entry function: the attributes of its arguments, and the rule that outputs are only updated."""

from collections.abc import Callable

import pytest
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import IndexType, IntegerType, TensorType, bf16, f32, i1
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xshardy.affine.expressions import sym
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.dialects.xla_gpu.discardable import is_entry, is_invariant, launch_dimensions, slice_index
from xshardy.dialects.xla_gpu.ops import SyncThreadsOp
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.entry import Entry, make_entry, size_in_bytes, verify_outputs
from xshardy.emitters.indices import loop_over
from xshardy.emitters.kernel import Kernel
from xshardy.emitters.launch_dimensions import LaunchDimensions
from xshardy.emitters.partition import RootGroup, roots_of


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


def carry_through_for(s: Scalars, output: SSAValue) -> SSAValue:
    """`output` behind a loop that carries it in front of a number, and has no iteration."""
    index, value = s.constant(0, IndexType()), s.constant(1, f32)
    body = Block(arg_types=[IndexType(), output.type, f32])
    body.add_ops([other := tensor.EmptyOp([], output.type), scf.YieldOp(other.tensor, body.args[2])])
    return s(scf.ForOp(index, index, s.constant(1, IndexType()), [output, value], Region(body)))


def carry_through_barrier(s: Scalars, output: SSAValue) -> SSAValue:
    return s(SyncThreadsOp([output]))


def carry_through_loop(s: Scalars, output: SSAValue) -> SSAValue:
    map = IndexingMap((sym(0),), (), (Variable("s0", Interval(0, 7)),))
    return loop_over(s, map, [], [output], lambda inner, ivs, indices, carried: carried)[0]


@pytest.mark.parametrize("carry", [carry_through_for, carry_through_barrier, carry_through_loop])
def test_outputs_may_not_be_read_behind_what_carries_them(carry: Callable[[Scalars, SSAValue], SSAValue]):
    made, s = entry()
    carried = carry(s, made.outputs[0])
    s(tensor.ExtractOp(carried, [s.constant(0, IndexType())], f32))
    s.builder.insert(ReturnOp(carried, made.outputs[1]))
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


def test_a_kernel_may_not_read_its_outputs():
    output = TensorType(f32, [])
    computation = FuncOp("f", ([output], [output]), visibility="private")
    computation.body.block.add_op(ReturnOp(computation.body.block.args[0]))
    kernel = Kernel(computation, [RootGroup.same_indices(roots_of(computation))], LaunchDimensions(1, (1, 1)), "main")
    kernel.s(tensor.ExtractOp(kernel.entry.outputs[0], [], f32))
    with pytest.raises(PassFailedException, match=r"tensor.extract uses an output of @main"):
        kernel.module(kernel.entry.outputs)
