"""A picture of what programs communicate: a bar for each cause, its length the bytes that a device sends."""

from collections.abc import Mapping, Sequence

from xshardy.display.svg import Drawing, colour, width_of
from xshardy.planning.byte_counts import in_bytes
from xshardy.planning.collectives import Collective, axes_of, line_of

WIDTH = 900
LABEL = 250
ROW = 20
MOST_ROWS = 12
"""The most bars of a program; what is smaller is one bar."""


def cause_picture(programs: Mapping[str, Sequence[Collective]]) -> Drawing:
    """
    For each of `programs`, by its title: the bytes that a device sends, by the operation that needs them.

    Bars of all programs have one scale; colours stand for kinds of collectives.
    """
    bars = {title: _bars(collectives) for title, collectives in programs.items()}
    kinds = sorted({each.kind for collectives in programs.values() for each in collectives})
    most = max((sum(part.values()) for rows in bars.values() for part in rows.values()), default=1)
    rows = sum(len(found) + 2 for found in bars.values())
    drawing = Drawing(WIDTH, ROW * (rows + 1), "What each device sends, by the operation that needs it")
    x = 0.0
    for kind in kinds:
        drawing.rect(x, 4, 12, 12, colour(kinds.index(kind)))
        drawing.text(x + 18, 14, kind)
        x += 40 + width_of(kind)
    y = ROW * 2
    for title, parts_of in bars.items():
        sent = sum(each.total for each in programs[title])
        drawing.text(0, y + 4, f"{title}: {in_bytes(sent)} sent by each device", 13, font_weight="bold")
        y += 12
        for label, parts in parts_of.items():
            drawing.text(LABEL - 8, y + 14, _shortened(label), 11, "end")
            x = LABEL
            for kind, sent in parts.items():
                length = (WIDTH - LABEL - 90) * sent / most
                drawing.rect(x, y + 3, max(length, 1), ROW - 6, colour(kinds.index(kind)))
                x += length
            drawing.text(x + 6, y + 14, in_bytes(sum(parts.values())), 11)
            y += ROW
        y += ROW * 2 - 12
    return drawing


def _bars(collectives: Sequence[Collective]) -> Mapping[str, Mapping[str, int]]:
    """By the operation and the axes, the bytes of each kind; the largest first."""
    found: dict[str, dict[str, int]] = {}
    for each in collectives:
        operation = each.operation.removeprefix("stablehlo.") or line_of(each) or each.kind
        parts = found.setdefault(f"{operation}, {axes_of(each)}", {})
        parts[each.kind] = parts.get(each.kind, 0) + each.total
    ordered = sorted(found.items(), key=lambda row: -sum(row[1].values()))
    rest: dict[str, int] = {}
    for _, parts in ordered[MOST_ROWS:]:
        for kind, sent in parts.items():
            rest[kind] = rest.get(kind, 0) + sent
    return dict(ordered[:MOST_ROWS]) | ({f"{len(ordered) - MOST_ROWS} others": rest} if rest else {})


def _shortened(text: str) -> str:
    most = int((LABEL - 8) / width_of("m", 11))
    return text if len(text) <= most else f"{text[: most - 1]}…"
