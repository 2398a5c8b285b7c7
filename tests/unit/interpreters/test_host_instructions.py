"""Instructions of GPUs on the host: those without an effect there, and those that it cannot run."""

import numpy as np
import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.host import run_on_host
from xshardy.lowering.nvptx import KernelSource, kernel_source
from xshardy.universe import new_context


def kernel(instruction: str) -> KernelSource:
    """A kernel that executes `instruction`, which may use `%n`, and stores 7."""
    module = Parser(
        new_context(),
        f"""llvm.func @main(%p: !llvm.ptr {{xla.slice_index = 0 : index}}) attributes {{nvvm.kernel}} {{
          %n = nvvm.read.ptx.sreg.tid.x : i32
          {instruction}
          %seven = llvm.mlir.constant(7 : i32) : i32
          llvm.store %seven, %p : i32, !llvm.ptr
          llvm.return
        }}""",
    ).parse_module()
    return kernel_source(module)


@pytest.mark.parametrize("kind", ["wait", "launch_dependents"])
def test_a_kernel_on_the_host_waits_for_no_other_one(kind: str):
    results = run_on_host(kernel(f"nvvm.griddepcontrol {kind}"), {0: np.zeros(1, np.int32)})
    assert results[0] == [7]


@pytest.mark.parametrize(
    ("instruction", "name"),
    [
        ("%r = nvvm.redux.sync umax %n, %n : i32 -> i32", "redux.sync.umax"),
        ('llvm.call_intrinsic "llvm.nvvm.nanosleep"(%n) : (i32) -> ()', "nanosleep"),
    ],
    ids=["threads exchange values", "one thread"],
)
def test_an_instruction_that_the_host_lacks_is_refused_by_name(instruction: str, name: str):
    with pytest.raises(InterpretationError, match=rf"cannot run @llvm\.nvvm\.{name}: run another level"):
        run_on_host(kernel(instruction), {0: np.zeros(1, np.int32)})
