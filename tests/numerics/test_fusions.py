"""
Every fusion in `fusions/` is executed at every level, compared with the reference, and accepted by ptxas.

Row XGPU-48.
"""

from pathlib import Path

import pytest

from xshardy import compiler
from xshardy.hlo_text import parse_hlo
from xshardy.launch.kernel_levels import ALL_LEVELS
from xshardy.lowering.code_generators import compile_module
from xshardy.lowering.ptxas import assemble
from xshardy.tools.execution import execute_fusion
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

FUSIONS = sorted((Path(__file__).parent / "fusions").glob("*.hlo"))
ASSEMBLED_FOR = {"sm_70": "sm_75", "sm_100": "sm_100"}
"""
The GPU that the PTX of the oldest and of the newest target is assembled for: ptxas 13 makes no code for sm_70.

`tests/unit/lowering/test_ptx.py` has every operation for those between.
"""


@pytest.mark.parametrize("path", FUSIONS, ids=lambda path: path.stem)
def test_all_levels_agree_with_the_reference(path: Path):
    text = path.read_text()
    (fusion,) = compiler.select_fusions(parse_hlo(text, path.name))
    outputs = list(execute_fusion(fusion, compiler.emit(text), ALL_LEVELS, check=True))
    assert {output.level for output in outputs} == set(ALL_LEVELS)
    for output in outputs:
        assert output.comparison, f"level {output.level}: {output.comparison}"


@pytest.mark.parametrize("path", FUSIONS, ids=lambda path: path.stem)
@pytest.mark.parametrize("target", ASSEMBLED_FOR)
def test_ptxas_accepts_the_ptx_and_spills_nothing(path: Path, target: str):
    kernel = compiler.compile(path.read_text(), target=target, name=path.name)
    report = assemble(kernel.ptx, ASSEMBLED_FOR[target])
    assert (report.spill_stores, report.spill_loads) == (0, 0)


def test_gelu_is_launched_as_documented_and_moves_four_elements_at_once():
    """Spec rows XGPU-31 and XGPU-35."""
    kernel = compiler.compile((Path(__file__).parents[2] / "examples" / "gelu.hlo").read_text())
    assert (kernel.block, kernel.grid) == ((128, 1, 1), (24576, 1, 1))
    assert kernel.ptx.count("ld.global.nc.v2.b32") == kernel.ptx.count("st.global.v2.b32") == 1
    assert kernel.ptx.count("ld.global") == kernel.ptx.count("st.global") == 1
    report = assemble(kernel.ptx, kernel.target)
    assert (report.spill_stores, report.spill_loads) == (0, 0)


def test_an_emitted_module_can_be_compiled_too():
    text = FUSIONS[0].read_text()
    module = compiler.lower(compiler.emit(text), LEVELS[-1])
    assert compile_module(module).ptx == compiler.compile(text).ptx
