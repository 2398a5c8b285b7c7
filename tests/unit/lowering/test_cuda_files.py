"""Files of the CUDA extra, and the launch and shared memory of small kernels."""

from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from llvmlite import binding
from lowering_host import lowered, parse

from xshardy.lowering import cuda_files
from xshardy.lowering.code_generators import backend, kernel_source, shared_memory
from xshardy.lowering.cuda_files import MissingCudaExtraError, find_cuda_file


def installed_at(monkeypatch: pytest.MonkeyPatch, *roots: Path) -> None:
    """Let the packages of NVIDIA be in these folders; without any, let the package have no folder."""
    spec = ModuleSpec("nvidia", None)
    spec.submodule_search_locations = [*map(str, roots)] or None
    monkeypatch.setattr(cuda_files, "find_spec", lambda _: spec)


def test_the_newest_toolkit_that_has_a_file_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for toolkit, file in (("cu12", "old"), ("cu12", "both"), ("cu13", "both")):
        (tmp_path / toolkit).mkdir(exist_ok=True)
        (tmp_path / toolkit / file).touch()
    installed_at(monkeypatch, tmp_path)
    assert find_cuda_file("both", "it") == tmp_path / "cu13" / "both"
    assert find_cuda_file("old", "it") == tmp_path / "cu12" / "old"


def test_a_package_without_folders_has_no_files(monkeypatch: pytest.MonkeyPatch):
    installed_at(monkeypatch)
    with pytest.raises(MissingCudaExtraError, match="a file is needed: install the 'cuda' extra"):
        find_cuda_file("file", "a file is needed")


def test_kernels_without_stated_sizes_have_one_thread():
    source = kernel_source(parse("llvm.func @main() attributes {nvvm.kernel} { llvm.return }"))
    assert (source.block, source.grid) == ((1, 1, 1), (1, 1, 1))


def test_shared_variables_are_aligned():
    """5 bytes, and a double behind them at byte 8; other memory does not count."""
    generator = backend("sm_90", 0)
    module = binding.parse_assembly("""
    @small = private addrspace(3) global [5 x i8] undef
    @large = private addrspace(3) global double undef
    @constant = private constant [64 x i8] zeroinitializer
    """)
    assert shared_memory(module, generator.machine) == 16


def test_values_keep_their_names():
    module = lowered("""
    func.func @f(%c: i1, %i: index) -> index {
      %sum = arith.addi %i, %i : index
      %chosen = scf.if %c -> index {
        scf.yield %sum : index
      } else {
        scf.yield %i : index
      }
      func.return %chosen : index
    }
    """)
    names = {value.name_hint for op in module.walk() for value in op.results}
    names |= {
        value.name_hint for op in module.walk() for region in op.regions for b in region.blocks for value in b.args
    }
    assert {"sum", "chosen"} <= names
