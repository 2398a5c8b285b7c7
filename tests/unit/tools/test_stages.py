"""The stages of programs: their lines, and the lines of the source that each comes from."""

import json
import re
import socket
import struct
import threading
import urllib.error
import urllib.request
import zlib
from base64 import b64decode
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from xshardy import compiler
from xshardy.emitters import PARTITIONED, PREPARED
from xshardy.programs.source import Source
from xshardy.tools.cli import main
from xshardy.tools.explain import page as explain_page
from xshardy.tools.stages import page as stages_page
from xshardy.tools.stages.file_stages import staged_file
from xshardy.tools.stages.kernel_stages import KernelStages
from xshardy.tools.stages.page import changes, page
from xshardy.tools.stages.pipeline_page import pipeline_page
from xshardy.tools.stages.server import page_server
from xshardy.tools.stages.stage import Program, Stage
from xshardy.tools.stages.stage_steps import StageSteps
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

EXAMPLES = Path(__file__).parents[3] / "examples"
LEVEL_STAGES = KernelStages("sm_90", "expanded", every_pass=False)

HLO = """HloModule m

f {
  x = f32[1024] parameter(0)
  doubled = f32[1024] add(x, x)
  ROOT sine = f32[1024] negate(doubled)
}

ENTRY main {
  x = f32[1024] parameter(0)
  ROOT fusion = f32[1024] fusion(x), kind=kLoop, calls=f
}
"""


def kernel(text: str, stages: KernelStages = LEVEL_STAGES) -> Program:
    module = staged_file(Source(text, "m.hlo"), as_hlo=True).module
    (program,) = stages.of_fusions(compiler.fusions(module))
    return program


def lines_from(stage: Stage, number: int) -> list[str]:
    return [line.strip() for line, sources in zip(stage.lines, stage.sources, strict=True) if number in sources]


def test_each_level_says_which_lines_come_from_an_instruction():
    program = kernel(HLO)
    assert [stage.name for stage in program.stages] == [PREPARED, PARTITIONED, *LEVELS, "PTX"]
    for stage in program.stages:
        assert stage.name != "PTX" or any(line.startswith("neg.f32") for line in lines_from(stage, 6))
        assert any("add" in line for line in lines_from(stage, 5)), stage.name
        assert any("neg" in line for line in lines_from(stage, 6)), stage.name
        assert lines_from(stage, 11), stage.name
        assert not any("loc(" in line or ".loc" in line for line in stage.lines)


def test_every_operation_of_a_kernel_comes_from_some_line():
    for stage in kernel((EXAMPLES / "softmax_sum.hlo").read_text()).stages[:-1]:
        without = [
            line
            for line, sources in zip(stage.lines, stage.sources, strict=True)
            if re.match(r" *(%\S+.* = |tensor\.|scf\.|llvm\.store)", line) and not sources
        ]
        assert not without, stage.name


@pytest.mark.parametrize("example", ["gelu.hlo", "softmax_sum.hlo"])
def test_the_instructions_are_those_of_a_compilation(example: str):
    """Places of instructions for debuggers change none of them."""
    text = (EXAMPLES / example).read_text()
    (name,) = map(compiler.fusion_name, compiler.fusions(staged_file(Source(text, example), as_hlo=True).module))
    compiled = compiler.compile(text, math="expanded", entry=name).ptx
    shown = kernel(text).stages[-1].lines
    assert [line for line in shown if line] == [line for line in compiled.splitlines() if line]


def test_a_stage_for_each_pass():
    program = kernel(HLO, KernelStages("sm_90", "expanded", every_pass=True))
    names: list[str] = []

    def observe(name: str, module: ModuleOp, seconds: float) -> None:
        names.append(name)

    compiler.compile(HLO, math="expanded", observe=observe)
    assert [stage.name for stage in program.stages] == [PREPARED, PARTITIONED, "xla_gpu", *names[1:-1], "PTX"]


def unpacked(steps: StageSteps) -> dict[str, list[Any]]:
    return json.loads(zlib.decompress(b64decode(steps.text)))


def test_the_stage_of_a_pass_has_its_steps():
    program = kernel(HLO, KernelStages("sm_90", "expanded", every_pass=True))
    steps = {stage.name: stage.steps for stage in program.stages if stage.steps is not None}
    lowering = steps["xla-gpu-lower-xla-gpu-loops-to-scf"]
    assert [pattern["name"] for pattern in lowering.patterns] == ["LoopToForNest"]
    data = unpacked(lowering)
    assert lowering.count == len(data["steps"]) == 1
    made = {edit[0] for edit in data["steps"][0][1] if len(edit) == 4} - {edit[0] for edit in data["start"]}
    assert min(made) == lowering.first
    assert all(stage.steps is None for stage in kernel(HLO).stages)


def test_each_pass_starts_where_the_one_before_ended():
    program = kernel(HLO, KernelStages("sm_90", "expanded", every_pass=True))
    packed = [unpacked(stage.steps) for stage in program.stages if stage.steps is not None]
    assert len(packed) > 3
    for data, following in pairwise(packed):
        alive = {edit[0] for edit in data["start"] if len(edit) == 4}
        for edit in (edit for _, edits in data["steps"] for edit in edits):
            alive |= {edit[0]} if len(edit) == 4 else set()
            alive -= {edit[0]} if len(edit) == 1 else set()
        assert {edit[0] for edit in following["start"] if len(edit) == 4} <= alive


def test_a_kernel_that_cannot_be_compiled_says_why():
    program = kernel(HLO.replace("[1024]", "[32,32]").replace("negate(doubled)", "cholesky(doubled), lower=true"))
    assert program.stages == () and "cholesky" in program.failure


def test_names_of_values_are_no_changes():
    before = ["%0 = a", "%1 = b %0", "return %1"]
    assert changes(before, ["%0 = a", "%1 = c", "%2 = b %0", "return %2"]) == [(1, 1, 1, 2)]


def data_of(text: str) -> dict[str, list[dict[str, list[dict[str, list[int]]]]]]:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_pipeline_stops_at_the_pass_that_fails():
    text = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n"
    (program,) = data_of(pipeline_page(Source(text, "m.mlir"), "inline,hlo-async-wrap"))["programs"]
    assert [stage["name"] for stage in program["stages"]] == ["input", "inline"]
    assert str(program["failure"]).startswith("hlo-async-wrap: nothing to wrap")


def test_the_source_is_shown_under_its_notation():
    mlir = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n"
    staged = staged_file(Source(HLO, "m.hlo"), as_hlo=True), staged_file(Source(mlir, "m.mlir"), as_hlo=False)
    assert [file.stage.name for file in staged] == ["HLO", "MLIR"]


@pytest.mark.parametrize("of_page", [explain_page, stages_page])
def test_a_page_has_all_scripts_of_its_folder(of_page: Any):
    assert {*of_page.SCRIPTS} == {file.name for file in Path(of_page.__file__).parent.glob("static/*.js")}


def test_text_of_a_program_cannot_leave_its_place():
    stage = Stage("</script><b>", ["</script><script>alert(1)</script>", "<!--"], [(), ()])
    text = page("@DATA@ </title>", stage, [Program("</script>", [stage])], side_by_side=True)
    assert text.count("</script>") == 2
    assert "<title>@DATA@ &lt;/title&gt;</title>" in text


@pytest.mark.parametrize(
    ("path", "host", "status"), [("/", "127.0.0.1", 200), ("/x", "localhost", 404), ("/", "b.c", 404)]
)
def test_the_server_has_the_page_only_for_this_machine(path: str, host: str, status: int):
    with page_server("<p>page", 0) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}{path}", headers={"Host": host})
        try:
            with urllib.request.urlopen(request) as answer:
                assert (answer.status, answer.read()) == (status, b"<p>page")
        except urllib.error.HTTPError as error:
            assert error.code == status
        thread.join()


def test_a_client_that_is_silent_or_leaves_holds_up_no_other(capsys: pytest.CaptureFixture[str]):
    with page_server("<p>page" * 1_000_000, 0) as server:
        threading.Thread(target=server.serve_forever).start()
        address = ("127.0.0.1", server.server_port)
        with socket.create_connection(address):
            with socket.create_connection(address) as leaving:
                leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close with a reset
                leaving.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/", timeout=20) as answer:
                assert answer.read(7) == b"<p>page"
        server.shutdown()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["explore", "FILE", "--fusion", "g"], "the module has no fusion called 'g'"),
        (["compile", "FILE", "--html", "OUT", "--fusion", "g"], "the module has no fusion called 'g'"),
    ],
)
def test_bad_options_are_one_diagnostic(
    arguments: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "m.hlo").write_text(HLO)
    paths = {"FILE": str(tmp_path / "m.hlo"), "OUT": str(tmp_path / "out.html")}
    output = ["-o", str(tmp_path / "out")] if arguments[0] == "explore" else []
    assert main([paths.get(argument, argument) for argument in arguments] + output) == 1
    assert named in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["m.hlo"]
