"""
Runs lowered functions on the machine at hand: the llvm dialect, as text, compiled by llvmlite for the CPU.

libdevice cannot run there; its functions are taken from the C library, under the names without the prefix.
"""

import ctypes
import ctypes.util
import math
from collections.abc import Sequence
from functools import cache

import llvmlite.binding as binding
from xdsl.dialects.builtin import ModuleOp

from xshardy.lowering.libdevice import functions_used
from xshardy.lowering.llvm_text import module_text
from xshardy.lowering.pipeline import LowerToLLVMPass
from xshardy.syntax import parse_module
from xshardy.universe import new_context


def parse(text: str) -> ModuleOp:
    module = parse_module(text)
    module.verify()
    return module


def lowered(text: str) -> ModuleOp:
    """The module of `text`, lowered to the llvm dialect, and verified."""
    module = parse(text)
    LowerToLLVMPass().apply(new_context(), module)
    module.verify()
    return module


def integer_type(width: int) -> type:
    return {1: ctypes.c_bool, 8: ctypes.c_int8, 16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}[width]


_RSQRT = {
    "__nv_rsqrt": ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: 1 / math.sqrt(x)),
    "__nv_rsqrtf": ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_float)(lambda x: 1 / math.sqrt(x)),
}


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m"))


def _provide(name: str) -> None:
    function = _RSQRT[name] if name in _RSQRT else getattr(_library(), name.removeprefix("__nv_"))
    binding.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)


class HostFunction:
    """The function `@f` of the module in `text`, to be called with Python numbers; it has pointers for results."""

    def __init__(self, text: str):
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        self.llvm_ir = module_text(lowered(text))
        for name in functions_used(self.llvm_ir):
            _provide(name)
        module = binding.parse_assembly(self.llvm_ir)
        module.verify()
        machine = binding.Target.from_default_triple().create_target_machine(opt=0)
        self._engine = binding.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()

    def __call__(self, arguments: Sequence[tuple[type, float]], outputs: Sequence[type]) -> list[float]:
        """Call it with (C type, value) pairs and a pointer for each output, and read the outputs."""
        results = [output() for output in outputs]
        types = [type for type, _ in arguments] + [ctypes.POINTER(output) for output in outputs]
        function = ctypes.CFUNCTYPE(None, *types)(self._engine.get_function_address("f"))
        function(*(value for _, value in arguments), *map(ctypes.byref, results))
        return [result.value for result in results]
