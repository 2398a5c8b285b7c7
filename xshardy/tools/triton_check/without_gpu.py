"""Triton and PyTorch as if there were a GPU: kernels become PTX, launches are told, and tensors are on the CPU."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any, NamedTuple
from unittest.mock import patch

from xshardy.gpus.capability import parse_target
from xshardy.gpus.devices import nvidia_device
from xshardy.gpus.occupancy import REGISTERS, limits_of
from xshardy.gpus.sizes import WARP_SIZE
from xshardy.tools.triton_check.launches import TritonLaunch

PTX_IS_LAST = ("xshardy", "xshardy")
"""What the keys of Triton's cache have for kernels whose last stage is PTX, not machine code."""
MOST_THREADS = 1024
REGISTERS_OF_A_THREAD = 32
"""Nobody has compiled PTX to machine code: as many registers as let the most warps be resident."""

_DEVICES = count(-1, -1)

Launched = Callable[[TritonLaunch], None]


class Driver:
    """What Triton and its scripts ask a driver for. Triton may be missing, so there is no base class of it."""

    def __init__(self, target: str, launched: Launched):
        self.capability = parse_target(target)
        self.utils = self
        self.launcher_cls = partial(_Launcher, launched)
        self.device = next(_DEVICES)

    def get_current_target(self) -> Any:
        """The GPU that kernels are compiled for."""
        number = 10 * self.capability.major + self.capability.minor
        return import_module("triton.backends.compiler").GPUTarget("cuda", number, WARP_SIZE)

    def get_active_torch_device(self) -> Any:
        """Where tensors are."""
        return import_module("torch").device("cpu")

    def get_device_interface(self) -> Any:
        """PyTorch's module for the device."""
        return import_module("torch").cuda

    def get_current_device(self) -> int:
        """The only device. Triton keeps kernels and their launchers by its number, which no other driver has."""
        return self.device

    def get_current_stream(self, device: object) -> int:
        """The only stream."""
        return 0

    def get_device_properties(self, device: object) -> Mapping[str, int]:
        """The sizes of a multiprocessor, and how many there are."""
        gpu, limits = nvidia_device(self.capability), limits_of(self.capability)
        return {
            "multiprocessor_count": gpu.cores,
            "max_num_regs": REGISTERS,
            "max_shared_mem": limits.shared_memory - limits.reserved,
            "max_threads_per_sm": gpu.threads_per_core,
            "warpSize": WARP_SIZE,
        }

    def load_binary(self, name: str, binary: bytes, shared: int, device: object) -> tuple[None, str, int, int, int]:
        """No module; the function, which is its PTX; its registers and spills, and the most threads of a block."""
        return None, binary.decode(), REGISTERS_OF_A_THREAD, 0, MOST_THREADS

    def get_benchmarker(self) -> Callable[..., object]:
        """Configurations are not measured: the first one is used."""
        return partial(_answer, [1.0] * 3)


class _Launcher:
    """Tells the launches of a compiled kernel. Triton has one for each."""

    def __init__(self, launched: Launched, source: Any, metadata: Any):
        self.launched, self.metadata = launched, metadata
        self.signature = tuple(source.signature.values())

    def __call__(self, x: int, y: int, z: int, stream: object, function: str, *others: Any) -> None:
        _packed, _about, _enter, _exit, *arguments = others
        self.launched(TritonLaunch(function, (x, y, z), self.metadata, self.signature, arguments))


def _end_with_ptx(*arguments: Any) -> tuple[str, str] | None:
    """Triton's hook for the stages of its compiler: their part of the keys of its cache, or a change of them."""
    if not arguments:
        return PTX_IS_LAST
    _backend, stages, *_ = arguments
    stages["cubin"] = _encoded
    return None


def _encoded(ptx: str, metadata: object) -> bytes:
    return ptx.encode()


def _tensors_on_cpu() -> Any:
    """A mode of PyTorch in which `cuda` is the CPU."""
    torch: Any = import_module("torch")
    base: Any = import_module("torch.overrides").TorchFunctionMode
    cpu = torch.device("cpu")

    def moved(value: Any) -> Any:
        if isinstance(value, torch.device):
            return cpu if value.type == "cuda" else value
        return "cpu" if isinstance(value, str) and value.partition(":")[0] == "cuda" else value

    class OnCpu(base):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if function is torch.Tensor.cuda:
                return args[0]
            if function == torch.Tensor.is_cuda.__get__:
                return True
            named: dict[str, Any] = kwargs or {}
            return function(*map(moved, args), **{name: moved(value) for name, value in named.items()})

    return OnCpu()


class _Properties(NamedTuple):
    """Of a GPU, as PyTorch names them."""

    name: str
    multi_processor_count: int
    major: int
    minor: int


def _answer(answer: object, *_: object, **__: object) -> object:
    return answer


def _call_once(function: Callable[[], object], quantiles: Sequence[float] | None = None, **_: object) -> object:
    """Triton's `do_bench`, which measures nothing."""
    function()
    return 1.0 if quantiles is None else [1.0] * len(quantiles)


def _measure_nothing(mark: object, *_: object, **__: object) -> None:
    """A method: Python 3.14 will take a `partial` of a class for one, and 3.13 warns of that."""


@contextmanager
def without_gpu(target: str, launched: Launched) -> Generator[None]:
    """
    Within the context, Triton compiles for `target`, such as `sm_90`, and `launched` is told each launch instead of a
    GPU. Tensors of PyTorch on `cuda` are on the CPU. Nothing is measured: of the configurations of an autotuner the
    first one is used, and `do_bench` calls a function once.
    """
    capability = parse_target(target)
    torch: Any = import_module("torch")
    driver: Any = import_module("triton.runtime.driver").driver
    testing: Any = import_module("triton.testing")
    answers: Mapping[str, object] = {
        "is_available": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_capability": (capability.major, capability.minor),
        "get_device_properties": _Properties(
            target, nvidia_device(capability).cores, capability.major, capability.minor
        ),
        "synchronize": None,
        "empty_cache": None,
    }
    with ExitStack() as stack:
        for name, answer in answers.items():
            stack.enter_context(patch.object(torch.cuda, name, partial(_answer, answer)))
        stack.enter_context(patch.object(testing, "do_bench", _call_once))
        stack.enter_context(patch.object(testing.Mark, "run", _measure_nothing))
        knobs: Any = import_module("triton.knobs")
        stack.enter_context(patch.object(knobs.autotuning, "cache", False))
        stack.enter_context(patch.object(knobs.runtime, "add_stages_inspection_hook", _end_with_ptx))
        stack.enter_context(patch.object(driver, "_active", Driver(target, launched)))
        stack.enter_context(_tensors_on_cpu())
        yield
