"""Two permutations of devices, one right after the other, are one."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import TensorType, i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.stablehlo.collectives import CollectivePermuteOp
from xshardy.dialects.stablehlo.replica_groups import integer_table
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.sdy_partition.local.device_code import integers_of


def pairs_of(op: CollectivePermuteOp) -> Sequence[tuple[int, int]]:
    """The source and the target of each message."""
    _, numbers = integer_table("source_target_pairs", op.source_target_pairs)
    return [*zip(numbers[::2], numbers[1::2], strict=True)]


class MergeCollectivePermutes(RewritePattern):
    """
    `collective_permute(collective_permute(%x))` -> `collective_permute(%x)`, if nothing else reads the inner one.

    A device without a source has zeros, and sends zeros on.
    """

    @match_op_type
    def match_and_rewrite(self, op: CollectivePermuteOp, rewriter: PatternRewriter, /) -> None:
        inner = op.operand.owner
        if not isinstance(inner, CollectivePermuteOp) or not inner.result.has_one_use():
            return
        if (op.channel_handle is None) != (inner.channel_handle is None):
            return  # one is between partitions, the other between replicas
        sources = {target: source for source, target in pairs_of(inner)}
        pairs = [(sources[source], target) for source, target in pairs_of(op) if source in sources]
        if not pairs:
            return
        table = integers_of(TensorType(i64, [len(pairs), 2]), [device for pair in pairs for device in pair])
        rewriter.replace(op, CollectivePermuteOp(inner.operand, table, op.channel_handle))
        rewriter.erase(inner)


class MergeCollectivePermutesPass(PatternPass):
    """Merge each `collective_permute` with that whose result it sends on."""

    name = "sdy-merge-collective-permutes"
    source: ClassVar[str] = "ours: a reshard before an exchange can be part of it"
    fixed_patterns = (MergeCollectivePermutes(),)
