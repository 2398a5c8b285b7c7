"""Barriers in shared memory: phases, arrivals, bytes, and what is wrong with their use."""

import numpy as np
import pytest
from ptx_kernels import kernel, line_of

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import Fault, FaultKind
from xshardy.ptx.machine import Machine, Options

STORE = """
  mad.lo.u32 %r30, %r2, {threads}, %r1;
  mul.wide.u32 %rd30, %r30, 4;
  add.s64 %rd31, %rd1, %rd30;
  st.global.b32 [%rd31], {value};
"""
INIT = """
  mov.b32 %r3, s;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r3], {count};
  bar.sync 0;
"""


def run(body: str, threads: int, value: str = "%r9", blocks: int = 1) -> tuple[Array, list[Fault]]:
    """What each thread has in a register at the end, [blocks, threads], and the faults."""
    out = np.zeros((blocks, threads), np.uint32)
    ptx = kernel(body + STORE.format(threads=threads, value=value), parameters=1, shared=256)
    options = Options(checks=True, collects_faults=True, max_iterations=5000)
    return out, Machine(ptx).run([blocks], [threads], [out], options)


def passed(body: str, threads: int, blocks: int = 1) -> Array:
    out, faults = run(body, threads, blocks=blocks)
    assert faults == []
    return out


def test_threads_wait_for_those_behind_them():
    """The last warp produces, at an address behind the loop in which the first one waits."""
    body = f"""{INIT.format(count=32)}
  add.u32 %r4, %r3, 64;
  and.b32 %r5, %r1, 31;
  shl.b32 %r5, %r5, 2;
  add.u32 %r4, %r4, %r5;
  setp.gt.u32 %p2, %r1, 31;
  @%p2 bra $produce;
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;
  @!%p3 bra $wait;
  ld.shared.b32 %r9, [%r4];
  bra.uni $done;
$produce:
  mul.lo.u32 %r6, %r1, 3;
  st.shared.b32 [%r4], %r6;
  mov.b32 %r9, 0;
  mbarrier.arrive.shared::cta.b64 _, [%r3];
$done:
"""
    found = passed(body, 64, blocks=3)
    assert (found[:, :32] == 3 * np.arange(32, 64)).all() and not found[:, 32:].any()


def test_threads_whose_phase_is_complete_do_not_wait_for_the_others():
    """
    Of threads that test together, and of those whose guard lets them test: the odd ones wait for a second `mbarrier`,
    at which an even one arrives behind its own test.
    """
    body = f"""{INIT.format(count=1)}
  @%p1 mbarrier.init.shared::cta.b64 [%r3+8], 1;
  bar.sync 0;
  @%p1 mbarrier.arrive.shared::cta.b64 _, [%r3];
  and.b32 %r4, %r1, 1;
  shl.b32 %r5, %r4, 3;
  add.u32 %r6, %r3, %r5;
  setp.ne.u32 %p4, %r4, 5;
$wait:
  GUARDmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6], 0;
  @!%p3 bra $wait;
  setp.eq.u32 %p2, %r1, 2;
  @%p2 mbarrier.arrive.shared::cta.b64 _, [%r3+8];
  add.u32 %r9, %r1, 7;
"""
    for guard in ("", "@%p4 "):
        assert passed(body.replace("GUARD", guard), 64).ravel().tolist() == [*range(7, 71)]


def test_threads_that_wait_in_vain_at_two_places_are_told_of_their_own_mbarrier():
    body = f"""{INIT.format(count=3)}
  @%p1 mbarrier.init.shared::cta.b64 [%r3+8], 2;
  bar.sync 0;
  setp.lt.u32 %p2, %r1, 32;
  @!%p2 bra $second;
$first:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;
  @!%p3 bra $first;
  bra $done;
$second:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3+8], 0;
  @!%p3 bra $second;
$done:
"""
    _, faults = run(body, 64, "%r3")
    assert [fault.message.partition(" waits ")[2] for fault in faults] == [
        "for phase 0 of the mbarrier at byte 0 of shared memory, which lacks 3 arrivals and 0 bytes",
        "for phase 0 of the mbarrier at byte 8 of shared memory, which lacks 2 arrivals and 0 bytes",
    ]


def test_a_guard_that_holds_for_no_thread_leaves_the_test_out():
    body = f"""{INIT.format(count=1)}
  setp.gt.u32 %p4, %r1, 100;
  setp.eq.u32 %p3, %r1, 3;
  @%p4 mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;
  selp.b32 %r9, 1, 2, %p3;
"""
    assert passed(body, 32).ravel().tolist() == [1 if number == 3 else 2 for number in range(32)]


def test_a_ring_of_two_slots():
    """A producer and a consumer, six rounds: each waits for the other's phase, whose parity changes."""
    body = f"""{INIT.format(count=1)}
  @%p1 mbarrier.init.shared::cta.b64 [%r3+8], 1;
  @%p1 mbarrier.init.shared::cta.b64 [%r3+16], 1;
  @%p1 mbarrier.init.shared::cta.b64 [%r3+24], 1;
  bar.sync 0;
  mov.b32 %r4, 0;
  mov.b32 %r9, 0;
  setp.eq.u32 %p2, %r1, 32;
  setp.eq.u32 %p4, %r1, 0;
  @%p2 bra $produce;
  @!%p4 bra $done;
$consume:
  and.b32 %r5, %r4, 1;
  shr.u32 %r6, %r4, 1;
  and.b32 %r6, %r6, 1;
  shl.b32 %r7, %r5, 3;
  add.u32 %r7, %r3, %r7;
$full:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7], %r6;
  @!%p3 bra $full;
  shl.b32 %r8, %r5, 2;
  add.u32 %r8, %r3, %r8;
  ld.shared.b32 %r10, [%r8+64];
  mad.lo.u32 %r9, %r9, 10, %r10;
  mbarrier.arrive.shared::cta.b64 _, [%r7+16];
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p5, %r4, 6;
  @%p5 bra $consume;
  bra.uni $done;
$produce:
  and.b32 %r5, %r4, 1;
  shr.u32 %r6, %r4, 1;
  and.b32 %r6, %r6, 1;
  xor.b32 %r6, %r6, 1;
  shl.b32 %r7, %r5, 3;
  add.u32 %r7, %r3, %r7;
$empty:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7+16], %r6;
  @!%p3 bra $empty;
  shl.b32 %r8, %r5, 2;
  add.u32 %r8, %r3, %r8;
  add.u32 %r10, %r4, 1;
  st.shared.b32 [%r8+64], %r10;
  mbarrier.arrive.shared::cta.b64 _, [%r7];
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p5, %r4, 6;
  @%p5 bra $produce;
$done:
"""
    found = passed(body, 64, blocks=2)
    assert found[:, 0].tolist() == [123456, 123456]
    read, arrive = "  ld.shared.b32 %r10, [%r8+64];\n", "  mbarrier.arrive.shared::cta.b64 _, [%r7+16];\n"
    early = body.replace(arrive, "").replace(read, arrive + read.replace(";", "; // here"))
    _, faults = run(early, 64)
    assert {fault.kind for fault in faults} == {FaultKind.RACE}
    assert "writes what thread (0, 0, 0) of block (0, 0, 0) reads, with no barrier between" in str(faults[0])


STATES = f"""{INIT.format(count=64)}
  mbarrier.arrive.shared::cta.b64 %rd5, [%r3];
  mbarrier.pending_count.b64 %r9, %rd5;
$wait:
  mbarrier.test_wait.shared::cta.b64 %p3, [%r3], %rd5;
  @!%p3 bra $wait;
"""


def test_states_of_arrivals():
    """Each thread finds a count that was pending at some time before; the phase is complete behind the last."""
    found = passed(STATES, 64)
    assert found.max() == 64 and found.min() >= 1


def test_a_test_that_fails():
    """Nobody can arrive before the threads go on, so that the test says no once."""
    body = f"""{INIT.format(count=64)}
  mov.b32 %r9, 0;
$wait:
  mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r3], 0;
  @%p3 bra $done;
  add.u32 %r9, %r9, 1;
  mbarrier.arrive.shared::cta.b64 _, [%r3];
  bra.uni $wait;
$done:
"""
    assert (passed(body, 64) == 1).all()


def test_bytes_complete_a_phase():
    body = f"""{INIT.format(count=1)}
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 96;
  bar.sync 0;
  mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r3], 0;
  setp.eq.u32 %p4, %r1, 1;
  @%p4 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3], 64;
  @%p4 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3], 32;
  bar.sync 0;
  mbarrier.test_wait.parity.shared::cta.b64 %p5, [%r3], 0;
  selp.b32 %r8, 10, 0, %p3;
  selp.b32 %r9, 1, 0, %p5;
  add.u32 %r9, %r8, %r9;
"""
    assert (passed(body, 64) == 1).all()


def test_who_drops_is_not_expected_again():
    body = f"""{INIT.format(count=2)}
  setp.eq.u32 %p2, %r1, 1;
  @%p2 mbarrier.arrive_drop.shared::cta.b64 _, [%r3];
  @%p1 mbarrier.arrive.shared::cta.b64 _, [%r3];
  bar.sync 0;
  @%p1 mbarrier.arrive.shared::cta.b64 _, [%r3];
  bar.sync 0;
  mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r3], 1;
  selp.b32 %r9, 1, 0, %p3;
"""
    assert (passed(body, 32) == 1).all()


@pytest.mark.parametrize(("modifier", "count"), [("", 64), (".noinc", 128)])
def test_copies_arrive(modifier: str, count: int):
    source = np.arange(64, dtype=np.uint32)
    out = np.zeros(64, np.uint32)
    body = f"""{INIT.format(count=count)}
  mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd6, %rd1, %rd5;
  add.s64 %rd7, %rd2, %rd5;
  shl.b32 %r4, %r1, 2;
  add.u32 %r4, %r3, %r4;
  sub.u32 %r5, %r3, %r4;
  add.u32 %r5, %r5, %r3;
  cp.async.ca.shared.global [%r4+16], [%rd6], 4;
  cp.async.mbarrier.arrive{modifier}.shared.b64 [%r3];
  mbarrier.arrive.shared::cta.b64 _, [%r3];
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;
  @!%p3 bra $wait;
  ld.shared.b32 %r9, [%r5+268];
  st.global.b32 [%rd7], %r9;
"""
    options = Options(checks=True, collects_faults=True)
    assert Machine(kernel(body, shared=512)).run([1], [64], [source, out], options) == []
    assert out.tolist() == source[::-1].tolist()
    early = body.replace(f"  cp.async.mbarrier.arrive{modifier}.shared.b64 [%r3];\n", "")
    if modifier:
        early = early.replace(f"b64 [%r3], {count};", "b64 [%r3], 64;")
    faults = Machine(kernel(early, shared=512)).run([1], [64], [source, out], options)
    assert {fault.kind for fault in faults} == {FaultKind.RACE}
    assert "reads what the cp.async of thread" in str(faults[0])


def test_labels_belong_to_their_scope():
    """Two loops with one name, each in braces."""
    loop = "{\n$wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;\n@!%p3 bra $wait;\n}\n"
    body = f"{INIT.format(count=64)}\nmbarrier.arrive.shared::cta.b64 _, [%r3];\n{loop}{loop}mov.b32 %r9, 7;"
    assert (passed(body, 64) == 7).all()


WAIT = "$wait:\n  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; // here\n  @!%p3 bra $wait;\n"
FAULTS = {
    "use before init": (
        "mov.b32 %r3, s;\nmbarrier.arrive.shared::cta.b64 _, [%r3]; // here",
        FaultKind.MBARRIER,
        "uses the mbarrier at byte 0 of shared memory, which nobody has initialized",
    ),
    "use after inval": (
        f"{INIT.format(count=1)}\n@%p1 mbarrier.inval.shared::cta.b64 [%r3];\nbar.sync 0;\n{WAIT}",
        FaultKind.MBARRIER,
        "which nobody has initialized",
    ),
    "second init": (
        f"{INIT.format(count=1)}\n@%p1 mbarrier.init.shared::cta.b64 [%r3], 2; // here",
        FaultKind.MBARRIER,
        "which is in use: invalidate it first",
    ),
    "count of 0": (
        "mov.b32 %r3, s;\nmbarrier.init.shared::cta.b64 [%r3], 0; // here",
        FaultKind.MBARRIER,
        "which must expect 1 to 1048575 arrivals",
    ),
    "too many arrivals": (
        f"{INIT.format(count=3)}\nmbarrier.arrive.shared::cta.b64 _, [%r3]; // here",
        FaultKind.MBARRIER,
        "at which more threads arrive than it expects",
    ),
    "not in shared memory": (
        "mbarrier.init.b64 [%rd1], 1; // here",
        FaultKind.MBARRIER,
        "uses an mbarrier in k_0: only shared memory has them",
    ),
    "an address of global memory": (
        "mbarrier.init.shared::cta.b64 [%rd1], 1; // here",
        FaultKind.OUT_OF_BOUNDS,
        "accesses 8 bytes at byte 1099511627776 of shared memory, which has 256",
    ),
    "misaligned": (
        "mov.b32 %r3, s;\nmbarrier.init.shared::cta.b64 [%r3+4], 1; // here",
        FaultKind.MISALIGNED,
        "accesses 8 bytes at byte 4 of shared memory, no multiple of 8",
    ),
    "no init before the barrier": (
        f"{INIT.format(count=64)}\nmbarrier.arrive.shared::cta.b64 _, [%r3]; // here".replace("bar.sync 0;", ""),
        FaultKind.RACE,
        "writes what thread (0, 0, 0) of block (0, 0, 0) writes, with no barrier between",
    ),
    "nobody arrives": (
        f"{INIT.format(count=2)}\n@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 80;\n{WAIT}",
        FaultKind.NEVER_COMPLETE,
        "waits for phase 0 of the mbarrier at byte 0 of shared memory, which lacks 1 arrivals and 80 bytes",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str):
    body, kind, message = FAULTS[name]
    _, faults = run(body, 64)
    ptx = kernel(body, parameters=1, shared=256)
    (fault,) = [fault for fault in faults if fault.kind is kind]
    assert fault.line == line_of(ptx, "here") and message in str(fault)


BULK = """
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 128;
  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+128], [%rd1], 128, [%r3];
"""
THEIRS = """
  cp.async.ca.shared.global [%r4+128], [%rd1], 4;
  cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];
"""
SEEN = "$wait:\n  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;\n  @!%p3 bra $wait;\n"
INVALIDATE = "  @%p1 mbarrier.inval.shared::cta.b64 [%r3]; // inval\n"
ANY = "setp.eq.u32 %p1, %r1, 32;"


@pytest.mark.parametrize(
    ("count", "copy", "behind", "is_right"),
    [
        (1, BULK, INVALIDATE, False),
        (1, BULK, f"bar.sync 0;\n{INVALIDATE}", False),
        (1, BULK, f"{ANY}\n{SEEN}{INVALIDATE}", True),
        (1, BULK, f"{SEEN}{INVALIDATE}", True),
        (1, BULK, f"@!%p1 bra $done;\n{SEEN}$done:\nbar.sync 0;\n{ANY}\n{INVALIDATE}", True),
        (1, BULK, f"@!%p1 bra $done;\n{SEEN}$done:\n{ANY}\n{INVALIDATE}", False),
        (64, THEIRS, INVALIDATE, False),
        (64, THEIRS, f"{SEEN}{INVALIDATE}", True),
        (64, "mbarrier.arrive.shared::cta.b64 _, [%r3];", f"bar.sync 0;\n{INVALIDATE}", True),
    ],
)
def test_an_object_is_invalidated_behind_what_arrives_at_it(count: int, copy: str, behind: str, is_right: bool):
    """Source: PTX ISA, `mbarrier.inval`: an arrival at what is no object is undefined."""
    start = f"{INIT.format(count=count)}  fence.proxy.async;\n  shl.b32 %r4, %r1, 2;\n  add.u32 %r4, %r4, %r3;\n"
    ptx = kernel(f"{start}{copy}\n{behind}", parameters=1, shared=512)
    faults = Machine(ptx).check([1], [64], [np.zeros(64, np.uint32)])
    found = [(fault.kind, fault.line) for fault in faults]
    assert found == ([] if is_right else [(FaultKind.MBARRIER, line_of(ptx, "// inval"))])
    assert is_right or "byte 0 of shared memory, at which an asynchronous operation may still arrive" in str(faults[0])


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("mbarrier.test_wait.b64 {%r3, %r4}, [%rd1], %rd2;", r"2 registers do not make a \.pred"),
        ("cp.async.wait_group -1;", "expected a constant number of groups"),
        ("cp.async.wait_group %r3;", "expected a constant number of groups"),
        ("mov.b64 %rd5, {%r3, %r4, %r5};", r"3 registers do not make a \.b64"),
    ],
)
def test_wrong_operands_are_refused(statement: str, message: str):
    with pytest.raises(PtxError, match=message):
        run(statement, 32)


def test_an_unknown_form_is_refused():
    with pytest.raises(PtxError, match=r"expected one of \.init, .*\.expect_tx, \.complete_tx"):
        run("mbarrier.other.b64 [%rd1];", 32)
