"""The playground in a browser, with a local Pyodide: the page, and the same answers in WebAssembly as here."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.error import URLError
from urllib.request import urlopen

import playground
import pytest
from playwright.sync_api import Browser, Page, expect

from xshardy.tools.playground import PIPELINE, QUESTIONS, answer
from xshardy.tools.puzzles.puzzle import puzzles

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[3]
EXAMPLES = [*sorted((ROOT / "examples").glob("*.mlir")), *sorted((ROOT / "examples").glob("*.hlo"))]
PASS_TESTS = sorted((ROOT / "tests" / "filecheck" / "transforms").glob("sdy_*/*.mlir"))[::12]
KERNELS = [path for path in EXAMPLES if path.name in ("gelu.hlo", "softmax_sum.hlo")]
OPTIONS = {"passes": PIPELINE}
OF_PROGRAMS = QUESTIONS.keys() - {"kernel", "puzzle"}
MILLISECONDS = 120_000
"""The most that a browser takes to start Python, on a machine that does other things."""

needs_pyodide = pytest.mark.skipif(
    shutil.which("node") is None or not playground.NPM_PACKAGE.exists(),
    reason="Pyodide is not installed: run `npm ci` in tests/playground",
)


class Handler(SimpleHTTPRequestHandler):
    """Serves files also to pages from elsewhere, as the network that has Pyodide does."""

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, format: str, *args: object):
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The URL of a folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@needs_pyodide
def test_the_page(browser: Browser, tmp_path: Path):
    with served(playground.NPM_PACKAGE) as pyodide, served(tmp_path) as folder:
        playground.write(tmp_path, pyodide)
        address = f"{folder}index.html"
        context = browser.new_context(viewport={"width": 1400, "height": 850})
        shown = context.new_page()
        check_page(shown, address, pyodide)
        expect(shown.get_by_text("Once loaded, the page works without a network.")).to_be_visible()
    with pytest.raises(URLError):
        urlopen(address)
    shown.reload()
    expect(shown.locator("#output.right")).to_contain_text("Right. The all-gather is gone", timeout=MILLISECONDS)
    check_answers(shown)
    context.close()


def check_answers(shown: Page) -> None:
    """The page asks as it does when a tab is opened; each question about some programs."""
    asked = [
        *((question, path.read_text(), OPTIONS.get(question, "")) for path in EXAMPLES for question in OF_PROGRAMS),
        *(("kernel", path.read_text(), "unrolled") for path in KERNELS),
        *(("puzzle", puzzle.start.text, puzzle.name) for puzzle in puzzles()[:6]),
        *(("device", path.read_text(), PIPELINE) for path in PASS_TESTS),
    ]
    for question, text, option in asked:
        found = shown.evaluate("asked => ask(asked)", {"question": question, "text": text, "option": option})
        assert found == json.loads(answer(question, text, option)), text


def check_page(shown: Page, address: str, pyodide: str) -> None:
    complaints: list[str] = []
    requests: list[str] = []
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.on("console", lambda message: complaints.append(message.text))
    shown.on("request", lambda request: requests.append(request.url))
    shown.goto(address)
    frame = shown.frame_locator("#frame")
    result = frame.locator("#program").get_by_role("button", name="%2")
    expect(result).to_have_text("%2 [data, -]", timeout=MILLISECONDS)

    result.click()
    expect(frame.locator("#tensor")).to_contain_text("through stablehlo.dot (line 10)")

    shown.get_by_label("Mesh").fill("data=2, model=4")
    expect(shown.get_by_label("Program")).to_have_value(playground_text(mesh='"data"=2, "model"=4'))
    shown.get_by_role("tab", name="Plan").click()
    expect(shown.locator("#output")).to_contain_text("all-reduce of %2 (line 10), along model")
    shown.get_by_role("tab", name="One device").click()
    expect(shown.locator("#output")).to_contain_text("tensor<32x1024xf32>")
    shown.get_by_role("tab", name="Passes").click()
    expect(frame.locator("#steps")).to_contain_text("sdy-convert-global-to-local")

    broken = "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %y : tensor<8xf32>\n}"
    shown.get_by_label("Program").fill(broken)
    problem = shown.locator("#diagnostics button")
    expect(problem).to_have_text("2:10: use of undeclared SSA value name %y")
    problem.click()
    assert shown.locator("#text").evaluate("text => text.selectionStart") == broken.index("%y")

    shown.wait_for_url("**/index.html#*")
    link = shown.url
    shown.get_by_label("Example").select_option("Attention")
    shown.wait_for_url(lambda url: url != link)
    shown.goto(link)
    expect(shown.get_by_label("Program")).to_have_value(broken)

    shown.get_by_label("Example").select_option("A kernel")
    expect(shown.locator("#output")).to_contain_text("vector<4xbf16>", timeout=MILLISECONDS)
    shown.get_by_label("lowered to").select_option("xla_gpu")
    expect(shown.locator("#output")).to_contain_text("xla_gpu.loop", timeout=MILLISECONDS)

    shown.get_by_label("Example").select_option("4. Remove this all-gather with one annotation")
    expect(shown.locator("#task")).to_contain_text("Add one annotation")
    expect(shown.locator("#output")).to_contain_text("Not yet. The all-gather has to go")
    shown.get_by_text("Hint").click()
    expect(shown.locator("#hint")).to_be_visible()
    argument = "%x: tensor<64x1024xf32>"
    annotated = argument + " {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}"
    shown.get_by_label("Program").fill(shown.get_by_label("Program").input_value().replace(argument, annotated, 1))
    expect(shown.locator("#output.right")).to_contain_text("Right. The all-gather is gone")
    shown.wait_for_url("**/index.html?puzzle=all_gather#*")
    assert complaints == []
    assert all(url.startswith((address.rpartition("/")[0], pyodide, "about:", "data:")) for url in requests)


def playground_text(mesh: str) -> str:
    """The first example with other axes."""
    return (ROOT / "examples" / "mlp.mlir").read_text().replace('"data"=4, "model"=8', mesh)
