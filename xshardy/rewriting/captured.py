"""The values that regions read and do not define."""

from collections.abc import Sequence

from xdsl.ir import Region, SSAValue


def captured(regions: Sequence[Region]) -> list[SSAValue]:
    """The values used in `regions` and defined outside of all of them, in order of first use."""
    inside: set[SSAValue] = set()
    read: dict[SSAValue, None] = {}
    for region in regions:
        for block in region.blocks:
            inside.update(block.args)
        for op in region.walk():
            inside.update(op.results)
            for inner in op.regions:
                for block in inner.blocks:
                    inside.update(block.args)
            read.update(dict.fromkeys(op.operands))
    return [value for value in read if value not in inside]
