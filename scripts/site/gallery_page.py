"""The gallery, and pictures in pages: each drawn by the code that it is about, when the site is built."""

import os
import re
from functools import cache

from filecheck_examples import ROOT

from xshardy.pictures.gallery import GALLERY

MARK = re.compile(r"<!-- picture: (\w+) -->")
"""What stands for a picture in a page."""

WIDE = 700
"""Drawings of more pixels are not shrunk to the width of a telephone: they scroll."""

INTRODUCTION = """\
# Gallery

Programs, what passes do to them, and how kernels run: drawn by `xshardy.pictures` from what the library computes, when
this page is built.
"""


@cache
def drawn(name: str) -> str:
    """The picture `name` of the gallery, as SVG in a page."""
    before = os.getcwd()
    os.chdir(ROOT)  # the examples are named from the root
    try:
        drawing = GALLERY[name].draw(GALLERY[name].files)
    finally:
        os.chdir(before)
    return f"<figure{' class=wide' if drawing.width > WIDE else ''}>{drawing.svg()}</figure>"


def with_pictures(markdown: str) -> str:
    """`markdown` with the pictures that it has marks for. Raises `KeyError` for one that the gallery lacks."""
    return MARK.sub(lambda match: drawn(match[1]), markdown)


def gallery_page() -> str:
    """The text of the page."""
    parts = [INTRODUCTION]
    for name, picture in GALLERY.items():
        command = f"python -m xshardy.pictures {name} {' '.join(picture.files)} -o {name}.svg"
        parts.append(f"## {picture.title}\n\n{picture.text}\n\n<!-- picture: {name} -->\n\n```sh\n{command}\n```\n")
    return "\n".join(parts)
