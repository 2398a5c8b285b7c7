"""The page of `xshardy prove --html`, in a headless browser: both programs, and how their values are related."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import product_pairs as pairs
import pytest
from playwright.sync_api import Browser, Page

from xshardy.programs.program import read_program
from xshardy.programs.source import Source, source_of
from xshardy.proving.pair import import_local, pair_of
from xshardy.proving.prove import Kept
from xshardy.proving.verdict import prove_pair
from xshardy.tools.cli import main
from xshardy.tools.relations.page import page

pytestmark = pytest.mark.processes


def page_of(local: str, whole: str = pairs.WHOLE, title: str = "pair") -> str:
    other, given = read_program(source_of(local)).named(), read_program(Source(whole, "whole.mlir")).named()
    import_local(other)
    given.import_shardings()
    kept = Kept()
    return page(prove_pair(pair_of(given, other), kept=kept), kept, title)


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page. None has errors or loads anything else."""
    complaints: list[str] = []

    def open_page(text: str, width: int = 1200) -> Page:
        (tmp_path / "page.html").write_text(text)
        shown = browser.new_page(viewport={"width": width, "height": 700})
        shown.on("pageerror", lambda error: complaints.append(str(error)))
        shown.on("console", lambda message: complaints.append(message.text))
        shown.goto((tmp_path / "page.html").as_uri())
        return shown

    yield open_page
    for context in browser.contexts:
        context.close()
    assert complaints == []


def kinds(shown: Page) -> dict[str, str]:
    """The kind of each operation of a device, by its name."""
    rows = shown.locator("#local button").evaluate_all("rows => rows.map(row => [row.className, row.textContent])")
    named = ((re.search(r"stablehlo\.(\w+)", text), classes) for classes, text in rows)
    return {name[1]: classes.split()[1] for name, classes in named if name is not None}


def test_the_kinds_of_values(opened: Callable[..., Page]):
    right = opened(page_of(pairs.RIGHT))
    assert kinds(right) == {"dot_general": "partial", "all_reduce": "whole", "tanh": "whole"}
    assert right.locator("#verdict").inner_text().startswith("proved: each of 2 devices")
    wrong = opened(page_of(pairs.WRONG))
    assert kinds(wrong) == {"dot_general": "partial", "tanh": "unrelated", "all_reduce": "unrelated"}
    assert wrong.locator("#verdict").inner_text().startswith("refuted: device 0 has ")


def test_a_click_marks_the_lines_of_the_whole_program(opened: Callable[..., Page]):
    shown = opened(page_of(pairs.RIGHT))
    for name, line in (("tanh", "stablehlo.tanh"), ("all_reduce", "stablehlo.dot_general"), ("func.func", "func.func")):
        shown.locator("#local button", has_text=name).first.click()
        assert line in shown.locator("#whole .marked .text").first.inner_text()
        assert shown.locator("#local .marked").count() == 1
    assert (
        shown.locator("#said")
        .inner_text()
        .startswith("a part of one\n[0, 0] <= i < [4, 4]: argument0[i0, i1 + [0, 4][device]]")
    )


PADDED = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<7xf32> {
  %0 = stablehlo.tanh %x : tensor<7xf32>
  return %0 : tensor<7xf32>
}
"""


def test_what_is_padded_is_not_known(opened: Callable[..., Page], tmp_path: Path):
    (tmp_path / "padded.mlir").write_text(PADDED)
    assert main(["prove", str(tmp_path / "padded.mlir"), "--html", str(tmp_path / "written.html")]) == 0
    assert kinds(opened((tmp_path / "written.html").read_text()))["tanh"] == "padded"


@pytest.mark.parametrize("width", [1200, 390])
def test_nothing_is_cut_off(width: int, opened: Callable[..., Page]):
    shown = opened(page_of(pairs.WRONG), width)
    shown.locator("#local button").first.click()
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")


STRIDED = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<24xf32> {
  %0 = stablehlo.slice %x [0:8, 0:6:2] : (tensor<8x6xf32>) -> tensor<8x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x3xf32>) -> tensor<24xf32>
  return %1 : tensor<24xf32>
}
"""


def test_indices_are_written_as_python_reads_them(tmp_path: Path):
    (tmp_path / "strided.mlir").write_text(STRIDED)
    assert main(["prove", str(tmp_path / "strided.mlir"), "--html", str(tmp_path / "written.html")]) == 0
    text = (tmp_path / "written.html").read_text()
    for indices in ("i0 + [0, 4][device], i1", "i0 + [0, 4][device], 2*i1", "i0//3 + [0, 4][device], 2*(i0%3)"):
        assert f": argument0[{indices}]" in text


def test_names_and_text_of_a_program_are_data():
    hostile = pairs.WHOLE.replace('"x"', '"</script><script>x"').replace("@main", '@"</script><script>main"')
    local = pairs.RIGHT.replace("@main", '@"</script><script>main"')
    text = page_of(local, hostile, "</title><script>alert(1)</script>")
    assert text.count("<script") == 2
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert any("</script><script>x" in line for line, _ in json.loads(data[1])["whole"])
