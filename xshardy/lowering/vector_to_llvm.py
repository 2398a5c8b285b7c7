"""`vector` to the llvm dialect, on vectors of at most one dimension, which are LLVM's."""

from collections.abc import Callable, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, FloatAttr, ModuleOp, VectorType, i32, i64
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.extensions import llvm_intrinsics as intrinsics
from xshardy.dialects.extensions.llvm import ExtractElementOp, PoisonOp
from xshardy.dialects.extensions.vector import FromElementsOp, ShapeCastOp
from xshardy.lowering.conversion import NO_FAST_MATH, Rule, Site, convert, fast_math, float_twin, twin


def _position(at: Site, static: Sequence[int], dynamic: Sequence[SSAValue]) -> SSAValue:
    """The index of an element: the only position, or 0 for a vector of no dimension."""
    if dynamic:
        return dynamic[0]
    return at.constant(static[0] if static else 0, i64)


def lower_extract(at: Site) -> SSAValue:
    """`vector.extract %v[2]` -> `llvm.extractelement %v[%c2 : i64]`."""
    op = at.op
    assert isinstance(op, vector.ExtractOp)
    source, *dynamic = at.operands
    return at.insert(ExtractElementOp(source, _position(at, op.static_position.get_values(), dynamic)))


def lower_insert(at: Site) -> SSAValue:
    """`vector.insert %x, %v[2]` -> `llvm.insertelement %x, %v[%c2 : i64]`."""
    op = at.op
    assert isinstance(op, vector.InsertOp)
    value, destination, *dynamic = at.operands
    position = _position(at, op.static_position.get_values(), dynamic)
    return at.insert(llvm.InsertElementOp(destination, value, position))


def lower_broadcast(at: Site) -> SSAValue:
    """`vector.broadcast %x` -> `llvm.insertelement` into lane 0, and a shuffle that copies it to all lanes."""
    (value,) = at.operands
    type = at.result_type
    assert isa(type, VectorType)
    if value.type == type:
        return value
    if isa(value.type, VectorType):
        value = at.insert(ExtractElementOp(value, at.constant(0, i64)))
    poison = at.insert(PoisonOp(type))
    first = at.insert(llvm.InsertElementOp(poison, value, at.constant(0, i64)))
    lanes = DenseArrayBase.from_list(i32, [0] * type.get_shape()[0])
    return at.insert(llvm.ShuffleVectorOp(first, poison, lanes, type))


def lower_from_elements(at: Site) -> SSAValue:
    """`vector.from_elements %a, %b` -> an `llvm.insertelement` for each."""
    value = at.insert(PoisonOp(at.result_type))
    for i, element in enumerate(at.operands):
        value = at.insert(llvm.InsertElementOp(value, element, at.constant(i, i64)))
    return value


def lower_shuffle(at: Site) -> SSAValue:
    """`vector.shuffle %a, %b [0, 2]` -> `llvm.shufflevector %a, %b [0, 2]`."""
    op = at.op
    assert isinstance(op, vector.ShuffleOp)
    a, b = at.operands
    mask = DenseArrayBase.from_list(i32, list(op.mask.get_values()))
    return at.insert(llvm.ShuffleVectorOp(a, b, mask, at.result_type))


def lower_shape_cast(at: Site) -> SSAValue:
    """`vector.shape_cast %v` -> `%v`, if LLVM does not tell the shapes apart."""
    (value,) = at.operands
    if value.type != at.result_type:
        raise PassFailedException(f"a cast of shape from {value.type} to {at.result_type}: unroll it first")
    return value


IntegerReduction = type[intrinsics.IntegerReduceIntrinsic]
FloatReduction = type[intrinsics.FloatReduceIntrinsic]

INTEGER_REDUCTIONS: Mapping[CombiningKindFlag, tuple[IntegerReduction, type[Operation]]] = {
    CombiningKindFlag.ADD: (intrinsics.VectorReduceAddOp, llvm.AddOp),
    CombiningKindFlag.MUL: (intrinsics.VectorReduceMulOp, llvm.MulOp),
    CombiningKindFlag.AND: (intrinsics.VectorReduceAndOp, llvm.AndOp),
    CombiningKindFlag.OR: (intrinsics.VectorReduceOrOp, llvm.OrOp),
    CombiningKindFlag.XOR: (intrinsics.VectorReduceXorOp, llvm.XOrOp),
    CombiningKindFlag.MAXSI: (intrinsics.VectorReduceSMaxOp, intrinsics.SMaxOp),
    CombiningKindFlag.MINSI: (intrinsics.VectorReduceSMinOp, intrinsics.SMinOp),
    CombiningKindFlag.MAXUI: (intrinsics.VectorReduceUMaxOp, intrinsics.UMaxOp),
    CombiningKindFlag.MINUI: (intrinsics.VectorReduceUMinOp, intrinsics.UMinOp),
}
"""The intrinsic that combines all elements, and the operation that joins the accumulator to them."""

FLOAT_REDUCTIONS: Mapping[CombiningKindFlag, tuple[FloatReduction, type[Operation]]] = {
    CombiningKindFlag.MAXNUMF: (intrinsics.VectorReduceFMaxOp, llvm.VectorFMaxOp),
    CombiningKindFlag.MINNUMF: (intrinsics.VectorReduceFMinOp, llvm.VectorFMinOp),
    CombiningKindFlag.MAXIMUMF: (intrinsics.VectorReduceFMaximumOp, intrinsics.MaximumOp),
    CombiningKindFlag.MINIMUMF: (intrinsics.VectorReduceFMinimumOp, intrinsics.MinimumOp),
}

Ordered = Callable[[SSAValue, SSAValue, llvm.FastMathAttr], Operation]

ORDERED_REDUCTIONS: Mapping[CombiningKindFlag, tuple[Ordered, float]] = {
    CombiningKindFlag.ADD: (llvm.VectorReduceFAddOp, -0.0),
    CombiningKindFlag.MUL: (llvm.VectorReduceFMulOp, 1.0),
}
"""Reductions of floats from the first element to the last, starting with the accumulator; and their neutral value."""


def lower_reduction(at: Site) -> SSAValue:
    """`vector.reduction <add>, %v, %acc` -> `llvm.intr.vector.reduce.add(%v)`, and `%acc` added to it."""
    op = at.op
    assert isinstance(op, vector.ReductionOp)
    source, *accumulator = at.operands
    kind, type = op.kind.data, at.result_type
    if isinstance(type, AnyFloat) and kind in ORDERED_REDUCTIONS:
        reduction, neutral = ORDERED_REDUCTIONS[kind]
        start = accumulator[0] if accumulator else at.insert(llvm.ConstantOp(FloatAttr(neutral, type), type))
        return at.insert(reduction(start, source, fast_math(op)))
    table = FLOAT_REDUCTIONS if isinstance(type, AnyFloat) else INTEGER_REDUCTIONS
    if kind not in table:
        raise PassFailedException(f"there is no reduction <{kind}> of {type}")
    reduction, join = table[kind]
    reduced = at.insert(reduction(source))
    return _joined(at, join, accumulator[0], reduced) if accumulator else reduced


def _joined(at: Site, join: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
    properties: dict[str, Attribute] = {"fastmathFlags": NO_FAST_MATH} if isinstance(a.type, AnyFloat) else {}
    return at.insert(join.create(operands=[a, b], properties=properties, result_types=[a.type]))


RULES: Mapping[type[Operation], Rule] = {
    FromElementsOp: lower_from_elements,
    ShapeCastOp: lower_shape_cast,
    vector.BitcastOp: twin(llvm.BitcastOp),
    vector.BroadcastOp: lower_broadcast,
    vector.ExtractOp: lower_extract,
    vector.FMAOp: float_twin(llvm.FMAOp),
    vector.InsertOp: lower_insert,
    vector.ReductionOp: lower_reduction,
    vector.ShuffleOp: lower_shuffle,
}


class ConvertVectorToLLVMPass(ModulePass):
    """Lower `vector`, without memory accesses, to the llvm dialect."""

    name = "convert-vector-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op, RULES)
