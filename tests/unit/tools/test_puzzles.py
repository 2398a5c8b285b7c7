"""The puzzles: right answers of several kinds are accepted, and wrong ones are answered by what is wrong."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from xshardy.programs.source import Source
from xshardy.tools.cli import main
from xshardy.tools.puzzles import PUZZLES
from xshardy.tools.puzzles.puzzle import Puzzle, puzzles

Edits = Sequence[tuple[str, str]]
"""What is replaced where it stands first, one after the other."""

HOLE = "[{}, {}]>]>"
SHARDED = " {sdy.sharding = #sdy.sharding<@mesh, %s>}"
X, X_OF_GATE = "%x: tensor<64x1024xf32>", "stablehlo.dot %x, %gate"


def holes(*shardings: str) -> Edits:
    return [(HOLE, f"{sharding}>]>") for sharding in shardings]


def annotated(argument: str, sharding: str) -> tuple[str, str]:
    return argument, argument + SHARDED % sharding


def constrained(value: str, type: str, sharding: str, reader: str) -> tuple[str, str]:
    """A constraint on `value`, which `reader` reads then."""
    constraint = f"%c = sdy.sharding_constraint {value} <@mesh, {sharding}> : {type}\n"
    result, _, operation = reader.partition(" = ")
    return reader, f"{constraint}  {result} = {operation.replace(value, '%c', 1)}"


W0, W1 = "%w0: tensor<256x4096xf32>", "%w1: tensor<4096x256xf32>"
LARGE_W0, LARGE_W1 = "%w0: tensor<1024x1024xf32>", "%w1: tensor<1024x1024xf32>"
RESIDUAL = "%residual: tensor<64x1024xf32>"
BIAS_LAST = [
    ("%2 = stablehlo.add %0, %1 : tensor<8x8xf32>", ""),
    ("(%2) <{", "(%0) <{"),
    ("    return %3", "    %5 = stablehlo.add %3, %1 : tensor<8x8xf32>\n    return %5"),
]
BIAS_OF_ONE_QUARTER = [
    (
        "%2 =",
        "%q = stablehlo.constant dense<0.25> : tensor<8x8xf32>\n"
        "    %m = stablehlo.multiply %1, %q : tensor<8x8xf32>\n    %2 =",
    ),
    ("add %0, %1", "add %0, %m"),
]
KEYS, DEPTH = "        Factor((None, 1), (2,), k[1]),\n", "q[2], FactorType.REDUCTION),"
NEEDED = [
    (KEYS, KEYS.replace("k[1]", "k[1], FactorType.NEED_REPLICATION")),
    (DEPTH, "q[2], FactorType.NEED_REPLICATION),"),
]
STRIDED = [("mad.lo.u32 %r5, %r3, 8, %r4;", "mad.lo.u32 %r5, %r4, 512, %r3;")]
VECTORS = [
    (".f32 %f<2>", ".f32 %f<5>"),
    ("mad.lo.u32 %r5, %r3, 8, %r4;", "mad.lo.u32 %r5, %r4, 512, %r3;"),
    ("%r5, 4;", "%r5, 16;"),
    ("ld.global.f32 %f1", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}"),
    ("add.f32 %f1, %f1, %f1;", "\n".join(f"add.f32 %f{n}, %f{n}, %f{n};" for n in range(1, 5))),
    ("st.global.f32 [%rd5], %f1", "st.global.v4.f32 [%rd5], {%f1, %f2, %f3, %f4}"),
    ("%r4, 8;", "%r4, 2;"),
]
BEFORE_STORE = ("mul.f32 %f1, %f1, 0f3F000000;   // 0.5\n", "mul.f32 %f1, %f1, 0f3F000000;\n  bar.sync 0;\n")
AFTER_STORE = ("st.shared.f32 [%r6], %f1;\n  ld.shared", "st.shared.f32 [%r6], %f1;\n  bar.sync 0;\n  ld.shared")
PADDED = [
    ("tile[4096]", "tile[4224]"),
    ("shl.b32 %r6, %r4, 2;", "mad.lo.u32 %r9, %r2, 33, %r1;\n  shl.b32 %r6, %r9, 2;"),
    ("mad.lo.u32 %r7, %r1, 32, %r2;", "mad.lo.u32 %r7, %r1, 33, %r2;"),
]
SWIZZLED = [
    ("shl.b32 %r6, %r4, 2;", "xor.b32 %r9, %r1, %r2;\n  mad.lo.u32 %r9, %r2, 32, %r9;\n  shl.b32 %r6, %r9, 2;"),
    ("mad.lo.u32 %r7, %r1, 32, %r2;", "xor.b32 %r9, %r1, %r2;\n  mad.lo.u32 %r7, %r1, 32, %r9;"),
]
DIRECT = [  # without shared memory
    (
        "st.shared.f32 [%r6], %f1;",
        "mad.lo.u32 %r9, %r1, 32, %r2;\n  mul.wide.u32 %rd3, %r9, 4;\n  add.s64 %rd5, %rd2, %rd3;",
    ),
    ("ld.shared.f32 %f1, [%r8];", ""),
]
BARE_GATHER = """\
        source = op.operands_[0].owner
        if len(op.operands_) != 1 or not isinstance(source, stablehlo.ConvertOp):
            return
        narrow, (wide,) = source.operand, op.outputs
        type = TensorType(narrow.type.element_type, wide.type.get_shape())
"""
GUARD = """\
        if narrow.type.element_type.size >= wide.type.element_type.size:
            return
"""
BUILD = """\
        has_ids = op.use_global_device_ids is not None
        gathered = stablehlo.AllGatherOp(
            [narrow], op.all_gather_dim.value.data, op.replica_groups, [type], op.channel_handle, has_ids
        )
        rewriter.replace(op, [gathered, stablehlo.ConvertOp(gathered.outputs[0], wide.type)])
"""


def gather(*lines: str) -> Edits:
    return [("        pass\n", "".join(lines))]


RIGHT: Sequence[tuple[str, Edits]] = [
    ("which_axis", holes('[{"data"}, {"model"}]', '[{"data"}, {"model"}]', '[{"model"}, {"data"}]')),
    ("which_axis", holes('[{"data", ?}, {"model", ?}]', '[{"data"}, {"model", ?}]', '[{"model"}, {"data"}]')),
    (
        "which_axis",
        [
            constrained("%0", "tensor<16x64xf32>", "[{?}, {?}]", "%1 = stablehlo.tanh %0"),
            *holes('[{"data"}, {"model"}]', '[{"data"}, {"model"}]', '[{"model"}, {"data"}]'),
        ],
    ),
    ("one_axis_twice", holes('[{"a"}, {"b"}]', '[{}, {"a"}]', '[{}, {"a"}]')),
    ("too_large", [annotated(LARGE_W0, '[{}, {"model"}]')]),
    ("too_large", [annotated(LARGE_W0, '[{"model"}, {}]'), annotated(LARGE_W1, '[{"model"}, {}]')]),
    ("all_gather", [annotated(X, "[{}, {}]")]),
    ("all_gather", [annotated(X, "[{?}, {}]")]),
    ("all_gather", [constrained("%x", "tensor<64x1024xf32>", "[{}, {}]", "%1 = stablehlo.dot %x, %gate")]),
    ("two_layers", [annotated(W0, '[{}, {"model"}]')]),
    ("two_layers", [annotated(W1, '[{"model"}, {}]')]),
    ("two_layers", [constrained("%0", "tensor<64x4096xf32>", '[{?}, {"model"}]', "%1 = stablehlo.tanh %0")]),
    ("reduce_scatter", [annotated(RESIDUAL, '[{"data", "model"}, {}]')]),
    ("bias", BIAS_LAST),
    ("bias", BIAS_OF_ONE_QUARTER),
    ("rule", NEEDED),
    ("rule", [(KEYS, ""), NEEDED[1]]),
    ("coalesced", STRIDED),
    ("coalesced", VECTORS),
    ("race", [BEFORE_STORE, AFTER_STORE]),
    ("bank_conflicts", PADDED),
    ("bank_conflicts", SWIZZLED),
    ("write_a_pass", gather(BARE_GATHER, GUARD, BUILD)),
]
"""Answers that are right: the puzzle, and what has changed."""

OTHER_COMPUTATION = "The program computes something else"
WRONG: Sequence[tuple[str, Edits, str]] = [
    ("which_axis", [], r"%0 \(line 6\) has .*, and you say \[{}, {}\]:\n.*\n *Dimension 0 has \"data\":\n *argument 0"),
    ("which_axis", [('[{"data"}, {}]', "[{}, {}]")], r'gone: \[{"data"}, {}\] on arg 0 of func.func'),
    ("which_axis", [("stablehlo.tanh", "stablehlo.negate")], OTHER_COMPUTATION),
    ("one_axis_twice", holes('[{}, {"a"}]'), "the axis shards dimension 0 here, and can shard one dimension only"),
    (
        "too_large",
        [annotated(LARGE_W0, "[{}, {}]")],
        r"still holds 8\.8 MiB, more than 2 MiB.*\n(.*\n)*argument 1 \(%w0\) +4 MiB",
    ),
    ("too_large", [("return %2", "return %x")], OTHER_COMPUTATION),
    (
        "all_gather",
        [],
        r"all-gather of argument 0 \(%x\), along model\n.*argument 1 \(%up\) has \"model\" in dimension 1",
    ),
    ("all_gather", [('{"model"}, {}', "{}, {}")], r'gone: \[{"model"}, {}\] on arg 2'),
    ("all_gather", [('["model"=4]', '["model"=1]')], r"gone: sdy\.mesh @mesh"),
    (
        "all_gather",
        [
            annotated(X, "[{}, {}]"),
            constrained("%x", "tensor<64x1024xf32>", "[{}, {}]", "%1 = stablehlo.dot %x, %gate"),
        ],
        "2 annotations are new, and 1",
    ),
    (
        "two_layers",
        [annotated(W0, '[{"model"}, {}]'), annotated(W1, '[{"model"}, {}]')],
        r"One all-reduce is enough\. Now a device sends:",
    ),
    ("two_layers", [annotated(W0, "[{}, {}]")], r"A device holds 8\.0 MiB of arguments"),
    ("reduce_scatter", [annotated(RESIDUAL, '[{"data"}, {"model"}]')], "all-gather of argument 0"),
    ("reduce_scatter", [annotated(RESIDUAL, '[{"data"}, {}]')], r"all-reduce of %0 \(line 7\), along model"),
    ("bias", [], r"refuted: device 0 has .*\n.*\n.*not related: %2 \(line 5\), stablehlo\.add"),
    ("bias", [("return %3", "return %0")], "refuted"),
    ("rule", [], r"Factor 2, of size 10, passes through: .* computes something else: it lacks"),
    ("rule", [NEEDED[0]], r"Factor 3, of size 8, is a reduction: .*The sum of what they compute is not the result"),
    ("rule", [*NEEDED, ("Factor((0, 0)", "Factor((0, None)")], r"One gets \[2, 6, 8\] of the queries and \[4, 10, 8\]"),
    ("rule", [*NEEDED, ("        Factor((1, None), (1,), q[1]),\n", "")], "half of the query dimension"),
    ("rule", [("register_rule(ScoresOp, rule)", "")], "has no rule: register one"),
    ("coalesced", [], r"8192 sectors are moved, and 1024 would do:\n  line 21, load: 32 sectors"),
    (
        "coalesced",
        [*STRIDED, ("add.f32 %f1, %f1, %f1;", "")],
        "4095 of 4096 results are wrong: element 1 should be 2, and is 1",
    ),
    ("coalesced", [*STRIDED, ("  @%p1 bra $next;\n", "")], "is nan"),
    ("coalesced", [("%r3, 8, %r4;", "%r3, 9, %r4;")], "access out of bounds"),
    ("race", [BEFORE_STORE], r"line 33: race: .* reads what thread"),
    ("race", [AFTER_STORE], r"line 31: race: .* writes what thread"),
    ("bank_conflicts", [], r"Line 27, a load of shared memory, has bank conflicts: a request takes 32 turns, and 1"),
    ("bank_conflicts", DIRECT, "1152 sectors are moved, and 256 would do"),
    ("write_a_pass", [], r"A device sends 1\.5 KiB, and 768 B would do"),
    ("write_a_pass", gather(BARE_GATHER, BUILD), r"A device sends 1\.5 KiB, and 768 B would do.*"),
    (
        "write_a_pass",
        gather("        rewriter.replace(op, stablehlo.ConvertOp(op.operands_[0], op.outputs[0].type))\n"),
        "does not verify: .*same shape",
    ),
    (
        "write_a_pass",
        gather(
            BARE_GATHER,
            GUARD,
            BUILD.replace(
                "rewriter.replace(op, [gathered",
                "n = stablehlo.NegOp(gathered.outputs[0])\n        rewriter.replace(op, [gathered, n",
            ).replace("gathered.outputs[0], wide", "n.result, wide"),
        ),
        "changes the results",
    ),
]
"""Answers that are wrong: the puzzle, what has changed, and what is said."""


def checked(name: str, edits: Edits, folder: Path) -> int:
    """The exit status for an answer."""
    (number, puzzle), *_ = [each for each in enumerate(puzzles(), 1) if each[1].name == name]
    text = puzzle.start.text
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    answer = folder / puzzle.start.name.replace("start", "answer")
    answer.write_text(text)
    return main(["puzzle", str(number), str(answer)])


@pytest.mark.parametrize(("name", "edits"), RIGHT)
def test_right_answers(name: str, edits: Edits, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    status, said = checked(name, edits, tmp_path), capsys.readouterr()
    assert status == 0, said
    assert said.out.startswith("Right. ")


@pytest.mark.parametrize(("name", "edits", "words"), WRONG)
def test_wrong_answers(name: str, edits: Edits, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    status, said = checked(name, edits, tmp_path), capsys.readouterr().out
    assert status == 1
    assert said.startswith("Not yet. ")
    assert re.search(words, said), said


def test_every_puzzle_has_right_and_wrong_answers():
    assert {name for name, *_ in RIGHT} == {name for name, *_ in WRONG} == PUZZLES.keys()


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["puzzle", *arguments]) == 0
    return capsys.readouterr().out


def test_the_command_lists_and_shows_puzzles(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    lines = printed(capsys).splitlines()
    assert len(lines) == len(PUZZLES) and lines[3] == " 4  Remove this all-gather with one annotation"
    for number, puzzle in enumerate(puzzles(), 1):
        task, hint = printed(capsys, str(number)), printed(capsys, str(number), "--hint")
        suffix = puzzle.start.name.removeprefix("start")
        assert f"Start with `xshardy puzzle {number} -o answer{suffix}`, and check with" in task
        assert f"`xshardy puzzle {number} answer{suffix}`" in task
        assert hint.strip() in puzzle.page and hint not in task and "details" not in task
        start = tmp_path / "start"
        assert not printed(capsys, str(number), "-o", str(start))
        assert start.read_text() == puzzle.start.text


def test_the_site_has_every_page():
    root = Path(__file__).parents[3]
    index, nav = (root / "docs" / "puzzles" / "index.md").read_text(), (root / "mkdocs.yml").read_text()
    rows = re.findall(r"^\| (\d+) \| \[(.*)\]\(\.\./\.\./(.*)/(\w+)\.md\)", index, re.MULTILINE)
    for number, puzzle in enumerate(puzzles(), 1):
        folder = "xshardy/tools/puzzles/pages"
        assert rows[number - 1] == (str(number), puzzle.title, folder, puzzle.name)
        links = re.findall(r"\]\(([^)#]+)\)", puzzle.page)
        assert all((root / folder / link).exists() for link in links)
    assert re.findall(r"- puzzles/(\w+)\.md", nav) == ["index", *PUZZLES]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["axis"], 2, "error: there is no puzzle axis: they are 1 to 12"),
        (["1", "missing.mlir"], 1, "error: missing.mlir: No such file or directory"),
        (["4", "broken.mlir"], 1, "broken.mlir:2:10: error: use of undeclared SSA value name %y"),
        (["9", "broken.ptx"], 1, "broken.ptx: error: line 2: expected a directive"),
        (["8", "broken.py"], 1, "broken.py:2: error: SyntaxError: "),
        (["8", "raises.py"], 1, "raises.py:2: error: ZeroDivisionError: division by zero"),
        (["12", "raises.py"], 1, "raises.py:2: error: ZeroDivisionError: division by zero"),
        (["12", "empty.py"], 1, "empty.py: error: it does not define GatherNarrowPass: keep the names that were given"),
        (["12", "fails.py"], 1, "fails.py:4: error: IndexError: list index out of range"),
    ],
)
def test_answers_that_cannot_be_judged(
    arguments: Sequence[str],
    status: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "broken.mlir": "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %y : tensor<8xf32>\n}\n",
        "broken.ptx": ".version 8.0\nnonsense\n",
        "broken.py": "a = 1\nb = (\n",
        "raises.py": "a = 0\nb = 1 / a\n",
        "empty.py": "",
        "fails.py": "class GatherNarrowPass:\n    def apply(self, context, module):\n        x = []\n        x[0]\n",
    }.items():
        Path(name).write_text(text)
    assert main(["puzzle", *arguments]) == status
    said = capsys.readouterr()
    assert said.err.startswith(words) and not said.out


def test_the_whole_program_is_no_program_of_a_device():
    puzzle = Puzzle("bias")
    is_right, words = puzzle.judge(Source(puzzle.given["whole.mlir"], "answer.mlir"))
    assert not is_right and "write that of each device" in words
