"""
Litmus tests: small programs of two or three threads, and whether they race in the memory model of the PTX ISA.

Threads are warps of a block, blocks of a cluster, or clusters. All programs run with each scope and fence; what the
verdict is follows from which scope includes which thread.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.ptx.faults import FaultKind
from xshardy.ptx.machine import Machine, Options

PLACES = ("warps", "blocks", "clusters")
"""What different threads of a program are in, from the nearest on."""
REACH = {"cta": 0, "cluster": 1, "gpu": 2}
"""By scope, the last of `PLACES` that it includes."""


def races(programs: Sequence[str], place: str, **options: bool) -> bool:
    """
    Whether a program races of which each thread has one text. The variables `x`, `y`, `z` and `f` are zeros in global
    memory, `%r10` and the like are registers; `wait OPCODE f;` repeats a load until it finds another number than 0.
    """
    blocks = 1 if place == "warps" else len(programs)
    body = "  mov.u32 %r3, %r1;\n" if place == "warps" else "  mad.lo.u32 %r3, %r2, 32, %r1;\n"
    for number, program in enumerate(programs):
        text = ""
        for line in (line.strip() for line in program.split(";") if line.strip()):
            if line.startswith("wait"):
                _, opcode, variable = line.split()
                label = f"$wait{number}{text.count('$wait')}"
                line = f"{label}: {opcode} %r10, {variable}; setp.eq.u32 %p2, %r10, 0; @%p2 bra {label}"
            text += f"  {line};\n"
        body += (
            f"  setp.ne.u32 %p1, %r3, {32 * number};\n  @%p1 bra $next{number};\n{text}  bra $end;\n$next{number}:\n"
        )
    for offset, variable in enumerate("xyzf"):
        body = body.replace(f" {variable};", f" [%rd1+{4 * offset}];").replace(
            f" {variable},", f" [%rd1+{4 * offset}],"
        )
    cluster = [len(programs)] if place == "blocks" else [1]
    threads = 32 * len(programs) if place == "warps" else 32
    checked = Options(checks=True, collects_faults=True, cluster=cluster, **options)
    faults = Machine(kernel(body + "$end:\n", parameters=1)).run([blocks], [threads], [np.zeros(4, np.uint32)], checked)
    assert {fault.kind for fault in faults} <= {FaultKind.RACE}, faults
    return bool(faults)


def includes(scope: str, place: str) -> bool:
    return REACH[scope] >= PLACES.index(place)


def releasing() -> Iterator[tuple[str, str]]:
    """Writes of the flag, and the scope in which each releases what is in front of it; none for one that does not."""
    yield "st.relaxed.gpu.u32 f, 1;", ""
    yield "st.volatile.u32 f, 1;", ""
    yield "fence.proxy.async; st.relaxed.gpu.u32 f, 1;", ""
    yield "membar.cta; st.volatile.u32 f, 1;", "cta"
    yield "membar.gl; red.add.u32 f, 1;", "gpu"
    for scope in REACH:
        yield f"st.release.{scope}.u32 f, 1;", scope
        yield f"fence.acq_rel.{scope}; st.relaxed.gpu.u32 f, 1;", scope
        yield f"fence.sc.{scope}; atom.relaxed.gpu.exch.b32 %r11, f, 1;", scope
        yield f"fence.acquire.{scope}; st.relaxed.gpu.u32 f, 1;", ""


def acquiring() -> Iterator[tuple[str, str]]:
    """The same of reads of the flag and what is behind them."""
    yield "wait ld.relaxed.gpu.u32 f;", ""
    yield "wait ld.volatile.u32 f; membar.gl;", "gpu"
    for scope in REACH:
        yield f"wait ld.acquire.{scope}.u32 f;", scope
        yield f"wait ld.relaxed.gpu.u32 f; fence.acq_rel.{scope};", scope
        yield f"wait ld.relaxed.gpu.u32 f; fence.release.{scope};", ""


@pytest.mark.parametrize("place", PLACES)
def test_message_passing(place: str):
    for (release, released), (acquire, acquired) in product(releasing(), acquiring()):
        is_ordered = bool(released and acquired) and includes(released, place) and includes(acquired, place)
        found = races([f"st.u32 x, 1; {release}", f"{acquire} ld.u32 %r12, x;"], place)
        assert found != is_ordered, (release, acquire)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "programs",
    [
        ("STORE x, 1; LOAD %r10, y;", "STORE y, 1; LOAD %r10, x;"),  # store buffering
        ("LOAD %r10, x; STORE y, 1;", "LOAD %r10, y; STORE x, 1;"),  # load buffering
        ("STORE x, 1; STORE y, 2;", "STORE y, 1; STORE x, 2;"),  # 2+2W
        ("STORE x, 1;", "LOAD %r10, x; LOAD %r11, x;"),  # coherence
    ],
    ids=["store buffering", "load buffering", "2+2W", "coherence"],
)
def test_strong_accesses_race_outside_of_their_scopes_only(programs: tuple[str, str], place: str):
    assert races([program.replace("STORE", "st.u32").replace("LOAD", "ld.u32") for program in programs], place)
    for scopes in product(REACH, repeat=2):
        strong = [
            program.replace("STORE", f"st.relaxed.{scope}.u32").replace("LOAD", f"ld.relaxed.{scope}.u32")
            for program, scope in zip(programs, scopes, strict=True)
        ]
        assert races(strong, place) != all(includes(scope, place) for scope in scopes), scopes
        fenced = [
            program.replace("; ", f"; fence.sc.{scope}; ", 1) for program, scope in zip(strong, scopes, strict=True)
        ]
        assert races(fenced, place) == races(strong, place)


ORDERED = {
    "write to read causality": [
        "st.u32 x, 1; st.release.gpu.u32 f, 1;",
        "wait ld.acquire.gpu.u32 f; st.release.gpu.u32 y, 1;",
        "wait ld.acquire.gpu.u32 y; ld.u32 %r12, x;",
    ],
    "a release that updates pass on": [
        "st.u32 x, 1; st.release.gpu.u32 f, 1;",
        "wait ld.relaxed.gpu.u32 f; atom.relaxed.gpu.add.u32 %r11, f, 1; st.relaxed.gpu.u32 y, 1;",
        "wait ld.relaxed.gpu.u32 y; ld.acquire.gpu.u32 %r13, f; ld.u32 %r12, x;",
    ],
}
"""Programs that do not race."""
UNORDERED = {
    "another flag": [
        "st.u32 x, 1; st.release.gpu.u32 f, 1;",
        "wait ld.relaxed.gpu.u32 f; st.release.gpu.u32 y, 1;",
        "wait ld.acquire.gpu.u32 y; ld.u32 %r12, x;",
    ],
    "a store that ends a release": [
        "st.u32 x, 1; st.release.gpu.u32 f, 1;",
        "wait ld.relaxed.gpu.u32 f; st.relaxed.gpu.u32 f, 2; st.relaxed.gpu.u32 y, 1;",
        "wait ld.relaxed.gpu.u32 y; ld.acquire.gpu.u32 %r13, f; ld.u32 %r12, x;",
    ],
    "a write behind the release": [
        "st.release.gpu.u32 f, 1; st.u32 x, 1;",
        "wait ld.acquire.gpu.u32 f; ld.u32 %r12, x;",
    ],
    "a read in front of the acquire": [
        "st.u32 x, 1; st.release.gpu.u32 f, 1;",
        "wait ld.relaxed.gpu.u32 f; ld.u32 %r12, x; fence.acq_rel.gpu;",
    ],
}


@pytest.mark.parametrize("place", PLACES)
def test_order_through_other_threads_and_places(place: str):
    for name, programs in ORDERED.items():
        assert not races(programs, place), name
    for name, programs in UNORDERED.items():
        assert races(programs, place), name


PUBLISHED = """
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra $other;
  setp.eq.u32 %p1, %r1, 32;
  @%p1 st.global.u32 [%rd1], 1;
  FIRST
  setp.eq.u32 %p1, %r1, 0;
  @%p1 st.release.gpu.global.u32 [%rd1+4], 1;
  bra $end;
$other:
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $meet;
$wait:
  ld.acquire.gpu.global.u32 %r4, [%rd1+4];
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra $wait;
$meet:
  SECOND
  setp.eq.u32 %p1, %r1, 32;
  @%p1 ld.global.u32 %r5, [%rd1];
$end:
"""
"""A warp writes, another one of its block publishes it; of another block, a warp learns it, and another one reads."""


@pytest.mark.parametrize(
    ("first", "second", "is_right"),
    [
        ("bar.sync 0;", "bar.sync 0;", True),
        ("", "bar.sync 0;", False),
        ("bar.sync 0;", "", False),
        ("fence.acq_rel.gpu; bar.sync 0;", "bar.sync 0; fence.acq_rel.gpu;", True),
        ("bar.sync 0;", "bar.sync 0; fence.acq_rel.gpu;", False),
        ("fence.acq_rel.gpu; bar.sync 0;", "bar.sync 0;", False),
        ("fence.acq_rel.cta; bar.sync 0;", "bar.sync 0; fence.acq_rel.gpu;", False),
    ],
)
def test_blocks_need_barriers_beside_what_one_thread_publishes(first: str, second: str, is_right: bool):
    """Fences may be in front of the first barrier, and behind the second one."""
    body = PUBLISHED.replace("FIRST", first).replace("SECOND", second)
    if "fence" in first + second:
        body = body.replace(".release", ".relaxed").replace(".acquire", ".relaxed")
    options = Options(checks=True, collects_faults=True)
    faults = Machine(kernel(body, parameters=1)).run([2], [64], [np.zeros(4, np.uint32)], options)
    assert bool(faults) != is_right


@pytest.mark.parametrize("barrier", ["bar.sync 0;", "bar.warp.sync -1;", ""])
@pytest.mark.parametrize("acquires", [0, 1, 2])
def test_lanes_that_acquire_are_in_order_by_barriers_only(acquires: int, barrier: str):
    """How often a lane has acquired says nothing about the others of its warp."""
    body = f"""
  mov.u32 %r3, s;
  setp.ne.u32 %p1, %r1, 0;
  fence.acq_rel.gpu;
  @%p1 bra $after;
  st.relaxed.gpu.global.u32 [%rd1], 1;
{"  ld.acquire.gpu.global.u32 %r4, [%rd1];" * acquires}
  st.shared.u32 [%r3], 1;
$after:
  {barrier}
  ld.shared.u32 %r5, [%r3];
"""
    options = Options(checks=True, collects_faults=True)
    faults = Machine(kernel(body, 1, 16)).run([1], [32], [np.zeros(1, np.uint32)], options)
    assert {fault.kind for fault in faults} == (set() if barrier else {FaultKind.RACE})


def test_volatile_accesses_are_weak_if_asked():
    programs = ["st.volatile.u32 x, 1;", "ld.volatile.u32 %r10, x;"]
    assert not races(programs, "warps")
    assert races(programs, "warps", weak_volatile=True)


@pytest.mark.parametrize(("first", "second"), [("v4.b32", "b8"), ("b8", "v4.b32"), ("b64", "b16"), ("b16", "b64")])
def test_accesses_of_different_sizes_race_where_they_overlap(first: str, second: str):
    values = {"v4.b32": "{%r1, %r1, %r1, %r1}", "b64": "%rd1", "b16": "%h1", "b8": "%h1"}
    for offset in (6, 24):
        opcodes = {opcode: offset if opcode in ("b8", "b16") else 0 for opcode in (first, second)}
        stores = [f"  @%p1 st.global.{opcode} [%rd1+{at}], {values[opcode]};\n" for opcode, at in opcodes.items()]
        body = f"  setp.eq.u32 %p1, %r1, 0;\n{stores[0]}  setp.eq.u32 %p1, %r1, 32;\n{stores[1]}"
        options = Options(checks=True, collects_faults=True)
        faults = Machine(kernel(body, parameters=1)).run([1], [64], [np.zeros(8, np.uint32)], options)
        assert [fault.message.endswith("at byte 6 of k_0") for fault in faults] == ([True] if offset == 6 else [])
