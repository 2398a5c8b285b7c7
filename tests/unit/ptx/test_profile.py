"""Counts of kernels for which they are known."""

from pathlib import Path

import numpy as np
import pytest
from ptx_kernels import kernel, line_of

from xshardy.gpus.devices import DEVICES
from xshardy.ptx.bound import RATES, bound_of
from xshardy.ptx.faults import FaultError
from xshardy.ptx.module import Instruction
from xshardy.ptx.products import products_of
from xshardy.ptx.profiling import Profile, profile, sampled_blocks
from xshardy.ptx.slots import slots_of
from xshardy.ptx.traffic import Requests, distinct
from xshardy.tools.cli import main

PARAMETERS, BLOCKS, THREADS = 2, 100, 64


def profiled(body: str, shared: int = 0) -> Profile:
    return profile(kernel(body, PARAMETERS, shared), [BLOCKS], [THREADS])


def requests_of(found: Profile) -> Requests:
    (requests,) = found.traffic.found.values()
    return requests


@pytest.mark.parametrize(
    "stride, bytes, sectors, least", [(4, 4, 4, 4), (8, 4, 8, 4), (64, 4, 32, 4), (16, 16, 16, 16), (0, 4, 1, 1)]
)
def test_sectors_of_a_request(stride: int, bytes: int, sectors: int, least: int):
    vector = {4: "ld.global.b32 %r4", 16: "ld.global.v4.b32 {%r4, %r5, %r6, %r7}"}[bytes]
    found = profiled(f"mul.wide.u32 %rd8, %r1, {stride};\nadd.s64 %rd8, %rd1, %rd8;\n{vector}, [%rd8];")
    requests = requests_of(found)
    assert requests.requests == 2 * 32  # two warps of 32 of the blocks
    assert requests.sectors == sectors * requests.requests
    assert requests.least_sectors == least * requests.requests
    assert found.sectors == sectors * 2 * BLOCKS


@pytest.mark.parametrize(
    "stride, bytes, wavefronts",
    [(4, 4, 1), (8, 4, 2), (128, 4, 32), (132, 4, 1), (0, 4, 1), (8, 8, 2), (16, 16, 4), (32, 16, 8)],
)
def test_conflicts_of_banks(stride: int, bytes: int, wavefronts: int):
    load = {
        4: "ld.shared.b32 %r4",
        8: "ld.shared.v2.b32 {%r4, %r5}",
        16: "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}",
    }[bytes]
    body = f"mov.u64 %rd7, s;\nand.b32 %r3, %r1, 31;\nmul.wide.u32 %rd8, %r3, {stride};\nadd.s64 %rd8, %rd7, %rd8;\n"
    found = profiled(f"{body}{load}, [%rd8];", shared=8192)
    requests = requests_of(found)
    assert requests.wavefronts == wavefronts * requests.requests
    assert requests.least_wavefronts == bytes // 4 * requests.requests
    assert found.wavefronts == wavefronts * 2 * BLOCKS
    assert found.conflicts == (wavefronts - bytes // 4) * 2 * BLOCKS


def test_instructions_and_divergence():
    body = "setp.gt.u32 %p1, %r1, 15;\n@%p1 bra $end;\nadd.s32 %r4, %r1, 1;\nex2.approx.f32 %r5, %r4;\n$end:"
    found = profiled(body)
    warps = 2 * BLOCKS
    assert found.classes["comparison"] == warps
    assert found.classes["special function"] == found.classes["integer"] == BLOCKS  # only the first warp goes there
    assert found.instructions == sum(found.classes.values())
    assert found.counts.divergent.sum() == 2 * 32  # `add` and `ex2`, by 16 threads of the first warp of 32 blocks
    low, high = found.issue_slots
    assert low <= high


def test_all_blocks_may_be_counted():
    found = profile(kernel("add.s32 %r4, %r1, 1;", PARAMETERS), [BLOCKS], [THREADS], blocks=None)
    assert found.counts.warps.tolist() == [2 * BLOCKS] * len(found.counts.instructions)


def test_accesses_are_counted_by_their_memory():
    body = "mov.u64 %rd7, s;\nld.shared.b32 %r4, [%rd7];\nst.shared.b32 [%rd7], %r4;\nld.global.b32 %r5, [%rd1];"
    classes = profiled(body, shared=16).classes
    each = 2 * BLOCKS
    assert classes["parameter"] == PARAMETERS * each
    assert [classes[name] for name in ("shared load", "shared store", "global load")] == [each] * 3


def test_memory_binds_a_copy_and_special_functions_a_loop_of_them():
    copy = "mad.lo.u32 %r3, %r2, 64, %r1;\nmul.wide.u32 %rd8, %r3, 16;\nadd.s64 %rd9, %rd1, %rd8;\n"
    copy += "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd9];\nadd.s64 %rd9, %rd2, %rd8;\n"
    copy += "st.global.v4.b32 [%rd9], {%r4, %r5, %r6, %r7};"
    bound = bound_of(profile(kernel(copy), [100_000], [THREADS]), "sm_90")
    assert bound.binds == "memory"
    assert bound.resources["memory"] == (pytest.approx(100_000 * 64 * 32 / 3350e9),) * 2
    low, high = bound.seconds
    assert low <= high
    least, most = bound.resources["issue slots"]
    slots = profile(kernel(copy), [100_000], [THREADS]).issue_slots
    assert 0 < least < most < high and most / least == pytest.approx(slots[1] / slots[0])
    functions = profiled("ex2.approx.ftz.f32 %r4, %r1;\n" * 100)
    assert bound_of(functions, "sm_90").binds == "special functions"


def test_every_listed_gpu_has_rates():
    assert RATES.keys() == DEVICES.keys()


@pytest.mark.parametrize("header", ["", ".target sm_35\n"], ids=["no target", "an old target"])
def test_a_profile_for_an_unknown_gpu_asks_for_another_target(
    header: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "kernel.ptx"
    file.write_text(f".version 9.0\n{header}.address_size 64\n.visible .entry k()\n{{\n  ret;\n}}\n")
    command = ["ptx", "profile", str(file), "--grid", "1", "--block", "32"]
    assert main(command) == 1
    captured = capsys.readouterr()
    assert "unknown target" in captured.err and "--target" in captured.err and "internal error" not in captured.err
    assert main([*command, "--target", "sm_90"]) == 0


def test_a_profile_ends_in_endless_loops():
    with pytest.raises(FaultError, match="endless loop"):
        profile(kernel("$L:\natom.global.add.u32 %r5, [%rd1], 1;\nbra $L;", 1), [1], [32], max_iterations=7)


@pytest.mark.parametrize(
    ("blocks", "most", "expected"), [(10, 4, [0, 3, 6, 9]), (3, 3, [0, 1, 2]), (3, 8, [0, 1, 2]), (9, 2, [0, 8])]
)
def test_the_first_and_the_last_block_are_among_those_that_are_executed(blocks: int, most: int, expected: list[int]):
    assert [*sampled_blocks(blocks, most)] == expected


def test_what_inactive_threads_hold_does_not_count():
    values, active = np.array([[5, 7, 7, 9], [3, 3, 3, 3]]), np.array([[1, 1, 1, 0], [0, 0, 0, 0]], np.bool_)
    assert distinct(values, active).tolist() == [2, 0]


@pytest.mark.parametrize(
    ("opcode", "slots"),
    [
        ("sin.approx.f32", (2.0, 2.0)),
        ("cos.approx.f32", (2.0, 2.0)),
        ("add.s64", (1.0, 2.0)),
        ("add.s32", (1.0, 1.0)),
        ("mov.b64", (0.0, 1.0)),
        ("mul.lo.s64", (3.0, 5.0)),
        ("cvt.u32.u64", (0.0, 1.0)),
        ("ld.param.b32", (0.0, 1.0)),
        ("ld.global.b32", (1.0, 1.0)),
        ("st.param.b32", (1.0, 1.0)),
    ],
)
def test_how_many_machine_instructions_an_instruction_is(opcode: str, slots: tuple[float, float]):
    assert slots_of(Instruction(1, opcode, ())) == slots


@pytest.mark.parametrize(
    ("opcode", "products"),
    [
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2048),
        ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 2048),
        ("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16", 32768),
        ("wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e5m2", 32768),
        ("mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", 2048),
        ("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 2048),
        ("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16", 1024),  # of four matrices
        ("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 2048),
        ("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", 2048),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 4096),
        ("wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32.satfinite", 2048),
        ("wmma.load.a.sync.aligned.row.m16n16k16.f16", 0),
        ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 0),
        ("wgmma.mma_async.sp.sync.aligned.m64n128k64.s32.s8.s8", 32768),
        ("wgmma.fence.sync.aligned", 0),
        ("add.f32", 0),
    ],
)
def test_products_of_a_warp(opcode: str, products: int):
    assert products_of(Instruction(1, opcode, ())) == products


def test_products_bound_the_time():
    """16 products of 64 by 8 by 16 in each of 100 blocks, on multiprocessors that do 2048 in a cycle."""
    accumulator = "{%r10, %r11, %r12, %r13}"
    one = f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {accumulator}, 34363932672, 34363932672, %p1, 1, 1, 0, 0;"
    found = profile(kernel("\n".join([one] * 16), 0, 2048), [100], [128])
    assert found.products == 16 * 64 * 8 * 16 * 100
    for requests in found.traffic.found.values():
        assert requests.requests == requests.least_wavefronts == 32 * (16 + 2)  # of 128 bytes, of A and B
    assert found.conflicts == 0
    assert bound_of(found, "sm_90").resources["tensor cores"][0] == pytest.approx(16 * 64 * 8 * 16 / 2048 / 1.83e9)
    assert "tensor cores" not in bound_of(profiled("mov.b32 %r3, 0;"), "sm_90").resources


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bytes", [1, 2, 4, 8, 16, 32])
def test_sectors_are_those_of_the_bytes_that_the_machine_reads(bytes: int, seed: int):
    """Against the set of all bytes that the threads of a warp access, at random places, up to 256 bits per thread."""
    opcodes = {
        1: "ld.global.u8 %h4",
        2: "ld.global.u16 %h4",
        4: "ld.global.b32 %r4",
        8: "ld.global.v2.b32 {%r4, %r5}",
        16: "ld.global.v4.b32 {%r4, %r5, %r6, %r7}",
        32: "ld.global.v8.b32 {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}",
    }
    body = f"""
  mul.wide.u32 %rd8, %r1, 4;
  add.s64 %rd8, %rd2, %rd8;
  ld.global.u32 %r3, [%rd8];
  mul.wide.u32 %rd9, %r3, {bytes};
  add.s64 %rd9, %rd1, %rd9;
  {opcodes[bytes]}, [%rd9]; // here
"""
    places = np.random.default_rng(seed).integers(0, 60, THREADS, dtype=np.uint32)
    ptx = kernel(body)
    found = profile(ptx, [1], [THREADS], [np.zeros(60 * 32, np.uint8), places])
    line = line_of(ptx, "// here")
    (requests,) = (each for (at, *_), each in found.traffic.found.items() if at == line)
    sectors = least = 0
    for warp in places.reshape(-1, 32).tolist():
        touched = {place * bytes + byte for place in warp for byte in range(bytes)}
        sectors += len({byte // 32 for byte in touched})
        least += -(-len(touched) // 32)
    assert (requests.sectors, requests.least_sectors) == (sectors, least)
