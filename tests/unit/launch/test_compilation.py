"""Whole modules compiled: one PTX module, equal fusions once, a cache, and what is refused."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from module_programs import BRANCHES, FUSIONS, LOOP, PROGRAMS
from xdsl.dialects.builtin import StringAttr

from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.stablehlo import WhileOp
from xshardy.hlo_text import parse_hlo
from xshardy.hlo_text.names import NAME, POSITIONS
from xshardy.hlo_text.tuples import ROOT
from xshardy.launch.checked_run import planned
from xshardy.launch.compilation import compile_module
from xshardy.launch.fusion_text import fusion_text
from xshardy.launch.kernel_cache import KernelCache
from xshardy.launch.kernels import Failure, compile_kernels, no_progress
from xshardy.launch.layouts import require_layouts
from xshardy.launch.plan_text import plan_text
from xshardy.launch.prepared_program import ModuleError, entry_of, prepared
from xshardy.lowering.code_generators import CompilationError, Kernel
from xshardy.lowering.ptx_module import join_ptx
from xshardy.lowering.ptxas import assemble
from xshardy.syntax import parse_module
from xshardy.tools.cli import main
from xshardy.transforms.call_graph import functions_of

TWO_SUMS = f"""HloModule sums
{FUSIONS}
rows {{
  x = f32[40,1024] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[40] reduce(x, z), dimensions={{1}}, to_apply=add
}}
rows_again {{
  other = f32[40,1024] parameter(0)
  zero = f32[] constant(0)
  ROOT sum = f32[40] reduce(other, zero), dimensions={{1}}, to_apply=add, metadata={{op_name="sum"}}
}}
columns {{
  x = f32[40,1024] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[1024] reduce(x, z), dimensions={{0}}, to_apply=add
}}
ENTRY main {{
  x = f32[40,1024] parameter(0)
  y = f32[40,1024] parameter(1)
  sum.1 = f32[40] fusion(x), kind=kInput, calls=rows
  sum.2 = f32[40] fusion(y), kind=kInput, calls=rows_again
  sum.3 = f32[1024] fusion(y), kind=kInput, calls=columns
  ROOT r = (f32[40], f32[40], f32[1024]) tuple(sum.1, sum.2, sum.3)
}}
"""
"""Kernels with shared memory, whose variables have the same name in each; two of them are equal."""


def test_one_module_of_ptx_with_every_kernel_once():
    compiled = compile_module(parse_hlo(TWO_SUMS))
    assert re.findall(r"\.entry (\w+)", compiled.ptx) == ["sum_1", "sum_3"]
    assert compiled.ptx.count(".version") == compiled.ptx.count(".target") == 1
    assert set(re.findall(r"^\s*\.shared .*? (\S+)\[", compiled.ptx, re.MULTILINE)) == {
        "sum_1$shared_0",
        "sum_3$shared_0",
    }
    assemble(compiled.ptx)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_plans_and_ptx(name: str):
    compiled = compile_module(parse_hlo(PROGRAMS[name]))
    assert not compiled.failures
    assemble(compiled.ptx)


def test_ptx_for_several_targets_is_not_joined():
    texts = [compile_module(parse_hlo(TWO_SUMS), target=target).ptx for target in ("sm_80", "sm_90")]
    with pytest.raises(CompilationError, match="kernels for several targets cannot be one module"):
        join_ptx(texts)


def test_ptx_without_its_directives_is_not_joined():
    ptx = compile_module(parse_hlo(TWO_SUMS)).ptx
    with pytest.raises(CompilationError, match=r"does not begin with \.version, \.target and \.address_size"):
        join_ptx([ptx, ptx.replace(".address_size 64\n", "")])


def test_processes_compile_what_one_does(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("xshardy.launch.kernels.KERNELS_PER_PROCESS", 1)
    assert compile_module(parse_hlo(TWO_SUMS), jobs=2).ptx == compile_module(parse_hlo(TWO_SUMS)).ptx


def test_the_cache_has_what_was_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cache = KernelCache(tmp_path / "a" / "kernels")
    first = compile_module(parse_hlo(TWO_SUMS), cache=cache)
    assert len([*cache.directory.iterdir()]) == 2

    def no_compilation(*arguments: object, **options: object) -> Kernel:
        raise CompilationError("this is compiled again")

    monkeypatch.setattr("xshardy.compiler.compile", no_compilation)
    again = compile_module(parse_hlo(TWO_SUMS), cache=cache)
    assert again.kernels == first.kernels
    assert set(compile_module(parse_hlo(TWO_SUMS), cache=cache, target="sm_80").failures) == {"sum_1", "sum_3"}
    for file in cache.directory.iterdir():
        file.write_text(file.read_text()[:100])
    assert compile_module(parse_hlo(TWO_SUMS), cache=cache).failures


def test_the_plan_of_a_loop(tmp_path: Path):
    source = tmp_path / "loop.hlo"
    source.write_text(LOOP)
    assert main(["compile", str(source), "-o", str(tmp_path / "loop")]) == 0
    plan = json.loads((tmp_path / "loop" / "plan.json").read_text())
    assemble((tmp_path / "loop" / plan["ptx"]).read_text())
    assert [step["kind"] for step in plan["steps"]] == ["kernel", "memset", "copy", "while", "kernel", "copy"]
    loop = plan["steps"][3]
    assert [step["name"] for step in loop["condition"]] == ["go"]
    assert [step["kind"] for step in loop["body"]] == ["copy", "kernel", "kernel", "copy", "copy", "copy"]
    update = loop["body"][1]
    assert update["results"][0] == update["operands"][0]
    assert plan["kernels"][update["entry"]]["writes"] == [0, 2]


def test_what_cannot_be_compiled_is_named_and_the_rest_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "bad.hlo"
    source.write_text(
        BRANCHES.replace("ROOT r = f32[300] add(x, x)", 'ROOT r = f32[300] custom-call(x), custom_call_target="magic"')
    )
    assert main(["compile", str(source), "-o", str(tmp_path / "out.ptx")]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"{source}: error: r cannot be compiled: ") and "custom_call" in error
    assert not (tmp_path / "out.ptx").exists()
    assert main(["compile", str(source), "-o", str(tmp_path / "out.ptx"), "--keep-going"]) == 1
    assert re.findall(r"\.entry (\w+)", (tmp_path / "out.ptx").read_text()) == ["n", "r_0"]
    assert main(["compile", str(source), "-o", str(tmp_path / "out")]) == 1
    assert list(json.loads((tmp_path / "out" / "plan.json").read_text())["failures"]) == ["r"]


UNFUSED = """HloModule unfused
ENTRY main {
  x = f32[8,16] parameter(0)
  w = f32[16,4] parameter(1)
  y = f32[8,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[8,4] negate(y)
  ROOT z = f32[8,4] add(n, y)
}
"""


def test_what_is_not_fused_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "unfused.hlo"
    source.write_text(UNFUSED)
    assert main(["compile", str(source)]) == 1
    error = capsys.readouterr().err
    with pytest.raises(ModuleError, match="the module is not fused"):
        compile_module(parse_hlo(UNFUSED))
    assert "1 operation to hand to cuBLAS (1 dot" in error
    assert "2 operations to fuse (1 add, 1 negate): n, z" in error
    assert main(["compile", str(source), "--fuse-entry"]) == 0
    assert capsys.readouterr().out.count(".entry ") == 1


def test_what_is_not_fused_can_be_fused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source, folder, page = tmp_path / "unfused.hlo", tmp_path / "out", tmp_path / "page.html"
    source.write_text(UNFUSED)
    assert main(["compile", str(source), "--fuse", "-o", str(folder), "--html", str(page)]) == 0
    steps = json.loads((folder / "plan.json").read_text())["steps"]
    assert [step["kind"] for step in steps] == ["library", "kernel"]
    assert "fused_add" in page.read_text()
    assert main(["emit", str(source), "--fuse"]) == 0
    assert "func.func private @fused_add_" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text, message",
    [
        ("HloModule empty\na {\n  x = f32[] parameter(0)\n}\nb {\n  x = f32[] parameter(0)\n}\n", "0 public functions"),
        (
            "HloModule nested\nENTRY main {\n  x = f32[4] parameter(0)\n  t = (f32[4], f32[4]) tuple(x, x)\n"
            '  ROOT y = f32[4] custom-call(t), custom_call_target="f", output_to_operand_aliasing={{}: (0, {1})}\n}\n',
            "a part of a nested tuple shares memory",
        ),
    ],
)
def test_modules_without_a_plan(text: str, message: str):
    module = parse_hlo(text)
    if message.startswith("0 public"):
        for op in tuple(module.ops):
            op.properties["sym_visibility"] = next(iter(module.ops)).properties["sym_visibility"]
    with pytest.raises(ModuleError, match=message):
        compile_module(module)


@pytest.mark.parametrize(
    ("operand", "result", "complaint"),
    [
        ("{1,0}", "{1,0}", r"operand 0, x, is f32\[4,8,1\]\{1,0,2\}, and p in @f is f32\[4,8,1\]\{0,1,2\}"),
        ("{0,1}", "{1,0}", r"result 0, y, is f32\[4,8,1\]\{1,0,2\}, and n in @f is f32\[4,8,1\]\{0,2,1\}"),
        ("{0,1}", "{0,1}", None),
    ],
)
def test_layouts_inside_and_outside_of_a_fusion_are_one(operand: str, result: str, complaint: str | None):
    operand, result = (order[:-1] + ",2}" for order in (operand, result))
    module = parse_hlo(f"""HloModule m
f {{
  p = f32[4,8,1]{{0,1,2}} parameter(0)
  ROOT n = f32[4,8,1]{{0,2,1}} negate(p)
}}
ENTRY main {{
  x = f32[4,8,1]{operand} parameter(0)
  ROOT y = f32[4,8,1]{result} fusion(x), kind=kLoop, calls=f
}}
""")
    if complaint is None:
        assert not compile_module(module).failures
        return
    for used in (compile_module, lambda module: planned(module, "sm_90")):  # pyright: ignore
        with pytest.raises(ModuleError, match=complaint):
            used(module)


@pytest.mark.parametrize(
    ("carried", "result", "complaint"),
    [
        ("{0,1}", "{1,0}", r"operand 0, x, is f32\[4,8\]\{0,1\}, and loop in its results is f32\[4,8\]\{1,0\}"),
        ("{0,1}", "{0,1}", None),
    ],
)
def test_what_a_loop_carries_has_one_layout(carried: str, result: str, complaint: str | None):
    module = parse_hlo(f"""HloModule m
f {{
  p = f32[4,8]{carried} parameter(0)
  n = f32[4,8]{result} copy(p)
  ROOT e = f32[4,8]{result} exponential(n)
}}
condition {{
  p = (f32[4,8]{carried}) parameter(0)
  x = f32[4,8]{carried} get-tuple-element(p), index=0
  s = f32[1,1]{carried} slice(x), slice={{[0:1], [0:1]}}
  e = f32[] reshape(s)
  c = f32[] constant(1)
  ROOT r = pred[] compare(e, c), direction=LT
}}
body {{
  p = (f32[4,8]{carried}) parameter(0)
  x = f32[4,8]{carried} get-tuple-element(p), index=0
  y = f32[4,8]{result} fusion(x), kind=kLoop, calls=f
  ROOT r = (f32[4,8]{result}) tuple(y)
}}
ENTRY main {{
  x = f32[4,8]{carried} parameter(0)
  t = (f32[4,8]{carried}) tuple(x)
  loop = (f32[4,8]{result}) while(t), condition=condition, body=body
  ROOT y = f32[4,8]{result} get-tuple-element(loop), index=0
}}
""")
    entry = prepared(module)
    if complaint is None:
        require_layouts(entry)
        return
    with pytest.raises(ModuleError, match=complaint):
        require_layouts(entry)


def test_a_kernel_of_another_fusion_is_not_shared():
    text = TWO_SUMS.replace("zero = f32[] constant(0)", "zero = f32[] constant(1)")
    compiled = compile_module(parse_hlo(text))
    assert [kernel.entry for kernel in compiled.kernels.values()] == ["sum_1", "sum_2", "sum_3"]


def test_a_library_that_is_not_known_is_a_step_but_does_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "library.hlo"
    source.write_text(PROGRAMS["library"].replace("__cublas$lt$matmul", "__magic$matmul"))
    assert main(["compile", str(source), "-o", str(tmp_path / "plan")]) == 0
    step = json.loads((tmp_path / "plan" / "plan.json").read_text())["steps"][2]
    assert step["target"] == "__magic$matmul" and step["configuration"]["backend_config"]["gemm_backend_config"]
    assert main(["run", str(source)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"{source}: error: step 2, gemm: ") and "'__magic$matmul' is not a function" in error


ELIDED = """HloModule elided
twice {
  x = f32[40] parameter(0)
  c = f32[40] parameter(1)
  ROOT r = f32[40] add(x, c)
}
again {
  x = f32[40] parameter(0)
  ROOT r = f32[40] negate(x)
}
ENTRY main {
  x = f32[40] parameter(0)
  table = f32[40] constant({...})
  y = f32[40] fusion(x, table), kind=kLoop, calls=twice
  ROOT r = f32[40] fusion(y), kind=kLoop, calls=again
}
"""


def test_constants_left_out_have_memory_but_no_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "elided.hlo"
    source.write_text(ELIDED)
    assert main(["compile", str(source), "-o", str(tmp_path / "out")]) == 0
    allocations = json.loads((tmp_path / "out" / "plan.json").read_text())["allocations"]
    assert {"kind": "constant", "size": 160, "elided": True} in allocations
    assert main(["run", str(source), "--check"]) == 1
    assert "constant table: the value was left out when the text was printed" in capsys.readouterr().err


def test_a_fusion_with_a_constant_left_out_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "elided.hlo"
    source.write_text(
        ELIDED.replace("c = f32[40] parameter(1)", "c = f32[40] constant({...})").replace("x, table", "x")
    )
    assert main(["compile", str(source), "-o", str(tmp_path / "out")]) == 1
    assert "the value was left out when the text was printed" in capsys.readouterr().err


PTX = {"ptx": "kernels.ptx"}
"""The entry of a plan that names the file with its kernels."""

KEYS = {
    "async_done": {"start"},
    "async_start": {"steps"},
    "collective": {"operands", "results", "operation", "configuration"},
    "conditional": {"selector", "branches"},
    "copy": {"operands", "results"},
    "kernel": {"operands", "results", "entry"},
    "library": {"operands", "results", "target", "configuration"},
    "memset": {"operands", "results", "byte"},
    "while": {"predicate", "condition", "body"},
}
"""Of a step of each kind, beside those of all."""


def test_steps_and_kernels_of_a_plan_have_the_documented_keys():
    documented = (Path(__file__).parents[3] / "docs" / "launching.md").read_text()
    seen = set[str]()

    def check(steps: list[dict[str, Any]]) -> None:
        for step in steps:
            seen.add(step["kind"])
            assert step.keys() == {"number", "name", "kind", *KEYS[step["kind"]]}
            for inner in (*step.get("branches", ()), *(step.get(key, []) for key in ("steps", "condition", "body"))):
                check(inner)

    for text in (*PROGRAMS.values(), TWO_SUMS):
        plan = json.loads(plan_text(compile_module(parse_hlo(text)), PTX))
        check(plan["steps"])
        for kernel in plan["kernels"].values():
            assert kernel.keys() == {"grid", "block", "shared_memory", "writes"}
        names = "version module target ptx kernels failures allocations buffers steps results"
        assert [*plan] == names.split()
    assert seen == KEYS.keys()
    assert all(f"`{name}`" in documented for name in ("shared_memory", "byte", *KEYS))


def test_shared_memory_is_that_of_the_kernel():
    compiled = compile_module(parse_hlo(TWO_SUMS))
    plan = json.loads(plan_text(compiled, PTX))
    sizes = [kernel["shared_memory"] for kernel in plan["kernels"].values()]
    assert sizes == [kernel.shared_memory for kernel in compiled.kernels.values()] and all(sizes)


@pytest.mark.parametrize(
    ("kernels", "jobs", "processes"),
    [(32, 4, None), (33, 4, 2), (33, 1, None), (65, 2, 2), (65, 4, 3), (0, 4, None)],
)
def test_a_process_is_started_for_each_32_kernels(
    kernels: int, jobs: int, processes: int | None, monkeypatch: pytest.MonkeyPatch
):
    class Started(Exception):
        pass

    def pool(count: int, context: object, initializer: object) -> None:
        raise Started(count)

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", pool)
    monkeypatch.setattr("xshardy.launch.kernels.compile_text", lambda *arguments: Failure("none"))  # pyright: ignore
    texts = {str(number): "" for number in range(kernels)}

    def compiled() -> None:
        found = compile_kernels(
            texts, "sm_90", math="auto", jobs=jobs, cache=None, progress=no_progress, keep_going=True
        )
        assert found.keys() == texts.keys()

    if processes is None:
        compiled()
        return
    with pytest.raises(Started, match=str(processes)):
        compiled()


TWO_UNKNOWN = f"""HloModule unknown
{FUSIONS}
one {{
  x = f32[300] parameter(0)
  ROOT r = f32[300] custom-call(x), custom_call_target="one"
}}
other {{
  x = f32[300] parameter(0)
  ROOT r = f32[300] custom-call(x), custom_call_target="other"
}}
ENTRY main {{
  x = f32[300] parameter(0)
  a = f32[300] fusion(x), kind=kLoop, calls=negate
  b = f32[300] fusion(a), kind=kLoop, calls=one
  c = f32[300] fusion(b), kind=kLoop, calls=other
  ROOT d = f32[300] fusion(c), kind=kLoop, calls=double
}}
"""
"""Two of the four fusions cannot be compiled."""


def test_failures_end_the_compilation_only_if_asked(tmp_path: Path):
    cache = KernelCache(tmp_path)
    compiled = compile_module(parse_hlo(TWO_UNKNOWN), cache=cache)
    assert [*compiled.failures] == ["b", "c"]
    assert [kernel.entry for kernel in compiled.kernels.values()] == ["a", "d"]
    assert len([*tmp_path.iterdir()]) == 2
    compiled = compile_module(parse_hlo(TWO_UNKNOWN), keep_going=False)
    assert [*compiled.failures] == ["b"] and len(compiled.kernels) == 1


def test_after_a_failure_nothing_more_is_compiled_in_other_processes(monkeypatch: pytest.MonkeyPatch):
    """What waits is cancelled; what runs already is waited for."""
    ended, compiled = Event(), list[str]()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            ended.set()
            super().shutdown(wait)

    def compile_text(name: str, *others: str) -> Failure:
        if compiled:
            ended.wait(60)
        compiled.append(name)
        return Failure("none")

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", lambda jobs, context, initializer: Pool(1))  # pyright: ignore
    monkeypatch.setattr("xshardy.launch.kernels.compile_text", compile_text)
    texts = {str(number): "" for number in range(40)}
    found = compile_kernels(texts, "sm_90", math="auto", jobs=2, cache=None, progress=no_progress, keep_going=False)
    assert [*found] == ["0"] and compiled in (["0"], ["0", "1"])


def test_what_a_plan_says_of_memory_constants_and_configurations():
    text = f"""HloModule m, num_partitions=1
{FUSIONS}
ENTRY main {{
  x = f32[2,3]{{0,1}} parameter(0)
  c = s32[2] constant({{1, 258}})
  sum = f32[2,3]{{0,1}} all-reduce(x), replica_groups={{{{0}}}}, to_apply=add
  ROOT r = (f32[2,3]{{0,1}}, s32[2]) tuple(sum, c)
}}
"""
    plan = json.loads(plan_text(compile_module(parse_hlo(text)), PTX))
    assert [each["base64"] for each in plan["allocations"] if each["kind"] == "constant"] == ["AQAAAAIBAAA="]
    (step,) = (step for step in plan["steps"] if step["kind"] == "collective")
    assert step["operands"] == [{"shape": "f32[2,3]{0,1}", "allocation": 0, "offset": 0}]
    assert step["configuration"]["computes"] == ["stablehlo.add", "stablehlo.return"]


def test_a_plan_of_nothing_has_empty_lists():
    text = plan_text(compile_module(parse_hlo("HloModule m\nENTRY main {\n  ROOT t = () tuple()\n}\n")), PTX)
    assert '"steps": [],\n"results": []\n' in text and '"kernels": {},\n"failures": {},\n' in text


def test_fusions_whose_instructions_are_written_in_another_order_are_one_kernel():
    """What is kept to print them as they were is no part of the text: positions, and names, also those of tuples."""
    text = """HloModule m
f {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  n = f32[4] negate(x)
  ROOT results = (f32[4], f32[4]) tuple(n, y)
}
g {
  b = f32[4] parameter(1)
  a = f32[4] parameter(0)
  n = f32[4] negate(a)
  ROOT others = (f32[4], f32[4]) tuple(n, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  p = (f32[4], f32[4]) fusion(x, y), kind=kLoop, calls=f
  q = (f32[4], f32[4]) fusion(y, x), kind=kLoop, calls=g
  p0 = f32[4] get-tuple-element(p), index=0
  q1 = f32[4] get-tuple-element(q), index=1
  ROOT r = (f32[4], f32[4]) tuple(p0, q1)
}
"""
    module = parse_hlo(text)
    functions = functions_of(module)
    negate = functions["g"].body.block.first_op
    assert negate is not None
    negate.attributes[NAME] = StringAttr("n_1")
    assert {POSITIONS, ROOT} <= {name for op in functions["g"].walk() for name in op.attributes}
    one, other = (op for op in entry_of(module).walk() if isinstance(op, FusionOp))
    assert fusion_text(one, functions) == fusion_text(other, functions)


def test_a_fusion_may_refer_to_a_mesh():
    """A symbol of the module that is no function stays as it is."""
    module = parse_module("""
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.fusion loop @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
""")
    compiled = compile_module(module)
    assert not compiled.failures and len(compiled.kernels) == 1


def test_what_a_body_returns_has_the_layout_that_the_loop_carries():
    module = parse_hlo("""HloModule m
condition {
  p = (f32[4,8]) parameter(0)
  ROOT r = pred[] constant(false)
}
turn {
  p = f32[4,8] parameter(0)
  ROOT r = f32[4,8]{0,1} copy(p)
}
body {
  p = (f32[4,8]) parameter(0)
  x = f32[4,8] get-tuple-element(p), index=0
  y = f32[4,8]{0,1} fusion(x), kind=kLoop, calls=turn
  ROOT r = (f32[4,8]{0,1}) tuple(y)
}
ENTRY main {
  x = f32[4,8] parameter(0)
  t = (f32[4,8]) tuple(x)
  loop = (f32[4,8]) while(t), condition=condition, body=body
  ROOT y = f32[4,8] get-tuple-element(loop), index=0
}
""")
    with pytest.raises(ModuleError, match=r"loop: result 0, .*and y in its body is f32\[4,8\]\{0,1\}"):
        require_layouts(prepared(module))


def test_what_a_branch_gives_has_the_layout_of_the_result():
    module = parse_hlo("""HloModule m
yes {
  ROOT p = f32[4,8] parameter(0)
}
no {
  ROOT p = f32[4,8]{0,1} parameter(0)
}
ENTRY main {
  p = pred[] parameter(0)
  x = f32[4,8] parameter(1)
  y = f32[4,8]{0,1} parameter(2)
  ROOT r = f32[4,8] conditional(p, x, y), true_computation=yes, false_computation=no
}
""")
    with pytest.raises(ModuleError, match=r"result 0, r, .*and y in branch 1 is f32\[4,8\]\{0,1\}"):
        planned(module, "sm_90")


def test_what_a_loop_does_not_change_is_read_from_outside():
    text = LOOP.replace("tuple(following, b, updated)", "tuple(following, a, updated)")
    (loop,) = (op for op in prepared(parse_hlo(text)).walk() if isinstance(op, WhileOp))
    assert len(loop.operands) == len(loop.results) == len(loop.body.block.args) == len(loop.cond.block.args) == 2
    (loop,) = (op for op in prepared(parse_hlo(LOOP)).walk() if isinstance(op, WhileOp))
    assert len(loop.operands) == 3


ANONYMOUS = """module {
  func.func private @f0(%arg0: tensor<40xf32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<40xf32>, tensor<f32>) -> tensor<f32>
    %1 = call @f1(%0) : (tensor<f32>) -> tensor<f32>
    %2 = call @f1(%1) : (tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @f1(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.negate %arg0 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%arg0: tensor<40xf32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = hlo.fusion loop @f0(%arg0, %arg1) : (tensor<40xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}"""  # noqa: E501


def test_the_text_of_a_fusion_names_nothing_of_its_surroundings():
    text = """HloModule m
total {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT t = f32[] add(a, b)
}
minus {
  a = f32[] parameter(0)
  ROOT n = f32[] negate(a), metadata={op_name="minus"}, frontend_attributes={who="me"}
}
inner {
  data = f32[40] parameter(0), metadata={op_name="data"}
  start = f32[] parameter(1)
  r = f32[] reduce(data, start), dimensions={0}, to_apply=total
  s = f32[] call(r), to_apply=minus
  ROOT t = f32[] call(s), to_apply=minus, sharding={replicated}
}
ENTRY main {
  x = f32[40] parameter(0)
  z = f32[] parameter(1)
  ROOT result = f32[] fusion(x, z), kind=kInput, calls=inner
}
"""
    module = parse_hlo(text)
    (fusion,) = (op for op in entry_of(module).walk() if isinstance(op, FusionOp))
    assert fusion_text(fusion, functions_of(module)).strip() == ANONYMOUS
