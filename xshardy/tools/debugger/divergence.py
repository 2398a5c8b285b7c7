"""A self-contained HTML page about a run: which instructions each warp executes when, with how many active threads."""

from xshardy.ptx.lanes import Lanes
from xshardy.tools.debugger.kernel_state import KernelState
from xshardy.tools.web_page import web_page

MOST_RUNS = 50_000
"""What is executed after so many straight runs is not on the page."""


class Timeline:
    """
    What a grid executes, in order: straight runs of instructions, each for some warps. It is a counter of a run.
    """

    def __init__(self) -> None:
        self.runs: list[tuple[int, int, int]] = []
        """The first instruction and the one behind the last, and the number of the activity."""
        self.warps: dict[tuple[int, int], int] = {}
        """By block and warp, the number of its row."""
        self.activities: dict[tuple[tuple[int, int], ...], int] = {}
        """Rows of warps with the numbers of their active threads: each with its number."""
        self.is_cut = False

    def __call__(self, lanes: Lanes, first: int, end: int) -> None:
        """Note that the active threads execute instructions."""
        self.is_cut = len(self.runs) == MOST_RUNS
        if self.is_cut:
            return
        active = lanes.warps(lanes.active_mask()).sum(axis=-1)
        blocks = lanes.blocks.tolist()
        for block, warp in ((block, warp) for block in blocks for warp in range(active.shape[1])):
            self.warps.setdefault((block, warp), len(self.warps))
        activity = tuple(
            (self.warps[blocks[row], warp], int(active[row, warp])) for row, warp in zip(*active.nonzero(), strict=True)
        )
        self.runs.append((first, end, self.activities.setdefault(activity, len(self.activities))))


def page(timeline: Timeline, state: KernelState) -> str:
    """The page: HTML 5 without external resources."""
    instructions = state.machine.entry.body.instructions
    data = {
        "warps": [f"block {block} warp {warp}" for block, warp in timeline.warps],
        "activities": [*timeline.activities],
        "runs": timeline.runs,
        "instructions": [state.shown(at) for at in range(len(instructions))],
        "cut": f"Only the first {MOST_RUNS:,} runs of instructions are shown." if timeline.is_cut else "",
    }
    return web_page("xshardy.tools.debugger", state.machine.entry.name, data, ("page.js",))
