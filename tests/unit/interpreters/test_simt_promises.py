"""A broken promise, `xla.range` or the domain of an `apply_indexing`, is an error where an active lane uses it."""

import numpy as np
import pytest
from kernels import run

from xshardy.interpreters.simt.errors import SimtError
from xshardy.interpreters.simt.unspecified import Cause, Unspecified, plain, unspecified

SIGNATURE = "(%init: tensor<8xindex>) -> tensor<8xindex>"
INSERT = """
  %v = arith.constant 5 : index
  %n = tensor.insert %v into %init[%i] : tensor<8xindex>
  func.return %n : tensor<8xindex>"""
APPLY = """
  %t = gpu.thread_id x
  %i = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(t)[s] -> (t + s), domain: t in [0, 7], s in [0, 0]">(%t)[%s]"""
ZERO = "\n  %s = arith.constant 0 : index"


def written(body: str, threads: int = 8, rest: str = "") -> list[int]:
    (result,) = run(body, SIGNATURE, np.zeros(8, np.int64), block=(threads, 1, 1), rest=rest)
    return result.tolist()


def test_values_inside_of_the_domain_are_used():
    assert written(ZERO + APPLY + INSERT) == [5] * 8


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        (
            ("t in [0, 7]", "t in [0, 6]"),
            r"tensor\.insert.*\n.*thread \(7, 0, 0\).*: t of .*apply_indexing.* is 7 there, .*\[0, 6\]",
        ),
        (("s in [0, 0]", "s in [1, 1]"), r"s of .*apply_indexing.* is 0 there, outside of \[1, 1\]"),
    ],
    ids=["dimension", "symbol"],
)
def test_an_index_outside_of_the_domain_is_an_error(domain: tuple[str, str], message: str):
    with pytest.raises(SimtError, match=message):
        written(ZERO + APPLY.replace(*domain) + INSERT)


GUARDED = """
  %six = arith.constant 6 : index
  %below = arith.cmpi sle, %t, %six : index
  %r = scf.if %below -> (tensor<8xindex>) {
    %v = arith.constant 5 : index
    %n = tensor.insert %v into %init[%i] : tensor<8xindex>
    scf.yield %n : tensor<8xindex>
  } else {
    scf.yield %init : tensor<8xindex>
  }
  func.return %r : tensor<8xindex>"""


def test_lanes_that_do_not_use_the_value_may_be_outside():
    """The map is applied before the branch that guards its use, as after hoisting."""
    hoisted = APPLY.replace("t in [0, 7]", "t in [0, 6]")
    assert written(ZERO + hoisted + GUARDED) == [5] * 7 + [0]
    with pytest.raises(SimtError, match=r"t of .* is 6 there, outside of \[0, 5\]"):
        written(ZERO + hoisted.replace("t in [0, 6]", "t in [0, 5]") + GUARDED)


def test_a_condition_that_fails_guards_others():
    """`t <= 6 and i <= 6`, with `i` not specified for `t = 7`."""
    both = (
        "  %inside = arith.cmpi sle, %i, %six : index\n  %both = arith.andi %below, %inside : i1\n  %r = scf.if %both"
    )
    both = GUARDED.replace("  %r = scf.if %below", both)
    hoisted = APPLY.replace("t in [0, 7]", "t in [0, 6]")
    assert written(ZERO + hoisted + both) == [5] * 7 + [0]
    with pytest.raises(SimtError, match=r"the condition of a branch or of a loop"):
        written(ZERO + hoisted + both.replace("%below, %inside", "%inside, %inside"))


@pytest.mark.parametrize(
    "use",
    [
        "  %n = tensor.insert %i into %init[%s] : tensor<8xindex>\n  func.return %n : tensor<8xindex>",
        "  %x = tensor.extract %init[%i] : tensor<8xindex>\n  func.return %init : tensor<8xindex>",
    ],
    ids=["stored", "read at"],
)
def test_every_use_counts(use: str):
    with pytest.raises(SimtError, match="uses a value that is not specified"):
        written(ZERO + APPLY.replace("t in [0, 7]", "t in [0, 6]") + "\n" + use)


def test_a_thread_id_outside_of_its_range_is_an_error():
    body = "  %i = gpu.thread_id x {xla.range = [0 : index, 6 : index]}" + INSERT
    with pytest.raises(SimtError, match=r"the result of .*gpu\.thread_id.* is 7 there, outside of \[0, 6\]"):
        written(body)


def test_an_argument_outside_of_its_range_is_an_error():
    rest = """
  func.func private @at(%i: index {xla.range = [0 : index, 6 : index]}) -> index {
    func.return %i : index
  }"""
    body = "  %t = gpu.thread_id x\n  %i = xla_gpu.pure_call @at(%t) : (index) -> index" + INSERT
    with pytest.raises(SimtError, match=r"argument 0 of @at is 7 there, outside of \[0, 6\]"):
        written(body, rest=rest)


def test_a_range_of_a_tensor_says_nothing():
    rest = """
  func.func private @at(%x: tensor<8xindex> {xla.range = [0 : index, 6 : index]}, %i: index) -> index {
    %r = tensor.extract %x[%i] : tensor<8xindex>
    func.return %r : index
  }"""
    body = (
        "  %t = gpu.thread_id x\n  %i = xla_gpu.pure_call @at(%init, %t) : (tensor<8xindex>, index) -> index" + INSERT
    )
    assert written(body, rest=rest) == [5] + [0] * 7


def test_calls_whose_results_are_remembered_keep_track_of_what_is_not_specified():
    """Of the two calls, the first remembers its result."""
    steps = "".join(f"%s{n + 1} = arith.addi %s{n}, %zero : index\n" for n in range(30))
    rest = f"""func.func private @f(%s0: index) -> index {{
      %zero = arith.constant 0 : index
      {steps}func.return %s30 : index
    }}"""
    calls = "".join(f"\n  %{name} = xla_gpu.pure_call @f(%i) : (index) -> index" for name in ("j", "k"))
    hoisted = ZERO + APPLY.replace("t in [0, 7]", "t in [0, 6]") + calls
    used = "%init[%i] : tensor<8xindex>"
    assert written(hoisted + GUARDED.replace(used, used.replace("%i]", "%k]")), rest=rest) == [5] * 7 + [0]
    with pytest.raises(SimtError, match=r"t of .* is 7 there, outside of \[0, 6\]"):
        written(hoisted + INSERT.replace(used, used.replace("%i]", "%k]")), rest=rest)


def test_operations_keep_track_of_what_is_not_specified():
    where = np.array([[False, True, True]])
    x = unspecified(np.array([[1, 2, 3]]), where, [Cause("x", np.array([[1, 2, 3]]), "[1, 1]", where)])
    for y in (x + 1, -x, np.multiply(2, x), x.astype(np.int8), x.view(np.uint64), np.where(x == 0, 1, 2)):
        assert isinstance(y, Unspecified) and (np.broadcast_to(y.where, y.shape) == where).all(), y
    assert (x.reshape(1, 3, 1).where[..., 0] == where).all()
    for y in (*np.divmod(x, 2), np.broadcast_to(x, (2, 1, 3))):
        assert isinstance(y, Unspecified) and (np.broadcast_to(y.where, y.shape) == where).all(), y
    assert type(np.concatenate([x, x])) is np.ndarray, "a function without a rule makes everything specified"
    chosen = np.where(np.array([[True, True, False]]), 0, x)
    assert isinstance(chosen, Unspecified) and chosen.where.tolist() == [[False, False, True]]
    guard = np.array([[True, False, True]])
    for guarded in (guard & (x > 0), (x > 0) & guard):
        assert isinstance(guarded, Unspecified) and guarded.where.tolist() == [[False, False, True]]
    assert not isinstance(plain(x), Unspecified) and not isinstance(x.any(), Unspecified)
