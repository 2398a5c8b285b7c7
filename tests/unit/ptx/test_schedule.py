"""Divergence, loops, barriers and exchanges between threads, beside what each thread computes alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import integers
from ptx_kernels import kernel

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.machine import Machine, Options

STORE = """
  mad.lo.u32 %r30, %r2, {threads}, %r1;
  mul.wide.u32 %rd30, %r30, 4;
  add.s64 %rd31, %rd1, %rd30;
  st.global.b32 [%rd31], {value};
"""


def values(body: str, value: str, threads: int, blocks: int = 1, shared: int = 0) -> Array:
    """What each thread has in a register at the end of `body`: an array [blocks, threads]."""
    out = np.zeros((blocks, threads), np.uint32)
    ptx = kernel(body + STORE.format(threads=threads, value=value), parameters=1, shared=shared)
    Machine(ptx).run([blocks], [threads], [out], Options(together=2 * threads))
    return out


def collatz(start: int) -> int:
    steps, value = 0, start
    while value > 1:
        value = 3 * value + 1 if value % 2 else value // 2
        steps += 1
    return steps


def test_loops_and_branches_that_threads_take_apart():
    body = """
  mad.lo.u32 %r3, %r2, 70, %r1;
  mov.b32 %r4, 0;
$head:
  setp.le.u32 %p1, %r3, 1;
  @%p1 bra $done;
  add.u32 %r4, %r4, 1;
  and.b32 %r5, %r3, 1;
  setp.eq.b32 %p2, %r5, 1;
  @%p2 bra $odd;
  shr.u32 %r3, %r3, 1;
  bra.uni $head;
$odd:
  mad.lo.u32 %r3, %r3, 3, 1;
  bra.uni $head;
$done:
"""
    found = values(body, "%r4", threads=70, blocks=5)
    assert found.ravel().tolist() == [collatz(number) for number in range(350)]


def test_sum_of_a_block_through_shared_memory():
    body = """
  mov.u64 %rd8, s;
  mul.wide.u32 %rd9, %r1, 4;
  add.s64 %rd10, %rd8, %rd9;
  mad.lo.u32 %r3, %r2, 64, %r1;
  st.shared.b32 [%rd10], %r3;
  mov.b32 %r4, 32;
$step:
  bar.sync 0;
  setp.ge.u32 %p1, %r1, %r4;
  @%p1 bra $idle;
  add.u32 %r5, %r1, %r4;
  mul.wide.u32 %rd11, %r5, 4;
  add.s64 %rd12, %rd8, %rd11;
  ld.shared.b32 %r6, [%rd12];
  ld.shared.b32 %r7, [%rd10];
  add.u32 %r7, %r7, %r6;
  st.shared.b32 [%rd10], %r7;
$idle:
  shr.u32 %r4, %r4, 1;
  setp.ne.u32 %p2, %r4, 0;
  @%p2 bra $step;
  bar.sync 0;
  ld.shared.b32 %r8, [%rd8];
"""
    found = values(body, "%r8", threads=64, blocks=3, shared=256)
    assert (found == np.arange(192).reshape(3, 64).sum(axis=1, keepdims=True)).all()


@given(by=integers(0, 31), seed=integers(0, 2**31))
def test_shuffles(by: int, seed: int):
    """A butterfly and an indexed shuffle are permutations; at the borders `down` and `up` keep the own value."""
    lane = np.arange(64) % 32
    for mode, clamp, source in (
        ("bfly", 31, lane ^ by),
        ("idx", 31, np.full(64, by)),
        ("down", 31, np.where(lane + by <= 31, lane + by, lane)),
        ("up", 0, np.where(lane - by >= 0, lane - by, lane)),
    ):
        body = f"  xor.b32 %r3, %r1, {seed};\n  shfl.sync.{mode}.b32 %r4|%p1, %r3, {by}, {clamp}, -1;\n"
        expected = (np.arange(64) // 32 * 32 + source) ^ seed
        assert values(body, "%r4", threads=64).ravel().tolist() == expected.tolist()


def test_votes_before_sm_70_are_of_the_threads_that_are_there():
    body = """
  setp.lt.u32 %p1, %r1, 5;
  vote.all.pred %p2, %p1;
  vote.ballot.b32 %r3, %p1;
  selp.b32 %r4, 100, %r3, %p2;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.b32 [%rd3], %r4;
"""
    out = np.zeros(32, np.uint32)
    Machine(kernel(body, parameters=1)).run([1], [32], [out])
    assert set(out.tolist()) == {31}
    with pytest.raises(PtxError, match=r"member mask with \.sync only"):
        Machine(kernel(body.replace("%r3, %p1", "%r3, %p1, -1"), parameters=1)).run([1], [32], [out])


def test_votes_and_reductions():
    body = """
  and.b32 %r3, %r1, 3;
  setp.eq.b32 %p1, %r3, 1;
  vote.sync.ballot.b32 %r4, %p1, -1;
  vote.sync.any.pred %p2, %p1, -1;
  redux.sync.add.u32 %r5, %r1, -1;
  match.any.sync.b32 %r6, %r3, -1;
  selp.b32 %r7, %r5, 0, %p2;
"""
    assert set(values(body, "%r4", threads=32).ravel().tolist()) == {0x22222222}
    assert values(body, "%r7", threads=64).reshape(2, 32)[:, 0].tolist() == [496, 1520]
    assert values(body, "%r6", threads=32)[0, :4].tolist() == [0x11111111, 0x22222222, 0x44444444, 0x88888888]


def test_votes_and_matches_say_whether_all_threads_agree():
    """Source: PTX ISA, `vote.uni`, `match.all`: the bits of all threads, or 0 where one differs."""
    body = """
  and.b32 %r3, %r1, 31;
  shr.u32 %r4, %r1, 5;
  setp.lt.u32 %p1, %r3, %rLIMIT;
  vote.sync.uni.pred %p2, %p1, -1;
  selp.b32 %r9, 1, 0, %p2;
  setp.eq.u32 %p3, %r3, 31;
  mul.lo.u32 %r5, %r4, %r3;
  match.all.sync.b32 %r6|%p4, %r5, -1;
  selp.b32 %r7, 4, 0, %p4;
  or.b32 %r9, %r9, %r7;
  and.b32 %r8, %r6, 8;
  or.b32 %r9, %r9, %r8;
"""
    for limit, uniform in ((0, 1), (5, 0), (32, 1)):
        found = values(body.replace("%rLIMIT", str(limit)), "%r9", threads=64).reshape(2, 32)
        assert set(found[0].tolist()) == {uniform | 4 | 8} and set(found[1].tolist()) == {uniform}


def test_a_match_may_be_of_64_bits_and_of_some_threads():
    body = """
  mul.wide.u32 %rd8, %r1, 4;
  shr.u64 %rd8, %rd8, 4;
  setp.ge.u32 %p1, %r1, 4;
  mov.b32 %r4, 99;
  @%p1 bra $rest;
  match.all.sync.b64 %r4, %rd8, 15;
$rest:
"""
    assert values(body, "%r4", threads=32).ravel().tolist() == [15] * 4 + [99] * 28


def test_lanes_wait_for_others_of_their_warp_that_are_behind_them_in_the_text():
    """Compilers put the end of a loop in front of its body: lanes that skip the body come to the vote first."""
    body = """
  mov.b32 %r3, 0;
  mov.b32 %r4, %r1;
  bra $head;
$tail:
  vote.sync.ballot.b32 %r5, %p1, -1;
  add.u32 %r3, %r3, %r5;
  add.u32 %r4, %r4, 8;
$head:
  setp.lt.u32 %p1, %r4, 32;
  vote.sync.any.pred %p2, %p1, -1;
  @!%p2 bra $done;
  @!%p1 bra $tail;
  xor.b32 %r6, %r4, 1;
  bra $tail;
$done:
"""
    ballots = [(1 << 32 - 8 * turn) - 1 for turn in range(4)]
    assert set(values(body, "%r3", threads=32).ravel().tolist()) == {sum(ballots) % (1 << 32)}


def test_barriers_of_parts_of_a_block():
    body = """
  mov.u64 %rd8, s;
  setp.gt.u32 %p1, %r1, 31;
  @%p1 bra $second;
  st.shared.b32 [%rd8], 5;
  bar.arrive 1, 64;
  mov.b32 %r3, 1;
  bra.uni $end;
$second:
  bar.sync 1, 64;
  ld.shared.b32 %r3, [%rd8];
$end:
"""
    assert values(body, "%r3", threads=64, shared=16).reshape(2, 32)[:, 0].tolist() == [1, 5]


def test_atomics_count_every_thread_and_return_each_old_value_once():
    out, old = np.zeros(4, np.uint32), np.zeros(96, np.uint32)
    body = """
  and.b32 %r3, %r1, 3;
  mul.wide.u32 %rd8, %r3, 4;
  add.s64 %rd8, %rd1, %rd8;
  atom.global.add.u32 %r4, [%rd8], 1;
  mul.wide.u32 %rd9, %r1, 4;
  add.s64 %rd9, %rd2, %rd9;
  st.global.b32 [%rd9], %r4;
"""
    Machine(kernel(body)).run([1], [96], [out, old])
    assert out.tolist() == [24] * 4
    assert all(sorted(old[lane::4].tolist()) == list(range(24)) for lane in range(4))


def test_a_lock_by_compare_and_swap():
    """Each thread adds to a number with `atom.cas`, and tries again if another one was faster."""
    out = np.zeros(1, np.float32)
    body = """
  ld.relaxed.gpu.global.b32 %r4, [%rd1];
$again:
  add.rn.f32 %r5, %r4, 0f3F800000;
  atom.global.cas.b32 %r6, [%rd1], %r4, %r5;
  setp.ne.b32 %p1, %r6, %r4;
  mov.b32 %r4, %r6;
  @%p1 bra $again;
"""
    assert Machine(kernel(body, parameters=1)).run([3], [40], [out], Options(checks=True)) == []
    assert out.tolist() == [120.0]


def test_inner_scopes_have_registers_of_their_own():
    body = """
  mov.u32 %r5, %r1;
  { .reg .b32 t; mov.b32 t, 1; { .reg .b32 t; mov.b32 t, 2; add.u32 %r5, %r5, t; } add.u32 %r5, %r5, t; }
"""
    assert values(body, "%r5", threads=32).ravel().tolist() == [lane + 3 for lane in range(32)]


def test_numbered_registers_of_an_inner_scope():
    body = "  { .reg .b32 %inner<2>; mov.b32 %inner1, 3; add.u32 %r5, %r1, %inner1; }"
    assert values(body, "%r5", threads=32).ravel().tolist() == [lane + 3 for lane in range(32)]


def test_numbered_registers_of_scopes_beside_and_within_each_other():
    body = """
  { .reg .b16 t<2>; mov.b16 t1, 1; cvt.u32.u16 %r5, t1; }
  { .reg .b32 t<3>; mov.b32 t1, 2; { .reg .b32 t<2>; mov.b32 t1, 8; mov.b32 t2, 16; add.u32 %r5, %r5, t1; }
    add.u32 %r5, %r5, t1; add.u32 %r5, %r5, t2; }
"""
    assert values(body, "%r5", threads=32).ravel().tolist() == [1 + 8 + 2 + 16] * 32


def test_blocks_can_be_chosen():
    out = np.zeros((6, 32), np.uint32)
    ptx = kernel("  add.u32 %r5, %r2, 1;" + STORE.format(threads=32, value="%r5"), parameters=1)
    Machine(ptx).run([3, 2], [32], [out], Options(blocks=[0, 2]))
    assert out[:, 0].tolist() == [1, 0, 3, 0, 0, 0]


GROUPS = """
  and.b32 %r3, %r1, 1;
  mov.u32 %r4, 0x55555555;
  shl.b32 %r4, %r4, %r3;
  setp.gt.u32 %p1, %r1, 20;
  redux.sync.add.u32 %r5, %r1, %r4;
  vote.sync.ballot.b32 %r6, %p1, %r4;
  shr.u32 %r7, %r1, 2;
  match.any.sync.b32 %r8, %r7, %r4;
  elect.sync %r9|%p3, %r4;
  selp.b32 %r9, 100, %r9, %p3;
  mul.wide.u32 %rd3, %r1, 16;
  add.s64 %rd4, %rd1, %rd3;
  st.global.v4.b32 [%rd4], {%r5, %r6, %r8, %r9};
"""


def test_member_masks_make_groups_of_a_warp():
    """Even and odd lanes execute one instruction, each with the mask of its own."""
    found = np.zeros((32, 4), np.uint32)
    assert Machine(kernel(GROUPS, parameters=1)).run([1], [32], [found], Options(checks=True)) == []
    for lane in range(32):
        others = range(lane % 2, 32, 2)
        expected = [
            sum(others),
            sum(1 << other for other in others if other > 20),
            sum(1 << other for other in others if other // 4 == lane // 4),
            100 if lane < 2 else lane % 2,
        ]
        assert found[lane].tolist() == expected, lane
