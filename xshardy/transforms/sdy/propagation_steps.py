"""Steps of propagation, written down for debugging: which axis went from which value to which.

Source: option `debug-propagation-edge-sharding`.
"""

from collections.abc import Iterable

from xdsl.dialects.builtin import IntAttr, ModuleOp

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, SubAxisInfoAttr
from xshardy.dialects.sdy.attributes.edges import (
    AxisToPropagationDetailsAttr,
    EdgeValueRefAttr,
    PropagationEdgesAttr,
    PropagationOneStepAttr,
)
from xshardy.dialects.sdy.value_shardings import PROPAGATION_EDGES
from xshardy.rewriting.walk import operations_in


def next_step(module: ModuleOp) -> int:
    """The number after those of all steps that are written on operations of `module`."""
    written = (op.attributes.get(PROPAGATION_EDGES) for op in operations_in(module))
    edges = (edge for edges in written if isinstance(edges, PropagationEdgesAttr) for edge in edges.steps)
    return max((step.step_index.data for step in edges), default=-1) + 1


def step_attribute(
    step: int, axes: Iterable[AxisRefAttr], source: EdgeValueRefAttr, target: EdgeValueRefAttr
) -> PropagationEdgesAttr | None:
    """The attribute for a `step` in which each of `axes` went from `source` to `target`; None for no axes."""
    details = [AxisToPropagationDetailsAttr(axis, source, [target]) for axis in sorted(set(axes), key=_by_name)]
    return PropagationEdgesAttr([PropagationOneStepAttr(IntAttr(step), details)]) if details else None


def _by_name(axis: AxisRefAttr) -> tuple[str, int, int]:
    part = axis.sub_axis
    pre_size, size = (part.pre_size.data, part.size.data) if isinstance(part, SubAxisInfoAttr) else (0, 0)
    return axis.axis.data, pre_size, size
