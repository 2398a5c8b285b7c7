"""
Packages with what we use of Triton and PyTorch, for tests where they are not installed.

A `@triton.jit` function returns its PTX; `f[grid](a, b)` compiles and launches it as Triton does, by its driver.
"""

from pathlib import Path

FILES = {
    "triton/__init__.py": """
from triton import knobs, testing
from triton.runtime.driver import driver

class jit:
    def __init__(self, function):
        self.function = function

    def __getitem__(self, grid):
        return lambda *args, **about: self.run(grid, args, about)

    def run(self, grid, args, about):
        active, stages = driver._active, {}
        active.get_current_stream(active.get_current_device())
        assert knobs.runtime.add_stages_inspection_hook() == ("xshardy", "xshardy")
        knobs.runtime.add_stages_inspection_hook(None, stages, None, None, active.get_current_target().arch)
        values = {"shared": 0, "num_warps": 2, "num_ctas": 1, "name": self.function.__name__, "tensordesc_meta": None,
                  "global_scratch_size": 0, "profile_scratch_size": 0, **about}
        metadata = type("Metadata", (), values)
        source = type("Source", (), {"signature": dict(enumerate(self.function.__annotations__.values()))})
        binary = stages["cubin"](self.function(*args), {})
        _, function, *_ = active.utils.load_binary("f", binary, metadata.shared, 0)
        launcher = active.launcher_cls(source, metadata)
        launcher(*grid, 0, function, None, None, None, None, *args)
""",
    "triton/knobs.py": """
class runtime:
    add_stages_inspection_hook = None

class autotuning:
    cache = True
""",
    "triton/testing.py": """
class Mark:
    def run(self):
        raise AssertionError("measured")

def do_bench(function):
    raise AssertionError("measured")
""",
    "triton/runtime/__init__.py": "",
    "triton/runtime/driver.py": """
class driver:
    _active = None
""",
    "triton/backends/__init__.py": "",
    "triton/backends/compiler.py": """
from collections import namedtuple
GPUTarget = namedtuple("GPUTarget", "backend arch warp_size")
""",
    "torch/__init__.py": """
from types import SimpleNamespace
import numpy as np
from torch import cuda, overrides

class device:
    def __init__(self, type):
        self.type = type

class Storage:
    def __init__(self, data):
        self.data = data
    def data_ptr(self):
        return self.data.ctypes.data
    def nbytes(self):
        return self.data.nbytes

class Tensor:
    def __init__(self, data, storage, device):
        self.data, self.storage, self.device = data, storage, device
    is_cuda = property(lambda self: False)
    def cuda(self):
        raise AssertionError("there is no GPU")
    def untyped_storage(self):
        return Storage(self.storage)
    def data_ptr(self):
        return self.data.ctypes.data
    def __getitem__(self, index):
        return Tensor(self.data[index], self.storage, self.device)

def arange(count, device="cpu"):
    def make(count, device):
        data = np.arange(count, dtype=np.int32)
        return Tensor(data, data, SimpleNamespace(type=getattr(device, "type", device)))
    if overrides.current is None:
        return make(count, device)
    return overrides.current.__torch_function__(make, (), (count,), {"device": device})
""",
    "torch/cuda.py": "\n".join(
        f"def {name}(*args): raise AssertionError('there is no GPU')"
        for name in (
            "is_available",
            "device_count",
            "current_device",
            "get_device_capability",
            "get_device_properties",
            "synchronize",
            "empty_cache",
        )
    ),
    "torch/overrides.py": """
current = None

class TorchFunctionMode:
    def __enter__(self):
        global current
        current = self
    def __exit__(self, *_):
        global current
        current = None
""",
}


def write_fake_triton(folder: Path) -> None:
    """Write the packages `triton` and `torch` to a folder."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
