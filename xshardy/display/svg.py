"""
Drawings in SVG, which pages and notebooks show in place: rectangles, lines, curves and texts.

Python's `xml.etree` writes them; a library would be a dependency of every installation for the sake of four shapes.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement, tostring

COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#eeca3b", "#9d755d", "#ff9da6", "#8c8c8c")
"""Colours that are told apart on light and on dark."""

CHARACTER = 0.61
"""The width of a character over the size of the font, which is of equal widths."""

ALONE = "svg{color:#222}@media(prefers-color-scheme:dark){svg{color:#ddd;background:#1e2129}}"
"""The style of a drawing that is a file. In a page, it has the colour of the text around it."""

Number = float | int
Point = tuple[Number, Number]


def colour(index: int) -> str:
    """A colour for each number, from the start again after the last one."""
    return COLOURS[index % len(COLOURS)]


def width_of(text: str, size: Number = 12) -> float:
    """The width of `text` in pixels."""
    return len(text) * size * CHARACTER


@dataclass
class Drawing:
    """A drawing of `width` x `height` pixels; x goes right, y down. `title` says what it shows, for screen readers."""

    width: Number
    height: Number
    title: str
    style: str = ""
    """Rules of CSS. They hold for the whole page, so names of classes and animations begin with that of the picture."""
    elements: list[Element] = field(default_factory=list[Element], init=False)

    def rect(self, x: Number, y: Number, width: Number, height: Number, fill: str = "none", **more: object) -> Element:
        """A rectangle. `more` are attributes of SVG, `stroke_width` for `stroke-width`; so in all methods."""
        return self._add("rect", {"x": x, "y": y, "width": width, "height": height, "fill": fill, **more})

    def line(self, points: Iterable[Point], stroke: str = "currentColor", **more: object) -> Element:
        """A line through `points`."""
        text = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        return self._add("polyline", {"points": text, "stroke": stroke, "fill": "none", **more})

    def arc(self, start: Point, end: Point, depth: Number, stroke: str = "currentColor", **more: object) -> Element:
        """A curve from `start` to `end` that goes `depth` to the left in between."""
        x, y = min(start[0], end[0]) - depth * 4 / 3, (start[1], end[1])  # a Bezier curve reaches 3/4 of the way
        places = (start, (x, y[0]), (x, y[1]), end)
        first, *others = (f"{_number(at_x)},{_number(at_y)}" for at_x, at_y in places)
        return self._add("path", {"d": f"M{first} C{' '.join(others)}", "stroke": stroke, "fill": "none", **more})

    def text(
        self, x: Number, y: Number, text: str, size: Number = 12, anchor: str = "start", **more: object
    ) -> Element:
        """A text whose base line is at `y`; `anchor` is "start", "middle" or "end" of it at `x`."""
        attributes = {"x": x, "y": y, "font_size": size, "text_anchor": anchor, "fill": "currentColor", **more}
        element = self._add("text", attributes)
        element.text = text
        return element

    def _add(self, tag: str, attributes: Mapping[str, object]) -> Element:
        element = Element(tag, _attributes(attributes))
        self.elements.append(element)
        return element

    def svg(self, *, alone: bool = False) -> str:
        """The text, for a page or, if `alone`, for a file."""
        size = {"viewBox": f"0 0 {_number(self.width)} {_number(self.height)}", "width": _number(self.width)}
        font = {"font-family": "ui-monospace, Menlo, Consolas, monospace", "style": "max-width: 100%; height: auto"}
        root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size, **font, "role": "img"})
        SubElement(root, "title").text = self.title
        if style := self.style + (ALONE if alone else ""):
            SubElement(root, "style").text = style
        root.extend(self.elements)
        return tostring(root, encoding="unicode")

    def _repr_svg_(self) -> str:
        """The drawing in a notebook."""
        return self.svg()


def _attributes(values: Mapping[str, object]) -> dict[str, str]:
    return {
        name.rstrip("_").replace("_", "-"): _number(value) if isinstance(value, float | int) else str(value)
        for name, value in values.items()
    }


def _number(value: Number) -> str:
    """At most two digits behind the point: pixels need no more."""
    return re.sub(r"\.?0+$", "", f"{value:.2f}")
