"""Kernels for AMD's GPUs, executed as they are lowered: their exchanges of lanes, their memory and their atomics."""

from collections.abc import Sequence

import numpy as np
import pytest
from test_amdgpu import COLUMNS, ROWS, SCATTER

from xshardy import compiler
from xshardy.emitters import emit_fusion
from xshardy.gpus.targets import device_of
from xshardy.hlo_text import parse_hlo
from xshardy.launch.kernel_levels import compiled_at, run_compiled
from xshardy.lowering import gpu_to_rocdl
from xshardy.lowering.amd_as_ptx import as_nvidia_ir
from xshardy.lowering.code_generators import CompilationError
from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultError
from xshardy.ptx.machine import Machine
from xshardy.syntax import parse_module
from xshardy.tools.execution import execute_fusion

THREADS = 160
"""Of a block: its last wave of 64 has 32."""
WAVES = {"gfx942": 64, "gfx1100": 32}

KERNEL = """
func.func @k(%x: tensor<{threads}xi32> {{xla.slice_index = 0 : index, xla.invariant}},
             %t0: tensor<{elements}xi32> {{xla.slice_index = 1 : index}}) -> tensor<{elements}xi32>
    attributes {{xla.entry, gpu.known_block_size = array<i32: {threads}, 1, 1>,
                gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
  %thread = gpu.thread_id x {{xla.range = [0 : index, {last} : index]}}
  %v = tensor.extract %x[%thread] : tensor<{threads}xi32>
{body}
  func.return %t{count} : tensor<{elements}xi32>
}}"""
EXCHANGE = """
  %d{n} = arith.constant {distance} : i32
  %w{n} = arith.constant {width} : i32
  %r{n}, %valid{n} = gpu.shuffle {mode} %v, %d{n}, %w{n} : i32
  %o{n} = arith.constant {offset} : index
  %i{n} = arith.addi %thread, %o{n} : index
  %t{next} = tensor.insert %r{n} into %t{n}[%i{n}] : tensor<{elements}xi32>"""


def moved(exchanges: Sequence[tuple[str, int, int]], target: str) -> Array:
    """For each exchange (mode, distance, width) and thread, the number of the thread whose word it gets."""
    elements = len(exchanges) * THREADS
    body = "\n".join(
        EXCHANGE.format(
            n=n, next=n + 1, mode=mode, distance=distance, width=width, offset=n * THREADS, elements=elements
        )
        for n, (mode, distance, width) in enumerate(exchanges)
    )
    text = KERNEL.format(threads=THREADS, last=THREADS - 1, elements=elements, count=len(exchanges), body=body)
    module = parse_module(text)
    compiler.lower(module, "llvm", target=target)
    buffers = [np.arange(THREADS, dtype=np.int32), np.zeros(elements, np.int32)]
    (result,) = run_compiled(compiled_at("llvm", module, target), buffers, [1])
    return result.reshape(-1, THREADS)


@pytest.mark.parametrize("target", WAVES)
def test_lanes_read_those_that_gpu_shuffle_names(target: str):
    wave, thread = WAVES[target], np.arange(THREADS)
    xors = [("xor", distance, wave) for distance in range(1, wave)]
    others = [(mode, by, width) for mode in ("up", "down", "idx") for by in (1, 8, 15, 16) for width in (16, 32, wave)]
    exchanges = [*xors, *others]
    for (mode, distance, width), found in zip(exchanges, moved(exchanges, target), strict=True):
        group = thread // width * width
        source = {"xor": thread ^ distance, "up": thread - distance, "down": thread + distance, "idx": group + distance}
        valid = (source[mode] // width == thread // width) & (source[mode] < THREADS)
        assert (found == source[mode])[valid].all(), (mode, distance, width)


def checked(hlo: str, target: str) -> bool:
    """Whether a fusion computes the results of the reference at level llvm."""
    (fusion,) = compiler.fusions(parse_hlo(f"HloModule m\n{hlo}"))
    module = emit_fusion(fusion, device_of(target))
    return all(output.comparison for output in execute_fusion(fusion, module, ("llvm",), check=True, target=target))


ROW = ROWS.replace("64,8192", "5,700").replace("f32[64]", "f32[5]")


@pytest.mark.parametrize("target", WAVES)
def test_a_wrong_exchange_is_found(target: str, monkeypatch: pytest.MonkeyPatch):
    assert checked(ROW, target)
    monkeypatch.setattr(gpu_to_rocdl, "SHIFT_ROW", gpu_to_rocdl.SHIFT_ROW + 1)
    assert not checked(ROW, target)
    monkeypatch.setattr(gpu_to_rocdl, "SHIFT_ROW", 0x180)
    with pytest.raises(PtxError, match="no control 0x188"):
        checked(ROW, target)


@pytest.mark.parametrize(
    ("target", "type"),
    [("gfx942", "bf16"), ("gfx1100", "f16"), ("gfx1201", "f16"), ("gfx90a", "f64"), ("gfx942", "c64")],
)
def test_additions_to_memory_are_executed(target: str, type: str):
    assert checked(SCATTER.format(type=type).replace("512", "40"), target)


def test_blocks_share_memory_between_barriers():
    assert checked(COLUMNS.replace("512", "96"), "gfx942")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("%v = call i32 @llvm.amdgcn.sbfe(i32 %a)", r"llvm\.amdgcn\.sbfe"),
        ('fence syncscope("wavefront") release', r'syncscope\("wavefront"\)'),
    ],
)
def test_what_has_no_row_is_refused(line: str, what: str):
    with pytest.raises(CompilationError, match=f"cannot be executed with {what}"):
        as_nvidia_ir(line, "gfx942")


def ran(*instructions: str) -> None:
    """Run PTX in which lanes of a wave exchange `%r1`, after a branch by `%p1` around the instructions."""
    body = "\n".join(instructions)
    text = f"""
.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{{
  .reg .b32 %r<9>;
  .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  setp.gt.u32 %p1, %r1, 15;
  {body}
  ret;
}}"""
    Machine(text).run([1], [64], [])


def test_to_read_a_lane_that_has_exited_is_a_fault():
    with pytest.raises(
        FaultError, match=r"thread \(0, 0, 0\) .* reads lane 32 of its wave, which is elsewhere or has exited"
    ):
        ran("@%p1 ret;", "mov.b32 %r2, 128;", "amdgcn.ds_bpermute.gfx942 %r3, %r2, %r1;")


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("update_dpp.gfx942 %r2, %r1, %r1, 0x161, 0xf, 0xf, 1", "this GPU has no control 0x161"),
        ("update_dpp.gfx1100 %r2, %r1, %r1, 0x161, 0xf, 0x7, 1", "all rows and banks take part"),
        ("update_dpp.gfx1100 %r2, %r1, %r1, 0x161, 0xf, 0xf, 0", "all rows and banks take part"),
        ("update_dpp.gfx1100 %r2, %r1, %r1, %r1, 0xf, 0xf, 1", "must be a constant"),
        ("ds_swizzle.gfx942 %r2, %r1, 0x8000", "only three masks"),
        ("mbcnt_lo %r2, %r1, %r1", "expected one of .gfx90a"),
    ],
)
def test_what_the_machine_does_not_know_is_an_error(instruction: str, reason: str):
    with pytest.raises(PtxError, match=reason):
        ran(f"amdgcn.{instruction};")
