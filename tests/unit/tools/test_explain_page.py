"""The page of `xshardy explain --html`, in a headless browser: its contents, and what a click and a search show."""

import json
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sharded_programs import sharded_text

import xshardy
from xshardy.tools.explain.page import page
from xshardy.tools.source_file import read_source

pytestmark = pytest.mark.processes

EXAMPLE = str(Path(__file__).parents[3] / "examples" / "mlp.mlir")

LAYERS = 40
LAYERED = "\n".join(
    [
        'sdy.mesh @mesh = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>',
        'func.func @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>} loc("x"),',
        "    %w: tensor<8x6xf32>) -> tensor<8x6xf32> {",
        "  %0 = stablehlo.add %arg0, %w : tensor<8x6xf32>",
        *(
            f"  %{2 * layer + 1} = stablehlo.tanh %{2 * layer} : tensor<8x6xf32> loc(#loc)\n"
            f"  %{2 * layer + 2} = stablehlo.negate %{2 * layer + 1} : tensor<8x6xf32>"
            for layer in range(LAYERS)
        ),
        f"  return %{2 * LAYERS} : tensor<8x6xf32>",
        "}",
        '#loc = loc("/home/me/model.py":42:7)',
    ]
)
"""A program of `LAYERS` layers of two lines, and four lines before them."""


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens the page of a program. No page has errors or loads anything else."""
    complaints: list[str] = []
    requests: list[str] = []

    def open_page(text: str, width: int = 1200, *, with_plan: bool = False) -> Page:
        file = tmp_path / "page.html"
        plan = xshardy.plan(text) if with_plan else None
        sharded = sharded_text(text, "page") if plan is None else plan.traced.sharded
        file.write_text(page(sharded, "page", plan))
        shown = browser.new_page(viewport={"width": width, "height": 700})
        shown.on("pageerror", lambda error: complaints.append(str(error)))
        shown.on("console", lambda message: complaints.append(message.text))
        shown.on("request", lambda request: requests.append(request.url))
        shown.goto(file.as_uri())
        return shown

    yield open_page
    for context in browser.contexts:
        context.close()
    assert complaints == []
    assert requests == [(tmp_path / "page.html").as_uri()]


def marked(shown: Page) -> list[int]:
    """The lines that are marked as the path."""
    return [int(number) for number in shown.locator("#program .marked .number").all_text_contents()]


def test_the_program_and_its_axes_are_shown(opened: Callable[..., Page]):
    shown = opened(read_source(EXAMPLE).text)
    assert shown.locator("#legend .axis").all_inner_texts() == ["data", "model"]
    rows = shown.locator("#program .row")
    assert rows.count() == len(Path(EXAMPLE).read_text().splitlines())
    expect(rows.nth(9)).to_contain_text("%2 = stablehlo.dot %1, %w1")
    assert marked(shown) == []


def test_an_axis_has_one_colour_everywhere(opened: Callable[..., Page]):
    chips = opened(read_source(EXAMPLE).text).locator(".axis")
    shown = chips.evaluate_all("chips => chips.map(c => [c.textContent, getComputedStyle(c).backgroundColor])")
    colours = {(axis, colour) for axis, colour in shown}
    assert (
        len(shown) > len(colours) == len({axis for axis, _ in colours}) == len({colour for _, colour in colours}) == 2
    )


@pytest.mark.parametrize("width", [1200, 390])
def test_nothing_is_cut_off(width: int, opened: Callable[..., Page]):
    shown = opened(read_source(EXAMPLE).text, width)
    shown.locator("#program button", has_text="%2 ").click()
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert shown.locator("#program").evaluate("area => area.scrollWidth <= area.clientWidth")


def test_a_click_shows_the_path(opened: Callable[..., Page]):
    shown = opened(read_source(EXAMPLE).text)
    for name, title, lines in (("%2 ", "%2 (line 10)", [4, 8, 9, 10]), ("%0 ", "%0 (line 8)", [4, 8])):
        button = shown.locator("#program button", has_text=name)
        button.click()
        shown.locator("#tensor h2", has_text=title).wait_for()
        assert marked(shown) == lines
        assert shown.locator("#program .chosen").count() == 1
        assert "chosen" in (button.get_attribute("class") or "")
    shown.locator("#tensor .close").click()
    shown.locator("#tensor", has_text="Choose a tensor").wait_for()
    assert marked(shown) == []


def test_layers_are_folded_and_so_is_a_long_path(opened: Callable[..., Page]):
    shown = opened(LAYERED)
    fold = shown.locator("#program .fold > summary")
    expect(fold).to_have_text(["39 more times the 2 lines above, sharded alike: lines 7 to 84"])
    shown.evaluate(f"search('%{2 * LAYERS}')")
    shown.locator("#views li button", has_text=f"%{2 * LAYERS} (line 84)").first.click()
    path = shown.locator("#tensor ol").first
    expect(path.locator("> li")).to_have_count(9)
    path.locator("summary", has_text="74 more steps").click()
    expect(path.locator("li", has_text="step")).to_have_count(2 * LAYERS + 2)
    shown.locator("#tensor button", has_text="go to line 84").click()
    expect(shown.locator("#program .goal .number")).to_have_text("84", use_inner_text=True)
    assert shown.locator("#program .fold").get_attribute("open") is not None


def test_the_mesh_shows_the_part_of_each_device(opened: Callable[..., Page]):
    shown = opened(LAYERED)
    shown.locator("#program button", has_text="%0 ").click()
    cells = shown.locator(".mesh div")
    assert cells.evaluate_all("cells => cells.map(cell => cell.title)") == [
        "device 3: [0:2, :]",
        "device 2: [2:4, :]",
        "device 1: [4:6, :]",
        "device 0: [6:8, :]",
    ]
    assert len(set(cells.evaluate_all("cells => cells.map(cell => getComputedStyle(cell).backgroundColor)"))) == 4


def test_arguments_sort_by_bytes(opened: Callable[..., Page]):
    shown = opened(read_source(EXAMPLE).text)
    shown.locator("#tabs button", has_text="Arguments").click()
    first = shown.locator("tbody tr").first
    assert "argument 0 (%x)" in first.inner_text()
    before = shown.locator("th button", has_text="before")
    before.click()
    assert "argument 2 (%w1)" in first.inner_text() and "16 MiB" in first.inner_text()
    before.click()
    assert "argument 0 (%x)" in first.inner_text()


def test_source_lines_list_their_tensors(opened: Callable[..., Page]):
    shown = opened(LAYERED)
    shown.locator("#tabs button", has_text="Source lines").click()
    assert shown.locator("tbody tr").all_inner_texts() == [f"model.py:42\t{LAYERS}\t0\t1.9 KiB"]
    shown.locator("tbody button").click()
    assert shown.locator("#views h3").first.inner_text() == f"{LAYERS} tensors"


def test_collectives_have_their_causes(opened: Callable[..., Page]):
    shown = opened(read_source(EXAMPLE).text, with_plan=True)
    badge = shown.locator("#program .collective")
    expect(badge).to_have_text(["all-reduce 112 KiB"])
    badge.click()
    (cells,) = shown.locator("tbody tr").all()
    assert cells.inner_text().startswith("112 KiB\tall-reduce\tmodel\t1\t")
    assert '%1 (line 9) has "model" in dimension 1 [from argument 1 (%w0)' in cells.inner_text()
    cells.locator("button", has_text="stablehlo.dot (line 10)").click()
    expect(shown.locator("#program .goal .number")).to_have_text("10", use_inner_text=True)


def test_collectives_are_shown_only_where_they_are_known(opened: Callable[..., Page]):
    assert opened(read_source(EXAMPLE).text).locator("#tabs button").all_inner_texts() == [
        "Program",
        "Arguments and results",
    ]


HOSTILE = """// <img src=x onerror="document.title='PWNED'"> </script><script>document.title='PWNED2'</script>
sdy.mesh @mesh = <["</script><script>x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"</script><script>x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


@pytest.mark.parametrize("title", ["@DATA@.mlir", "@TITLE@", "</title><script>alert(1)</script>"])
def test_names_and_text_of_a_program_are_data(title: str):
    """Neither ends the script, nor becomes an element, nor is replaced in turn."""
    elements: list[str] = []
    scripts: list[str] = []
    titles: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            elements.append(tag)

        def handle_data(self, data: str) -> None:
            if elements[-1:] == ["script"]:
                scripts.append(data)
            if elements[-1:] == ["title"]:
                titles.append(data)

    text = page(sharded_text(HOSTILE, "hostile.mlir"), title)
    Reader(convert_charrefs=True).feed(text)
    assert elements.count("script") == 2 and "img" not in elements
    assert titles[0].strip() == title
    assert json.loads(scripts[0])["lines"] == HOSTILE.splitlines()
    assert text.count("PWNED") == 2


def test_an_axis_of_any_name_has_a_chip(opened: Callable[..., Page]):
    chips = opened(HOSTILE).locator("#legend .axis")
    assert chips.all_inner_texts() == ["</script><script>x"]
