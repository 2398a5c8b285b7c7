"""The pages of `xshardy explore` and `xshardy compile --html`, in a headless browser."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from xshardy.tools.cli import main

pytestmark = pytest.mark.processes

EXAMPLES = Path(__file__).parents[3] / "examples"
GELU = EXAMPLES / "gelu.hlo"
TANH = 1 + next(number for number, line in enumerate(GELU.read_text().splitlines()) if " tanh(" in line)
"""The line of the source that has the only tanh."""


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens what a command writes. No page has errors or loads anything else."""
    complaints: list[str] = []
    requests: list[str] = []

    def open_page(*arguments: str, width: int = 1400) -> Page:
        output = tmp_path / ("page.html" if arguments[0] == "compile" else "index.html")
        options = ["--html", str(output)] if arguments[0] == "compile" else ["-o", str(tmp_path)]
        assert main([*arguments, *options]) == 0
        shown = browser.new_page(viewport={"width": width, "height": 800})
        shown.on("pageerror", lambda error: complaints.append(str(error)))
        shown.on("console", lambda message: complaints.append(message.text))
        shown.on("request", lambda request: requests.append(Path(request.url).name))
        shown.goto(output.as_uri())
        return shown

    yield open_page
    for context in browser.contexts:
        context.close()
    assert complaints == []
    assert len(requests) == 1


def column(shown: Page, name: str):
    return shown.locator(f'.column[data-stage="{name}"]')


def test_a_click_shows_an_instruction_in_every_level(opened: Callable[..., Page]):
    shown = opened("compile", str(GELU))
    levels = ["xla_gpu", "inlined", "scf", "flattened", "vectorized", "unrolled", "llvm"]
    expect(shown.locator(".column h2")).to_have_text(["HLO", "prepared", "partitioned", *levels, "PTX"])
    column(shown, "HLO").locator(".row").nth(TANH - 1).click()
    expect(column(shown, "HLO").locator(".marked")).to_have_count(1)
    expect(column(shown, "scf").locator(".marked")).to_contain_text("math.tanh")
    expect(column(shown, "PTX").locator(".marked").first).to_be_visible()
    expect(shown.locator("#selection")).to_have_text(f"HLO line {TANH}")
    column(shown, "scf").locator(".marked").click()
    expect(shown.locator(".marked")).to_have_count(0)
    column(shown, "inlined").locator(".row", has_text="math.tanh").press("Enter")
    expect(column(shown, "HLO").locator(".marked")).to_contain_text("tanh(")


def test_each_kernel_of_a_module_can_be_chosen(opened: Callable[..., Page]):
    shown = opened("compile", str(EXAMPLES / "decode_loop.hlo"))
    names = shown.locator("#program option").all_text_contents()
    assert len(names) > 1
    shown.locator("#program").select_option(names[-1])
    expect(column(shown, "PTX")).to_contain_text(f".visible .entry {names[-1].replace('.', '_')}(")
    expect(column(shown, "HLO").locator(".row", has_text=f"{names[-1]} ").first).to_be_in_viewport()


def test_the_passes_of_a_kernel_one_by_one(opened: Callable[..., Page]):
    shown = opened("explore", str(GELU))
    steps = shown.locator(".step button")
    expect(column(shown, "prepared")).to_be_visible()
    steps.get_by_text("xla-gpu-lower-xla-gpu-loops-to-scf", exact=True).click()
    expect(shown.locator(".column h2")).to_have_text("xla-gpu-lower-xla-gpu-loops-to-scf")
    expect(shown.locator(".added", has_text="scf.if").first).to_be_visible()
    expect(shown.locator(".removed", has_text="xla_gpu.loop")).to_be_visible()
    shown.locator("#difference").uncheck()
    expect(shown.locator(".removed")).to_have_count(0)
    shown.locator(".row", has_text="math.tanh").click()
    expect(shown.locator(".step", has_text="PTX").locator(".count")).to_have_text(re.compile(r"^\d+ lines$"))
    shown.keyboard.press("j")
    expect(shown.locator(".column h2")).not_to_have_text("xla-gpu-lower-xla-gpu-loops-to-scf")
    expect(shown.locator(".marked")).to_contain_text("math.tanh")


def walk_through(shown: Page, name: str) -> None:
    """Show the first step of the first pass of that name."""
    shown.locator(".step", has_text=name).locator(".into").first.click()
    expect(shown.locator(".column h2")).to_have_text([f"{name}: before", f"{name}: after"])


def test_the_steps_of_a_pass_one_by_one(opened: Callable[..., Page]):
    shown = opened("explore", str(GELU))
    walk_through(shown, "xla-gpu-simplify-arith")
    position, before, after = shown.locator(".position"), *shown.locator(".column").all()
    expect(position).to_have_text("step 1 of 15")
    expect(shown.locator("#walk strong")).to_have_text("ComparisonOfRanges")
    expect(shown.locator("#walk .place")).to_have_text(
        re.compile(r"^xshardy/transforms/xla_gpu/simplify_arith.py:\d+$")
    )
    expect(shown.locator("#walk .summary")).to_contain_text("true or false, if the ranges imply it")
    first = shown.locator(".column").first.inner_text()
    expect(before.locator(".removed")).to_contain_text(["arith.cmpi sge", "arith.andi"])
    expect(after.locator(".added")).to_contain_text(["arith.constant true", "arith.andi %true"])
    shown.keyboard.press("ArrowRight")
    expect(position).to_have_text("step 2 of 15")
    assert shown.locator(".column").first.inner_text() != first
    shown.keyboard.press("ArrowLeft")
    expect(position).to_have_text("step 1 of 15")
    assert shown.locator(".column").first.inner_text() == first
    shown.get_by_title("step back").click()
    expect(shown.locator(".step.shown")).to_contain_text("xla-gpu-canonicalize")
    shown.get_by_text("whole pass").click()
    expect(shown.locator("#walk")).to_be_hidden()
    expect(shown.locator(".column")).to_have_count(1)


REPLAY = """async () => {
  const wrong = [];
  let end = null;
  for (const stage of stages().filter(hasSteps)) {
    const steps = await stepsOf(stage), tree = new Tree(steps.templates);
    const text = () => [...tree.lines()].join();
    for (const edit of steps.start) tree.apply(edit);
    const start = text();
    if (end !== null && start !== end) wrong.push(`${stage.name} does not start where the pass before ended`);
    const undo = steps.steps.map(([, edits]) => make(tree, edits));
    end = text();
    for (const back of undo.reverse()) for (const each of back) each();
    if (start === end || text() !== start) wrong.push(`${stage.name} back`);
  }
  return wrong;
}"""


@pytest.mark.parametrize("example", ["softmax_sum.hlo", "train_step.mlir"])
def test_steps_lead_from_pass_to_pass_and_back(example: str, opened: Callable[..., Page]):
    assert opened("explore", str(EXAMPLES / example)).evaluate(REPLAY) == []


def test_from_an_operation_to_the_pattern_that_made_it(opened: Callable[..., Page]):
    shown = opened("explore", str(GELU))
    walk_through(shown, "xla-gpu-vectorize-loads-stores")
    shown.locator(".row", has_text="scf.for").first.click()
    shown.locator("#maker button").click()
    expect(shown.locator(".step.shown")).to_contain_text("xla-gpu-lower-xla-gpu-loops-to-scf")
    expect(shown.locator(".added", has_text="scf.for")).to_be_visible()
    shown.locator(".row", has_text="gpu.thread_id").first.click()
    expect(shown.locator("#maker")).to_have_text("is in the input")


def test_lines_far_from_a_change_are_folded(opened: Callable[..., Page]):
    shown = opened("explore", str(GELU))
    walk_through(shown, "xla-gpu-simplify-arith")
    fold = shown.locator(".column").first.locator(".fold").first
    rows = shown.locator(".column").first.locator(".row")
    count = rows.count()
    hidden = int(fold.inner_text().removesuffix(" lines"))
    fold.locator("button").click()
    expect(rows).to_have_count(count - 1 + hidden)


def test_reasons_stand_beside_the_steps(opened: Callable[..., Page]):
    shown = opened("explore", str(EXAMPLES / "softmax_sum.hlo"))
    walk_through(shown, "xla-gpu-vectorize-loads-stores")
    kept = shown.locator("#walk .kept")
    kept.locator("summary").click()
    expect(kept.locator("li").first).to_contain_text("not vectorized")


def test_steps_without_changes_are_hidden(opened: Callable[..., Page]):
    shown = opened("explore", str(GELU))
    hidden = shown.locator(".step.unchanged").first
    expect(hidden).to_be_hidden()
    shown.locator("#unchanged").check()
    expect(hidden).to_be_visible()


def test_a_program_with_shardings(opened: Callable[..., Page]):
    shown = opened("explore", str(EXAMPLES / "mlp.mlir"), "-p", "sdy-propagation-pipeline,sdy-partitioner-pipeline")
    shown.locator(".step:not(.unchanged) button").get_by_text("sdy-insert-explicit-reshards").click()
    shown.locator(".row", has_text="sdy.all_reduce").click()
    expect(shown.locator(".marked")).to_contain_text(["stablehlo.dot", "sdy.all_reduce"])
    expect(shown.locator("#selection")).to_have_text("MLIR line 10")


@pytest.mark.parametrize("width", [1400, 390])
def test_nothing_is_cut_off(width: int, opened: Callable[..., Page]):
    shown = opened("explore", str(GELU), width=width)
    expect(shown.locator(".column")).to_have_count(1)
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert shown.locator(".code").evaluate("area => area.scrollWidth <= area.clientWidth")


def test_parts_of_lines_have_colours(opened: Callable[..., Page]):
    shown = opened("compile", str(GELU))
    line = column(shown, "scf").locator(".row", has_text="math.tanh")
    expect(line.locator(".operation")).to_have_text("math.tanh")
    expect(line.locator(".type")).to_have_text("bf16")
    expect(line.locator(".value").first).to_be_visible()
