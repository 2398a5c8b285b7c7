# llvmlite comes without types.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
"""
NVIDIA's libdevice: the bodies of the `__nv_` functions, from a Python package of the `cuda` extra.

The library holds 350 functions; a kernel uses a few. Reading it and extracting these takes 30 ms, and is done once per
process, target, and set of functions.
"""

import re
from functools import lru_cache
from pathlib import Path

import llvmlite.binding as llvm
from xdsl.utils.exceptions import DiagnosticException

from xshardy.lowering.cuda_files import find_cuda_file, installed_file

FILE = "nvvm/libdevice/libdevice.10.bc"

_FUNCTION = re.compile(r"^declare .*@(__nv_\w+)\(", re.MULTILINE)


class UnknownFunctionError(DiagnosticException):
    """libdevice has no function of a name."""


def is_installed() -> bool:
    """Whether a package with libdevice is installed."""
    return installed_file(FILE) is not None


def functions_used(llvm_ir: str) -> frozenset[str]:
    """The functions of libdevice that LLVM IR text declares."""
    return frozenset(_FUNCTION.findall(llvm_ir))


def libdevice_module(names: frozenset[str], builder: llvm.PassBuilder) -> llvm.ModuleRef:
    """
    A new module with the functions `names`, what they call, and nothing else.

    Raises `MissingCudaExtraError` if libdevice is not installed, and `UnknownFunctionError` for a name that it lacks.
    """
    need = f"the kernel calls {', '.join(sorted(names))} of NVIDIA's libdevice, which is not installed"
    return _extract(find_cuda_file(FILE, need), names, builder).clone()


@lru_cache(maxsize=256)
def _extract(file: Path, names: frozenset[str], builder: llvm.PassBuilder) -> llvm.ModuleRef:
    """The functions `names` of the library in `file`, and what they call. Clone the result: linking consumes it."""
    library = llvm.parse_bitcode(file.read_bytes())
    missing = set(names)
    for function in library.functions:
        if function.name in names:
            missing.discard(function.name)
        elif not function.is_declaration:
            function.linkage = llvm.Linkage.internal
    if missing:
        raise UnknownFunctionError(f"libdevice has no function {', '.join(sorted(missing))}")
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(library, builder)
    return library
