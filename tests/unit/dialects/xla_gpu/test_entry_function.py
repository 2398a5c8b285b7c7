"""Which function of a module is the kernel."""

import pytest

from xshardy import compiler
from xshardy.dialects.xla_gpu.discardable import entry_function
from xshardy.syntax import parse_module

PUBLIC = "func.func @public() { return }"
OTHER = "func.func @other() { return }"
PRIVATE = "func.func private @private() { return }"
DECLARED = "func.func @declared()"
MARKED = "func.func private @marked() attributes {xla.entry} { return }"
UPSTREAM = "func.func @upstream() attributes {xla_gpu.entry} { return }"


@pytest.mark.parametrize(
    ("functions", "expected"),
    [
        ((PRIVATE,), None),
        ((DECLARED,), None),
        ((PUBLIC,), "public"),
        ((PRIVATE, PUBLIC, DECLARED), "public"),
        ((PUBLIC, OTHER), None),
        ((PUBLIC, MARKED), "marked"),
        ((PUBLIC, OTHER, UPSTREAM), "upstream"),
        ((MARKED, UPSTREAM), "marked"),
    ],
)
def test_a_marked_function_wins_over_the_only_public_one(functions: tuple[str, ...], expected: str | None):
    entry = entry_function(parse_module("\n".join(functions)))
    assert (None if entry is None else entry.sym_name.data) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%t = xla_gpu.allocate_shared : tensor<4xf32>", True),
        ("%t = stablehlo.constant dense<0.0> : tensor<4xf32>", False),
    ],
)
def test_a_module_without_a_mark_is_emitted_if_it_has_operations_of_kernels(body: str, expected: bool):
    assert compiler.is_emitted(parse_module(f"func.func @f() {{ {body} return }}")) is expected


def test_a_kernel_without_a_mark_compiles_as_with_one():
    kernel = """
    func.func @kernel(
      %in: tensor<64xf32> {xla.slice_index = 0}, %a: tensor<64xf32> {xla.slice_index = 0}
    ) -> tensor<64xf32> MARK {
      %i = gpu.thread_id x {xla.range = [0 : index, 63 : index]}
      %x = tensor.extract %in[%i] : tensor<64xf32>
      %y = arith.addf %x, %x : f32
      %r = tensor.insert %y into %a[%i] : tensor<64xf32>
      return %r : tensor<64xf32>
    }
    """
    marked, unmarked = (
        compiler.lower(parse_module(kernel.replace("MARK", mark)), "llvm") for mark in ("attributes {xla.entry}", "")
    )
    assert str(marked) == str(unmarked)
    assert "nvvm.kernel" in str(unmarked)
