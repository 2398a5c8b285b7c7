"""The pictures of the gallery: well-formed, small, readable without colours, and what they show is right."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from xshardy.api import read_hlo
from xshardy.display.svg import Drawing
from xshardy.pictures.__main__ import main
from xshardy.pictures.accesses import warp_accesses
from xshardy.pictures.gallery import GALLERY

ROOT = Path(__file__).parents[3]
NEEDS_JAX = {"causes"}
"""Pictures of programs of JAX, which take long: the site draws them, and a test of plans compares their text."""
MOST_BYTES = 40_000


@pytest.mark.parametrize("name", sorted(GALLERY.keys() - NEEDS_JAX))
def test_pictures_are_small_and_well_formed(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    drawing = GALLERY[name].draw(GALLERY[name].files)
    text = drawing.svg()
    root = ElementTree.fromstring(text)
    assert len(text) < MOST_BYTES
    assert root.findtext("{*}title") == drawing.title
    boxes = root.findall(".//{*}rect")
    assert boxes
    for box in boxes:
        assert float(box.get("x", 0)) + float(box.get("width", 0)) <= drawing.width + 1
        assert float(box.get("y", 0)) + float(box.get("height", 0)) <= drawing.height + 1


def test_the_gallery_has_ten_pictures():
    assert len(GALLERY) >= 10


def texts(drawing: Drawing) -> list[str]:
    return [element.text for element in drawing.elements if element.tag == "text" and element.text]


def drawn(name: str, *files: str) -> Drawing:
    return GALLERY[name].draw(tuple(str(ROOT / file) for file in files))


def test_axes_arrive_in_the_order_of_the_steps():
    drawing = drawn("propagation", "examples/mlp.mlir")
    classes = [element.get("class", "") for element in drawing.elements if element.text in ('"data"', '"model"')]
    steps = [int(found[1]) for each in classes if (found := re.search(r"-(\d+)$", each))]
    assert classes[:2] == ["", ""], "the arguments had their axes from the start"
    assert sorted(set(steps)) == [*range(len(set(steps)))] and len(steps) == 8


def test_every_third_element_takes_three_times_the_sectors():
    titles = [text for text in texts(drawn("sectors", "examples/pictures/stride.hlo")) if "sectors" in text]
    assert [int(re.search(r"(\d+) sectors", title)[1]) for title in titles] == [12, 4]


def test_a_transpose_meets_every_bank_once():
    hlo = read_hlo(ROOT / "examples" / "pictures" / "transpose.hlo")
    shared = [access for access in warp_accesses(hlo) if access.is_shared]
    assert shared
    for access in shared:
        assert len({word % 32 for _, word in access.words}) == 32


def test_the_elements_that_a_window_reads():
    drawing = drawn("indexing", "examples/pictures/smooth.hlo")
    filled = [element for element in drawing.elements if element.get("fill-opacity")]
    assert len(filled) == 3 + (2 + 3) + 2  # of the result, of operand 0 (the border cuts one off), of operand 1


def test_a_picture_of_another_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["mesh", str(ROOT / "examples" / "mlp.mlir"), "-o", str(tmp_path / "mesh.svg")]) == 0
    assert (tmp_path / "mesh.svg").read_text().startswith("<svg")
    assert main(["banks", str(ROOT / "examples" / "gelu.hlo")]) == 1
    assert "uses no shared memory" in capsys.readouterr().err


def test_programs_that_are_too_large_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    lines = [f"%{n} = stablehlo.negate %{n - 1 if n else 'x'} : tensor<8xf32>" for n in range(70)]
    program = tmp_path / "long.mlir"
    program.write_text("func.func @f(%x: tensor<8xf32>) {\n" + "\n".join(lines) + "\nreturn\n}\n")
    assert main(["propagation", str(program)]) == 1
    assert "71 tensors" in capsys.readouterr().err
    program.write_text('sdy.mesh @mesh = <["x"=1024]>\nfunc.func @f(%x: tensor<8xf32>) {\nreturn\n}\n')
    assert main(["mesh", str(program)]) == 1
    assert "1024 devices" in capsys.readouterr().err
