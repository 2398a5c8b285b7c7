"""What every kernel gets, whichever emitter makes it: the width of its indices, and locations."""

from emission import fusion_of
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from xshardy.dialects.data_layout import index_width
from xshardy.emitters import emit_fusion
from xshardy.transforms.call_graph import functions_of

NEGATE = """HloModule m
fused {
  x = f32[8] parameter(0)
  ROOT r = f32[8] negate(x)
}
ENTRY main {
  x = f32[8] parameter(0)
  ROOT fusion = f32[8] fusion(x), kind=kLoop, calls=fused
}
"""


def place(name: str) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(name), IntAttr(1), IntAttr(1))


def test_a_small_kernel_has_indices_of_32_bits():
    assert index_width(emit_fusion(fusion_of(NEGATE))) == 32


def test_operations_have_the_location_of_what_they_compute_or_else_that_of_the_fusion():
    fusion = fusion_of(NEGATE)
    fusion.location = place("fusion")
    for op in fusion.callee_function().body.block.ops:
        op.location = place(op.name)
    ops = [op for each in functions_of(emit_fusion(fusion)).values() for op in each.body.block.walk()]
    assert {op.location for op in ops if op.name == "arith.negf"} == {place("stablehlo.negate")}
    assert {op.location for op in ops if op.name == "gpu.thread_id"} == {place("fusion")}
