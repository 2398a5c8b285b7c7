"""The computation partitioner: the two graphs of the documentation, and the rules one by one. Row XGPU-45."""

import pytest
from emission import check, check_kernel, check_module, fusion_of
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from xshardy.affine.expressions import add, dim
from xshardy.affine.indexing_map import IndexingMap
from xshardy.compiler import lower
from xshardy.dialects.stablehlo.shape import TransposeOp
from xshardy.emitters.partition import Partition, is_too_large, partition

LOG_TRANSPOSE_ADD = """
HloModule partition_transpose
fused {
  %param = f32[16,16] parameter(0)
  %log = f32[16,16] log(%param)
  %transpose = f32[16,16] transpose(%log), dimensions={1,0}
  ROOT %add = f32[16,16] add(%log, %transpose)
}
ENTRY main {
  %param = f32[16,16] parameter(0)
  ROOT %fusion = f32[16,16] fusion(%param), kind=kLoop, calls=fused
}
"""

SLICE_PAD = """
HloModule partition_slice_pad
fused {
  %p0 = f32[8,5] parameter(0)
  %p1 = f32[8,5] parameter(1)
  %p2 = f32[8,4] parameter(2)
  %p3 = f32[8,1] parameter(3)
  %zero = f32[] constant(0)
  %add.0 = f32[8,5] add(%p0, %p1)
  %slice.0 = f32[8,4] slice(%add.0), slice={[0:8], [0:4]}
  %add.1 = f32[8,4] add(%slice.0, %p2)
  %concatenate.0 = f32[8,5] concatenate(%p3, %add.1), dimensions={1}
  %pad.0 = f32[8,10] pad(%concatenate.0, %zero), padding=0_0_0x0_1_1
  %pad.1 = f32[8,10] pad(%add.0, %zero), padding=0_0_0x1_0_1
  ROOT %add.2 = f32[8,10] add(%pad.0, %pad.1)
}
ENTRY main {
  %p0 = f32[8,5] parameter(0)
  %p1 = f32[8,5] parameter(1)
  %p2 = f32[8,4] parameter(2)
  %p3 = f32[8,1] parameter(3)
  ROOT %fusion = f32[8,10] fusion(%p0, %p1, %p2, %p3), kind=kLoop, calls=fused
}
"""


def functions(parts: Partition) -> list[list[str]]:
    """The operations of each function, without their dialect."""
    return [[op.name.split(".")[1] for op in subgraph.ops] for subgraph in parts.subgraphs]


def partition_of(text: str) -> list[list[str]]:
    return functions(partition(fusion_of(text).callee_function()))


def fused(body: str, parameters: str = "p = f32[8] parameter(0)", result: str = "f32[8]") -> str:
    """A module whose fusion has this body."""
    names = ", ".join(line.split("=")[0].strip() for line in parameters.split(";"))
    declared = "\n".join(f"  {line.strip()}" for line in parameters.split(";"))
    return (
        f"HloModule m\nf {{\n{declared}\n{body}\n}}\n"
        f"ENTRY main {{\n{declared}\n  ROOT r = {result} fusion({names}), kind=kLoop, calls=f\n}}\n"
    )


def test_log_is_read_at_two_indices():
    """Row XGPU-12."""
    assert partition_of(LOG_TRANSPOSE_ADD) == [["transpose", "add"], ["log"]]


def is_transpose(op: Operation) -> bool:
    return isinstance(op, TransposeOp)


def test_transpose_can_be_made_to_start_a_function():
    computation = fusion_of(LOG_TRANSPOSE_ADD).callee_function()
    assert functions(partition(computation, starts_function=is_transpose)) == [["add"], ["transpose"], ["log"]]


@pytest.mark.parametrize("text", [LOG_TRANSPOSE_ADD, SLICE_PAD])
def test_any_partition_computes_the_same(text: str):
    """Each operation in a function of its own, and as few functions as the rules allow."""
    check_module(text)
    check_module(text, starts_function=lambda _: True)


def test_each_add_with_a_slice_and_a_pad_ends_a_function():
    """Row XGPU-13."""
    assert partition_of(SLICE_PAD) == [["slice", "add", "concatenate", "pad", "pad", "add"], ["add"]]


def test_one_user():
    """Row XGPU-11, C1."""
    assert partition_of(
        fused("a = f32[8] negate(p)\n b = f32[8] reverse(a), dimensions={0}\n ROOT r = f32[8] abs(b)")
    ) == [["negate", "reverse", "abs"]]


def test_several_users_at_the_same_indices():
    """Row XGPU-11, C2."""
    assert partition_of(
        fused(
            """
        a = f32[8] negate(p)
        b = f32[8] abs(a)
        c = f32[8] sine(a)
        d = f32[8] add(b, c)
        ROOT r = f32[8] add(d, a)
        """
        )
    ) == [["negate", "abs", "sine", "add", "add"]]


def test_several_users_at_the_same_indices_by_different_ways():
    """Two reverses are none, so both ways lead to the same element."""
    assert partition_of(
        fused("""
        a = f32[8] negate(p)
        b = f32[8] reverse(a), dimensions={0}
        c = f32[8] reverse(b), dimensions={0}
        ROOT r = f32[8] add(a, c)
        """)
    ) == [["negate", "reverse", "reverse", "add"]]


def test_users_in_different_functions():
    """`a` is read at the same indices by `b` and by `r`, but these are in different functions."""
    assert partition_of(
        fused("""
        a = f32[8] negate(p)
        b = f32[8] sine(a)
        c = f32[8] reverse(b), dimensions={0}
        d = f32[8] add(b, c)
        ROOT r = f32[8] add(d, a)
        """)
    ) == [["reverse", "add", "add"], ["sine"], ["negate"]]


def test_constants_and_their_broadcasts_are_repeated():
    """`b` is read at two indices, and still needs no function."""
    assert partition_of(
        fused("""
        c = f32[] constant(2)
        b = f32[8] broadcast(c), dimensions={}
        a = f32[8] negate(p)
        m = f32[8] multiply(a, b)
        s = f32[8] reverse(b), dimensions={0}
        ROOT r = f32[8] add(m, s)
        """)
    ) == [["negate", "multiply", "reverse", "add"]]


def test_dead_operations_are_in_no_function():
    assert partition_of(fused("a = f32[8] negate(p)\n ROOT r = f32[8] abs(p)")) == [["abs"]]


def test_roots_share_one_function():
    text = fused(
        "a = f32[8] negate(p)\n b = f32[2,4] reshape(a)\n ROOT r = (f32[8], f32[2,4]) tuple(a, b)",
        result="(f32[8], f32[2,4])",
    )
    assert partition_of(text) == [["negate", "reshape"]]


def test_functions_have_different_names():
    parts = partition(fusion_of(SLICE_PAD).callee_function(), starts_function=lambda _: True)
    names = [subgraph.name for subgraph in parts.subgraphs]
    assert len(set(names)) == len(names) == 7


def test_roots_of_different_sizes():
    text = fused(
        "a = f32[8] negate(p)\n b = f32[4] slice(a), slice={[0:4]}\n ROOT r = (f32[8], f32[4]) tuple(a, b)",
        result="(f32[8], f32[4])",
    )
    with pytest.raises(PassFailedException, match="result 1 has 4 elements and result 0 has 8"):
        partition(fusion_of(text).callee_function())


def test_long_chains_of_moves_are_not_composed():
    """Each reshape doubles the map from the root: neither the partitioner nor a later pass may compose it."""
    steps = "\n".join(
        f"""
        t{i} = f32[10,21] reshape(a{i})
        u{i} = f32[21,10] transpose(t{i}), dimensions={{1,0}}
        v{i} = f32[14,15] reshape(u{i})
        a{i + 1} = f32[15,14] transpose(v{i}), dimensions={{1,0}}
        """
        for i in range(12)
    )
    text = fused(
        f"a0 = f32[15,14] negate(p)\n{steps}\nROOT r = f32[15,14] add(a12, a6)",
        "p = f32[15,14] parameter(0)",
        "f32[15,14]",
    )
    assert len(partition_of(text)) == 2
    check_kernel(lower(check(text), "unrolled"), fusion_of(text).callee_function())


def test_deep_branches_end_in_a_function():
    """Each pad reads the one before in a branch: 40 branches in each other would be hard to print and to read."""
    steps = "\n".join(f"a{i + 1} = f32[{9 + i}] pad(a{i}, zero), padding=0_1" for i in range(40))
    text = fused(
        f"zero = f32[] constant(0)\na0 = f32[8] negate(p)\n{steps}\nROOT r = f32[48] negate(a40)", result="f32[48]"
    )
    assert len(partition_of(text)) == 3
    check(text)


@pytest.mark.parametrize(("operators", "too_large"), [(200, False), (201, True)])
def test_maps_of_more_than_200_operators_are_not_composed(operators: int, too_large: bool):
    sum = dim(0)
    for i in range(operators):
        sum = add(sum, dim(i + 1))
    assert is_too_large(IndexingMap.from_tensor_sizes([sum], [8] * (operators + 1))) == too_large
