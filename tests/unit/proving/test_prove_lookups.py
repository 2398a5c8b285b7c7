"""Look-ups at run-time indices along sharded dimensions: parts are proved, and wrong variants are refuted instead."""
# ruff: noqa: E501  lines of programs

from collections.abc import Sequence
from typing import NamedTuple

import pytest

import xshardy


class Case(NamedTuple):
    """A whole program, the program of each of two devices, and changes of the latter that make it wrong."""

    whole: str
    local: str
    wrong: Sequence[tuple[str, str]]


def module(body: str, mesh: str = "") -> str:
    return f"module @m attributes {{mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32}} {{ {mesh} {body} }}"


def whole(arguments: str, result: str, body: str) -> str:
    return module(f"func.func @main({arguments}) -> {result} {{ {body} }}", 'sdy.mesh @mesh = <["x"=2]>')


def local(arguments: str, result: str, body: str) -> str:
    return module(f"func.func @main({arguments}) -> {result} {{ {OFFSET} {body} }}")


ROWS = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}'
NONE = "{sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}"
OFFSET = """
  %id = stablehlo.partition_id : tensor<ui32>
  %device = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %nil = stablehlo.constant dense<0.0> : tensor<f32>
  %first = stablehlo.multiply %device, %four : tensor<i32>
  %last = stablehlo.add %first, %three : tensor<i32>
"""
ADD = "({^bb0(%a: tensor<f32>, %b: tensor<f32>): %c = stablehlo.add %a, %b : tensor<f32> stablehlo.return %c : tensor<f32>})"


def all_reduce(value: str, result: str, shape: str) -> str:
    groups = "<{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}>"
    return f'{result} = "stablehlo.all_reduce"({value}) {groups} {ADD} : ({shape}) -> {shape}'


# -- Gathers -----------------------------------------------------------------------------------------------------------

GATHER = """"stablehlo.gather"(%t, {index}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
  start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}}> : (tensor<{rows}x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>"""
TAKE = whole(
    f"%t: tensor<8x2xf32> {ROWS}, %i: tensor<3xi32>",
    "tensor<3x2xf32>",
    f"%r = {GATHER.format(index='%i', rows=8)} return %r : tensor<3x2xf32>",
)
MASKED = f"""
  %g = {GATHER.format(index="%shifted", rows=4)}
  %wide = stablehlo.broadcast_in_dim %mask, dims = [0] : (tensor<3xi1>) -> tensor<3x2xi1>
  %zeros = stablehlo.broadcast_in_dim %nil, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
"""
ENDS = """
  %lo = stablehlo.broadcast_in_dim %first, dims = [] : (tensor<i32>) -> tensor<3xi32>
  %hi = stablehlo.broadcast_in_dim %last, dims = [] : (tensor<i32>) -> tensor<3xi32>
  %index = stablehlo.clamp %zero, %i, %seven : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
"""
MASKED_GATHER = Case(
    TAKE,
    local(
        "%t: tensor<4x2xf32>, %i: tensor<3xi32>",
        "tensor<3x2xf32>",
        f"""{ENDS}
  %shifted = stablehlo.subtract %index, %lo : tensor<3xi32>
  %ge = stablehlo.compare GE, %index, %lo : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %le = stablehlo.compare LE, %index, %hi : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %mask = stablehlo.and %ge, %le : tensor<3xi1>
  {MASKED}
  %part = stablehlo.select %wide, %g, %zeros : tensor<3x2xi1>, tensor<3x2xf32>
  {all_reduce("%part", "%r", "tensor<3x2xf32>")}
  return %r : tensor<3x2xf32>""",
    ),
    (
        ("compare GE", "compare GT"),  # one off
        ("compare LE", "compare LT"),
        ("stablehlo.and %ge, %le", "stablehlo.and %ge, %ge"),  # only half of the mask
        ("select %wide, %g, %zeros", "select %wide, %g, %g"),  # none
        ("select %wide, %g, %zeros", "select %wide, %zeros, %g"),  # inverted
        ("subtract %index, %lo", "subtract %index, %hi"),  # another offset
        ("subtract %index, %lo", "add %index, %lo"),
        ("%device, %four", "%device, %three"),
        ("dense<7>", "dense<6>"),  # clamped to too little
        ("clamp %zero, %i, %seven", "clamp %three, %i, %seven"),
        ("stablehlo.clamp %zero, %i, %seven", "stablehlo.clamp %zero, %i, %zero"),
        (  # out of bounds is dropped, where the whole program clamps
            "clamp %zero, %i, %seven : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>",
            "maximum %i, %i : tensor<3xi32>",
        ),
        ("return %r", "return %part"),  # no all-reduce
        ("return %r", "return %g"),
        ("dense<0.0>", "dense<1.0>"),  # something else than zero beside the mask
    ),
)
XLA_GATHER = Case(
    TAKE,
    local(
        "%t: tensor<4x2xf32>, %i: tensor<3xi32>",
        "tensor<3x2xf32>",
        f"""{ENDS}
  %near = stablehlo.clamp %lo, %index, %hi : tensor<3xi32>
  %shifted = stablehlo.subtract %near, %lo : tensor<3xi32>
  %lt = stablehlo.compare LT, %index, %lo : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %gt = stablehlo.compare GT, %index, %hi : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %mask = stablehlo.or %lt, %gt : tensor<3xi1>
  {MASKED}
  %part = stablehlo.select %wide, %zeros, %g : tensor<3x2xi1>, tensor<3x2xf32>
  {all_reduce("%part", "%r", "tensor<3x2xf32>")}
  return %r : tensor<3x2xf32>""",
    ),
    (
        ("compare LT", "compare LE"),
        ("compare GT", "compare GE"),
        ("stablehlo.or", "stablehlo.and"),
        ("clamp %lo, %index, %hi", "clamp %hi, %index, %hi"),
        ("subtract %near, %lo", "subtract %near, %hi"),
        ("return %r", "return %part"),
    ),
)

# -- Scatters ----------------------------------------------------------------------------------------------------------

SCATTER = """"stablehlo.scatter"({into}, {index}, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
  inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{^bb0(%p: tensor<f32>, %q: tensor<f32>):
  {body}}}) : (tensor<{rows}x2xf32>, tensor<{count}xi32>, tensor<{count}x2xf32>) -> tensor<{rows}x2xf32>"""
ADDS = "%s = stablehlo.add %p, %q : tensor<f32> stablehlo.return %s : tensor<f32>"
SETS = "stablehlo.return %q : tensor<f32>"


def scattered(body: str) -> Case:
    """A scatter into rows that are sharded, of updates that all devices have."""
    given = "%t: tensor<{rows}x2xf32> {of}, %i: tensor<4xi32>, %u: tensor<4x2xf32>"
    return Case(
        whole(
            given.format(rows=8, of=ROWS),
            f"(tensor<8x2xf32> {ROWS})",
            f"%r = {SCATTER.format(into='%t', index='%i', rows=8, count=4, body=body)} return %r : tensor<8x2xf32>",
        ),
        local(
            given.format(rows=4, of=""),
            "tensor<4x2xf32>",
            f"""
  %lo = stablehlo.broadcast_in_dim %first, dims = [] : (tensor<i32>) -> tensor<4xi32>
  %near = stablehlo.clamp %zero, %i, %seven : (tensor<i32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %shifted = stablehlo.subtract %i, %lo : tensor<4xi32>
  %r = {SCATTER.format(into="%t", index="%shifted", rows=4, count=4, body=body)}
  return %r : tensor<4x2xf32>""",
        ),
        (
            ("subtract %i, %lo", "subtract %near, %lo"),  # clamped where it must be dropped
            ("subtract %i, %lo", "add %i, %lo"),
            ("subtract %i, %lo", "subtract %lo, %i"),
            ("subtract %i, %lo", "minimum %i, %lo"),
            ("%device, %four", "%device, %three"),
            ("%t, %shifted, %u", "%t, %i, %u"),  # not shifted
        ),
    )


SCATTERED_PARTS = Case(
    whole(
        f'%t: tensor<8x2xf32> {NONE}, %i: tensor<4xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}, %u: tensor<4x2xf32> {ROWS}',
        f"(tensor<8x2xf32> {NONE})",
        f"%r = {SCATTER.format(into='%t', index='%i', rows=8, count=4, body=ADDS)} return %r : tensor<8x2xf32>",
    ),
    local(
        "%t: tensor<8x2xf32>, %i: tensor<2xi32>, %u: tensor<2x2xf32>",
        "tensor<8x2xf32>",
        f"""
  %mine = stablehlo.compare EQ, %device, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %is_first = stablehlo.broadcast_in_dim %mine, dims = [] : (tensor<i1>) -> tensor<8x2xi1>
  %zeros = stablehlo.broadcast_in_dim %nil, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
  %once = stablehlo.select %is_first, %t, %zeros : tensor<8x2xi1>, tensor<8x2xf32>
  %part = {SCATTER.format(into="%once", index="%i", rows=8, count=2, body=ADDS)}
  {all_reduce("%part", "%r", "tensor<8x2xf32>")}
  return %r : tensor<8x2xf32>""",
    ),
    (
        ("%once, %i, %u", "%t, %i, %u"),  # the operand twice
        ("%once, %i, %u", "%zeros, %i, %u"),
        ("return %r", "return %part"),
    ),
)

# -- Dynamic slices and updates ----------------------------------------------------------------------------------------

SHIFT = """
  %five = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %start = stablehlo.clamp %zero, %i, %five : tensor<i32>
  %here = stablehlo.subtract %start, %first : tensor<i32>
  %near = stablehlo.clamp %zero, %here, %one : tensor<i32>
  %moved = stablehlo.subtract %near, %here : tensor<i32>
  %read = stablehlo.dynamic_slice %t, %near, %zero, sizes = [3, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
"""
SLICE = Case(
    whole(
        f"%t: tensor<8x2xf32> {ROWS}, %i: tensor<i32>",
        "tensor<3x2xf32>",
        """%c = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.dynamic_slice %t, %i, %c, sizes = [3, 2] : (tensor<8x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>""",
    ),
    local(
        "%t: tensor<4x2xf32>, %i: tensor<i32>",
        "tensor<3x2xf32>",
        f"""{SHIFT}
  %padded = stablehlo.pad %read, %nil, low = [3, 0], high = [3, 0], interior = [0, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<9x2xf32>
  %back = stablehlo.subtract %three, %moved : tensor<i32>
  %part = stablehlo.dynamic_slice %padded, %back, %zero, sizes = [3, 2] : (tensor<9x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  {all_reduce("%part", "%r", "tensor<3x2xf32>")}
  return %r : tensor<3x2xf32>""",
    ),
    (
        ("clamp %zero, %i, %five", "clamp %zero, %i, %seven"),
        ("stablehlo.clamp %zero, %i, %five", "stablehlo.minimum %i, %five"),
        ("dense<5>", "dense<4>"),
        ("subtract %start, %first", "subtract %start, %last"),
        ("subtract %near, %here", "subtract %here, %near"),
        ("subtract %three, %moved", "subtract %four, %moved"),
        ("subtract %three, %moved", "add %three, %moved"),
        ("return %r", "return %part"),
        ("return %r", "return %read"),
    ),
)
UPDATED = whole(
    f"%t: tensor<8x2xf32> {ROWS}, %u: tensor<3x2xf32>, %i: tensor<i32>",
    f"(tensor<8x2xf32> {ROWS})",
    """%c = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %t, %u, %i, %c : (tensor<8x2xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
  return %r : tensor<8x2xf32>""",
)
UPDATE = Case(
    UPDATED,
    local(
        "%t: tensor<4x2xf32>, %u: tensor<3x2xf32>, %i: tensor<i32>",
        "tensor<4x2xf32>",
        f"""{SHIFT}
  %true = stablehlo.constant dense<true> : tensor<3x2xi1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %forth = stablehlo.add %three, %moved : tensor<i32>
  %trues = stablehlo.pad %true, %false, low = [3, 0], high = [3, 0], interior = [0, 0] : (tensor<3x2xi1>, tensor<i1>) -> tensor<9x2xi1>
  %mask = stablehlo.dynamic_slice %trues, %forth, %zero, sizes = [3, 2] : (tensor<9x2xi1>, tensor<i32>, tensor<i32>) -> tensor<3x2xi1>
  %padded = stablehlo.pad %u, %nil, low = [3, 0], high = [3, 0], interior = [0, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<9x2xf32>
  %new = stablehlo.dynamic_slice %padded, %forth, %zero, sizes = [3, 2] : (tensor<9x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  %v = stablehlo.select %mask, %new, %read : tensor<3x2xi1>, tensor<3x2xf32>
  %r = stablehlo.dynamic_update_slice %t, %v, %near, %zero : (tensor<4x2xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>""",
    ),
    (
        ("select %mask, %new, %read", "select %mask, %read, %new"),
        ("%t, %v, %near", "%t, %new, %near"),  # no mask
        ("%t, %v, %near", "%t, %u, %near"),
        ("%t, %v, %near", "%t, %v, %one"),
        ("add %three, %moved", "subtract %three, %moved"),
        ("add %three, %moved", "add %four, %moved"),
        ("%trues, %forth", "%trues, %three"),
        ("%trues, %forth", "%trues, %moved"),  # the mask is true where the update has nothing
        ("%trues, %forth", "%trues, %start"),
        ("dynamic_slice %t, %near", "dynamic_slice %t, %moved"),  # what is written back is another slice
        ("%padded, %forth", "%padded, %three"),
        ("subtract %start, %first", "subtract %start, %last"),
        ("dense<5>", "dense<6>"),
        ("select %mask, %new, %read", "select %mask, %new, %new"),
        (  # something else is beside what is written back
            "%v = stablehlo.select %mask, %new, %read",
            "%w = stablehlo.select %mask, %new, %read : tensor<3x2xi1>, tensor<3x2xf32>\n"
            "%v = stablehlo.select %mask, %w, %u",
        ),
        (  # the mask is true at one more place, where the update has nothing
            "%trues = stablehlo.pad %true, %false, low = [3, 0], high = [3, 0], interior = [0, 0] : (tensor<3x2xi1>,",
            "%more = stablehlo.constant dense<true> : tensor<4x2xi1>\n"
            "%trues = stablehlo.pad %more, %false, low = [3, 0], high = [2, 0], interior = [0, 0] : (tensor<4x2xi1>,",
        ),
    ),
)
ROW = Case(
    UPDATED.replace("3x2", "1x2"),
    local(
        "%t: tensor<4x2xf32>, %u: tensor<1x2xf32>, %i: tensor<i32>",
        "tensor<4x2xf32>",
        """
  %start = stablehlo.clamp %zero, %i, %seven : tensor<i32>
  %here = stablehlo.subtract %start, %first : tensor<i32>
  %ge = stablehlo.compare GE, %start, %first : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %le = stablehlo.compare LE, %start, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %mask = stablehlo.and %ge, %le : tensor<i1>
  %new = stablehlo.dynamic_update_slice %t, %u, %here, %zero : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  %r = stablehlo.select %mask, %new, %t : tensor<i1>, tensor<4x2xf32>
  return %r : tensor<4x2xf32>""",
    ),
    (
        ("return %r", "return %new"),
        ("stablehlo.and %ge, %le", "stablehlo.and %le, %le"),
        ("compare GE", "compare GT"),
        ("compare LE", "compare LT"),
        ("clamp %zero, %i, %seven", "clamp %zero, %i, %three"),
        ("stablehlo.clamp %zero, %i, %seven", "stablehlo.maximum %i, %zero"),
        ("subtract %start, %first", "subtract %start, %last"),
        ("select %mask, %new, %t", "select %mask, %t, %new"),
    ),
)

# -- Partitions of ours ------------------------------------------------------------------------------------------------


def gather(operand: str, indices: str, result: str, numbers: str, sizes: str) -> str:
    """A gather of the arguments `%t` and `%i`, of which the operand is sharded along its first dimension."""
    dims = ", ".join(['{"x"}', *["{}"] * (operand.count("x") - 1)])
    return whole(
        f"%t: tensor<{operand}> {{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}, %i: tensor<{indices}>",
        f"tensor<{result}>",
        f"""%r = "stablehlo.gather"(%t, %i) <{{dimension_numbers = #stablehlo.gather<{numbers}>,
          slice_sizes = array<i64: {sizes}>}}> : (tensor<{operand}>, tensor<{indices}>) -> tensor<{result}>
        return %r : tensor<{result}>""",
    )


ROW_OF = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
PARTITIONED = {
    "rows that the devices do not divide": gather("7x2xf32", "3xi32", "3x2xf32", ROW_OF, "1, 2"),
    "truths": gather("8x2xi1", "3xi32", "3x2xi1", ROW_OF, "1, 2"),
    "integers": gather("8x2xui8", "3xi32", "3x2xui8", ROW_OF, "1, 2"),
    "indices of 8 bits": gather("8x2xf32", "3xui8", "3x2xf32", ROW_OF, "1, 2"),
    "windows": gather(
        "8x2xf32", "3xi32", "3x5x2xf32", "offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1", "5, 2"
    ),
    "two indices": gather(
        "8x6xf32",
        "3x2xi32",
        "3xf32",
        "collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 1",
        "1, 1",
    ),
    "batches": gather(
        "8x3xf32",
        "3x5xi32",
        "3x5xf32",
        "collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [0],"
        " index_vector_dim = 2",
        "1, 1",
    ),
    "slices of two dimensions": whole(
        f"%t: tensor<8x6xf32> {ROWS}, %i: tensor<i32>, %j: tensor<i32>",
        "tensor<3x2xf32>",
        """%r = stablehlo.dynamic_slice %t, %i, %j, sizes = [3, 2] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
        return %r : tensor<3x2xf32>""",
    ),
    "updates of two dimensions": whole(
        f"%t: tensor<8x6xf32> {ROWS}, %u: tensor<3x2xf32>, %i: tensor<i32>, %j: tensor<i32>",
        f"(tensor<8x6xf32> {ROWS})",
        """%r = stablehlo.dynamic_update_slice %t, %u, %i, %j : (tensor<8x6xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
        return %r : tensor<8x6xf32>""",
    ),
}

CASES = {
    "gather masked by a conjunction": MASKED_GATHER,
    "gather clamped and masked by a disjunction": XLA_GATHER,
    "scatter with additions": scattered(ADDS),
    "scatter that overwrites": scattered(SETS),
    "scatter of parts of the updates": SCATTERED_PARTS,
    "dynamic slice": SLICE,
    "dynamic update": UPDATE,
    "dynamic update of one row under a condition": ROW,
}
WRONG = [pytest.param(case, old, new, id=f"{name}: {new}") for name, case in CASES.items() for old, new in case.wrong]


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_part_of_a_look_up_is_proved(case: Case):
    assert xshardy.prove(case.whole, case.local, run=False)


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PARTITIONED.items()])
def test_our_partition_is_proved(program: str):
    verdict = xshardy.prove(program)
    assert verdict
    assert verdict.pair.devices == 2


@pytest.mark.parametrize(("case", "old", "new"), WRONG)
def test_wrong_part_is_refuted(case: Case, old: str, new: str):
    assert old in case.local
    verdict = xshardy.prove(case.whole, case.local.replace(old, new))
    assert not verdict
    assert verdict.witness is not None, "few inputs have an index out of bounds: enough are tried"
