"""Reading modules: random programs, layouts, entries, and agreement with XLA on validity."""

from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis.strategies import DataObject, data, integers, permutations, sampled_from
from jaxlib_versions import OF_AUTUMN_2026, since
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xla_oracle import xla_errors

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo import FusionKind, FusionOp, layout_of
from xshardy.hlo_text import HLOError, fuse_entry, parse_hlo
from xshardy.hlo_text.opcodes import OPCODES

UNARY = ("negate", "tanh", "floor", "abs", "sign")
BINARY = ("add", "multiply", "maximum", "power", "subtract")


def functions(module: ModuleOp) -> dict[str, func.FuncOp]:
    return {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}


def random_program(data: DataObject, size: int) -> tuple[str, list[tuple[str, list[int]]]]:
    """HLO text of elementwise instructions, and for each its opcode and the numbers of its operands."""
    lines: list[str] = []
    instructions: list[tuple[str, list[int]]] = []
    for i in range(size):
        opcode = data.draw(sampled_from(("parameter", *UNARY, *BINARY) if i else ("parameter",)))
        count = 0 if opcode == "parameter" else 1 if opcode in UNARY else 2
        operands = [data.draw(integers(0, i - 1)) for _ in range(count)]
        written = [
            data.draw(sampled_from(["x{}", "%x{}", "f32[4]{{0}} %x{}", "f32[4] x{}"])).format(o) for o in operands
        ]
        number = sum(name == "parameter" for name, _ in instructions)
        inside = str(number) if opcode == "parameter" else ", ".join(written)
        percent = data.draw(sampled_from(["", "%"]))
        root = data.draw(sampled_from(["", "ROOT "])) if i == size - 1 else ""
        lines.append(f"  {root}{percent}x{i} = f32[4] {opcode}({inside})")
        instructions.append((opcode, operands))
    return "HloModule m\n\nENTRY main {\n" + "\n".join(lines) + "\n}\n", instructions


@given(data=data(), size=integers(1, 12))
def test_random_programs(data: DataObject, size: int):
    text, instructions = random_program(data, size)
    module = parse_hlo(text)
    module.verify()
    main = functions(module)["main"]
    values = dict(enumerate([None] * size))
    arguments, operations = iter(main.body.block.args), iter(main.body.block.ops)
    for i, (opcode, operands) in enumerate(instructions):
        if opcode == "parameter":
            values[i] = next(arguments)
            continue
        op = next(operations)
        assert op.name == "stablehlo." + opcode
        assert list(op.operands) == [values[o] for o in operands]
        values[i] = op.results[0]
    assert list(next(operations).operands) == [values[size - 1]]


@settings(max_examples=5)
@given(data=data())
def test_random_programs_are_valid_for_xla(data: DataObject):
    assert xla_errors([random_program(data, 8)[0]]) == [""]


def test_files_of_the_tests_are_valid_for_xla():
    folder = Path(__file__).parents[2] / "filecheck" / "hlo_text"
    left_out = {"errors", "opaque"}
    if not since(OF_AUTUMN_2026):
        left_out |= {"elements_of_tuples", "order_of_comparisons"}
    texts = [path.read_text() for path in sorted(folder.glob("*.hlo")) if path.stem not in left_out]
    texts = [text if "HloModule" in text else "HloModule m\n" + text for text in texts]
    assert xla_errors(texts) == [""] * len(texts)


@given(order=permutations(range(5)))
def test_parameters_are_ordered_by_number(order: list[int]):
    lines = [f"p{number} = f32[{number}] parameter({number})" for number in order]
    main = functions(parse_hlo("HloModule m\nENTRY main {\n" + "\n".join(lines) + "\n}"))["main"]
    assert [argument.type.get_shape() for argument in main.body.block.args] == [(number,) for number in range(5)]


@given(order=permutations(range(4)))
def test_layouts(order: list[int]):
    layout = "{" + ",".join(map(str, order)) + "}"
    text = (
        f"HloModule m\nENTRY main {{\nx = f32[2,3,4,5]{layout} parameter(0)\nROOT y = f32[2,3,4,5]{layout} copy(x)\n}}"
    )
    main = functions(parse_hlo(text))["main"]
    expected = None if order == [3, 2, 1, 0] else tuple(order)
    copy = main.body.block.first_op
    assert copy is not None
    assert layout_of(main.body.block.args[0]) == layout_of(copy.results[0]) == expected


def test_instructions_that_differ_in_one_attribute_are_both_verified():
    text = """HloModule m
    ENTRY main {
      x = f32[8] parameter(0)
      a = f32[2] slice(x), slice={[0:2]}
      b = f32[2] slice(x), slice={[7:9]}
    }"""
    with pytest.raises(HLOError, match="5:18: error: slice: limit index 9"):
        parse_hlo(text)


def test_equal_shapes_of_different_text_are_one_type():
    text = """HloModule m
    ENTRY main {
      x = f32[2,3] parameter(0)
      y = f32[2, 3]{0,1} parameter(1)
      ROOT z = f32[2,3]{1,0} add(f32[ 2,3 ] x, f32[2,3] y)
    }"""
    parse_hlo(text).verify()


def test_names_become_hints():
    main = functions(parse_hlo("HloModule m\nENTRY main {\nx.1 = f32[] parameter(0)\n%add.2 = f32[] add(x.1, x.1)\n}"))[
        "main"
    ]
    assert main.body.block.args[0].name_hint == "x.1"
    assert main.body.block.first_op.results[0].name_hint == "add.2"


def test_a_bare_computation_is_fused():
    module = parse_hlo("neg {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}")
    module.verify()
    assert functions(module)["neg"].sym_visibility == StringAttr("private")
    (fusion,) = (op for op in module.walk() if isinstance(op, FusionOp))
    assert fusion.kind.data == FusionKind.LOOP
    assert fusion.callee_function() is functions(module)["neg"]
    assert fusion.parent_op() is functions(module)["main"]


def test_an_entry_without_a_fusion_is_wrapped_on_request():
    module = parse_hlo("HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}")
    assert not any(isinstance(op, FusionOp) for op in module.walk())
    fusion = fuse_entry(module, functions(module)["main"])
    module.verify()
    assert fusion.callee.root_reference.data == "main"
    assert functions(module)["main_0"].sym_visibility is None


def test_a_module_without_entry_whose_last_computation_has_a_fusion():
    module = parse_hlo(
        """HloModule m
        f {
          x = f32[2] parameter(0)
          y = f32[2] negate(x)
        }
        g {
          x = f32[2] parameter(0)
          y = f32[2] fusion(x), kind=kLoop, calls=f
        }"""
    )
    module.verify()
    assert [name for name, f in functions(module).items() if f.sym_visibility is None] == ["g"]


def test_time_is_linear_in_the_size_of_the_text():
    """100,000 tokens in a second or two; a quadratic step would take minutes."""
    lines = [f"x{i} = f32[8] add(x{i - 1}, x{max(0, i - 100)})" for i in range(1, 10_000)]
    start = perf_counter()
    module = parse_hlo("HloModule m\nENTRY main {\nx0 = f32[8] parameter(0)\n" + "\n".join(lines) + "\n}")
    assert perf_counter() - start < 20
    assert sum(isinstance(op, stablehlo.AddOp) for op in module.walk()) == 9_999


def test_gelu():
    module = parse_hlo((Path(__file__).parents[3] / "examples" / "gelu.hlo").read_text(), "gelu.hlo")
    module.verify()
    assert sum(op.name.startswith("stablehlo.") for op in functions(module)["gelu"].body.block.ops) == 17
    assert {"constant", "broadcast", "multiply", "add", "tanh", "parameter", "fusion"} <= OPCODES.keys()


@pytest.mark.parametrize("mode", ["highest", "HIGHEST"])
def test_an_accuracy_mode_is_in_lower_or_in_upper_case(mode: str):
    module = parse_hlo(
        f"HloModule m\nENTRY e {{\n  x = f32[4] parameter(0)\n"
        f"  ROOT y = f32[4] tanh(x), result_accuracy={{mode={mode}}}\n}}"
    )
    assert "HIGHEST" in str(module)
