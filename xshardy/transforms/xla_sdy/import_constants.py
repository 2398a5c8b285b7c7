"""Protect constants from rewriting that merges or moves them."""

from typing import ClassVar

from xshardy.rewriting import PatternPass
from xshardy.transforms.sdy_import.constant_copies import UseShardyConstant


class ImportConstantsPass(PatternPass):
    """Replace each `stablehlo.constant` by a `sdy.constant`, which stays in the region it is in."""

    name = "xla-sdy-import-constants"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-import-constants"
    fixed_patterns = (UseShardyConstant(),)
