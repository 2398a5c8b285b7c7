"""Whether the operations of a fusion can be emitted. Checked before emission, so that the error names the operation."""

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo import BitcastOp
from xshardy.dialects.hlo.arrays import ElidedConstantOp
from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.shapes import is_static
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.sorting import SortOp
from xshardy.dialects.stablehlo.types import bit_width, tensor_type
from xshardy.emitters.applied_computations import element_functions_of
from xshardy.emitters.elemental import OPS, RULES, RULES_OF_ANY_KIND
from xshardy.emitters.elemental.kinds import Kind, element_type_of, kind_of
from xshardy.emitters.operations import OPERATIONS
from xshardy.facts.movement import is_rearrangement

WITHOUT_READS = (ReturnOp, stablehlo.ConstantOp, stablehlo.IotaOp, stablehlo.ReturnOp)
"""Operations without operands, and terminators."""


def require_results(computation: FuncOp) -> None:
    """Raise `PassFailedException` unless `computation` has results, and takes and gives tensors only."""
    name, types = computation.sym_name.data, computation.function_type
    if not types.outputs:
        raise PassFailedException(f"@{name} gives no result, so there is no kernel to emit for it")
    for listed, does, cannot in ((types.outputs, "gives", "write"), (types.inputs, "takes", "read")):
        for type in listed:
            if type.name != TensorType.name:
                raise PassFailedException(f"@{name} {does} a {type}, which a kernel cannot {cannot}")


def require_emittable(computation: FuncOp, hero: Operation | None = None) -> None:
    """
    Raise `PassFailedException`, naming the operation, if an operation of `computation` cannot be emitted.

    Skips `hero`, which the emitter handles itself, but for the indices and types of a scatter. Includes the
    computations that operations apply to elements, and the functions called.
    """
    for function in element_functions_of(computation).values():
        _require_emittable(function)
    _require_emittable(computation, hero)


def _require_emittable(computation: FuncOp, hero: Operation | None = None) -> None:
    name = computation.sym_name.data
    for op in computation.body.block.walk():
        reason = _reason_not_scattered(op) if isinstance(op, ScatterOp) else None
        if op is not hero:
            reason = reason or _reason_not_emittable(op)
        if reason is not None:
            types = ", ".join(str(operand.type) for operand in op.operands)
            raise PassFailedException(
                f"@{name}: {op.name}{f' of {types}' if types else ''} cannot be emitted: {reason}"
            )


def _reason_not_scattered(op: ScatterOp) -> str | None:
    """The reason why `op` cannot be emitted; None if it can."""
    if (reason := op.refused_indices()) is not None:
        return reason
    elements = [tensor_type(value).element_type for value in (*op.inputs, *op.updates)]
    if elements == [tensor_type(argument).element_type for argument in op.update_computation.block.args]:
        return None
    return "it computes in another type than its operands have; convert them to that type before it"


def _reason_not_emittable(op: Operation) -> str | None:
    """The reason why `op` cannot be emitted; None if it can."""
    if isinstance(op, stablehlo.GetTupleElementOp | stablehlo.TupleOp):
        return "tuples inside of a fusion are not supported; return several results from the fused computation instead"
    for value in (*op.operands, *op.results):
        if isinstance(value.type, AsyncBundleType):
            return "it is in flight beside kernels, not inside of one; --fuse makes kernels and steps of the program"
        if value.type.name != TensorType.name:
            return f"a {value.type} is not a tensor; move the operation out of the fused computation"
        if not is_static(tensor_type(value)):
            return f"a {value.type} has no size that is known; give every dimension one"
    if any(_is_captured(op, value.owner) for value in op.operands):
        return "it reads a value from outside of the region that it is in; pass it to the operation as an operand"
    if isinstance(op, BitcastOp | stablehlo.BitcastConvertOp):
        return _reason_not_bitcast(op)
    if is_rearrangement(op) or isinstance(op, WITHOUT_READS):
        return None
    if type(op) in RULES_OF_ANY_KIND or type(op) in OPERATIONS:
        return None
    if isinstance(op, ElidedConstantOp):
        return op.ERROR
    if isinstance(op, SortOp):
        return "all results of its fusion must be results of one sort, or the first elements of them"
    return None if has_row(op) else "no emitter has a row for it"


def has_row(op: Operation) -> bool:
    """Whether a table of the emitters has `op` for the element type of its first operand."""
    if not op.operands:
        return False
    kind = kind_of(element_type_of(op.operands[0].type))
    kind = Kind.FLOAT if kind is Kind.SMALL_FLOAT else kind
    return type(op) in OPS[kind] or type(op) in RULES[kind]


def _is_captured(op: Operation, owner: Operation | Block) -> bool:
    """Whether `owner`, which defines a value, lies outside of the block of `op`."""
    return (owner if isinstance(owner, Block) else owner.parent_block()) is not op.parent_block()


def _reason_not_bitcast(op: Operation) -> str | None:
    source, target = (element_type_of(value.type) for value in (op.operands[0], op.results[0]))
    if source == target:
        return None
    if Kind.COMPLEX in (kind_of(source), kind_of(target)):
        return f"{source} and {target} are not both real"
    if isinstance(op, BitcastOp) and bit_width(source) != bit_width(target):
        return f"{source} and {target} differ in width, so that an element of the result is not one of the operand"
    if bit_width(source) != bit_width(target) and Kind.PRED in (kind_of(source), kind_of(target)):
        return f"a truth value takes a byte, so that {source} and {target} do not have the same bits"
    return None
