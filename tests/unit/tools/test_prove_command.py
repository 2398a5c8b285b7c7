"""`xshardy prove`: its options, its files, its exit status, and its diagnostics."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import product_pairs as pairs
import pytest

from xshardy.tools.cli import main

FILES = {
    "whole.mlir": pairs.WHOLE,
    "unsharded.mlir": pairs.UNSHARDED,
    "relation.toml": pairs.RELATION,
    "right.mlir": pairs.RIGHT,
    "wrong.mlir": pairs.WRONG,
    "unproved.mlir": pairs.UNPROVED,
    "without_devices.mlir": pairs.RIGHT.replace("mhlo.num_partitions = 2 : i32", ""),
    "four_devices.mlir": pairs.RIGHT.replace("mhlo.num_partitions = 2", "mhlo.num_partitions = 4"),
    "one_argument.mlir": pairs.RIGHT.replace(", %w: tensor<4x4xf32>", "").replace("%x, %w,", "%x, %x,"),
    "whole_shapes.mlir": pairs.UNSHARDED.replace(
        "func.func", "module attributes {mhlo.num_partitions=2 : i32} {func.func"
    )
    + "}",
    "dynamic.mlir": pairs.WHOLE.replace("4x8xf32", "?x8xf32").replace("4x4xf32", "?x4xf32"),
    "dynamic_part.mlir": pairs.RIGHT.replace("4x4xf32", "?x4xf32"),
    "no_certificate.json": '{"version": 1}',
    "no_json.json": "proved",
    "list.json": "[]",
    "binary.json": b"\xff\xfe",
    "no_toml.toml": "mesh =",
    "short.toml": pairs.RELATION.replace(", '[{\"x\"}, {}]'", ""),
    "no_sharding.toml": pairs.RELATION.replace("'[{}, {\"x\"}]'", "'[{}, {\"y\"}]'"),
    "no_list.toml": pairs.RELATION.replace("results = ['[{}, {}]']", "results = 1"),
    "other_key.toml": pairs.RELATION + "devices = 2\n",
}


@pytest.fixture
def prove(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs the command in a folder with `FILES`: its status, what it prints, and its diagnostics."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            status = main(["prove", *arguments])
        except SystemExit as exit:
            status = exit.code
        captured = capsys.readouterr()
        assert isinstance(status, int)
        return status, captured.out, captured.err

    return run


Prove = Callable[..., tuple[int, str, str]]

ANSWERS = {
    "our partition": (["whole.mlir"], 0, "proved: each of 2 devices computes its part of its result, for all inputs"),
    "right": (["whole.mlir", "right.mlir"], 0, "proved: each of 2 devices"),
    "devices of the mesh only": (["whole.mlir", "without_devices.mlir"], 0, "proved: each of 2 devices"),
    "wrong": (["whole.mlir", "wrong.mlir"], 1, "refuted: device 0 has "),
    "wrong, not run": (
        ["whole.mlir", "wrong.mlir", "--no-run"],
        3,
        "undecided: not shown for its result; it was not run",
    ),
    "not shown": (["whole.mlir", "unproved.mlir"], 3, "no input that was tried refutes it"),
    "a mesh of another size": (["whole.mlir", "--mesh", "x=4"], 0, "proved: each of 4 devices"),
    "a mesh of one device": (["whole.mlir", "--mesh", "x=1"], 0, "proved: the device computes its part"),
    "a relation": (["unsharded.mlir", "right.mlir", "--relation", "relation.toml"], 0, "proved: each of 2 devices"),
    "a relation for our passes": (["unsharded.mlir", "--relation", "relation.toml"], 0, "proved: each of 2 devices"),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_the_answer_and_its_status(what: str, prove: Prove):
    arguments, status, start = ANSWERS[what]
    found, out, err = prove(*arguments)
    assert (found, err) == (status, "")
    assert start in out.splitlines()[0]


def test_where_a_relation_ends_is_named(prove: Prove):
    _, out, _ = prove("whole.mlir", "wrong.mlir")
    assert "not related: %1 (line 5), stablehlo.tanh: an operand is a part of a sum" in out


def test_a_certificate_is_checked(prove: Prove):
    assert prove("whole.mlir", "right.mlir", "--certificate", "proof.json")[0] == 0
    status, out, err = prove("whole.mlir", "right.mlir", "--check", "proof.json")
    assert (status, err) == (0, "")
    assert out == "proof.json: the certificate proves that each of 2 devices computes its part\n"


def test_a_certificate_without_its_answers_proves_nothing(prove: Prove):
    prove("whole.mlir", "right.mlir", "--certificate", "proof.json")
    certificate = json.loads(Path("proof.json").read_text())
    assert certificate["rows"]
    certificate["rows"] = [None] * len(certificate["rows"])
    Path("proof.json").write_text(json.dumps(certificate))
    status, out, _ = prove("whole.mlir", "right.mlir", "--check", "proof.json")
    assert status == 3
    assert out == "proof.json: the certificate does not prove that each of 2 devices computes its part\n"


@pytest.mark.parametrize("local", ["wrong.mlir", "unproved.mlir"])
def test_only_a_proof_has_a_certificate(local: str, prove: Prove):
    assert prove("whole.mlir", local, "--certificate", "proof.json")[0] != 0
    assert not Path("proof.json").exists()


def test_the_witness_is_arguments_for_both_programs(prove: Prove):
    """Executed here by numpy, they give the two numbers of the message."""
    _, out, _ = prove("whole.mlir", "wrong.mlir", "--witness", "witness.npz")
    found = re.match(r"refuted: device 0 has (\S+) at \[(\d), (\d)\] of result 0, and (\S+) is right", out)
    assert found is not None
    arguments = np.load("witness.npz")
    x, w = arguments["argument0"], arguments["argument1"]
    at = int(found[2]), int(found[3])
    assert np.isclose(np.tanh(x @ w)[at], float(found[4]), atol=1e-3)
    parts = np.tanh(x[:, :4] @ w[:4]) + np.tanh(x[:, 4:] @ w[4:])
    assert np.isclose(parts[at], float(found[1]), atol=1e-3)


def test_a_proof_has_no_witness(prove: Prove):
    assert prove("whole.mlir", "right.mlir", "--witness", "witness.npz")[0] == 0
    assert not Path("witness.npz").exists()


def test_json(prove: Prove):
    status, out, _ = prove("whole.mlir", "wrong.mlir", "--json")
    verdict = json.loads(out)
    assert (status, verdict["answer"], verdict["devices"], verdict["unrelated"]) == (1, "refuted", 2, [0])
    assert verdict["not_related"][0]["line"] == 5 and verdict["witness"]["device"] == 0
    proved = json.loads(prove("whole.mlir", "right.mlir", "--json")[1])
    assert (proved["answer"], proved["witness"], proved["not_related"]) == ("proved", None, [])


def test_one_of_several_modules(prove: Prove):
    inner = pairs.WHOLE.replace("func.func @main", "func.func public @main")
    Path("two.mlir").write_text(f"module @first {{\n{pairs.UNSHARDED}}}\nmodule @second {{\n{inner}}}\n")
    assert prove("two.mlir", "right.mlir", "--module", "second")[0] == 0
    assert prove("two.mlir", "right.mlir")[0] == 1


def test_a_program_of_jax_and_its_shard_map(prove: Prove):
    Path("step.py").write_text("""
import jax
from jax.sharding import PartitionSpec as P

mesh = jax.sharding.AbstractMesh((4,), ("x",))
specs = (P(None, "x"), P("x", None))


def given(*shardings):
    shapes = zip(((8, 16), (16, 4)), shardings)
    return [jax.ShapeDtypeStruct(shape, "float32", sharding=sharding) for shape, sharding in shapes]


step = jax.jit(lambda x, w: jax.numpy.tanh(x @ w)).lower(*given(None, None))


def mapped(body):
    step = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P()))
    divided = given(*(jax.NamedSharding(mesh, spec) for spec in specs))
    return step.trace(*divided).lower(lowering_platforms=("cpu",))


right = mapped(lambda x, w: jax.numpy.tanh(jax.lax.psum(x @ w, "x")))
wrong = mapped(lambda x, w: jax.lax.psum(jax.numpy.tanh(x @ w), "x"))
""")
    assert prove("step.py:step", "step.py:right")[0] == 0
    status, out, _ = prove("step.py:step", "step.py:wrong")
    assert status == 1 and "step.py:24" in out
    Path("relation.toml").write_text(pairs.RELATION)
    status, _, err = prove("step.py:step", "step.py:right", "--relation", "relation.toml")
    assert status == 2 and "step.py:right has a mesh and shardings of its own: leave it out" in err


BAD: dict[str, tuple[Sequence[str], int, str]] = {
    "no file": (["missing.mlir"], 1, "error: missing.mlir: No such file or directory"),
    "no local": (["whole.mlir", "missing.mlir"], 1, "error: missing.mlir: No such file or directory"),
    "no certificate": (["whole.mlir", "--check", "missing.json"], 1, "error: missing.json: No such file or directory"),
    "no relation": (["whole.mlir", "--relation", "missing.toml"], 1, "error: missing.toml: No such file or directory"),
    "another JSON": (
        ["whole.mlir", "--check", "no_certificate.json"],
        1,
        "no_certificate.json: error: this is no certificate of xshardy",
    ),
    "a list": (["whole.mlir", "--check", "list.json"], 1, "list.json: error: this is no certificate of xshardy"),
    "no JSON": (["whole.mlir", "--check", "no_json.json"], 1, "no_json.json: error: this is no certificate of xshardy"),
    "bytes": (["whole.mlir", "--check", "binary.json"], 1, "binary.json:1:1: error: byte 0xff is not UTF-8"),
    "no TOML": (["whole.mlir", "--relation", "no_toml.toml"], 1, "no_toml.toml: error: "),
    "too few shardings": (
        ["whole.mlir", "--relation", "short.toml"],
        1,
        "short.toml: error: 1 arguments, but @main has 2",
    ),
    "no sharding": (
        ["unsharded.mlir", "--relation", "no_sharding.toml"],
        1,
        "no_sharding.toml: error: arguments 0: ",
    ),
    "no list": (
        ["whole.mlir", "--relation", "no_list.toml"],
        1,
        "no_list.toml: error: results is no list of strings: ",
    ),
    "another key": (["whole.mlir", "--relation", "other_key.toml"], 1, "other_key.toml: error: unknown key devices: "),
    "number of arguments": (
        ["whole.mlir", "one_argument.mlir"],
        1,
        "one_argument.mlir: error: the program has 1 argument, and whole.mlir has 2: give two programs that",
    ),
    "shapes": (
        ["whole.mlir", "whole_shapes.mlir"],
        1,
        "whole_shapes.mlir: error: argument 0 is a tensor<4x8xf32>, but by the shardings of whole.mlir a device has a "
        "tensor<4x4xf32> of the tensor<4x8xf32>: change its sharding there, or the type here",
    ),
    "numbers of devices": (
        ["whole.mlir", "four_devices.mlir"],
        1,
        "four_devices.mlir: error: the program is for 4 devices, and the mesh of whole.mlir has 2: ",
    ),
    "no devices": (
        ["unsharded.mlir", "without_devices.mlir"],
        1,
        "without_devices.mlir: error: neither this program nor unsharded.mlir says how many devices there are: give ",
    ),
    "no mesh": (
        ["unsharded.mlir"],
        1,
        "unsharded.mlir: error: the program has no mesh, so that there are no devices: ",
    ),
    "dynamic shapes": (["dynamic.mlir"], 1, "dynamic.mlir:5: error: Shardy propagation only supports ranked tensors"),
    "dynamic shapes of two": (["dynamic.mlir", "right.mlir"], 1, "dynamic.mlir:5: error: Shardy propagation only"),
    "dynamic parts": (
        ["whole.mlir", "dynamic_part.mlir"],
        1,
        "dynamic_part.mlir: error: argument 0 is a tensor<?x4xf32>, but by the shardings of whole.mlir a device has a ",
    ),
    "another axis": (["whole.mlir", "--mesh", "y=2"], 1, 'no mesh of the module has an axis "y"'),
    "reading and writing": (["whole.mlir", "--check", "x", "--certificate", "y"], 2, "leave one of them out"),
    "a verdict of a check": (
        ["whole.mlir", "--check", "x", "--json"],
        2,
        "--json is about a verdict, and --check has none",
    ),
    "a witness without a run": (
        ["whole.mlir", "--no-run", "--witness", "x"],
        2,
        "--no-run looks for none: leave one out",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_one_diagnostic(what: str, prove: Prove):
    arguments, status, message = BAD[what]
    outputs = [] if "--check" in arguments else ["--certificate", "proof.json", "--html", "page.html"]
    found, out, err = prove(*arguments, *outputs)
    assert (found, out) == (status, "")
    assert message in err
    assert err.count("error:") == 1 and "Traceback" not in err and "internal error" not in err
    assert sorted(each.name for each in Path().iterdir()) == sorted(FILES)


def test_a_certificate_of_other_programs_is_refused(prove: Prove):
    prove("whole.mlir", "right.mlir", "--certificate", "proof.json")
    for arguments, differs in (
        (["whole.mlir", "wrong.mlir"], "the program of a device"),
        (["unsharded.mlir", "right.mlir", "--relation", "relation.toml"], "the whole program"),
        (["whole.mlir"], "the program of a device"),
    ):
        status, out, err = prove(*arguments, "--check", "proof.json")
        assert (status, out) == (1, "")
        assert (
            err == f"proof.json: error: the certificate is of other programs, {differs} differs: write one for these\n"
        )


def test_damaged_rows_are_refused(prove: Prove):
    prove("whole.mlir", "right.mlir", "--certificate", "proof.json")
    certificate = json.loads(Path("proof.json").read_text())
    for row in ([], [1], ["term"], ["term", "nothing", [], 0], "term", {"a": 1}):
        certificate["rows"][0] = row
        Path("damaged.json").write_text(json.dumps(certificate))
        status, _, err = prove("whole.mlir", "right.mlir", "--check", "damaged.json")
        assert status == 1 and "damaged.json: error: row 1 of the certificate is no answer to its question" in err, row


def test_a_run_is_proved_in_passing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "whole.mlir").write_text(pairs.WHOLE)
    assert main(["run", str(tmp_path / "whole.mlir"), "--prove"]) == 0
    assert "proved: each of 2 devices" in capsys.readouterr().out


def test_kernels_are_not_proved(capsys: pytest.CaptureFixture[str]):
    gelu = Path(__file__).parents[3] / "examples" / "gelu.hlo"
    assert main(["run", str(gelu), "--prove"]) == 2
    assert "--prove is about programs that are divided between devices" in capsys.readouterr().err
