"""Resident warps per multiprocessor, against what NVIDIA's occupancy calculator gives."""

import pytest

from xshardy.gpus.devices import DEVICES
from xshardy.gpus.occupancy import LIMITS, occupancy


@pytest.mark.parametrize(
    ("target", "threads", "registers", "shared_memory", "warps", "limit"),
    [
        ("sm_90", 128, 32, 0, 64, "threads"),
        ("sm_90", 256, 64, 0, 32, "registers"),
        ("sm_90", 256, 33, 0, 48, "registers"),
        ("sm_90", 32, 16, 0, 32, "blocks"),
        ("sm_90", 256, 32, 48 << 10, 32, "shared memory"),
        ("sm_86", 128, 40, 0, 48, "threads"),
        ("sm_70", 1024, 32, 48 << 10, 64, "threads"),
        ("sm_75", 96, 16, 0, 30, "threads"),
        ("sm_90", 1024, 80, 0, 0, "registers"),
    ],
)
def test_occupancy(target: str, threads: int, registers: int, shared_memory: int, warps: int, limit: str):
    found = occupancy(target, threads, registers, shared_memory)
    assert (found.warps, found.limit) == (warps, limit)
    assert 0 <= found.share <= 1


def test_every_device_has_limits():
    assert LIMITS.keys() <= DEVICES.keys()
    assert min(LIMITS) == min(DEVICES)


@pytest.mark.parametrize(
    ("target", "kibibytes", "reserved"),
    [
        ("sm_70", 96, 0),
        ("sm_75", 64, 0),
        ("sm_80", 164, 1),
        ("sm_86", 100, 1),
        ("sm_87", 164, 1),
        ("sm_89", 100, 1),
        ("sm_90", 228, 1),
        ("sm_100", 228, 1),
        ("sm_120", 100, 1),
    ],
)
def test_four_blocks_share_the_memory_of_a_multiprocessor(target: str, kibibytes: int, reserved: int):
    """But not if each takes a kilobyte more. Each block loses what the system reserves."""
    share = (kibibytes // 4 - reserved) << 10
    assert occupancy(target, 32, 16, share).blocks == 4
    assert occupancy(target, 32, 16, share + 1024).blocks == 3
