"""The page of `xshardy explain --html`, in a headless browser: its contents, and the effect of a click."""

import json
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from xshardy.tools.explain_page import page
from xshardy.tools.program_file import read_program
from xshardy.tools.sharded_program import propagate

EXAMPLE = str(Path(__file__).parents[3] / "examples" / "mlp.mlir")
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync")


@pytest.fixture(scope="module")
def browser_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The page of the example, in Playwright's browser or else in the system's."""
    file = tmp_path_factory.mktemp("page") / "mlp.html"
    file.write_text(page(propagate(read_program(EXAMPLE), EXAMPLE), "mlp"))
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        program = own if Path(own).exists() else next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            pytest.skip("there is no Chromium: `apt-get install chromium`, or `playwright install chromium`")
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        opened = browser.new_page(viewport={"width": 1200, "height": 700})
        complaints: list[str] = []
        requests: list[str] = []
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        opened.on("request", lambda request: requests.append(request.url))
        opened.goto(file.as_uri())
        yield opened
        browser.close()
    assert complaints == []
    assert requests == [file.as_uri()]


def marked(shown: Page) -> list[int]:
    """The lines that are marked as the path."""
    return [int(number) for number in shown.locator("#program .path .number").all_inner_texts()]


def test_the_program_and_its_axes_are_shown(browser_page: Page):
    assert browser_page.locator("#legend .axis").all_inner_texts() == ["data", "model"]
    rows = browser_page.locator("#program > div")
    assert rows.count() == len(Path(EXAMPLE).read_text().splitlines())
    assert "%2 = stablehlo.dot %1, %w1" in rows.nth(9).inner_text()
    assert marked(browser_page) == []


def test_an_axis_has_one_colour_everywhere(browser_page: Page):
    chips = browser_page.locator(".axis")
    shown = chips.evaluate_all("chips => chips.map(c => [c.textContent, getComputedStyle(c).backgroundColor])")
    colours = {(axis, colour) for axis, colour in shown}
    assert (
        len(shown) > len(colours) == len({axis for axis, _ in colours}) == len({colour for _, colour in colours}) == 2
    )


def test_nothing_is_cut_off(browser_page: Page):
    assert browser_page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert browser_page.locator("#program").evaluate("area => area.scrollWidth <= area.clientWidth")


def test_a_click_shows_the_path(browser_page: Page):
    for name, first, lines in (
        ("%2 ", '%2 (line 10): [{"data", ?}, {?}]', [8, 9, 10]),
        ("%0 ", '%0 (line 8): [{"data", ?}, {"model", ?}]', [8]),
    ):
        button = browser_page.locator("button", has_text=name)
        button.click()
        assert browser_page.locator("#story").inner_text().splitlines()[0] == first
        assert marked(browser_page) == lines
        assert browser_page.locator("button.chosen").count() == 1
        assert "chosen" in (button.get_attribute("class") or "")


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

    text = page(propagate(HOSTILE, "hostile.mlir"), title)
    Reader(convert_charrefs=True).feed(text)
    assert elements.count("script") == 2 and "img" not in elements
    assert titles[0].strip() == title
    assert json.loads(scripts[0])["lines"] == HOSTILE.splitlines()
    assert text.count("PWNED") == 2
