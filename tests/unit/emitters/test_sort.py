"""Sorts and top-k as kernels, executed against the evaluator."""

import pytest
from emission import check, fusion_of
from hypothesis import given, settings
from hypothesis import strategies as st
from test_expanded_operations import check_levels, module, shape
from xdsl.utils.exceptions import PassFailedException

from xshardy import compiler
from xshardy.emitters import emit_fusion, explain
from xshardy.lowering.code_generators import kernel_source
from xshardy.lowering.ptxas import assemble

COMPARATORS = {
    "ascending": "compare(a0, b0), direction=LT",
    "descending": "compare(a0, b0), direction=GT",
    "total order": "compare(a0, b0), direction=LT, type=TOTALORDER",
}


def sort(types: list[str], sizes: list[int], dimension: int, comparator: str, stable: bool = True) -> str:
    """A sort of an operand of each type, by the first one."""
    scalars = "\n".join(
        f"  {name}{i} = {type}[] parameter({2 * i + j})" for i, type in enumerate(types) for j, name in enumerate("ab")
    )
    operands = [shape(type, sizes) for type in types]
    result = operands[0] if len(operands) == 1 else f"({', '.join(operands)})"
    names = ", ".join(f"p{i}" for i in range(len(types)))
    body = f"  ROOT r = {result} sort({names}), dimensions={{{dimension}}}, to_apply=before"
    body += ", is_stable=true" if stable else ""
    return module(operands, result, body, f"before {{\n{scalars}\n  ROOT r = pred[] {COMPARATORS[comparator]}\n}}")


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_sort(data: st.DataObject):
    """Rows of any length along any dimension; several operands follow the first; equal elements stay in order."""
    types = data.draw(st.lists(st.sampled_from(["f32", "s8", "u16", "bf16", "pred", "s64"]), min_size=1, max_size=3))
    types[0] = data.draw(st.sampled_from(["f32", "s8", "f16", "u32"]))
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3))
    dimension = data.draw(st.integers(0, len(sizes) - 1))
    sizes[dimension] = data.draw(st.one_of(st.integers(1, 70), st.sampled_from([127, 128, 129, 1100])))
    names = sorted(COMPARATORS) if types[0].startswith("f") else ["ascending", "descending"]
    check(sort(types, sizes, dimension, data.draw(st.sampled_from(names)), data.draw(st.booleans())))


@pytest.mark.parametrize(("row", "threads"), [(5, 32), (100, 64), (1024, 512), (5000, 512)])
def test_a_thread_compares_two_elements_up_to_the_largest_block(row: int, threads: int):
    kernel = emit_fusion(fusion_of(sort(["f32"], [3, row], 1, "ascending")))
    assert kernel_source(compiler.lower(kernel, "llvm")).block == (threads, 1, 1)


@pytest.mark.parametrize(("types", "sizes"), [(["f32"], [3, 100]), (["s32", "f32"], [37])])
def test_sort_at_all_levels(types: list[str], sizes: list[int]):
    text = sort(types, sizes, len(sizes) - 1, "total order" if types[0] == "f32" else "descending")
    check_levels(text)
    assert not assemble(compiler.compile(text).ptx).spills


def top_k(type: str, sizes: list[int], count: int, largest: bool) -> str:
    taken = [*sizes[:-1], count]
    result = f"({shape(type, taken)}, {shape('s32', taken)})"
    body = f"  ROOT r = {result} topk(p0), k={count}, largest={str(largest).lower()}"
    return module([shape(type, sizes)], result, body)


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from(["f32", "s32", "bf16"]),
    st.lists(st.integers(1, 5), max_size=2),
    st.integers(1, 60),
    st.booleans(),
    st.data(),
)
def test_top_k(type: str, batch: list[int], size: int, largest: bool, data: st.DataObject):
    check(top_k(type, [*batch, size], data.draw(st.integers(1, size)), largest))


def test_top_k_at_all_levels():
    check_levels(top_k("f32", [3, 50], 5, True))


def test_what_is_sorted_may_be_computed():
    text = sort(["f32"], [4, 33], 1, "total order")
    text = text.replace("ROOT r = f32[4,33] sort(p0)", "n = f32[4,33] negate(p0)\n  ROOT r = f32[4,33] sort(n)")
    check(text)
    assert explain(fusion_of(text)).reason == "it sorts rows of 33 elements in shared memory"


def test_refused_sorts():
    """Long rows, and results that are computed from a sort."""
    with pytest.raises(PassFailedException, match=r"a row and its indices take 56000 bytes .* --fuse sorts such rows"):
        emit_fusion(fusion_of(sort(["f32"], [2, 7000], 1, "ascending")))
    negated = sort(["f32"], [8], 0, "ascending").replace("ROOT r = f32[8] sort", "s = f32[8] sort")
    negated = negated.replace("is_stable=true", "is_stable=true\n  ROOT n = f32[8] negate(s)")
    with pytest.raises(PassFailedException, match="results of one sort, or the first elements of them"):
        emit_fusion(fusion_of(negated))
