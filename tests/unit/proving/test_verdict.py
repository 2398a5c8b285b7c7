"""`xshardy.prove`, its verdict, and the assertion for tests."""

import json

import product_pairs as pairs
import pytest

import xshardy
from xshardy.programs.errors import InputError
from xshardy.programs.program import read_program
from xshardy.programs.source import source_of
from xshardy.proving.certificate import CertificateError, check, digests
from xshardy.proving.pair import Pair, import_local, pair_of
from xshardy.proving.prove import Kept
from xshardy.proving.verdict import Answer, prove_pair
from xshardy.testing import assert_partition_proved


def pair(local: str, whole: str = pairs.WHOLE) -> Pair:
    other = read_program(source_of(local)).named()
    import_local(other)
    given = read_program(source_of(whole)).named()
    given.import_shardings()
    return pair_of(given, other)


def test_a_proof_is_true_and_another_answer_is_not():
    for local, answer in (
        (pairs.RIGHT, Answer.PROVED),
        (pairs.WRONG, Answer.REFUTED),
        (pairs.UNPROVED, Answer.UNDECIDED),
    ):
        verdict = xshardy.prove(pairs.WHOLE, local)
        assert verdict.answer is answer and bool(verdict) == (answer is Answer.PROVED)
        assert str(verdict).startswith(f"{answer.value}: ") and repr(verdict).startswith(f"<{answer.value}: ")


def test_what_is_counted():
    verdict = xshardy.prove(pairs.WHOLE, pairs.RIGHT)
    assert (verdict.related, verdict.unrelated, verdict.frontier, verdict.was_run) == (3, [], [], False)


def test_without_a_run_nothing_is_refuted():
    verdict = xshardy.prove(pairs.WHOLE, pairs.WRONG, run=False)
    assert verdict.answer is Answer.UNDECIDED and verdict.witness is None and not verdict.was_run
    assert "it was not run" in str(verdict)


def test_the_operation_at_which_the_relation_ends():
    (ends,) = xshardy.prove(pairs.WHOLE, pairs.WRONG).frontier
    assert ends[0].name == "stablehlo.tanh" and ends[1].startswith("an operand is a part of a sum")


OTHER_PART = """module attributes {mhlo.num_partitions = 2 : i32} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
}
"""


def test_the_part_of_another_device_is_refuted():
    whole = """sdy.mesh @mesh = <["x"=2]>
    func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
        -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
      return %x : tensor<8xf32>
    }"""
    verdict = xshardy.prove(whole, OTHER_PART)
    assert verdict.answer is Answer.REFUTED
    assert "each operation is related to the whole program, but results are not the parts" in str(verdict)


def test_one_wrong_result_of_two():
    whole = """sdy.mesh @mesh = <["x"=2]>
    func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
        -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
            tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
      %0 = stablehlo.tanh %x : tensor<8xf32>
      %1 = stablehlo.sine %x : tensor<8xf32>
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    }"""
    local = """module attributes {mhlo.num_partitions = 2 : i32} {
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = stablehlo.tanh %x : tensor<4xf32>
      %1 = stablehlo.cosine %x : tensor<4xf32>
      return %0, %1 : tensor<4xf32>, tensor<4xf32>
    }
    }"""
    verdict = xshardy.prove(whole, local, run=False)
    assert verdict.unrelated == [1]
    assert repr(verdict) == "<undecided: 1 of 2 results on 2 devices>" and "not shown for result 1;" in str(verdict)


def test_a_certificate_is_checked_without_a_search(monkeypatch: pytest.MonkeyPatch):
    proved = xshardy.prove(pairs.WHOLE, pairs.RIGHT, certify=True)
    assert proved.certificate is not None
    assert xshardy.prove(pairs.WHOLE, pairs.RIGHT).certificate is None
    assert xshardy.prove(pairs.WHOLE, pairs.UNPROVED, certify=True).certificate is None
    monkeypatch.setattr("xshardy.proving.prove.Search", None)
    assert check(pair(pairs.RIGHT), proved.certificate).is_proved
    with pytest.raises(CertificateError, match="the program of a device differs"):
        check(pair(pairs.WRONG), proved.certificate)


def test_a_certificate_says_where_a_tensor_of_several_pieces_is():
    """A part that is no view of an argument is one of the tensor that the whole program puts together."""
    whole = """
      sdy.mesh @mesh = <["x"=2]>
      func.func @main(%x: tensor<5x8xi64>) -> (tensor<40xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
        %0 = stablehlo.reshape %x : (tensor<5x8xi64>) -> tensor<40xi64>
        return %0 : tensor<40xi64>
      }"""
    proved = xshardy.prove(whole, certify=True)
    found = json.loads(proved.certificate or "")
    (row,) = (row for row in found["rows"] if row is not None and row[0] == "assembled")
    assert check(proved.pair, proved.certificate or "").is_proved
    for changed in (None, [row[0], row[1], [[[0, 19], *row[2][0][1:]]]]):
        rows = [changed if each is row else each for each in found["rows"]]
        assert not check(proved.pair, json.dumps({**found, "rows": rows})).is_proved
    unknown = [["assembled", "no such tensor", row[2]] if each is row else each for each in found["rows"]]
    with pytest.raises(CertificateError, match="is no answer to its question"):
        check(proved.pair, json.dumps({**found, "rows": unknown}))


def test_a_certificate_of_another_version_is_not_read():
    proved = xshardy.prove(pairs.WHOLE, pairs.RIGHT, certify=True)
    other = json.dumps({**json.loads(proved.certificate or ""), "version": 0})
    with pytest.raises(CertificateError, match="has version 0, not 1: write it again"):
        check(proved.pair, other)


def test_the_first_operations_without_a_relation_are_named():
    names = ("tanh", "cosine", "sine", "exponential", "abs", "sqrt", "rsqrt", "log")
    computed = "\n".join(f"%{name} = stablehlo.{name} %x : tensor<4xf32>" for name in names)
    types = ", ".join(["tensor<4xf32>"] * len(names))
    main = "func.func @main(%x: tensor<4xf32>) -> ({}) {{ {} return {} : {} }}"
    whole = 'sdy.mesh @mesh = <["x"=2]>' + main.format(types, "", ", ".join(["%x"] * len(names)), types)
    local = main.format(types, computed, ", ".join(f"%{name}" for name in names), types)
    verdict = xshardy.prove(whole, f"module attributes {{mhlo.num_partitions = 2 : i32}} {{ {local} }}", run=False)
    lines = str(verdict).splitlines()
    named = [line for line in lines if line.startswith("  not related")]
    assert lines[-1] == f"  and {len(names) - len(named)} more" and 0 < len(named) < len(names)


def test_a_certificate_with_forged_digests_proves_nothing_wrong():
    """It is the kernel that has to agree, not the digest."""
    proved = json.loads(xshardy.prove(pairs.WHOLE, pairs.RIGHT, certify=True).certificate or "")
    wrong = pair(pairs.WRONG)
    forged = {**proved, "local": digests(wrong)["local"]}
    try:
        assert not check(wrong, json.dumps(forged)).is_proved
    except CertificateError as error:
        assert "is no answer to its question" in str(error)


def test_views_are_kept_where_they_are_asked_for():
    kept, asked = Kept(), pair(pairs.RIGHT)
    assert prove_pair(asked, kept=kept)
    names = {op.name for op in kept.local}
    assert names == {"func.func", "stablehlo.dot_general", "stablehlo.all_reduce", "stablehlo.tanh"}
    (partial,) = (views for op, views in kept.local.items() if op.name == "stablehlo.dot_general")
    assert [piece.partial is not None for piece in partial[0].pieces] == [True]
    assert {op.name for op in kept.whole} == {"func.func", "stablehlo.dot_general", "stablehlo.tanh"}


def test_the_assertion():
    assert assert_partition_proved(pairs.WHOLE)
    assert assert_partition_proved(pairs.WHOLE, pairs.RIGHT)
    with pytest.raises(AssertionError, match="refuted: device 0 has "):
        assert_partition_proved(pairs.WHOLE, pairs.WRONG)
    with pytest.raises(AssertionError, match="undecided: not shown for its result"):
        assert_partition_proved(pairs.WHOLE, pairs.UNPROVED)


def test_a_program_without_a_mesh_is_no_proof():
    with pytest.raises(InputError, match="the program has no mesh, so that there are no devices"):
        assert_partition_proved(pairs.UNSHARDED)


def test_modules_are_left_as_they_are():
    module = xshardy.parse(pairs.WHOLE)
    before = xshardy.print_module(module)
    assert xshardy.prove(module)
    assert xshardy.print_module(module) == before


def test_dots_of_both_kinds_are_one():
    general = "stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]"
    old = pairs.RIGHT.replace(general, "stablehlo.dot %x, %w")
    assert old != pairs.RIGHT and assert_partition_proved(pairs.WHOLE, old)
