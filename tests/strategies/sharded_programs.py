"""Programs of text, sharded as the commands do it."""

from xshardy.programs.sharded import Sharded, shard
from xshardy.programs.source import Source
from xshardy.tools.placed_diagnostics import imported_program


def sharded_text(text: str, name: str) -> Sharded:
    """The program in `text`, which diagnostics call `name`, with propagated shardings."""
    with imported_program(Source(text, name)) as program:
        return shard(program)
