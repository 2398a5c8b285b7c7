"""What is in flight: the shapes of its operands and results are those of what a start executes."""

from collections.abc import Mapping

from xdsl.ir import Attribute, SSAValue

from xshardy.dialects import hlo
from xshardy.dialects.hlo.async_operation import bundle_type, operands_of, start_of
from xshardy.launch.leaves import leaves_of
from xshardy.tools.shrinking.dimensions import Dimensions


def start(dimensions: Dimensions, op: hlo.StartOp) -> None:
    """Operands are the parameters of what is started."""
    for one, other in zip(operands_of(op), op.wrapped_function().args, strict=True):
        dimensions.equal(one, other)


def done(dimensions: Dimensions, op: hlo.DoneOp) -> None:
    """Results are those of what was started."""
    started = start_of(op.operand)
    assert started is not None
    returned = started.wrapped_function().get_return_op()
    assert returned is not None
    leaves = (leaf for value in returned.operands for leaf in leaves_of(value))
    for one, other in zip((leaf for value in op.results for leaf in leaves_of(value)), leaves, strict=True):
        dimensions.equal_leaves(one, other)


def resized_bundle(op: hlo.StartOp | hlo.AsyncUpdateOp, types: Mapping[SSAValue, Attribute]) -> Attribute:
    """The type of what is in flight after `op`, with new types of the operands and results."""
    started = start_of(op.bundle)
    assert started is not None
    returned = started.wrapped_function().get_return_op()
    assert returned is not None
    contexts = bundle_type(started.bundle).contexts
    return hlo.AsyncBundleType.of(
        [types[value] for value in operands_of(started)[: len(bundle_type(op.bundle).operands)]],
        [types[value] for value in returned.operands],
        contexts,
    )
