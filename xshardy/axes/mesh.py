"""A mesh as the algebra of axes needs it: the names and the sizes of its axes."""

from dataclasses import dataclass

from xshardy.axes.spans import Span


@dataclass(frozen=True, slots=True)
class Mesh:
    """Axes from major to minor; an axis is identified by its number in this order, or by its name."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    """The number of devices along each axis."""

    def numbered(self, span: Span[str]) -> Span:
        """`span` with the number of its axis. Raises `ValueError` if the mesh has no such axis."""
        return Span(self.names.index(span.axis), span.start, span.end)

    def named(self, span: Span) -> Span[str]:
        """`span` with the name of its axis."""
        return Span(self.names[span.axis], span.start, span.end)

    def is_whole(self, span: Span) -> bool:
        """Whether `span` is a whole axis."""
        return span.start == 1 and span.end == self.sizes[span.axis]
