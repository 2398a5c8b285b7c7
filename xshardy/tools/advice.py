"""`xshardy plan --advice`: changes of annotations, and what they save."""

from collections.abc import Sequence

from xshardy.planning.advice import Advice
from xshardy.planning.byte_counts import in_bytes
from xshardy.planning.topology import Topology
from xshardy.tools.columns import print_line
from xshardy.tools.plan import in_seconds


def print_advice(advice: Sequence[Advice], topology: Topology) -> None:
    """A paragraph for each change."""
    if not advice:
        print_line(f"advice: no other sharding that was tried is faster by the estimate on {topology.name}")
    for each in advice:
        collectives = ", ".join(f"{count} {kind}" for kind, count in sorted(each.plan.counts.items())) or "none"
        more = each.more_memory
        memory = f"{in_bytes(abs(more))} {'more' if more > 0 else 'less'} memory" if more else "the same memory"
        saved = f"saves {in_seconds(each.saved_seconds)} by the estimate on {topology.name}"
        sent = f"sends {in_bytes(abs(each.saved_bytes))} {'less' if each.saved_bytes >= 0 else 'more'}"
        for line in (
            f"advice: {each.text}",
            f"  {saved}; a device {sent}, at the peak {memory}; collectives that remain: {collectives}",
            f"  for: {each.cause.text}",
        ):
            print_line(line)


def advice_as_json(advice: Sequence[Advice]) -> list[dict[str, object]]:
    """The changes as `--json` prints them; times in seconds."""
    return [
        {
            "change": each.text,
            "cause": each.cause.text,
            "saved_seconds": each.saved_seconds,
            "saved_bytes": each.saved_bytes,
            "more_memory": each.more_memory,
            "remaining": each.plan.counts,
        }
        for each in advice
    ]
