"""`xshardy compile --baseline`: kernels beside those of other PTX."""

from pathlib import Path

import pytest

from xshardy import compiler
from xshardy.lowering.ptxas import assemble, assemble_each
from xshardy.tools.baseline import kernels_in, read_baseline
from xshardy.tools.cli import main
from xshardy.tools.known_launches import KnownLaunch, launches_beside

OTHER = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry first(.param .u64 p)
.maxntid 64, 2, 1
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];
  setp.eq.s32 %p1, %r1, 0;
$L__BB0_1:
  @%p1 bra $L__BB0_2;
  st.global.b32 [%rd1], %r2;
$L__BB0_2:
  ret;
}

.entry second(.param .u64 p)
{
  ret;
}
"""

AXPY = str(Path(__file__).parents[2] / "numerics" / "fusions" / "f32_axpy_odd.hlo")


def rows_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if "│" in line]


def test_kernels_of_other_compilers():
    """Threads from either directive, instructions without labels and declarations, accesses with vectors."""
    first, second = kernels_in(OTHER)
    assert (first.name, first.threads, first.instructions) == ("first", 128, 6)
    assert (second.name, second.threads, second.instructions) == ("second", None, 1)
    assert "ld.global.v4" in first.text and "ld.global" not in second.text
    assert first.assembled is not None and first.assembled.registers > 4


def test_a_report_for_each_entry():
    each = assemble_each(OTHER, "sm_80")
    assert each.keys() == {"first", "second"}
    assert max(report.registers for report in each.values()) == assemble(OTHER, "sm_80").registers


def test_table(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """The kernel with the same entry, in a folder of files; one without a counterpart has dashes."""
    monkeypatch.setenv("COLUMNS", "250")
    kernel = compiler.compile(Path(AXPY).read_text(), math="expanded")
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump" / "kernel.ptx").write_text(OTHER + kernel.ptx[kernel.ptx.index(".visible") :])
    assert main(["compile", AXPY, "--baseline", str(tmp_path / "dump"), "-o", str(tmp_path / "o.ptx")]) == 0
    ours, theirs = rows_of(capsys.readouterr().err)
    assert ours[1:3] == ["ours", "128"] and theirs[1] == "baseline"

    (tmp_path / "dump" / "kernel.ptx").write_text(OTHER)
    assert main(["compile", AXPY, "--baseline", str(tmp_path / "dump"), "-o", str(tmp_path / "o.ptx")]) == 0
    _, theirs = rows_of(capsys.readouterr().err)
    assert set(theirs[2:]) == {"-"}


def test_one_kernel_on_each_side(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """They are compared whatever their names are."""
    monkeypatch.setenv("COLUMNS", "250")
    single = tmp_path / "single.ptx"
    single.write_text(OTHER[: OTHER.index(".entry second")])
    assert main(["compile", AXPY, "--baseline", str(single), "-o", str(tmp_path / "o.ptx")]) == 0
    _, theirs = rows_of(capsys.readouterr().err)
    assert theirs[2] == "128" and "1 x 128 bit" in theirs


def counts_of(rows: list[list[str]]) -> list[list[str]]:
    """The issue slots and sectors of each row."""
    return [row[-2:] for row in rows]


def test_counts_of_a_build_of_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """`plan.json` says how the other kernel is launched; without it there is nothing to count."""
    monkeypatch.setenv("COLUMNS", "250")
    build = tmp_path / "build"
    assert main(["compile", AXPY, "--jobs", "1", "-o", str(build)]) == 0
    capsys.readouterr()
    assert main(["compile", AXPY, "--jobs", "1", "--baseline", str(build), "-o", str(tmp_path / "o.ptx")]) == 0
    ours, theirs = counts_of(rows_of(capsys.readouterr().err))
    assert ours == theirs and "-" not in ours

    (build / "plan.json").unlink()
    assert main(["compile", AXPY, "--jobs", "1", "--baseline", str(build), "-o", str(tmp_path / "o.ptx")]) == 0
    assert counts_of(rows_of(capsys.readouterr().err)) == [ours, ["-", "-"]]


def thunk(name: str, grid: str, block: str) -> str:
    """A line of XLA's list of thunks."""
    return (
        f"001: kKernel\t, kernel = {name}, launch dimensions = blocks: {{{grid}}}, threads/block: {{{block}}}, x = y\n"
    )


THUNKS = (
    thunk("first", "3, 1, 1", "64, 2, 1")
    + "002: kMemset\t%copy = f32[] constant(0)\n"
    + thunk("first", "9, 1, 1", "1, 1, 1")
    + thunk("second_1, profile_annotation = a", "2, 5, 1", "128, 1, 1")
)


def test_launches_of_a_dump_of_xla(tmp_path: Path):
    """One for each kernel, from the text of the thunks in any folder below; other files say nothing."""
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump" / "module_0001.jit_f.thunk_sequence.txt").write_text(THUNKS)
    (tmp_path / "dump" / "module_0001.jit_f.buffer-assignment.txt").write_text(THUNKS.replace("first", "third"))
    assert launches_beside(tmp_path) == {
        "first": KnownLaunch((3, 1, 1), (64, 2, 1)),
        "second_1": KnownLaunch((2, 5, 1), (128, 1, 1)),
    }
    (tmp_path / "kernel.ptx").write_text(OTHER)
    first, second = read_baseline(tmp_path).values()
    assert read_baseline(tmp_path / "kernel.ptx")["first"].launch is None  # a file: only what is in its own folder
    assert first.profile is not None and first.profile.grid_blocks == 3
    assert first.profile.sectors == 3 * 4  # a warp loads one sector; it branches around the store
    assert second.launch is None and second.profile is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kernels": []}', '{"kernels": {"first": {"grid": 1, "block": 1}}}'])
def test_other_files_called_plan_say_nothing(tmp_path: Path, text: str):
    (tmp_path / "plan.json").write_text(text)
    assert launches_beside(tmp_path) == {}


def test_a_kernel_that_the_machine_cannot_execute_has_no_counts(tmp_path: Path):
    """Blocks of another size than the kernel requires; an instruction that the machine does not know."""
    (tmp_path / "thunk_sequence.txt").write_text(THUNKS)
    (tmp_path / "kernel.ptx").write_text(OTHER.replace(".maxntid 64, 2, 1", ".reqntid 32, 1, 1"))
    assert read_baseline(tmp_path)["first"].profile is None
    (tmp_path / "kernel.ptx").write_text(OTHER.replace("setp.eq.s32 %p1", "frobnicate.s32 %p1"))
    assert read_baseline(tmp_path)["first"].profile is None


def test_no_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["compile", AXPY, "--baseline", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert "no kernel in PTX" in captured.err and captured.out == ""
