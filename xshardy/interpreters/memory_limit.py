"""The memory that an execution may take: more than the machine has is refused, before the system kills the process."""

import os
import resource
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux says how much memory a container may take: the second and the first version of cgroups."""


def machine_memory() -> int:
    """The bytes of memory that this machine, or the container, has."""
    found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for file in CONTAINER_LIMITS:
        try:
            text = Path(file).read_text()
        except OSError:
            continue
        if text.strip().isdecimal():  # else `max`
            found.append(int(text))
    return min(found)


def require_memory(needed: int, what: str) -> None:
    """Raises `MemoryError` if `what` takes `needed` bytes, more than this machine has."""
    if needed > (have := machine_memory()):
        raise MemoryError(f"{what} take {_gib(needed)}, this machine has {_gib(have)}")


@contextmanager
def limited_memory() -> Generator[None]:
    """
    Let allocations fail, with a `MemoryError`, once this process has as much memory as the machine.

    Linux grants more than there is, and kills the process when it is used. macOS does not know this limit.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = [limit for limit in (soft, hard, machine_memory()) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _gib(count: int) -> str:
    return f"{count / 2**30:,.1f} GiB"
