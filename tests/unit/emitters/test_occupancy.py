"""Resident warps per multiprocessor, against what NVIDIA's occupancy calculator gives."""

import pytest

from xshardy.emitters.devices import DEVICES
from xshardy.emitters.occupancy import LIMITS, occupancy


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
