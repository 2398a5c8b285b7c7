"""The page of `xshardy ptx step --html`: which instructions each warp executes when."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from ptx_kernels import kernel

from xshardy.tools.cli import main
from xshardy.tools.debugger import divergence

BODY = """
  setp.ge.u32 %p1, %r1, 40;
  @%p1 bra $wait;
  mov.u32 %r3, 1;
$wait:
  bar.sync 0;
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("k.ptx").write_text(kernel(BODY, parameters=0))
    launch = ["--grid", "2", "--block", "64", "--run", "continue", "--html", "page.html"]
    assert main(["ptx", "step", "k.ptx", *launch]) == 0
    return tmp_path / "page.html"


def data_of(page: Path):
    found = re.search(r'id="data"[^>]*>(.*?)</script>', page.read_text(), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_runs_have_the_active_threads_of_each_warp(written: Path):
    data = data_of(written)
    assert data["warps"] == ["block 0 warp 0", "block 0 warp 1", "block 1 warp 0", "block 1 warp 1"]
    executed = [(first, end, dict(data["activities"][activity])) for first, end, activity in data["runs"]]
    everyone = {0: 32, 1: 32, 2: 32, 3: 32}
    assert executed[0] == (0, 3, everyone) and executed[-1] == (6, 7, everyone)
    assert (4, 5, {0: 32, 1: 8, 2: 32, 3: 8}) in executed
    assert sum(end - first for first, end, _ in executed) == len(data["instructions"]) == 7
    assert data["instructions"][4].endswith("mov.u32 %r3, 1;") and data["cut"] == ""


def test_long_runs_are_cut(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest):
    monkeypatch.setattr(divergence, "MOST_RUNS", 2)
    data = data_of(request.getfixturevalue("written"))
    assert len(data["runs"]) == 2 and "first 2 runs" in data["cut"]


@pytest.mark.processes
def test_pointing_at_a_strip_says_what_is_executed(written: Path, browser: Browser):
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 1200, "height": 700})
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(written.as_uri())
    box = page.locator("#strips").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 4.5 / 7, box["y"] + 20)
    assert page.locator("#said").inner_text().startswith("step 4: block 0 warp 1, 8 active threads\nk.ptx:")
    assert page.locator(".marked").inner_text().endswith("mov.u32 %r3, 1;")
    page.locator("#zoom").fill("60")
    assert not complaints
    page.close()
