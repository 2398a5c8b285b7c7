"""
The dialect `sdy` as its specification has it: each listing and each rule of a verifier, by the row that states it.

`tests/filecheck/dialects/sdy/` has more cases of the same rules, with upstream's messages.
"""

import re
from pathlib import Path

import pytest
from spec_listings import listings_in, squeezed
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType, f32
from xdsl.ir import Block, Operation
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure, RecursivelySpeculatable, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xshardy.api import parse, print_module
from xshardy.dialects.sdy import collectives, ops
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefListAttr, ListOfAxisRefListsAttr
from xshardy.dialects.sdy.attributes.enums import EdgeNodeType, PropagationDirection, number_of
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.rule import DimMappingAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.syntax.printer import Printer
from xshardy.tools.cli import main
from xshardy.tools.xshardy_opt import run

MESH = 'sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>\n'
"""The mesh of the test forms."""
WIDE = 'sdy.mesh @wide = <["x"=8, "y"=4, "z"=2]>\n'
"""A mesh with axes that can be split."""
T = "tensor<16x8xf32>"


def body(lines: str, arguments: str = f"%x: {T}", meshes: str = MESH + WIDE) -> str:
    """A module with a function of `lines`."""
    return f"{meshes}func.func @f({arguments}) {{\n{lines}\n  return\n}}\n"


LISTINGS = listings_in("sdy_listings.mlir")


@pytest.mark.parametrize("row", LISTINGS)
def test_listing_is_read_verified_printed_and_read_again(row: str):
    module = parse(LISTINGS[row].encode())
    text = print_module(module)
    assert squeezed(LISTINGS[row]) in squeezed(text)
    generic = Printer(print_generic_format=True).module_text(module)
    assert print_module(parse(text.encode())) == print_module(parse(generic.encode())) == text


def test_the_example_of_a_constant_sdy_op_06():
    text = "%output = sdy.constant dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>"
    (constant,) = (op for op in parse(text.encode()).walk() if isinstance(op, ops.ConstantOp))
    assert tuple(constant.value.get_values()) == (0, 1, 2, 3)


def test_equal_constants_are_not_merged_by_folding_sdy_op_06():
    lines = [f"%{i} = sdy.constant dense<1.0> : {T}\nsdy.sharding_group %{i} group_id={i} : {T}" for i in range(2)]
    assert run(["-p", "canonicalize"], body("\n".join(lines)))[1].count("sdy.constant") == 2


BODIES = {
    "SDY-ATTR-16": ("sub_axis_info", "(1)2", "(4)2"),
    "SDY-ATTR-03": ("axis_ref", '"a"', '"a":(1)2'),
    "SDY-ATTR-04": ("axis_ref_list", '{"a", "b"}', '{"x":(2)2, "x":(1)2}', "{}"),
    "SDY-ATTR-09": ("list_of_axis_ref_lists", '[{"b", "c"}, {}, {"d"}]', "[]"),
    "SDY-ATTR-01": ("all_to_all_param", '{"b"}: 0->2'),
    "SDY-ATTR-02": ("all_to_all_param_list", '[{"b"}: 0->2, {"c"}: 1->3]'),
    "SDY-ATTR-12": ("mesh_axis", '"a"=2', '"a"=1'),
    "SDY-ATTR-11": (
        "mesh",
        '<["a"=3, "b"=2], device_ids=[0, 2, 4, 1, 3, 5]>',
        "<[]>",
        "<[], device_ids=[3]>",
        '<["a"=2, "b"=3]>',
        '<["a"=1]>',
    ),
    "SDY-ATTR-10": ("manual_axes", '{"a", "b"}', "{}"),
    "SDY-ATTR-07": ("dimension_sharding", '{"a", "b"}', '{"a", ?}', "{?}", "{}", '{"a", ?}p1', "{?}p0", '{"a"}p3'),
    "SDY-ATTR-18": (
        "sharding",
        '<@mesh, [{"a"}]>',
        "<@mesh, []>",
        '<@mesh, [{}], replicated={"a"}>',
        '<@mesh, [{}], replicated={"a"}, unreduced={"b"}>',
        '<@mesh, [{}], unreduced={"b"}>',
        '<mesh<["x"=2]>, [{"x"}]>',
    ),
    "SDY-ATTR-19": ("sharding_per_value", '<[<@mesh, [{"a"}, {}]>, <@mesh, []>]>'),
    "SDY-ATTR-06": ("dim_mapping", "i", "ij", "*", "z_8z_9"),
    "SDY-ATTR-17": ("tensor_mapping", "[i, jk]", "[]"),
    "SDY-ATTR-13": (
        "op_sharding_rule",
        "<([i, k], [k, j])->([i, j]) {i=8, j=16, k=8}>",
        "<([i, k], [k, j])->([i, j]) {i=8, j=16, k=8} reduction={k} need_replication={i} permutation={j} "
        "blocked_propagation={i}, custom>",
        "<([i])->([i]) {i=8}, custom>",
        "<([])->([])>",
    ),
    "SDY-ATTR-08": ("edge_value_ref", "operand-0", "result-2"),
    "SDY-ATTR-05": ("axis_to_propagation_details", '{"y" = operand-1 -> [operand-0, result-0]}'),
    "SDY-ATTR-15": ("propagation_one_step", '{step-2 = [{"y" = operand-1 -> [operand-0, result-0]}]}'),
    "SDY-ATTR-14": (
        "propagation_edges",
        '<[{step-2 = [{"y" = operand-1 -> [operand-0, result-0]}]}, {step-5 = [{"x" = result-0 -> [operand-0]}]}]>',
    ),
    "SDY-ENUM-01": ("edge_node_type", "operand", "result"),
}
"""The mnemonic of each attribute, and texts of its body."""


@pytest.mark.parametrize(("row", "text"), [(row, text) for row, (_, *texts) in BODIES.items() for text in texts])
def test_attribute_is_read_in_both_spellings_and_printed_as_it_was(row: str, text: str):
    mnemonic = BODIES[row][0]
    inside = text[1:-1] if text.startswith("<") else text
    spellings = (f"#sdy.{mnemonic}<{inside}>", f"#sdy<{mnemonic}{'' if text[0] in '<{[(' else ' '}{text}>")
    printed = {print_module(parse(f"module attributes {{a.b = {spelling}}} {{}}".encode())) for spelling in spellings}
    assert len(printed) == 1 and inside in printed.pop()


def test_factor_symbols_sdy_attr_06():
    """`i` is factor 0, `z` is 17, `z_1` is 18; `z_8z_9` is 25 and 26; `*` is none."""
    for text, factors in {"i": (0,), "z": (17,), "z_1": (18,), "ij": (0, 1), "z_8z_9": (25, 26), "*": ()}.items():
        module = parse(f"module attributes {{a.b = #sdy.dim_mapping<{text}>}} {{}}".encode())
        assert module.attributes["a.b"] == DimMappingAttr(factors)


@pytest.mark.parametrize("direction", PropagationDirection)
def test_numbers_of_enums_sdy_enum_01_and_02(direction: PropagationDirection):
    assert [number_of(member).value.data for member in EdgeNodeType] == [0, 1]
    assert [str(member) for member in EdgeNodeType] == ["operand", "result"]
    number = ["NONE", "FORWARD", "BACKWARD", "BOTH"].index(direction.value)
    assert number_of(direction).value.data == number
    if direction is not PropagationDirection.BOTH:
        text = body(f"%0 = sdy.propagation_barrier %x allowed_direction={direction.value} : {T}")
        (barrier,) = (op for op in parse(text.encode()).walk() if isinstance(op, ops.PropagationBarrierOp))
        assert barrier.allowed_direction.value.data == number


def on_argument(sharding: str, type: str = T, meshes: str = MESH + WIDE) -> str:
    return f"{meshes}func.func @f(%x: {type} {{sdy.sharding = #sdy.sharding{sharding}}}) {{\n  return\n}}\n"


def collective(op: str, out: str, operand: str | None = None, type: str = T, meshes: str = MESH + WIDE) -> str:
    """`op` of an argument with the sharding `operand`; its axes follow the name."""
    name, _, axes = op.partition(" ")
    attribute = f" {{sdy.sharding = #sdy.sharding<{operand}>}}" if operand else ""
    return body(f"  %0 = sdy.{name} {axes} %x out_sharding=<{out}> : {type}", f"%x: {type}{attribute}", meshes)


def manual(
    ins: str = '<@mesh, [{"a"}]>',
    outs: str = '<@mesh, [{"a"}]>',
    axes: str = '{"a"}',
    argument: str = "tensor<8xf32>",
    lines: str = "sdy.return %y : tensor<8xf32>",
    operand: str = "tensor<16xf32>",
    meshes: str = MESH + WIDE,
) -> str:
    return body(
        f"  %0 = sdy.manual_computation(%x) in_shardings=[{ins}] out_shardings=[{outs}] manual_axes={axes} "
        f"(%y: {argument}) {{\n    {lines}\n  }} : ({operand}) -> tensor<16xf32>",
        f"%x: {operand}",
        meshes,
    )


def named(rest: str) -> str:
    return body(f'  %0 = sdy.named_computation<"foo">(%x) {rest} : ({T}) -> {T}')


def rule(text: str) -> str:
    attribute = f"sdy.sharding_rule = #sdy.op_sharding_rule<{text}>"
    return body(f"  %0 = stablehlo.add %x, %x {{{attribute}}} : tensor<2x4xf32>", "%x: tensor<2x4xf32>", "")


def edges(text: str) -> str:
    attribute = f"sdy.propagation_edges = #sdy.propagation_edges<[{text}]>"
    argument = '%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}'
    return body(f"  %0 = stablehlo.tanh %x {{{attribute}}} : tensor<8xf32>", argument)


SPLIT = '<@wide, [{"x"}, {}]>'
REORDERED = 'sdy.mesh @a = <["x"=2, "y"=2]>\nsdy.mesh @b = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>\n'

ACCEPTED = {
    "SDY-IF-01/V1, all_slice without a sharding": collective('all_slice [{"a"}, {}]', '@mesh, [{"a"}, {}]'),
    "SDY-IF-01/V1, all_reduce without a sharding": collective('all_reduce {"a"}', "@mesh, [{}, {}]"),
    "SDY-IF-01/V1, reduce_scatter without a sharding": collective('reduce_scatter [{"a"}, {}]', '@mesh, [{"a"}, {}]'),
    "SDY-IF-01/V3, other device ids in a collective_permute": collective(
        "collective_permute", '@b, [{"x"}, {}]', '@a, [{"x"}, {}]', meshes=REORDERED
    ),
    "SDY-OP-01/V3, the minor part of an axis": collective(
        'all_gather [{"x":(4)2}, {}]', '@wide, [{"x":(1)4}, {}]', '@wide, [{"x"}, {}]'
    ),
    "SDY-OP-01/V3, the minor part of an axis and one behind it": collective(
        'all_gather [{"x":(4)2, "z"}, {}]', '@wide, [{"x":(1)4}, {}]', '@wide, [{"x", "z"}, {}]'
    ),
    "SDY-OP-02/V5, an axis that the operand is unreduced along": collective(
        'all_reduce {"x":(1)2}', '@wide, [{}, {}], unreduced={"x":(2)4}', '@wide, [{}, {}], unreduced={"x"}'
    ),
    "SDY-OP-03/V3, a sub-axis that continues the last one": collective(
        'all_slice [{"x":(2)2}, {}]', '@wide, [{"x":(1)4}, {}]', '@wide, [{"x":(1)2}, {}]'
    ),
    "SDY-OP-03/V3, a sub-axis that completes an axis": collective(
        'all_slice [{"x":(2)4}, {}]', '@wide, [{"x"}, {}]', '@wide, [{"x":(1)2}, {}]'
    ),
    "SDY-OP-07/V2, a result of a named computation": named(
        f"(%y: {T}) {{\n    %1 = sdy.data_flow_edge %y : {T}\n    sdy.return %1 : {T}\n  }}"
    ),
    "SDY-OP-08/V3, a manual axis before a free one": manual('<@mesh, [{"a", "b"}]>', '<@mesh, [{"a", "b"}]>'),
    "SDY-OP-08/V5, a part of an axis": manual(
        '<@wide, [{"x":(1)2}]>', '<@wide, [{"x":(1)2}]>', '{"x"}', "tensor<8xf32>"
    ),
    "SDY-OP-08, a tensor that one device has": manual(
        "<@m, []>",
        "<@m, []>",
        "{}",
        "tensor<16xf32>",
        "sdy.return %y : tensor<16xf32>",
        meshes="sdy.mesh @m = <[], device_ids=[3]>\n",
    ),
    "SDY-OP-09/V1, a mesh in a nested module": 'module {\n  sdy.mesh @m = <["a"=2]>\n}\n',
    "SDY-OP-16, ids of 64 bits": body(f"sdy.sharding_group %x group_id=9223372036854775807 : {T}"),
    "SDY-ATTR-04/V3, sub-axes that are not consecutive": on_argument('<@wide, [{"x":(1)2, "x":(4)2}, {}]>'),
    "SDY-ATTR-07/V3, open with a priority": on_argument('<@mesh, [{?}p0, {"a"}p1]>'),
    "SDY-ATTR-11, ids that count up are dropped": 'sdy.mesh @m = <["a"=2, "b"=2], device_ids=[0, 1, 2, 3]>',
    "SDY-ATTR-13, factors of size 1": rule("([i, j], [i, k])->([i, j]) {i=1, j=1, k=1}"),
    "SDY-ATTR-13, a blocked factor of another group": rule(
        "([i, j], [i, j])->([i, j]) {i=2, j=4} need_replication={i} blocked_propagation={i}"
    ),
    "SDY-ATTR-13, a custom rule on any operation": rule("([i, j], [i, j])->([i, j]) {i=2, j=4}, custom"),
    "SDY-ATTR-18/V4, a token": on_argument("<@mesh, []>", "!stablehlo.token"),
    "SDY-ATTR-18/V10, a maximal mesh": on_argument("<@m, []>", meshes="sdy.mesh @m = <[], device_ids=[3]>\n"),
    "SDY-DATTR-01, one of two results": body(
        "%0:2 = stablehlo.custom_call @two(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, "
        f"<@mesh, [{{?}}, {{?}}]>]>}} : ({T}) -> ({T}, {T})"
    ),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_allowed(case: str):
    text = print_module(parse(ACCEPTED[case].encode()))
    assert print_module(parse(text.encode())) == text


REJECTED = {
    "SDY-IF-01/V1": (collective('all_gather [{"a"}, {}]', "@mesh, [{}, {}]"), "operand without sharding"),
    "SDY-IF-01/V1, all_to_all": (collective('all_to_all [{"a"}: 0->1]', "@mesh, [{}, {}]"), "operand without sharding"),
    "SDY-IF-01/V1, permute": (collective("collective_permute", "@mesh, [{}, {}]"), "operand without sharding"),
    "SDY-IF-01/V2": (collective("all_slice [{}, {}]", '@mesh, [{"q"}, {}]'), 'unknown axis name: "q"'),
    "SDY-IF-01/V2, rank": (collective("all_slice [{}]", "@mesh, [{}]"), "sharding doesn't match tensor rank: 1 != 2"),
    "SDY-IF-01/V3": (
        collective("all_slice [{}, {}]", "@wide, [{}, {}]", "@mesh, [{}, {}]"),
        "result mesh does not match operand mesh",
    ),
    "SDY-IF-01/V4": (
        collective(
            "collective_permute", "@mesh, [{}, {}]", "@m, []", meshes=f"{MESH}sdy.mesh @m = <[], device_ids=[3]>\n"
        ),
        "result sharding has rank 2 but operand sharding has rank 0",
    ),
    "SDY-OP-01/V2": (
        collective('all_gather [{"a", "a"}, {}]', "@mesh, [{}, {}]", '@mesh, [{"a"}, {}]'),
        'duplicate axis ref: "a"',
    ),
    "SDY-OP-01/V3, a list per dimension": (
        collective('all_gather [{"a"}]', "@mesh, [{}, {}]", '@mesh, [{"a"}, {}]'),
        "result sharding has rank 2 but collective axes has rank 1",
    ),
    "SDY-OP-01/V3, no suffix": (
        collective('all_gather [{"a"}, {}]', '@mesh, [{"b"}, {}]', '@mesh, [{"a", "b"}, {}]'),
        'can\'t apply gathering axis "a" to operand sharding on dimension 0',
    ),
    "SDY-OP-01/V3, the major part": (
        collective('all_gather [{"x":(1)2}, {}]', '@wide, [{"x":(2)4}, {}]', '@wide, [{"x"}, {}]'),
        r"can't apply gathering axis \"x\":\(1\)2",
    ),
    "SDY-OP-01/V3, another result": (
        collective('all_gather [{"b"}, {}]', "@mesh, [{}, {}]", '@mesh, [{"a", "b"}, {}]'),
        r'result sharding doesn\'t match expected sharding \["a"\] on dimension 0',
    ),
    "SDY-OP-02/V2": (collective('all_reduce {"a", "a"}', "@mesh, [{}, {}]"), 'duplicate axis ref: "a"'),
    "SDY-OP-02/V2, a sub-axis": (
        collective('all_reduce {"x":(3)2}', "@wide, [{}, {}]"),
        "sub-axis next pre-size 6 doesn't divide",
    ),
    "SDY-OP-02/V3": (collective('all_reduce {"b", "a"}', "@mesh, [{}, {}]"), "reduction axes are not ordered"),
    "SDY-OP-02/V4": (
        collective('all_reduce {"b"}', "@mesh, [{}, {}]", '@mesh, [{"a"}, {}]'),
        "operand and result shardings are not equivalent",
    ),
    "SDY-OP-02/V5, sharded": (
        collective('all_reduce {"a"}', '@mesh, [{"a"}, {}]', '@mesh, [{"a"}, {}]'),
        "overlaps with operand dimension sharding or replicated axes",
    ),
    "SDY-OP-02/V5, replicated": (
        collective('all_reduce {"a"}', "@mesh, [{}, {}]", '@mesh, [{}, {}], replicated={"a"}'),
        "overlaps with operand dimension sharding or replicated axes",
    ),
    "SDY-OP-02/V6": (
        collective('all_reduce {"a"}', '@mesh, [{}, {}], unreduced={"a"}', '@mesh, [{}, {}], unreduced={"a"}'),
        'reduction axis "a" overlaps with result unreduced axes',
    ),
    "SDY-OP-03/V2": (collective('all_slice [{"a"}, {"a"}]', '@mesh, [{"a"}, {}]'), 'duplicate axis ref: "a"'),
    "SDY-OP-03/V3": (
        collective('all_slice [{"b"}, {}]', '@mesh, [{"b", "a"}, {}]', '@mesh, [{"a"}, {}]'),
        r'expected sharding \["a", "b"\] on dimension 0',
    ),
    "SDY-OP-04, the example as printed": (
        body(
            '%2 = sdy.all_to_all [{"b"}: 0->2, {"c"}: 1->3] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<8x8x4x4x32>'
        ),
        "shape delimiter",
    ),
    "SDY-OP-04/V2": (
        collective("all_to_all []", '@mesh, [{"a"}, {}]', '@mesh, [{"a"}, {}]'),
        "parameter list is empty",
    ),
    "SDY-OP-04/V3": (
        collective('all_to_all [{"q"}: 0->1]', '@mesh, [{}, {"a"}]', '@mesh, [{"a"}, {}]'),
        'unknown axis name: "q"',
    ),
    "SDY-OP-04/V4": (
        collective('all_to_all [{"a"}: 0->2]', "@mesh, [{}, {}]", '@mesh, [{"a"}, {}]'),
        r"target dimension 2 is out of range \[0, 2\)",
    ),
    "SDY-OP-04/V4, negative": (
        collective('all_to_all [{"a"}: -1->1]', "@mesh, [{}, {}]", '@mesh, [{"a"}, {}]'),
        r"source dimension -1 is out of range \[0, 2\)",
    ),
    "SDY-OP-04/V5": (
        collective('all_to_all [{"a"}: 0->0]', "@mesh, [{}, {}]", '@mesh, [{"a"}, {}]'),
        "overlapping source/target dimensions in all-to-all params: 0",
    ),
    "SDY-OP-04/V5, two parameters": (
        collective(
            'all_to_all [{"a"}: 0->2, {"b"}: 1->2]',
            '@mesh, [{}, {}, {"a", "b"}]',
            '@mesh, [{"a"}, {"b"}, {}]',
            "tensor<8x8x8xf32>",
        ),
        "overlapping source/target dimensions in all-to-all params: 2",
    ),
    "SDY-OP-04/V6": (
        collective(
            'all_to_all [{"b"}: 1->3, {"a"}: 0->2]',
            '@mesh, [{}, {}, {"a"}, {"b"}]',
            '@mesh, [{"a"}, {"b"}, {}, {}]',
            "tensor<8x8x8x8xf32>",
        ),
        "source dimensions are not sorted in ascending order: 0 appears after 1",
    ),
    "SDY-OP-04/V7": (
        collective('all_to_all [{"a"}: 0->1]', '@mesh, [{"a"}, {}]', '@mesh, [{"a"}, {}]'),
        r"expected sharding \[\] on dimension 0",
    ),
    "SDY-OP-04/V7, a dimension that is not named": (
        collective(
            'all_to_all [{"a"}: 0->1]',
            '@mesh, [{}, {"a"}, {"b"}]',
            '@mesh, [{"a"}, {}, {}]',
            "tensor<8x8x8xf32>",
        ),
        r"expected sharding \[\] on dimension 2",
    ),
    "SDY-OP-05/V2, other axes": (
        collective("collective_permute", "@wide, [{}, {}]", "@mesh, [{}, {}]"),
        "result mesh has different axes than operand mesh",
    ),
    "SDY-OP-05/V2, the same device ids": (
        collective("collective_permute", "@n, [{}, {}]", "@mesh, [{}, {}]", meshes=MESH + MESH.replace("@mesh", "@n")),
        "result mesh name is different but same device ids as operand",
    ),
    "SDY-OP-05/V3": (
        collective("collective_permute", '@wide, [{"y"}, {}]', '@wide, [{"x"}, {}]'),
        "sharded size of result doesn't match operand on dimension 0: 4 != 8",
    ),
    "SDY-OP-06/V1": ('%0 = "sdy.constant"() <{value = dense<1.0> : tensor<8xf32>}> : () -> tensor<4xf32>', "one type"),
    "SDY-OP-06/V1, static": (
        '%0 = "sdy.constant"() <{value = dense<1.0> : tensor<8xf32>}> : () -> tensor<?xf32>',
        "the result must have a static shape",
    ),
    "SDY-OP-07/V1": (
        body(f"%0 = sdy.data_flow_edge %x : {T}\n%1 = stablehlo.tanh %x : {T}"),
        "expected input of sdy.data_flow_edge to have a single user",
    ),
    "SDY-OP-07/V2": (
        body("%0 = sdy.constant dense<1.0> : tensor<8xf32>\n%1 = sdy.data_flow_edge %0 : tensor<8xf32>"),
        "to not be defined by an SdyDialect op",
    ),
    "SDY-OP-07/V3": (
        body(f"%0 = sdy.data_flow_edge %x sharding=<@nobody, [{{}}, {{}}]> : {T}"),
        "unknown mesh: @nobody",
    ),
    "SDY-OP-07/V4": (body("%0 = sdy.data_flow_edge %x : tensor<?xf32>", "%x: tensor<?xf32>"), "static-shaped result"),
    "SDY-OP-08/V1": (manual('<@mesh, [{"q"}]>'), 'operand - unknown axis name: "q"'),
    "SDY-OP-08/V2, operands": (manual(argument="tensor<8xf32>, %z: tensor<8xf32>"), "1 op operands and 2 region"),
    "SDY-OP-08/V2, results": (
        manual(lines="sdy.return %y, %y : tensor<8xf32>, tensor<8xf32>"),
        "1 op results and 2 region results",
    ),
    "SDY-OP-08/V3": (manual('<@mesh, [{"b", "a"}]>'), 'Saw manual axis "a" after free axis "b"'),
    "SDY-OP-08/V4": (
        manual(operand="tensor<15xf32>"),
        "operand dimension size 15 is not divisible by the manual axes size 2",
    ),
    "SDY-OP-08/V5, operands": (
        manual(
            argument="tensor<4xf32>",
            lines="%1 = stablehlo.concatenate %y, %y, dim = 0 : "
            "(tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>\n    sdy.return %1 : tensor<8xf32>",
        ),
        "Expected local shape 'tensor<8xf32>', actual local shape 'tensor<4xf32>'",
    ),
    "SDY-OP-08/V5, results": (
        manual(outs="<@mesh, [{}]>"),
        "Expected local shape 'tensor<16xf32>', actual local shape 'tensor<8xf32>'",
    ),
    "SDY-OP-08/V5, no tensors": (
        manual("<@mesh, []>", operand="f32"),
        "Expected local shape 'f32', actual local shape 'tensor<8xf32>'",
    ),
    "SDY-OP-08/V6, out counts": (manual(outs=""), "0 shardings vs 1 values"),
    "SDY-OP-08/V6, counts": (manual('<@mesh, [{"a"}]>, <@mesh, [{"a"}]>'), "2 shardings vs 1 values"),
    "SDY-OP-08/V6, manual axis": (manual(axes='{"a", "q"}'), 'unknown manual axis: "q"'),
    "SDY-OP-08/V6, meshes": (
        manual(
            outs='<@wide, [{"z"}]>',
            lines="%1 = stablehlo.concatenate %y, %y, dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>\n"
            "    sdy.return %1 : tensor<16xf32>",
        ),
        "must be bound to the same mesh",
    ),
    "SDY-OP-08/V6, nested": (
        manual(
            lines="%1 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] "
            'manual_axes={"a"} (%z: tensor<8xf32>) {\n      sdy.return %z : tensor<8xf32>\n    } : '
            "(tensor<8xf32>) -> tensor<8xf32>\n    sdy.return %1 : tensor<8xf32>"
        ),
        'operates on axis "a" which is already bound',
    ),
    "SDY-OP-08/V6, used inside": (
        manual(
            lines='%1 = sdy.sharding_constraint %y <@mesh, [{"a"}]> : tensor<8xf32>\n    sdy.return %1 : tensor<8xf32>'
        ),
        'operates on axis "a" which is already bound',
    ),
    "SDY-OP-08, isolated": (
        manual(lines="%1 = stablehlo.tanh %x : tensor<16xf32>\n    sdy.return %y : tensor<8xf32>"),
        "using value defined outside the region",
    ),
    "SDY-OP-09/V1": (body('sdy.mesh @m = <["a"=2]>'), "builtin.module"),
    "SDY-OP-09/V3": (MESH + MESH, "(?i)redefinition of symbol"),
    "SDY-OP-10/V1, arguments": (
        named(f"(%y: tensor<8xf32>) {{\n    %1 = sdy.constant dense<1.0> : {T}\n    sdy.return %1 : {T}\n  }}"),
        "tensor<8xf32>",
    ),
    "SDY-OP-10/V1, results": (
        named(f"(%y: {T}) {{\n    sdy.return\n  }}"),
        "incompatible with return type",
    ),
    "SDY-OP-10/V2": (
        named(f"in_shardings=[] (%y: {T}) {{\n    sdy.return %y : {T}\n  }}"),
        "in_shardings shardings don't match number of values: 0 shardings vs 1 values",
    ),
    "SDY-OP-10/V2, valid": (
        named(f"out_shardings=[<@mesh, [{{}}]>] (%y: {T}) {{\n    sdy.return %y : {T}\n  }}"),
        "sharding doesn't match tensor rank: 1 != 2",
    ),
    "SDY-OP-10, isolated": (named(f"(%y: {T}) {{\n    sdy.return %x : {T}\n  }}"), "defined outside the region"),
    "SDY-OP-11/V1": (body(f"%0 = sdy.propagation_barrier %x allowed_direction=BOTH : {T}"), "cannot specify `BOTH`"),
    "SDY-OP-11/V2": (
        body(f'%0 = "sdy.propagation_barrier"(%x) <{{allowed_direction = 1 : i32}}> : ({T}) -> tensor<8xf32>'),
        "tensor<8xf32>",
    ),
    "SDY-OP-11/V2, ranked": (
        body("%0 = sdy.propagation_barrier %x allowed_direction=NONE : tensor<*xf32>", "%x: tensor<*xf32>"),
        r"tensor<\*xf32>",
    ),
    "SDY-OP-12/V2": (collective('reduce_scatter [{"a"}, {"a"}]', '@mesh, [{"a"}, {}]'), 'duplicate axis ref: "a"'),
    "SDY-OP-12/V3": (
        collective('reduce_scatter [{}, {"b"}]', '@mesh, [{"a"}, {}]', '@mesh, [{"a"}, {}], unreduced={"b"}'),
        r'expected sharding \["b"\] on dimension 1',
    ),
    "SDY-OP-13/V1": (body(f"%0 = sdy.reshard %x <@nobody, [{{}}, {{}}]> : {T}"), "unknown mesh: @nobody"),
    "SDY-OP-13/V1, rank": (body(f"%0 = sdy.reshard %x <@mesh, [{{}}]> : {T}"), "tensor rank: 1 != 2"),
    "SDY-OP-14": (
        named(f"(%y: {T}) {{\n    sdy.return %y : {T}\n    sdy.return %y : {T}\n  }}"),
        "terminat|last operation|end of",
    ),
    "SDY-OP-15/V1": (body(f"%0 = sdy.sharding_constraint %x <@nobody, [{{}}, {{}}]> : {T}"), "unknown mesh: @nobody"),
    "SDY-OP-15/V1, rank": (body(f"%0 = sdy.sharding_constraint %x <@mesh, [{{}}]> : {T}"), "tensor rank: 1 != 2"),
    "SDY-OP-16/V1": (body(f'"sdy.sharding_group"(%x) <{{group_id = 1 : i32}}> : ({T}) -> ()'), "i64 but got i32"),
    "SDY-OP-16/V1, signless": (body(f'"sdy.sharding_group"(%x) <{{group_id = 1 : ui64}}> : ({T}) -> ()'), "ui64"),
    "SDY-OP-16/V2": (
        body("sdy.sharding_group %x group_id=1 : tensor<*xf32>", "%x: tensor<*xf32>"),
        r"tensor<\*xf32>",
    ),
    "SDY-ATTR-02": (collective('all_to_all {"a"}: 0->1', "@mesh, [{}, {}]"), r"expected '\['"),
    "SDY-ATTR-03/V1": (on_argument('<@mesh, [{"q"}, {}]>'), 'unknown axis name: "q"'),
    "SDY-ATTR-03/V2": (on_argument('<@wide, [{"x":(0)2}, {}]>'), "sub-axis pre-size must be at least 1"),
    "SDY-ATTR-04/V1": (on_argument('<@mesh, [{"a", "q"}, {}]>'), 'unknown axis name: "q"'),
    "SDY-ATTR-04/V2": (on_argument('<@mesh, [{"a", "b", "a"}, {}]>'), 'duplicate axis ref: "a"'),
    "SDY-ATTR-04/V2, overlap": (on_argument('<@wide, [{"x":(1)4, "x":(2)4}, {}]>'), "overlapping sub-axes"),
    "SDY-ATTR-04/V3": (
        on_argument('<@wide, [{"y":(1)2, "y":(2)2}, {}]>'),
        "two consecutive sub-axes can be merged",
    ),
    "SDY-ATTR-06/V1": (rule("([i, *], [i, *])->([i, *]) {i=2}"), "dim mapping must have at least one factor"),
    "SDY-ATTR-06/V2": (rule("([i, k], [i, j])->([i, j]) {i=2, j=4}"), "received: 2, num_factors: 2"),
    "SDY-ATTR-06/V3": (rule("([i, jk], [i, jk])->([i, jk]) {i=2, j=4, k=1}"), "can't have a factor of size 1"),
    "SDY-ATTR-06/V4": (rule("([ii, j], [i, j])->([i, j]) {i=2, j=4}"), "cannot reuse factors"),
    "SDY-ATTR-07/V1": (on_argument('<@mesh, [{"a", "a"}, {}]>'), 'duplicate axis ref: "a"'),
    "SDY-ATTR-07/V2": (on_argument('<@mesh, [{"a"}p-1, {}]>'), "priority in format"),
    "SDY-ATTR-07/V3": (on_argument("<@mesh, [{}p0, {}]>"), "dim 0 is empty and closed but has a priority"),
    "SDY-ATTR-10": (manual('<@wide, [{"x":(1)2}]>', axes='{"x":(1)2}'), "expected '}'"),
    "SDY-ATTR-11/V1": ("sdy.mesh @m = <[], device_ids=[-1]>", "device id must be non-negative, got: -1"),
    "SDY-ATTR-11/V2": ("sdy.mesh @m = <[], device_ids=[0, 1]>", "axes is empty and device_ids has more than one"),
    "SDY-ATTR-11/V3": ('sdy.mesh @m = <["a"=2, "a"=2]>', 'duplicate axis name: "a"'),
    "SDY-ATTR-11/V4, count": ('sdy.mesh @m = <["a"=2, "b"=2], device_ids=[1, 0]>', "got: 4 != 2"),
    "SDY-ATTR-11/V4, iota after sorting": ('sdy.mesh @m = <["a"=2], device_ids=[0, 2]>', "must be iota"),
    "SDY-ATTR-12/V1": ('sdy.mesh @m = <["a"=0]>', "axis size must be at least 1, got: 0"),
    "SDY-ATTR-13/V1, operands": (rule("([i, j])->([i, j]) {i=2, j=4}"), "operands and mappings must match: 2 != 1"),
    "SDY-ATTR-13/V1, results": (
        rule("([i, j], [i, j])->([i, j], [i, j]) {i=2, j=4}"),
        "results and mappings must match: 1 != 2",
    ),
    "SDY-ATTR-13/V2": (
        "func.func @f() {\n  %0 = stablehlo.iota dim = 0 {sdy.sharding_rule = #sdy.op_sharding_rule<()->([i]) {i=2}>}"
        " : tensor<2xf32>\n  return\n}\n",
        r"expected '\['",
    ),
    "SDY-ATTR-13/V3": (rule("([i], [i, j])->([i, j]) {i=2, j=4}"), "mapping rank must match: 1 != 2"),
    **{
        f"SDY-ATTR-13/V4, {group}": (
            rule(f"([i, j], [i, j])->([i, j]) {{i=2, j=4}} {group}={{k}}"),
            "index must be less than 2, got: 2",
        )
        for group in ("reduction", "need_replication", "permutation", "blocked_propagation")
    },
    "SDY-ATTR-13/V5": (rule("([i, j], [i, j])->([i, j]) {i=2, j=4} permutation={i, i}"), "must be unique"),
    "SDY-ATTR-13/V5, two groups": (
        rule("([i, j], [i, j])->([i, j]) {i=2, j=4} need_replication={i} permutation={i}"),
        "a factor can only be in one",
    ),
    "SDY-ATTR-13/V6, result": (
        rule("([i, j], [i, j])->([i, j]) {i=2, j=4} reduction={j}"),
        "reduction factor cannot be in result mappings",
    ),
    "SDY-ATTR-13/V6, used": (rule("([i, j], [i, j])->([i, j]) {i=2, j=4, k=8}"), "has factor k=8 that isn't used"),
    "SDY-ATTR-13/V6, sorted": (rule("([i, j], [i, j])->([i, j]) {i=2, j=4} permutation={j, i}"), "must be sorted"),
    "SDY-ATTR-13, gap": (rule("([i, k], [i, k])->([i, k]) {i=2, k=4}"), "ordered like an iota"),
    "SDY-ATTR-13, order of groups": (
        rule("([i, j], [i, j])->([i, j]) {i=2, j=4} permutation={i} need_replication={j}"),
        "expected '>'",
    ),
    "SDY-ATTR-14, negative": (edges('{step--1 = [{"a" = operand-0 -> [result-0]}]}'), "negative step index: -1"),
    "SDY-ATTR-14, twice": (
        edges('{step-2 = [{"a" = operand-0 -> [result-0]}]}, {step-2 = [{"b" = operand-0 -> [result-0]}]}'),
        "duplicate step index: 2",
    ),
    "SDY-ATTR-05, source": (edges('{step-0 = [{"a" = operand-0 -> [operand-0]}]}'), "same as a target"),
    "SDY-ATTR-05, targets": (edges('{step-0 = [{"a" = operand-0 -> [result-0, result-0]}]}'), "duplicate targets"),
    "SDY-ATTR-08, operand": (
        edges('{step-0 = [{"a" = operand-0 -> [operand-1]}]}'),
        r"operand index in range \[0, 1\)",
    ),
    "SDY-ATTR-08, result": (edges('{step-0 = [{"a" = operand-0 -> [result-1]}]}'), r"result index in range \[0, 1\)"),
    "SDY-ATTR-15": (edges('{step-x = [{"a" = operand-0 -> [result-0]}]}'), "(?i)expected.*integer"),
    "SDY-ATTR-16/V1": (on_argument('<@wide, [{"x":(0)2}, {}]>'), "sub-axis pre-size must be at least 1"),
    "SDY-ATTR-16/V2": (on_argument('<@wide, [{"x":(2)1}, {}]>'), "sub-axis sizes must be greater than 1"),
    "SDY-ATTR-16/V3": (on_argument('<@wide, [{"x":(3)2}, {}]>'), "6 doesn't divide the size of the full axis 8"),
    "SDY-ATTR-16/V3, inside": (on_argument('<@wide, [{"x":(4)4}, {}]>'), "16 doesn't divide the size of the full axis"),
    "SDY-ATTR-16/V4": (on_argument('<@wide, [{"x":(1)8}, {}]>'), "sub-axis size is equal to the full axis size"),
    "SDY-ATTR-17/V1": (rule("([i, *], [i, j])->([i, j]) {i=2, j=4}"), "at least one factor"),
    "SDY-ATTR-17/V2": (rule("([i, i], [i, j])->([i, j]) {i=2, j=4}"), "cannot reuse factors"),
    "SDY-ATTR-18/V1": (on_argument('<@mesh, [{"a", "a"}, {}]>'), "duplicate axis ref"),
    "SDY-ATTR-18/V2": (on_argument('<@mesh, [{}, {}], replicated={"q"}>'), 'unknown axis name: "q"'),
    "SDY-ATTR-18/V3": (on_argument('<@mesh, [{}, {}], unreduced={"q"}>'), 'unknown axis name: "q"'),
    "SDY-ATTR-18/V4, rank": (on_argument("<@mesh, [{}]>", "!stablehlo.token"), "non-shaped tensors can only have"),
    "SDY-ATTR-18/V4, axes": (
        on_argument('<@mesh, [], replicated={"a"}>', "!stablehlo.token"),
        "non-shaped tensors can only have",
    ),
    "SDY-ATTR-18/V5": (on_argument("<@mesh, []>", "tensor<*xf32>"), "only ranked tensors can have a sharding"),
    "SDY-ATTR-18/V6": (on_argument("<@mesh, [{}]>"), "sharding doesn't match tensor rank: 1 != 2"),
    "SDY-ATTR-18/V8": (on_argument('<@mesh, [{"a"}, {"a"}]>'), 'duplicate axis ref: "a"'),
    "SDY-ATTR-18/V8, replicated": (on_argument('<@mesh, [{"a"}, {}], replicated={"a"}>'), 'duplicate axis ref: "a"'),
    "SDY-ATTR-18/V8, unreduced": (
        on_argument('<@mesh, [{}, {}], replicated={"a"}, unreduced={"a"}>'),
        'duplicate axis ref: "a"',
    ),
    "SDY-ATTR-18/V8, sub-axes": (on_argument('<@wide, [{"x":(1)4}, {"x":(2)2}]>'), "overlapping sub-axes"),
    "SDY-ATTR-18/V9, axes": (
        on_argument('<@mesh, [{}, {}], replicated={"b", "a"}>'),
        "replicated axes are not ordered",
    ),
    "SDY-ATTR-18/V9, pre-size": (
        on_argument('<@wide, [{}, {}], unreduced={"x":(4)2, "x":(1)2}>'),
        "unreduced axes are not ordered",
    ),
    "SDY-ATTR-18/V9, size": (
        on_argument('<@wide, [{}, {}], replicated={"x":(1)4, "x":(1)2}>'),
        "replicated axes are not ordered",
    ),
    "SDY-ATTR-18/V10": (on_argument("<@nobody, [{}, {}]>"), "unknown mesh: @nobody"),
    "SDY-ATTR-18/V10, maximal": (
        on_argument("<@m, [{}, {}]>", meshes="sdy.mesh @m = <[], device_ids=[3]>\n"),
        "a maximal sharding can only have a sharding with rank 0",
    ),
    "SDY-ATTR-19/V1": (
        body(f'%0 = stablehlo.tanh %x {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"q"}}, {{}}]>]>}} : {T}'),
        'result - unknown axis name: "q"',
    ),
    "SDY-ATTR-19/V2": (
        body(f"%0 = stablehlo.tanh %x {{sdy.sharding = #sdy.sharding_per_value<[]>}} : {T}"),
        "0 shardings vs 1 values",
    ),
    "SDY-ENUM-01": (edges('{step-0 = [{"a" = input-0 -> [result-0]}]}'), "one of: operand, result"),
    "SDY-ENUM-02": (
        body(f"%0 = sdy.propagation_barrier %x allowed_direction=SIDEWAYS : {T}"),
        "one of: NONE, FORWARD, BACKWARD, BOTH",
    ),
    "SDY-DATTR-01": (
        body(f"%0 = stablehlo.tanh %x {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{}}]>}} : {T}"),
        "of type TensorShardingPerValueAttr",
    ),
    "SDY-DATTR-02": (
        f"func.func @f(%x: {T} {{sdy.sharding = #sdy.sharding_per_value<[]>}}) {{\n  return\n}}\n",
        "arg 0 - should have a sharding attribute of type TensorShardingAttr",
    ),
    "SDY-DATTR-02, of a declaration": (
        f'{MESH}func.func private @f() -> ({T} {{sdy.sharding = #sdy.sharding<@mesh, [{{"q"}}, {{}}]>}})\n',
        'result 0 - unknown axis name: "q"',
    ),
    "SDY-DATTR-03": (body(f"%0 = stablehlo.tanh %x {{sdy.sharding_rule = 1 : i32}} : {T}"), "type OpShardingRuleAttr"),
    "SDY-DATTR-04": (body(f"%0 = stablehlo.tanh %x {{sdy.propagation_edges = 1 : i32}} : {T}"), "PropagationEdgesAttr"),
    **{
        f"SDY-{op}, of a scalar": (
            collective(f"{name} {axes}".strip(), "@mesh, []", "@mesh, []", "f32"),
            "f32",
        )
        for op, name, axes in (
            ("OP-01", "all_gather", "[]"),
            ("OP-02", "all_reduce", "{}"),
            ("OP-03", "all_slice", "[]"),
            ("OP-05", "collective_permute", ""),
            ("OP-12", "reduce_scatter", "[]"),
        )
    },
}


@pytest.mark.parametrize("case", REJECTED)
def test_rejected(case: str):
    text, message = REJECTED[case]
    status, output, error = run([], text)
    assert status == 1 and not output
    assert error.count("error: ") == 1 and re.search(message, error), error


STRICT = {
    "SDY-OP-09/V2": ('sdy.mesh @m = <["a"=2]>\nsdy.mesh @n = <["a"=3]>\n', "mesh @n has 3 devices and mesh @m has 2"),
    "SDY-OP-01/V3": (
        collective('all_gather [{"a"}, {}]', '@mesh, [{}, {}], unreduced={"b"}', '@mesh, [{"a"}, {}]', meshes=MESH),
        'the result is unreduced along "b", and the operand is not',
    ),
    "SDY-OP-02": (
        collective('all_reduce {"a"}', "@mesh, [{}, {}]", '@mesh, [{}, {}], unreduced={"a", "b"}', meshes=MESH),
        'the operand is unreduced along "b", and the result is not',
    ),
    "SDY-OP-08/V6, one mesh": (
        manual(
            '<@m, [{"a"}]>',
            '<@n, [{"z"}]>',
            "{}",
            "tensor<16xf32>",
            "sdy.return %y : tensor<16xf32>",
            meshes='sdy.mesh @m = <["a"=2]>\nsdy.mesh @n = <["z"=2]>\n',
        ),
        "the in and out shardings are over several meshes",
    ),
    "SDY-ATTR-18/V7": (
        on_argument('<@mesh, [{"a"}, {}]>', "tensor<0x8xf32>", MESH),
        "dimension 0 of tensor<0x8xf32> has size 0 and is sharded",
    ),
}


@pytest.mark.parametrize("row", STRICT)
def test_what_only_the_strict_verifier_rejects(row: str):
    text, message = STRICT[row]
    assert run([], text)[0] == 0
    status, _, err = run(["-p", "sdy-verify-strict"], text)
    assert status == 1 and message in err


@pytest.mark.parametrize("mesh", ["<[]>", "<[], device_ids=[3]>"])
def test_meshes_that_need_no_equal_device_count_sdy_op_09(mesh: str):
    assert run(["-p", "sdy-verify-strict"], f'sdy.mesh @m = <["a"=2]>\nsdy.mesh @n = {mesh}\n')[0] == 0


def test_a_mesh_never_holds_ids_that_count_up_sdy_attr_11():
    with pytest.raises(VerifyException, match="no need to specify them"):
        MeshAttr([("a", 2), ("b", 2)], range(4))
    assert not MeshAttr([("a", 1)]).is_maximal and MeshAttr([], [3]).is_maximal and MeshAttr([]).is_empty


def test_a_priority_is_not_negative_sdy_attr_07():
    argument = Block(arg_types=[TensorType(f32, [8])]).args[0]
    sharding = TensorShardingAttr(MeshAttr([("a", 2)]), [DimensionShardingAttr(["a"], priority=-1)])
    with pytest.raises(VerifyException, match="dim 0 has a negative priority"):
        ops.ShardingConstraintOp(argument, sharding).verify()


PURE = (ops.ConstantOp, ops.PropagationBarrierOp, ops.ReshardOp, ops.ReturnOp)
NOT_PURE = (ops.DataFlowEdgeOp, ops.ShardingConstraintOp, ops.ShardingGroupOp, ops.MeshOp)


def test_traits_sdy_op_06_to_16():
    assert all(op.has_trait(Pure) for op in PURE)
    assert not any(op.has_trait(Pure) for op in NOT_PURE)
    for region_op in (ops.NamedComputationOp, ops.ManualComputationOp):
        assert region_op.has_trait(IsolatedFromAbove) and region_op.has_trait(RecursiveMemoryEffect)
    assert ops.NamedComputationOp.has_trait(RecursivelySpeculatable)
    assert not ops.ManualComputationOp.has_trait(RecursivelySpeculatable)
    assert ops.ReturnOp.has_trait(IsTerminator) and ops.MeshOp.has_trait(HasParent(ModuleOp))


def test_a_constraint_without_a_use_survives_and_a_reshard_does_not_sdy_op_13_and_15():
    text = body(
        f'%0 = sdy.sharding_constraint %x <@mesh, [{{"a"}}, {{}}]> : {T}\n'
        f'%1 = sdy.reshard %x <@mesh, [{{"b"}}, {{}}]> : {T}\n%2 = sdy.data_flow_edge %y : {T}',
        f"%x: {T}, %y: {T}",
    )
    cleaned = run(["-p", "canonicalize,cse,dce"], text)[1]
    assert "sdy.sharding_constraint" in cleaned and "sdy.data_flow_edge" in cleaned and "sdy.reshard" not in cleaned


def test_the_type_of_a_result_is_derived():
    """The interface InferTypeOpInterface of SDY-OP-01 to SDY-OP-16: a builder needs no type."""
    argument = Block(arg_types=[TensorType(f32, [8])]).args[0]
    sharding, axes = TensorShardingAttr("mesh", [[]]), ListOfAxisRefListsAttr([AxisRefListAttr([AxisRefAttr("a")])])
    built: list[Operation] = [
        collectives.AllGatherOp(argument, axes, sharding),
        collectives.AllSliceOp(argument, axes, sharding),
        collectives.CollectivePermuteOp(argument, sharding),
        collectives.AllReduceOp(argument, AxisRefListAttr(["a"]), sharding),
        collectives.ReduceScatterOp(argument, axes, sharding),
        ops.DataFlowEdgeOp(argument),
        ops.PropagationBarrierOp(argument, PropagationDirection.FORWARD),
        ops.ReshardOp(argument, sharding),
        ops.ShardingConstraintOp(argument, sharding),
        ops.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(f32, [8]), [1.0])),
    ]
    assert {op.results[0].type for op in built} == {argument.type}


ON_A = '{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}'


def called(rule: str) -> str:
    attribute = f"sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {{i=16, j=8}}{rule}, custom>"
    return f"%v = stablehlo.custom_call @foo(%x) {{{attribute}}} : ({T}) -> {T}"


def barrier(direction: str) -> str:
    return f"%t = stablehlo.tanh %x : {T}\n%v = sdy.propagation_barrier %t allowed_direction={direction} : {T}"


OPEN = '{{sdy.sharding = #sdy.sharding<@mesh, [{{"{}", ?}}{}, {{}}]>}}'
ADDED = 'stablehlo.add %, % {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>}'
TANH_ON_A = 'stablehlo.tanh % {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}'
REPLICATED = f"stablehlo.tanh % : {T}"
RESULT_ON_A = f"-> ({T} {ON_A})"
MEANINGS = {
    "SDY-OP-11, forward": (f"%x: {T} {ON_A}", barrier("FORWARD"), T, RESULT_ON_A),
    "SDY-OP-11, not backward": (f"%x: {T}", barrier("FORWARD"), f"{T} {ON_A}", REPLICATED),
    "SDY-OP-11, backward": (f"%x: {T}", barrier("BACKWARD"), f"{T} {ON_A}", TANH_ON_A),
    "SDY-OP-11, not forward": (f"%x: {T} {ON_A}", barrier("BACKWARD"), T, f"-> {T} {{"),
    "SDY-OP-11, none": (f"%x: {T} {ON_A}", barrier("NONE"), T, f"-> {T} {{"),
    "SDY-OP-16": (
        f"%x: {T} {ON_A}, %y: {T}",
        f"%v = stablehlo.tanh %y : {T}\nsdy.sharding_group %x group_id=3 : {T}\nsdy.sharding_group %v group_id=3 : {T}",
        T,
        TANH_ON_A,
    ),
    "SDY-OP-15, without a use": (
        f"%x: {T}",
        f'%v = stablehlo.tanh %x : {T}\n%c = sdy.sharding_constraint %v <@mesh, [{{"a"}}, {{?}}]> : {T}',
        T,
        TANH_ON_A,
    ),
    "SDY-OP-13, what becomes of a constraint": (
        f"%x: {T}",
        f'%c = sdy.sharding_constraint %x <@mesh, [{{"a"}}, {{?}}]> : {T}\n%v = stablehlo.negate %c : {T}',
        T,
        'sdy.reshard % <@mesh, [{"a"}, {}]>',
    ),
    "SDY-OP-10": (
        f"%x: {T} {ON_A}",
        f'%v = sdy.named_computation<"foo">(%x) (%y: {T}) {{\n%1 = stablehlo.tanh %y : {T}\nsdy.return %1 : {T}\n}} : '
        f"({T}) -> {T}",
        T,
        TANH_ON_A,
    ),
    "SDY-OP-08, free axes": (
        f"%x: {T}",
        '%v = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}, {"b", ?}]>] '
        'out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%y: tensor<8x8xf32>) {\n'
        f"%1 = stablehlo.tanh %y : tensor<8x8xf32>\nsdy.return %1 : tensor<8x8xf32>\n}} : ({T}) -> {T}",
        T,
        'out_shardings=[<@mesh, [{"a"}, {"b"}]>]',
    ),
    "SDY-ATTR-07, the lower priority value first": (
        f"%x: {T} {OPEN.format('a', 'p1')}, %y: {T} {OPEN.format('b', 'p0')}",
        f"%v = stablehlo.add %x, %y : {T}",
        T,
        ADDED,
    ),
    "SDY-ATTR-07, no priority is the highest": (
        f"%x: {T} {OPEN.format('a', 'p1')}, %y: {T} {OPEN.format('b', '')}",
        f"%v = stablehlo.add %x, %y : {T}",
        T,
        ADDED,
    ),
    "SDY-ATTR-07, closed": (
        f"%x: {T} {ON_A}",
        "%v = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}]>]>} : " + T,
        T,
        "stablehlo.tanh % {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}",
    ),
    "SDY-ATTR-18, replicated": (
        f"%x: {T} {ON_A}",
        '%v = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}], replicated={"a"}>]>} : '
        + T,
        T,
        "stablehlo.tanh % {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}",
    ),
    "SDY-ATTR-18, no sharding is an open one": (
        f"%x: {T} {ON_A}",
        "%v = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}]>]>} : " + T,
        T,
        TANH_ON_A,
    ),
    "SDY-ATTR-13, a custom rule is kept": (f"%x: {T} {ON_A}", called(""), T, "{i=16, j=8}, custom>"),
    "SDY-ATTR-13, its pass-through factors": (f"%x: {T} {ON_A}", called(""), T, RESULT_ON_A),
    "SDY-ATTR-13, blocked": (f"%x: {T} {ON_A}", called(" blocked_propagation={i}"), T, f"-> {T} {{"),
}
"""The arguments of a function, its lines up to the value `%v` that it returns, its result, and a part of the output."""


@pytest.mark.parametrize("case", MEANINGS)
def test_what_propagation_does(case: str):
    arguments, lines, result, expected = MEANINGS[case]
    text = f"{MESH}func.func @f({arguments}) -> ({result}) {{\n{lines}\n  return %v : {T}\n}}\n"
    status, output, error = run(["-sdy-propagation-pipeline"], text)
    assert status == 0 and not error
    assert squeezed(expected) in squeezed(output)
    assert "sharding_constraint" not in output and "sharding_group" not in output


ON_ONE_DEVICE = f"""sdy.mesh @m = <[], device_ids=[3]>
{MESH}func.func @main(%x: {T}, %y: {T}) -> {T} {{
  %0 = stablehlo.add %x, %x {{sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>}} : {T}
  %1 = stablehlo.tanh %0 : {T}
  return %1 : {T}
}}
"""


@pytest.mark.parametrize("arguments", [["plan"], ["explain", "--value", "%0"], ["shard"]])
def test_commands_read_a_sharding_without_dimensions_sdy_attr_18(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """SDY-ATTR-18/V10: a sharding over a maximal mesh has rank 0, whatever the rank of the tensor."""
    (tmp_path / "x.mlir").write_text(ON_ONE_DEVICE)
    command, *options = arguments
    assert main([command, str(tmp_path / "x.mlir"), *options]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (f"%0 = sdy.propagation_barrier %y allowed_direction=FORWARD : {T}", ""),
        (f"%0 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : ({T}, {T}) -> tensor<16x16xf32>", ""),
        (f"%0 = sdy.all_slice [] %y out_sharding=<@m, []> : {T}", "slices along no axis: remove it"),
    ],
)
def test_the_partitioner_reads_a_sharding_without_dimensions_sdy_attr_18(line: str, complaint: str):
    text = body(line, f"%y: {T} {{sdy.sharding = #sdy.sharding<@m, []>}}", "sdy.mesh @m = <[], device_ids=[3]>\n")
    status, _, error = run(["-sdy-convert-global-to-local"], text)
    assert status == bool(complaint) and complaint in error
