"""The device that kernels for a target are launched on."""

import pytest

from xshardy import compiler
from xshardy.dialects.xla_gpu.discardable import launch_dimensions
from xshardy.emitters import emit_fusion
from xshardy.gpus.devices import Device
from xshardy.gpus.targets import device_of
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.simt import find_kernel
from xshardy.tools.execution import execute_fusion


def test_an_h100_is_the_device_of_sm_90_and_the_default():
    assert device_of("sm_90") == device_of("sm_90a") == Device()


def test_a_target_in_between_has_the_device_of_the_one_before():
    assert device_of("sm_72") == device_of("sm_70")
    assert device_of("sm_103") == device_of("sm_110") == device_of("sm_100")


def test_invalid_targets_have_no_device():
    with pytest.raises(ValueError, match="unknown target 'gfx803'"):
        device_of("gfx803")


@pytest.mark.parametrize(("target", "blocks"), [("sm_90", 1563), ("sm_86", 391)])
def test_a_smaller_device_is_full_of_threads_earlier_and_each_does_more(target: str, blocks: int):
    """200000 elements are fewer than an H100 has threads, and more than an RTX A6000 has."""
    text = "HloModule m\nENTRY f {\n  p = f32[200000] parameter(0)\n  ROOT n = f32[200000] negate(p)\n}\n"
    kernel = find_kernel(compiler.emit(text, target=target))
    assert launch_dimensions(kernel) == ((128, 1, 1), (blocks, 1, 1))
    assert compiler.compile(text, target=target).grid == (blocks, 1, 1)


THREADS = {"sm_70": 2048, "sm_75": 1024, "sm_80": 2048, "sm_86": 1536, "sm_87": 1536, "sm_89": 1536, "sm_90": 2048}
THREADS |= {"sm_100": 2048, "sm_120": 1536, "sm_121": 1536}
"""The most resident threads of a multiprocessor, by NVIDIA's table of technical specifications."""

CORES = {"sm_70": 80, "sm_75": 40, "sm_80": 108, "sm_86": 84, "sm_87": 16, "sm_89": 142, "sm_90": 132}
CORES |= {"sm_100": 148, "sm_120": 188, "sm_121": 48}
"""The multiprocessors of V100, T4, A100, RTX A6000, Jetson AGX Orin, L40, H100, B200, RTX PRO 6000 and GB10."""


@pytest.mark.parametrize("target", THREADS)
def test_devices_are_those_of_the_data_sheets(target: str):
    device = device_of(target)
    assert (device.cores, device.threads_per_core) == (CORES[target], THREADS[target])


REDUCTIONS = {
    "rows": ("[40,3000]", "[40]", "reduce(p, z), dimensions={1}, to_apply=add"),
    "short rows": ("[600,64]", "[600]", "reduce(p, z), dimensions={1}, to_apply=add"),
    "columns": ("[300,130]", "[130]", "reduce(p, z), dimensions={0}, to_apply=add"),
    "rows that are read again": ("[40,256]", "[40,256]", "subtract(p, b)"),
}
"""Shapes of an operand and a result, and the root."""


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_follow_the_size_of_waves(name: str, target: str):
    operand, result, root = REDUCTIONS[name]
    again = (
        f"s = f32[40] reduce(p, z), dimensions={{1}}, to_apply=add\n  b = f32{result} broadcast(s), dimensions={{0}}"
    )
    text = f"""HloModule m
add {{ x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }}
f {{
  p = f32{operand} parameter(0)
  z = f32[] constant(0)
  {again if root.endswith("b)") else ""}
  ROOT r = f32{result} {root}
}}
ENTRY e {{ p = f32{operand} parameter(0) ROOT r = f32{result} fusion(p), kind=kInput, calls=f }}"""
    (fusion,) = compiler.fusions(parse_hlo(text))
    kernel = emit_fusion(fusion, device_of(target))
    outputs = [*execute_fusion(fusion, kernel, ("xla_gpu", "unrolled", "llvm"), check=True, target=target)]
    assert len(outputs) == 3 and all(output.comparison for output in outputs)


def test_blocks_of_waves_of_64_have_as_many_waves_as_one_of_32():
    text = "HloModule m\nENTRY f {\n  p = f32[2000000] parameter(0)\n  ROOT n = f32[2000000] negate(p)\n}\n"
    blocks = {target: compiler.compile(text, target=target).block[0] for target in ("sm_90", "gfx942", "gfx1100")}
    assert blocks == {"sm_90": 128, "gfx942": 256, "gfx1100": 128}
