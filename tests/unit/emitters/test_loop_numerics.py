"""
Whole loop fusions, run on a CPU against the reference: shapes, layouts, several roots, data movement, partitions.

Row XGPU-52.
"""

import pytest
from emission import check, fusion_of

from xshardy.emitters import emit_fusion


def fusion(result: str, parameters: dict[str, str], body: str) -> str:
    """A module whose fusion has these parameters, name -> shape, and this body of instructions."""
    declared = "\n".join(f"  {name} = {shape} parameter({i})" for i, (name, shape) in enumerate(parameters.items()))
    names = ", ".join(parameters)
    return f"""
    HloModule m
    fused {{
    {declared}
    {body}
    }}
    ENTRY main {{
    {declared}
      ROOT fusion = {result} fusion({names}), kind=kLoop, calls=fused
    }}
    """


SHAPES = [
    "[]",
    "[0]",
    "[3,0,2]",
    "[1]",
    "[7]",
    "[127]",
    "[128]",
    "[129]",
    "[1,1,5]",
    "[33,17]",
    "[2,3,5,7]",
    "[600,451]",
]
"""Scalars, empty tensors, sizes that fill their last block or not; the last one is large enough to be unrolled."""


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("type", ["f32", "pred", "s4", "c64"])
def test_shapes(shape: str, type: str):
    operation = "not(x)" if type == "pred" else "negate(x)"
    check(fusion(type + shape, {"x": type + shape}, f"ROOT r = {type}{shape} {operation}"))


@pytest.mark.parametrize("layout", ["{0,1,2}", "{1,0,2}", "{2,0,1}", "{2,1,0}"])
@pytest.mark.parametrize("result_layout", ["{0,1,2}", "{0,2,1}", "{2,1,0}"])
def test_layouts(layout: str, result_layout: str):
    shape, result = f"f32[5,6,7]{layout}", f"f32[5,6,7]{result_layout}"
    check(
        fusion(
            result,
            {"x": shape, "y": "f32[7]"},
            f"""
      b = {result} broadcast(y), dimensions={{2}}
      c = {result} copy(x)
      ROOT r = {result} subtract(c, b)
    """,
        )
    )


def test_roots_of_equal_shape():
    check(
        fusion(
            "(f32[11,12], f32[11,12])",
            {"x": "f32[11,12]"},
            """
      a = f32[11,12] negate(x)
      b = f32[11,12] multiply(a, x)
      ROOT r = (f32[11,12], f32[11,12]) tuple(a, b)
    """,
        )
    )


def test_roots_of_different_types_and_shapes():
    check(
        fusion(
            "(f64[24], s32[4,6], pred[2,12])",
            {"x": "f64[24]", "y": "f64[24]"},
            """
      a = f64[24] maximum(x, y)
      n = s32[24] convert(a)
      b = s32[4,6] bitcast(n)
      p = pred[24] compare(x, y), direction=LT
      c = pred[2,12] reshape(p)
      ROOT r = (f64[24], s32[4,6], pred[2,12]) tuple(a, b, c)
    """,
        )
    )


def test_root_of_another_layout():
    check(
        fusion(
            "(f32[4,6], f32[4,6]{0,1})",
            {"x": "f32[4,6]", "y": "f32[4,6]{0,1}"},
            """
      a = f32[4,6] negate(x)
      b = f32[4,6]{0,1} negate(y)
      ROOT r = (f32[4,6], f32[4,6]{0,1}) tuple(a, b)
    """,
        )
    )


def test_roots_that_are_parameters_and_constants():
    check(
        fusion(
            "(f32[5], f32[5], f32[5], f32[5])",
            {"x": "f32[5]"},
            """
      c = f32[5] constant({1, 2, 3, 4, 5})
      s = f32[] constant(7)
      b = f32[5] broadcast(s), dimensions={}
      ROOT r = (f32[5], f32[5], f32[5], f32[5]) tuple(x, c, b, c)
    """,
        )
    )


def test_same_root_twice():
    check(
        fusion(
            "(f32[5], f32[5])",
            {"x": "f32[5]"},
            """
      a = f32[5] negate(x)
      ROOT r = (f32[5], f32[5]) tuple(a, a)
    """,
        )
    )


def test_constants_of_every_kind():
    check(
        fusion(
            "c64[2,3]",
            {"x": "c64[2,3]"},
            """
      s = c64[] constant((2, -1))
      b = c64[2,3] broadcast(s), dimensions={}
      d = c64[2,3] constant({{(1,2),(3,4),(5,6)},{(0,1),(1,0),(-1,-1)}})
      m = c64[2,3] multiply(x, b)
      ROOT r = c64[2,3] add(m, d)
    """,
        )
    )
    check(
        fusion(
            "s4[3,31]",
            {},
            """
      x = s4[3] constant({-2, -3, -4})
      ROOT r = s4[3,31] broadcast(x), dimensions={0}
    """,
        )
    )
    check(
        fusion(
            "u32[2,2]",
            {"p": "pred[2,2]"},
            """
      a = u32[2,2] constant({{0, 4294967295}, {2147483648, 1}})
      q = pred[2,2] constant({{false, true}, {true, true}})
      b = u32[2,2] convert(p)
      c = u32[2,2] convert(q)
      d = u32[2,2] multiply(a, b)
      ROOT r = u32[2,2] subtract(d, c)
    """,
        )
    )


@pytest.mark.parametrize("type", ["f32", "bf16", "s8", "u64", "c64", "f8e5m2"])
@pytest.mark.parametrize("dimension", [0, 1])
def test_iota(type: str, dimension: int):
    check(
        fusion(
            f"{type}[3,5]",
            {"x": f"{type}[3,5]"},
            f"""
      i = {type}[3,5] iota(), iota_dimension={dimension}
      ROOT r = {type}[3,5] add(x, i)
    """,
        )
    )


MOVES = {
    "broadcast": ("f32[4,3,6]", "f32[3,4]", "broadcast(x), dimensions={1,0}"),
    "reshape": ("f32[2,6,2]", "f32[4,6]", "reshape(x)"),
    "bitcast of a layout": ("f32[6,4]{0,1}", "f32[4,6]", "bitcast(x)"),
    "bitcast of a type": ("s32[4,6]", "f32[4,6]", "bitcast(x)"),
    "transpose": ("f32[5,3,4]", "f32[3,4,5]", "transpose(x), dimensions={2,0,1}"),
    "slice": ("f32[2,3]", "f32[6,7]", "slice(x), slice={[1:5:3], [0:7:3]}"),
    "reverse": ("f32[3,4]", "f32[3,4]", "reverse(x), dimensions={1}"),
    "pad": ("f32[10,6]", "f32[3,4]", "pad(x, zero), padding=2_1_2x1_1"),
    "negative pad": ("f32[2,2]", "f32[3,4]", "pad(x, zero), padding=-1_0x-1_-1"),
    "negative pad with gaps": ("f32[3,8]", "f32[3,4]", "pad(x, zero), padding=0_0_0x-2_3_1"),
    "no pad": ("f32[3,4]", "f32[3,4]", "pad(x, zero), padding=0_0x0_0"),
    "pad of nothing": ("f32[2,3]", "f32[0,3]", "pad(x, zero), padding=1_1x0_0"),
}


@pytest.mark.parametrize("name", MOVES)
def test_moves(name: str):
    """The move as a root, and between elementwise operations."""
    result, operand, instruction = MOVES[name]
    check(fusion(result, {"x": operand, "zero": "f32[]"}, f"ROOT r = {result} {instruction}"))
    between = instruction.replace("(x", "(n")
    check(
        fusion(
            result,
            {"x": operand, "zero": "f32[]"},
            f"""
      n = {operand} negate(x)
      m = {result} {between}
      ROOT r = {result} negate(m)
    """,
        )
    )


def test_concatenate():
    check(
        fusion(
            "f32[2,9]",
            {"x": "f32[2,3]", "e": "f32[2,0]", "y": "f32[2,1]", "z": "f32[2,5]"},
            """
      n = f32[2,3] negate(x)
      ROOT r = f32[2,9] concatenate(n, e, y, z), dimensions={1}
    """,
        )
    )
    check(fusion("f32[2,3]", {"x": "f32[2,3]"}, "ROOT r = f32[2,3] concatenate(x), dimensions={0}"))


def test_branches_share_nothing():
    """`l` is read at the same indices under two conditions: neither branch may use what the other computed."""
    check(
        fusion(
            "f32[10]",
            {"x": "f32[8]", "zero": "f32[]"},
            """
      l = f32[8] negate(x)
      a = f32[10] pad(l, zero), padding=1_1
      b = f32[10] pad(l, zero), padding=1_1
      ROOT r = f32[10] add(a, b)
    """,
        )
    )


def test_scalars_of_select_and_clamp():
    check(
        fusion(
            "f32[6]",
            {"x": "f32[6]", "p": "pred[]", "lo": "f32[]", "hi": "f32[]"},
            """
      n = f32[6] negate(x)
      c = f32[6] clamp(lo, n, hi)
      ROOT r = f32[6] select(p, c, x)
    """,
        )
    )


def test_a_chain_of_doubled_values():
    """Without a function per step, the first value would be computed 2 ** 12 times."""
    steps = "\n".join(
        f"""
        t{i} = f32[4,4] transpose(a{i}), dimensions={{1,0}}
        a{i + 1} = f32[4,4] add(a{i}, t{i})
        """
        for i in range(12)
    )
    kernel = check(
        fusion("f32[4,4]", {"x": "f32[4,4]"}, f"a0 = f32[4,4] negate(x)\n{steps}\nROOT r = f32[4,4] negate(a12)")
    )
    adds = [op for op in kernel.walk() if op.name == "arith.addf"]
    assert len(adds) == 12


def test_long_chains_do_not_recurse():
    """As many operations in a row as would exceed Python's stack, if each were emitted inside of the one before."""
    steps = "\n".join(f"a{i + 1} = f32[4] negate(a{i})" for i in range(2000))
    emit_fusion(
        fusion_of(fusion("f32[4]", {"x": "f32[4]"}, f"a0 = f32[4] negate(x)\n{steps}\nROOT r = f32[4] negate(a2000)"))
    )


def test_empty_constant():
    check(fusion("f32[0]", {"x": "f32[0]"}, "c = f32[0] constant({})\n ROOT r = f32[0] add(x, c)"))
    check(
        fusion("f32[3]", {"x": "f32[3]"}, "c = f32[0] constant({})\n ROOT r = f32[3] concatenate(c, x), dimensions={0}")
    )
