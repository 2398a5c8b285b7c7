"""
Why patterns do not apply, or take the dearer way: `because(rewriter, "the loop has %s iterations", count)`.

Nothing is formatted without a listener, such as a `Reasons` that is given to `compiler.lower`.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.rewriting.rewriter import LazyRewriter


def because(rewriter: PatternRewriter, reason: str, *values: object) -> None:
    """Say why a pattern does not do better in this match: `reason % values`. With xDSL's own rewriter, do nothing."""
    if isinstance(rewriter, LazyRewriter):
        rewriter.because(reason, *values)


@dataclass
class Reasons:
    """The last reason of each operation that a pass left as it is."""

    pass_name: str = ""
    """The pass that runs now."""
    given: dict[tuple[str, Operation], str] = field(default_factory=dict[tuple[str, Operation], str])

    def add(self, op: Operation, reason: str) -> None:
        """A pattern of the pass leaves `op` as it is."""
        self.given[self.pass_name, op] = f"{op.name}: {reason}"

    def start(self, pass_name: str) -> None:
        """The pass `pass_name` runs from now on. What later matches of the one before replaced has no reason."""
        last, self.pass_name = self.pass_name, pass_name
        self.given = {key: text for key, text in self.given.items() if key[0] != last or key[1].parent is not None}

    def lines(self) -> Iterator[str]:
        """`xla-gpu-optimize-loops: scf.for: the body ... (2 times)`, in the order of the passes."""
        counts = Counter(f"{pass_name}: {text}" for (pass_name, _), text in self.given.items())
        return (f"{text} ({count} times)" if count > 1 else text for text, count in counts.items())
