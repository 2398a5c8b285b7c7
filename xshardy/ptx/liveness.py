"""Which registers are live: may be read before they are written again. Sets of slots are integers, a bit for each."""

from collections.abc import Sequence


def live_registers(reads: Sequence[int], writes: Sequence[int], following: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """
    For each instruction, and the end behind the last one, the registers that are live in front of it.

    `writes` are those that an instruction always writes; `following` are the instructions that may be next.
    """
    live = [0] * (len(reads) + 1)
    before: list[list[int]] = [[] for _ in live]
    for at, others in enumerate(following):
        for other in others:
            before[other].append(at)
    pending = [*range(len(reads))]
    while pending:
        at = pending.pop()
        behind = 0
        for other in following[at]:
            behind |= live[other]
        now = reads[at] | behind & ~writes[at]
        if now != live[at]:
            live[at] = now
            pending += before[at]
    return tuple(live)
