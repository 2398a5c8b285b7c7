"""Annotations of instructions in HLO text. For an asynchronous operation, they belong to the start."""

from xdsl.ir import Operation

from xshardy.dialects.hlo.annotation_names import BACKEND_CONFIG, FRONTEND_ATTRIBUTES, METADATA, SHARDING

ANNOTATIONS = (
    BACKEND_CONFIG,
    "hlo.control_predecessors",
    METADATA,
    "hlo.origin",
    "hlo.original_value",
    "hlo.output_to_operand_aliasing",
    "hlo.statistics",
    FRONTEND_ATTRIBUTES,
    SHARDING,
)
"""The discardable attributes of annotations."""


def move_annotations(source: Operation, target: Operation) -> None:
    """Move the annotations of `source` to `target`, which keeps its other annotations."""
    for name in ANNOTATIONS:
        if (annotation := source.attributes.pop(name, None)) is not None:
            target.attributes[name] = annotation
