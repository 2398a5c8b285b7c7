"""Each seeded fault is found, with its line; and the same kernels without it have none."""

from typing import NamedTuple

import numpy as np
import pytest
from ptx_kernels import kernel, line_of

from xshardy.ptx.errors import LaunchError
from xshardy.ptx.faults import Fault, FaultError, FaultKind
from xshardy.ptx.machine import Machine, Options

THREADS, BLOCKS = 64, 2
MARK = "// here"


class Case(NamedTuple):
    """A kernel with a fault: a correct body, and the statement in it that is replaced."""

    body: str
    right: str
    wrong: str
    """With `MARK` in the line that is at fault, if that is another one than the replaced one's."""
    kind: FaultKind


ADDRESS = """
  mad.lo.u32 %r3, %r2, 64, %r1;
  mul.wide.u32 %rd5, %r3, 4;
  add.s64 %rd6, %rd1, %rd5;
  add.s64 %rd7, %rd2, %rd5;
"""
COPY = f"""{ADDRESS}
  ld.global.b32 %r4, [%rd6];
  st.global.b32 [%rd7], %r4;
"""
REVERSE = f"""{ADDRESS}
  mov.u64 %rd8, s;
  mul.wide.u32 %rd9, %r1, 4;
  add.s64 %rd10, %rd8, %rd9;
  sub.s64 %rd11, %rd8, %rd9;
  ld.global.b32 %r4, [%rd6];
  st.shared.b32 [%rd10], %r4;
  bar.sync 0;
  ld.shared.b32 %r5, [%rd11+252];
  bar.sync 0;
  st.shared.b32 [%rd10], %r5;
  st.global.b32 [%rd7], %r5;
"""
LAST_OF_BLOCK = f"""{ADDRESS}
  setp.ne.u32 %p1, %r1, 63;
  ld.global.b32 %r4, [%rd6];
  @%p1 bra $done;
  st.global.b32 [%rd7], %r4;
$done:
"""
GUARDED_BARRIER = f"""{REVERSE}
  setp.gt.u32 %p1, %r1, 31;
  @%p1 bra $skip;
  add.u32 %r4, %r4, 1;
$skip:
  bar.sync 0;
"""
SHUFFLE = f"""{ADDRESS}
  ld.global.b32 %r4, [%rd6];
  setp.gt.u32 %p1, %r1, 15;
  shfl.sync.down.b32 %r5, %r4, 1, 31, -1;
  @%p1 bra $after;
  add.u32 %r5, %r5, 1;
$after:
  st.global.b32 [%rd7], %r5;
"""
LOOP = f"""{ADDRESS}
  mov.b32 %r4, 0;
$loop:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 10;
  @%p1 bra $loop;
  st.global.b32 [%rd7], %r4;
"""
WAIT = f"""{ADDRESS}
  mov.b32 %r5, 1;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra $wait;
  st.relaxed.gpu.global.b32 [%rd2], %r5;
$wait:
  ld.relaxed.gpu.global.b32 %r4, [%rd2];
  setp.eq.u32 %p1, %r4, 0;
  @%p1 bra $wait;
"""
ATOMIC = """
  atom.global.add.u32 %r4, [%rd2], 1;
"""
WARP_EXCHANGE = """
  mov.u64 %rd8, s;
  mul.wide.u32 %rd9, %r1, 4;
  add.s64 %rd10, %rd8, %rd9;
  xor.b32 %r5, %r1, 1;
  mul.wide.u32 %rd11, %r5, 4;
  add.s64 %rd12, %rd8, %rd11;
  st.shared.b32 [%rd10], %r1;
  bar.warp.sync -1;
  ld.shared.b32 %r6, [%rd12];
"""
NAMED = """
  setp.gt.u32 %p1, %r1, 31;
  @%p1 bra $second;
  bar.sync 1, 32;
  bra.uni $end;
$second:
  bar.sync 2, 32;
$end:
"""

HANDED_OVER = """
  mov.u64 %rd8, s;
  and.b32 %r5, %r1, 31;
  mul.wide.u32 %rd9, %r5, 4;
  add.s64 %rd10, %rd8, %rd9;
  setp.gt.u32 %p1, %r1, 31;
  @%p1 bra $second;
  st.shared.b32 [%rd10], %r1;
  bar.arrive 1, 64;
  bra.uni $end;
$second:
  bar.sync 1, 64;
  ld.shared.b32 %r6, [%rd10];
$end:
"""
CHECKED = f"""{ADDRESS}
  ld.global.b32 %r4, [%rd6];
  setp.gt.u32 %p1, %r4, 7;
  @%p1 trap; {MARK}
  st.global.b32 [%rd7], %r4;
"""

CASES = {
    "barrier at which the reader does not wait": Case(
        HANDED_OVER.replace("ld.shared.b32 %r6, [%rd10];", f"ld.shared.b32 %r6, [%rd10]; {MARK}"),
        "st.shared.b32 [%rd10], %r1;\n  bar.arrive 1, 64;\n  bra.uni $end;\n$second:\n  bar.sync 1, 64;",
        "st.shared.b32 [%rd10], %r1;\n  bar.sync 1, 64;\n  bra.uni $end;\n$second:\n  bar.arrive 1, 64;\n"
        "  bar.sync 2, 32;",
        FaultKind.RACE,
    ),
    "barriers of other threads": Case(
        HANDED_OVER.replace("ld.shared.b32 %r6, [%rd10];", f"ld.shared.b32 %r6, [%rd10]; {MARK}"),
        "bar.arrive 1, 64;\n  bra.uni $end;\n$second:\n  bar.sync 1, 64;",
        "bar.sync 1, 32;\n  bra.uni $end;\n$second:\n  bar.sync 2, 32;",
        FaultKind.RACE,
    ),
    "trap": Case(CHECKED, "setp.gt.u32", "setp.lt.u32", FaultKind.TRAP),
    "load behind the end": Case(COPY, "[%rd6]", "[%rd6+4]", FaultKind.OUT_OF_BOUNDS),
    "load before the beginning": Case(COPY, "[%rd6]", "[%rd6+-4]", FaultKind.OUT_OF_BOUNDS),
    "store behind the end": Case(COPY, "[%rd7]", "[%rd7+256]", FaultKind.OUT_OF_BOUNDS),
    "bound off by one": Case(LAST_OF_BLOCK, "st.global.b32 [%rd7]", "st.global.b32 [%rd7+4]", FaultKind.OUT_OF_BOUNDS),
    "wrong stride": Case(
        COPY.replace("[%rd6];", f"[%rd6]; {MARK}"),
        "%r2, 64,",
        "%r2, 128,",
        FaultKind.OUT_OF_BOUNDS,
    ),
    "vector behind the end": Case(
        COPY, "ld.global.b32 %r4, [%rd6]", "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd1+512]", FaultKind.OUT_OF_BOUNDS
    ),
    "vector of a store behind the end": Case(
        COPY,
        "st.global.b32 [%rd7], %r4;",
        "st.global.v4.b32 [%rd2+508], {%r4, %r4, %r4, %r4};",
        FaultKind.OUT_OF_BOUNDS,
    ),
    "no buffer": Case(COPY, "[%rd6]", "[%rd5]", FaultKind.OUT_OF_BOUNDS),
    "shared memory behind the end": Case(REVERSE, "[%rd11+252]", "[%rd11+256]", FaultKind.OUT_OF_BOUNDS),
    "misaligned load": Case(COPY, "[%rd6]", "[%rd1+2]", FaultKind.MISALIGNED),
    "misaligned vector": Case(
        COPY, "ld.global.b32 %r4, [%rd6]", "ld.global.v2.b32 {%r4, %r5}, [%rd1+4]", FaultKind.MISALIGNED
    ),
    "missing barrier before the read": Case(
        REVERSE.replace("ld.shared.b32 %r5, [%rd11+252];", f"ld.shared.b32 %r5, [%rd11+252]; {MARK}"),
        "bar.sync 0;\n  ld",
        "ld",
        FaultKind.RACE,
    ),
    "missing barrier before the overwrite": Case(
        REVERSE.replace("st.shared.b32 [%rd10], %r5;", f"st.shared.b32 [%rd10], %r5; {MARK}"),
        "bar.sync 0;\n  st",
        "st",
        FaultKind.RACE,
    ),
    "threads write one place": Case(COPY, "st.global.b32 [%rd7], %r4", "st.global.b32 [%rd2], %r1", FaultKind.RACE),
    "blocks write one place": Case(
        LAST_OF_BLOCK, "st.global.b32 [%rd7], %r4", "st.global.b32 [%rd2], %r2", FaultKind.RACE
    ),
    "read beside atomic updates": Case(
        ATOMIC.replace("1;", f"1; {MARK}"),
        "  atom.global",
        "  ld.global.b32 %r5, [%rd2];\n  atom.global",
        FaultKind.RACE,
    ),
    "missing barrier of the warp": Case(
        WARP_EXCHANGE.replace("[%rd12];", f"[%rd12]; {MARK}"), "bar.warp.sync -1;", "", FaultKind.RACE
    ),
    "uninitialized shared memory": Case(
        REVERSE.replace("[%rd11+252];", f"[%rd11+252]; {MARK}"),
        "st.shared.b32 [%rd10], %r4;",
        "",
        FaultKind.UNINITIALIZED,
    ),
    "barrier in a branch": Case(
        GUARDED_BARRIER, "$skip:\n  bar.sync 0;", f"  bar.sync 0; {MARK}\n$skip:", FaultKind.DIVERGENT_BARRIER
    ),
    "threads end before a barrier": Case(
        GUARDED_BARRIER.replace("$skip:\n  bar.sync 0;", f"$skip:\n  bar.sync 0; {MARK}"),
        "@%p1 bra $skip;",
        "@%p1 ret;",
        FaultKind.DIVERGENT_BARRIER,
    ),
    "too few threads for a barrier": Case(NAMED, "bar.sync 1, 32;", "bar.sync 1, 64;", FaultKind.DIVERGENT_BARRIER),
    "shuffle in a branch": Case(
        SHUFFLE,
        "shfl.sync.down.b32 %r5, %r4, 1, 31, -1;\n  @%p1 bra $after;",
        f"@%p1 bra $after;\n  shfl.sync.down.b32 %r5, %r4, 1, 31, -1; {MARK}",
        FaultKind.DIVERGENT_WARP,
    ),
    "mask of a shuffle without a lane that executes it": Case(
        SHUFFLE.replace("1, 31, -1;", f"1, 31, -1; {MARK}"),
        "1, 31, -1;",
        "1, 31, 0x7fffffff;",
        FaultKind.MEMBER_MASK,
    ),
    "mask of a vote, from a register, without a lane that executes it": Case(
        SHUFFLE.replace("shfl.sync", f"mov.b32 %r5, -1;\n  vote.sync.ballot.b32 %r5, %p1, %r5; {MARK}\n  shfl.sync"),
        "mov.b32 %r5, -1;",
        "mov.b32 %r5, 5;",
        FaultKind.MEMBER_MASK,
    ),
    "loop without progress": Case(
        LOOP.replace("@%p1 bra $loop;", f"@%p1 bra $loop; {MARK}"),
        "add.u32 %r4, %r4, 1;",
        "and.b32 %r4, %r4, 1;",
        FaultKind.ENDLESS,
    ),
    "loop that misses its end": Case(
        LOOP.replace("@%p1 bra $loop;", f"@%p1 bra $loop; {MARK}"),
        "setp.lt.u32 %p1, %r4, 10;",
        "setp.ne.u32 %p1, %r4, 0;",
        FaultKind.ENDLESS,
    ),
    "waiting for a flag that nobody sets": Case(
        WAIT.replace("@%p1 bra $wait;", f"@%p1 bra $wait; {MARK}"),
        "st.relaxed.gpu.global.b32 [%rd2], %r5;",
        "",
        FaultKind.ENDLESS,
    ),
    "constant data that is written": Case(
        COPY.replace("%r4;", f"%r4; {MARK}"),
        "ld.global.b32 %r4, [%rd6];",
        "ld.global.nc.b32 %r4, [%rd7];",
        FaultKind.READ_ONLY,
    ),
}


def faults_of(ptx: str) -> list[Fault]:
    arrays = [np.zeros(THREADS * BLOCKS, np.uint32) for _ in range(2)]
    options = Options(collects_faults=True, checks=True, max_iterations=5000)
    return Machine(ptx).run([BLOCKS], [THREADS], arrays, options)


@pytest.mark.parametrize("name", CASES)
def test_fault_is_found(name: str):
    case = CASES[name]
    assert case.body.count(case.right) == 1
    marked = case.wrong if MARK in case.body + case.wrong else case.wrong + " " + MARK.replace("//", "/*") + " */"
    ptx = kernel(case.body.replace(case.right, marked), shared=256)
    line = line_of(ptx, "here")
    found = faults_of(ptx)
    assert (case.kind, line) in {(fault.kind, fault.line) for fault in found}, found
    assert min(fault.line for fault in found if fault.kind is case.kind) == line


@pytest.mark.parametrize("name", CASES)
def test_right_kernels_have_no_fault(name: str):
    assert faults_of(kernel(CASES[name].body, shared=256)) == []


@pytest.mark.parametrize(("count", "kinds"), [(7, set()), (4, {FaultKind.OUT_OF_BOUNDS})])
def test_vector_may_end_behind_its_buffer(count: int, kinds: set[FaultKind]):
    body = """
  ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd1+16];
  st.global.v4.b32 [%rd2], {%r4, %r5, %r6, %r7};
"""
    arrays = [np.arange(count, dtype=np.uint32), np.zeros(4, np.uint32)]
    found = Machine(kernel(body)).run([1], [1], arrays, Options(collects_faults=True, checks=True))
    assert {fault.kind for fault in found} == kinds
    assert kinds or arrays[1].tolist() == [4, 5, 6, 2**32 - 1]  # nothing that anyone wrote


def test_messages_name_the_thread_and_the_place():
    (fault,) = faults_of(kernel(COPY.replace("[%rd6]", "[%rd6+4]")))
    assert str(fault).endswith(
        "access out of bounds: thread (63, 0, 0) of block (1, 0, 0) accesses 4 bytes at byte 512 of k_0, which has 512"
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            NAMED.replace(", 32;", ", 64;"),
            r"waits for thread \(32, 0, 0\) of block \(0, 0, 0\), which waits at line 23 ",
        ),
        ("bar.sync 1, 96;", "waits for 96 threads, of which 64 come "),
    ],
)
def test_threads_wait_in_vain_for_those_at_another_barrier_or_for_too_many(body: str, message: str):
    with pytest.raises(FaultError, match=message):
        Machine(kernel(body)).run([1], [THREADS], [np.zeros(1), np.zeros(1)])


def test_the_first_fault_is_raised_unless_collected():
    with pytest.raises(FaultError, match=r"^line \d+: misaligned access: thread \(0, 0, 0\) of block \(0, 0, 0\)"):
        arrays = [np.zeros(THREADS * BLOCKS, np.uint32) for _ in range(2)]
        Machine(kernel(COPY.replace("[%rd6]", "[%rd1+2]"))).run([BLOCKS], [THREADS], arrays)


def test_threads_of_one_warp_may_write_one_value():
    body = "  mov.u64 %rd8, s;\n  mov.b32 %r9, 7;\n  st.shared.b32 [%rd8], %r9;"
    assert Machine(kernel(body, parameters=0, shared=16)).run([1], [32], [], Options(checks=True)) == []


def test_of_equal_faults_in_one_line_the_first_is_kept():
    """Blocks that are executed one after another report the same line."""
    options = Options(collects_faults=True, together=THREADS)
    arrays = [np.zeros(THREADS * BLOCKS, np.uint32) for _ in range(2)]
    (fault,) = Machine(kernel(COPY.replace("[%rd6]", "[%rd1+2]"))).run([BLOCKS], [THREADS], arrays, options)
    assert "block (0, 0, 0)" in str(fault)


@pytest.mark.parametrize(
    ("directive", "threads", "fits"),
    [("maxntid 64", 64, True), ("maxntid 8, 4", 33, False), ("maxntid 8, 4", 32, True)],
)
def test_a_block_has_no_more_threads_than_the_kernel_allows(directive: str, threads: int, fits: bool):
    machine = Machine(kernel("", parameters=0).replace(")\n{", f")\n.{directive}\n{{"))
    if fits:
        assert machine.run([1], [threads], []) == []
        return
    with pytest.raises(LaunchError, match="the kernel allows blocks of at most 32 threads, not 33"):
        machine.run([1], [threads], [])


def test_every_parameter_has_an_argument():
    with pytest.raises(LaunchError, match="the kernel has 2 parameters, but there are 1 arguments"):
        Machine(kernel(COPY)).run([BLOCKS], [THREADS], [np.zeros(1)])


def test_arrays_with_gaps_are_refused():
    arrays = [np.zeros(2 * THREADS * BLOCKS, np.uint32)[::2] for _ in range(2)]
    with pytest.raises(LaunchError, match="the array for parameter k_0 is not contiguous: pass a copy"):
        Machine(kernel(COPY)).run([BLOCKS], [THREADS], arrays)


def test_matrices_are_loaded_by_whole_warps():
    body = "  mov.u64 %rd8, s;\n  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%rd8];"
    with pytest.raises(FaultError, match="threads"):
        Machine(kernel(f"  setp.gt.u32 %p1, %r1, 15;\n  @%p1 bra $end;\n{body}\n$end:", 0, 512)).run([1], [32], [])


@pytest.mark.parametrize(("threads", "what"), [(1, "thread 0"), (2, "thread 0 (and 1 more threads)")])
def test_a_fault_of_several_threads_says_how_many(threads: int, what: str):
    fault = Fault(FaultKind.RACE, 7, "thread 0", threads)
    assert fault.what == what and FaultError(fault).fault is fault
