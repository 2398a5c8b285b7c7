"""What HLO text notes on an instruction besides what it does. Of an asynchronous operation, it stands on the start."""

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
"""The discardable attributes that keep it."""


def move_annotations(source: Operation, target: Operation) -> None:
    """Take the annotations from `source` and give them to `target`, which keeps those that it alone has."""
    for name in ANNOTATIONS:
        if (annotation := source.attributes.pop(name, None)) is not None:
            target.attributes[name] = annotation
