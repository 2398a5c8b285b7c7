"""
Other types for the values that an operation defines, in constant time for each.

`PatternRewriter.replace_value_with_new_type` of xDSL 0.75 makes a new value, and so copies the list of the results, and
for each use the list of the operands: for n results that one operation reads, this takes n * n steps.
"""

from collections.abc import Iterable

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter


def give_types(op: Operation, types: Iterable[tuple[SSAValue, Attribute]], rewriter: PatternRewriter) -> None:
    """Give each of `types`, results of `op` or arguments of its regions, its new type. The values stay the same."""
    changed = False
    for value, new_type in types:
        if value.type != new_type:
            value._type = new_type  # pyright: ignore[reportPrivateUsage]
            changed = True
    if changed:
        rewriter.notify_op_modified(op)
