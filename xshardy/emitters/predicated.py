"""What some threads only do. Accesses to elements by all threads are plain `tensor` operations."""

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import Block, SSAValue

from xshardy.dialects.xla_gpu.ops import PredicatedExtractOp, PredicatedInsertOp
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices


def insert_if(s: Scalars, checks: Sequence[SSAValue], element: SSAValue, dest: SSAValue, at: Indices) -> SSAValue:
    """Insert `element` into `dest` at these indices if all of `checks` hold."""
    if not checks:
        return s(tensor.InsertOp(element, dest, at))
    return s(PredicatedInsertOp(element, dest, at, s.all_of(checks)))


def extract_if(s: Scalars, checks: Sequence[SSAValue], source: SSAValue, at: Indices, fallback: SSAValue) -> SSAValue:
    """The element of `source` at these indices if all of `checks` hold, otherwise `fallback`."""
    if not checks:
        return s(tensor.ExtractOp(source, at, cast(AnyTensorType, source.type).element_type))
    return s(PredicatedExtractOp(source, at, s.all_of(checks), fallback))


def values_if(
    s: Scalars,
    checks: Sequence[SSAValue],
    values: Callable[[Scalars], Sequence[SSAValue]],
    otherwise: Sequence[SSAValue],
) -> Sequence[SSAValue]:
    """The results of `values`, a function that emits them, if all of `checks` hold, and else those of `otherwise`."""
    if not checks:
        return values(s)
    then = Block()
    inner = Scalars.at_end(then)
    inner.builder.insert(scf.YieldOp(*values(inner)))
    types = [value.type for value in otherwise]
    branch = scf.IfOp(s.all_of(checks), types, [then], [Block((scf.YieldOp(*otherwise),))])
    s.builder.insert(branch)
    return branch.results
