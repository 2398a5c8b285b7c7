"""Annotations of instructions in HLO text. For an asynchronous operation, they belong to the start."""

from xdsl.ir import Operation

ANNOTATIONS = (
    "hlo.backend_config",
    "hlo.control_predecessors",
    "hlo.metadata",
    "hlo.origin",
    "hlo.original_value",
    "hlo.output_to_operand_aliasing",
    "hlo.statistics",
    "mhlo.frontend_attributes",
    "mhlo.sharding",
)
"""The discardable attributes of annotations."""


def move_annotations(source: Operation, target: Operation) -> None:
    """Move the annotations of `source` to `target`, which keeps its other annotations."""
    for name in ANNOTATIONS:
        if (annotation := source.attributes.pop(name, None)) is not None:
            target.attributes[name] = annotation
