"""Our StableHLO text is upstream's: jaxlib's MLIR reads our text, and we read its text."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from xshardy.hlo_text import parse_hlo
from xshardy.syntax import parse_module, print_module

FILECHECK = Path(__file__).parents[2] / "filecheck"
FILES = sorted(path for name in ("stablehlo", "chlo") for path in (FILECHECK / "dialects" / name).glob("*.mlir"))
VALID = [path for path in FILES if "invalid" not in path.stem]
REJECTED_BY_US_ONLY = {"syntax_invalid"}
"""Files with cases that upstream reads, or words otherwise."""
INVALID = [path for path in FILES if "invalid" in path.stem and path.stem not in REJECTED_BY_US_ONLY]
CRASHES = ("@no_operands(",)
"""Functions at which jaxlib's MLIR ends the process."""


@pytest.fixture(scope="module")
def context():
    mlir = pytest.importorskip("jax._src.interpreters.mlir")
    return mlir.make_ir_context()


def upstream_text(context, text: str, generic: bool = False) -> str:
    """`text` read and printed by MLIR itself. Raises if MLIR rejects it."""
    from jaxlib.mlir import ir

    with context:
        module = ir.Module.parse(text)
        module.operation.verify()
        return module.operation.get_asm(print_generic_op_form=generic)


def assert_same(ours: ModuleOp, theirs: ModuleOp) -> None:
    assert ours.is_structurally_equivalent(theirs), f"{ours}\n{theirs}"


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_round_trip_through_upstream(context, path: Path, generic: bool):
    module = parse_module(path.read_text(), path.name)
    assert_same(parse_module(upstream_text(context, print_module(module), generic)), module)


@pytest.mark.parametrize(
    ("path", "chunk"),
    [
        pytest.param(path, chunk, id=f"{path.stem}-{chunk.partition('@')[2].partition('(')[0]}")
        for path in INVALID
        for chunk in path.read_text().split("// -----")
        if not any(name in chunk for name in CRASHES)
    ],
)
def test_upstream_rejects_the_same_modules(context, path: Path, chunk: str):
    from jaxlib.mlir import ir

    with pytest.raises(ir.MLIRError):
        upstream_text(context, chunk)


def test_hlo_text_becomes_stablehlo_that_upstream_reads(context):
    """The elementwise opcodes, as far as upstream has them."""
    lines = (FILECHECK / "hlo_text" / "elementwise.hlo").read_text().splitlines()
    missing = ("acos(", "acosh(", "asin(", "asinh(", "atanh(", "copy(", "cosh(", "erf(", "sinh(")
    text = "\n".join(line for line in lines if not any(f"] {opcode}" in line for opcode in missing))
    module = parse_hlo(text)
    assert_same(parse_module(upstream_text(context, print_module(module))), module)
