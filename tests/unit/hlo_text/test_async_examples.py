"""
The examples of the documentation of asynchronous HLO, in both shapes and both spellings, and what must be rejected.

Source: "Async HLO Instructions", with `custom-call` for its placeholder `op`: examples 1 (HLO-ASYNC-03, HLO-ASYNC-04),
2 (HLO-ASYNC-10), 3 (HLO-ASYNC-05, HLO-ASYNC-11, HLO-ASYNC-12) and 4 (HLO-ASYNC-13). XLA's parser reads them too.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException
from xla_oracle import xla_errors

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.async_operation import bundle_type, start_of
from xshardy.hlo_text import HLOError, parse_hlo, print_hlo, read_hlo
from xshardy.interpreters.random_elements import random_inputs
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.prepared_program import prepared
from xshardy.syntax.printer import Printer
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo_async.schedule import AsyncSchedulePass
from xshardy.transforms.hlo_async.unwrap import AsyncUnwrapPass
from xshardy.transforms.hlo_async.wrap import AsyncWrapPass
from xshardy.universe import new_context

OPERATION = """
%async_op {
  %param0 = f32[64] parameter(0)
  ROOT %op = f32[32] custom-call(f32[64] %param0), custom_call_target="foo"
}
"""
NESTED = {
    "start_and_done": f"""HloModule m
{OPERATION}
ENTRY main {{
  %operand = f32[64] parameter(0)
  %async-start = ((f32[64]), f32[32], s32[]) async-start(f32[64] %operand), calls=%async_op
  ROOT %async-done = f32[32] async-done(((f32[64]), f32[32], s32[]) %async-start)
}}""",
    "updates": f"""HloModule m
{OPERATION}
ENTRY main {{
  %operand = f32[64] parameter(0)
  %async-start = ((f32[64]), f32[32], s32[]) async-start(f32[64] %operand), calls=%async_op
  %async-update0 = ((f32[64]), f32[32], s32[]) async-update(((f32[64]), f32[32], s32[]) %async-start)
  %async-update1 = ((f32[64]), f32[32], s32[]) async-update(((f32[64]), f32[32], s32[]) %async-update0)
  ROOT %async-done = f32[32] async-done(((f32[64]), f32[32], s32[]) %async-update1)
}}""",
    "sugared_updates": """HloModule m

ENTRY main {
  %operand = f32[64] parameter(0)
  %op-start = ((f32[64]), f32[32], s32[]) custom-call-start(f32[64] %operand), custom_call_target="foo"
  %op-update0 = ((f32[64]), f32[32], s32[]) custom-call-update(((f32[64]), f32[32], s32[]) %op-start)
  %op-update1 = ((f32[64]), f32[32], s32[]) custom-call-update(((f32[64]), f32[32], s32[]) %op-update0)
  ROOT %op-done = f32[32] custom-call-done(((f32[64]), f32[32], s32[]) %op-update1)
}""",
    "slice": """HloModule m

ENTRY main {
  %operand = f32[64] parameter(0)
  %op-start = ((f32[64]), f32[32], s32[]) slice-start(f32[64] %operand), slice={[0:32]}
  %op-update0 = ((f32[64]), f32[32], s32[]) slice-update(((f32[64]), f32[32], s32[]) %op-start)
  ROOT %op-done = f32[32] slice-done(((f32[64]), f32[32], s32[]) %op-update0)
}""",
    "two_of_each": """HloModule m

%async_op {
  %param0 = f32[64] parameter(0)
  %param1 = f32[64] parameter(1)
  ROOT %op = (f32[32], f32[32]) custom-call(f32[64] %param0, f32[64] %param1), custom_call_target="foo"
}

ENTRY main {
  %operand0 = f32[64] parameter(0)
  %operand1 = f32[64] parameter(1)
  %async-start = ((f32[64], f32[64]), (f32[32], f32[32]), s32[]) async-start(%operand0, %operand1), calls=%async_op
  ROOT %async-done = (f32[32], f32[32]) async-done(%async-start)
}""",
}
LATE = """HloModule m

%sub {
  %a = f32[4] parameter(0)
  %b = f32[4] parameter(1)
  ROOT %r = f32[4] subtract(%a, %b)
}

ENTRY main {
  %x = f32[4] parameter(0)
  %y = f32[4] parameter(1)
  %start = ((), f32[4], s32[]) async-start(), calls=%sub
  %first = ((f32[4]), f32[4], s32[]) async-update(%start, %x)
  %second = ((f32[4], f32[4]), f32[4], s32[]) async-update(%first, %y)
  ROOT %done = f32[4] async-done(%second)
}"""
"""XLA of autumn 2026 leaves operands to updates."""

UPDATES = NESTED["updates"]
BUNDLE = "((f32[64]), f32[32], s32[])"


def flat(text: str) -> str:
    """The same with the document's shapes, in which one operand is not in a tuple of its own."""
    return text.replace("((f32[64]),", "(f32[64],")


def canonical(module: ModuleOp) -> str:
    """The IR of `module`, the wrapped computations called by the order of the starts."""
    text = Printer().module_text(module)
    for i, start in enumerate(op for op in module.walk() if isinstance(op, hlo.StartOp)):
        text = text.replace(f"{start.callee}(", f"@wrapped{i}(")
    return text


def test_updates_bind_operands():
    """The text is read, printed with and without sugar, unwrapped, prepared and executed."""
    module = read_hlo(LATE)
    module.verify()
    for uses_sugar in (True, False):
        again = read_hlo(print_hlo(module, uses_sugar=uses_sugar))
        assert canonical(again).replace("@start$wrapped", "@sub") == canonical(module)
    x, y = np.array([9, 7, 5, 3], np.float32), np.array([1, 2, 3, 4], np.float32)
    (entry,) = [op for op in prepared(module).walk() if isinstance(op, stablehlo.AsyncStartOp)]
    assert [value.name_hint for value in entry.operands] == ["x", "y"]
    for program in (module, unwrapped_module(module)):
        (found,) = evaluate(program, [x, y])
        np.testing.assert_array_equal(found, x - y)


def unwrapped_module(module: ModuleOp) -> ModuleOp:
    copy = module.clone()
    AsyncUnwrapPass().apply(new_context(), copy)
    copy.verify()
    return copy


@pytest.mark.parametrize("name", NESTED)
def test_example_is_read_in_both_shapes(name: str):
    """HLO-ASYNC-19; an update or a done finds the computation through its operand (HLO-ASYNC-06)."""
    module, from_flat = read_hlo(NESTED[name]), read_hlo(flat(NESTED[name]))
    module.verify()
    assert str(from_flat) == str(module)
    (start,) = (op for op in module.walk() if isinstance(op, hlo.StartOp))
    assert isinstance(start, hlo.AsyncStartOp)
    expected = stablehlo.SliceOp if name == "slice" else stablehlo.CustomCallOp
    assert isinstance(start.wrapped(), expected)
    later = [op for op in module.walk() if isinstance(op, hlo.AsyncUpdateOp | hlo.AsyncDoneOp)]
    assert later and all(start_of(op.operands[0]) is start for op in later)


@pytest.mark.parametrize("name", NESTED)
def test_lines_may_break_as_in_the_document(name: str):
    broken = flat(NESTED[name]).replace("), c", "),\n      c").replace("-update(", "-update(\n      ")
    assert broken.count("\n") > NESTED[name].count("\n") or name == "slice"
    assert str(read_hlo(broken)) == str(read_hlo(NESTED[name]))


@pytest.mark.parametrize("uses_sugar", [True, False])
@pytest.mark.parametrize("name", NESTED)
def test_example_is_written_and_read_again(name: str, uses_sugar: bool):
    module = read_hlo(NESTED[name])
    text = print_hlo(module, uses_sugar=uses_sugar)
    assert ("calls=" in text) != uses_sugar
    assert canonical(read_hlo(text)) == canonical(module)


def test_sugar_and_a_computation_are_the_same():
    """HLO-ASYNC-13 and HLO-ASYNC-14."""
    assert canonical(read_hlo(NESTED["sugared_updates"])) == canonical(read_hlo(UPDATES))


def test_xla_reads_the_examples_and_our_text_for_them():
    written = [print_hlo(read_hlo(text), uses_sugar=sugar) for text in NESTED.values() for sugar in (True, False)]
    assert xla_errors([*NESTED.values(), *written]) == [""] * (len(NESTED) + len(written))


CHAIN = [line for line in UPDATES.splitlines() if BUNDLE in line]


@pytest.mark.parametrize("flat_lines", [lines for size in range(len(CHAIN) + 1) for lines in combinations(CHAIN, size)])
def test_chain_may_mix_both_shapes(flat_lines: tuple[str, ...]):
    text = UPDATES
    for line in flat_lines:
        text = text.replace(line, flat(line))
    assert str(read_hlo(text)) == str(read_hlo(UPDATES))


@pytest.mark.parametrize(
    "bundle", ["((f32[64]), f32[32])", "((f32[64]), f32[32], u32[])", "((f32[64]), f32[32], s32[], u8[4])"]
)
def test_context_state_is_optional_and_of_any_type(bundle: str):
    """HLO-ASYNC-09 and HLO-ASYNC-20."""
    module = read_hlo(UPDATES.replace(BUNDLE, bundle))
    module.verify()
    (start,) = (op for op in module.walk() if isinstance(op, hlo.StartOp))
    assert f"{bundle} " in print_hlo(module).replace("{0}", "")
    assert len(bundle_type(start.bundle).contexts) == bundle.count(", ") - 1


def test_computation_may_be_named_again_behind_the_start():
    again = UPDATES.replace("%async-update1)", "%async-update1), calls=%async_op")
    assert str(read_hlo(again)) == str(read_hlo(UPDATES))


def test_computation_may_be_named_in_another_way_behind_the_start():
    text = NESTED["start_and_done"].replace("calls=", "async_computation=")
    both = text.replace("%async-start)", "%async-start), calls=%async_op")
    assert both != text and str(read_hlo(both)) == str(read_hlo(text))


def test_done_may_have_the_opcode_of_the_computation():
    text = NESTED["start_and_done"]
    mixed = text.replace(" async-done(", " custom-call-done(")
    assert mixed != text and str(read_hlo(mixed)) == str(read_hlo(text))


SORTED = """HloModule m
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT l = pred[] compare(a, b), direction=LT
}
sorted {
  k = f32[4] parameter(0)
  v = s32[4] parameter(1)
  ROOT s = (f32[4], s32[4]) sort(k, v), dimensions={0}, to_apply=less
}
ENTRY main {
  x = f32[4] parameter(0)
  y = s32[4] parameter(1)
  s = ((f32[4], s32[4]), (f32[4], s32[4]), u32[]) async-start(x, y), calls=sorted
  ROOT d = (f32[4], s32[4]) async-done(s)
}"""


def test_a_started_operation_of_two_results_gives_both():
    module = parse_hlo(SORTED)
    (start,) = (op for op in module.walk() if isinstance(op, hlo.AsyncStartOp))
    wrapped = functions_of(module)[start.callee.string_value()]
    assert [str(type) for type in wrapped.function_type.outputs] == ["tensor<4xf32>", "tensor<4xi32>"]
    assert "sort-start(%x, %y), dimensions={0}, to_apply=%less" in print_hlo(read_hlo(SORTED))
    keys, places = np.array([3, 1, 2, 0], np.float32), np.arange(4, dtype=np.int32)
    assert [part.tolist() for part in evaluate(module, [keys, places])] == [[0, 1, 2, 3], [3, 1, 2, 0]]


def test_attribute_of_the_start_may_be_repeated_on_an_update():
    """HLO-ASYNC-15: as in example 4, and it is never printed there."""
    sugared = NESTED["sugared_updates"]
    repeated = sugared.replace("%op-start)\n", '%op-start), custom_call_target="foo"\n')
    assert repeated != sugared
    module = read_hlo(repeated)
    assert str(module) == str(read_hlo(sugared))
    assert print_hlo(module).count("custom_call_target") == 1


SUGARED, START_AND_DONE = NESTED["sugared_updates"], NESTED["start_and_done"]


def wrapping(opcode: str, attributes: str, inputs: str = "f32[64]", output: str = "f32[64]") -> str:
    """A generic start and done around `opcode`."""
    types = inputs.split(", ")
    declared = "".join(f"  %p{i} = {type} parameter({i})\n" for i, type in enumerate(types))
    operands = ", ".join(f"%p{i}" for i in range(len(types)))
    return f"""HloModule m

%sum {{
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}}

%async_op {{
{declared}  ROOT %op = {output} {opcode}({operands}){attributes}
}}

ENTRY main {{
{declared}  %async-start = (({inputs}), {output}, s32[]) async-start({operands}), calls=%async_op
  ROOT %async-done = {output} async-done(%async-start)
}}"""


REJECTED = {
    "HLO-ASYNC-02, two instructions": (
        UPDATES.replace(
            "  ROOT %op = f32[32] custom-call(f32[64] %param0)",
            "  %n = f32[64] negate(%param0)\n  ROOT %op = f32[32] custom-call(%n)",
        ),
        "expected to contain only the root and parameter instructions, found 2 operations",
    ),
    "HLO-ASYNC-02, other operands": (
        UPDATES.replace("custom-call(f32[64] %param0)", "custom-call()"),
        "expected to pass its parameters, all of them",
    ),
    "HLO-ASYNC-03, no computation": (UPDATES.replace(", calls=%async_op", ""), "attribute 'calls' is missing"),
    "HLO-ASYNC-03, unknown computation": (
        UPDATES.replace("calls=%async_op", "calls=%nothing"),
        "computation 'nothing' is not defined",
    ),
    "HLO-ASYNC-03, threads": (
        UPDATES.replace("calls=%async_op", 'calls=%async_op, async_execution_thread="a"'),
        r'async thread name as wrapped computation\'s thread name \("a" vs "main"\)',
    ),
    "HLO-ASYNC-04": (
        START_AND_DONE.replace("ROOT %async-done", "%d").replace(
            "%async-start)\n}", "%async-start)\n  ROOT %e = f32[32] async-done(%d)\n}"
        ),
        "AsyncUpdate and AsyncDone expect a single async op as their operand",
    ),
    "HLO-ASYNC-05": (
        UPDATES.replace(f"%async-update1 = {BUNDLE}", "%async-update1 = ((f32[64]), f32[32], u32[])"),
        r"operand 'async-update1' is \(\(f32\[64\]\), f32\[32\], u32\[\]\)",
    ),
    "HLO-ASYNC-05, the last one": (
        UPDATES.replace(f"%async-update1 = {BUNDLE}", "%async-update1 = ((f32[64]), f32[32], u32[])").replace(
            f"async-done({BUNDLE} ", "async-done("
        ),
        "async-update expects the shape of operand and output to match",
    ),
    "HLO-ASYNC-05, no operand in the shape": (
        LATE.replace("%second = ((f32[4], f32[4])", "%second = ((f32[4])"),
        "async-update expects the shape of operand and output to match .* and 1 operands bound",
    ),
    "HLO-ASYNC-05, an operand is missing": (
        LATE.replace("async-done(%second)", "async-done(%first)")
        .replace("  %second =", "  %third =")
        .replace("  %third = ((f32[4], f32[4]), f32[4], s32[]) async-update(%first, %y)\n", ""),
        "async-done expects the operands of the previous async instruction to be fully bound",
    ),
    "HLO-ASYNC-05, too many operands": (
        LATE.replace("start = ((),", "start = ((f32[4]),")
        .replace("async-start()", "async-start(%x)")
        .replace("%first = ((f32[4])", "%first = ((f32[4], f32[4])")
        .replace("%second = ((f32[4], f32[4])", "%second = ((f32[4], f32[4], f32[4])"),
        "async-done expects the operands of the previous async instruction to be fully bound",
    ),
    "HLO-ASYNC-05, operands before the bundle": (
        LATE.replace("(%first, %y)", "(%y, %first)"),
        "is not the first operand of its consumer 'async-update'",
    ),
    "HLO-ASYNC-06, another computation behind the start": (
        UPDATES.replace("ENTRY", OPERATION.replace("async_op", "other_op").replace("foo", "bar") + "ENTRY").replace(
            "%async-update1)", "%async-update1), calls=%other_op"
        ),
        "attribute 'calls' is %other_op, but %async_op on 'async-start'",
    ),
    "HLO-ASYNC-07": (UPDATES.replace(BUNDLE, "((f32[63]), f32[32], s32[])"), r"async shape at index \{0\}"),
    "HLO-ASYNC-08, done": (
        UPDATES.replace("ROOT %async-done = f32[32]", "ROOT %async-done = f32[31]"),
        r"to match the async shape at index \{1\}: got f32\[31\]",
    ),
    "HLO-ASYNC-08, a tuple around the output": (
        UPDATES.replace(BUNDLE, "((f32[64]), (f32[32]), s32[])"),
        r"to match the async shape at index \{1\}: got f32\[32\]",
    ),
    "HLO-ASYNC-08, root": (
        UPDATES.replace(BUNDLE, "((f32[64]), f32[31], s32[])").replace(
            "ROOT %async-done = f32[32]", "ROOT %async-done = f32[31]"
        ),
        r"async shape at index \{1\} to match the async computation root shape",
    ),
    "HLO-ASYNC-12, two dones": (
        START_AND_DONE.replace("  ROOT %async", f"  %d = f32[32] async-done({BUNDLE} %async-start)\n  ROOT %async"),
        "async-start: requires one consumer, found 2",
    ),
    "HLO-ASYNC-12, no done": (
        START_AND_DONE.replace(f"async-done({BUNDLE} %async-start)", 'custom-call(%operand), custom_call_target="bar"'),
        "async-start: requires one consumer, found 0",
    ),
    "HLO-ASYNC-12, two users of an update": (
        UPDATES.replace("  ROOT %async", f"  %d = f32[32] async-done({BUNDLE} %async-update1)\n  ROOT %async"),
        "async-update: requires one consumer, found 2",
    ),
    "HLO-ASYNC-12, another user": (
        START_AND_DONE.replace(f"async-done({BUNDLE} %async-start)", "get-tuple-element(%async-start), index=1"),
        "has a consumer that needs to be async-update or async-done",
    ),
    "HLO-ASYNC-15, another attribute": (
        SUGARED.replace("%op-start)\n", '%op-start), custom_call_target="bar"\n'),
        "attribute 'custom_call_target' is \"bar\", but \"foo\" on 'op-start'",
    ),
    "HLO-ASYNC-16, update": (
        SUGARED.replace("custom-call-update(((f32[64]), f32[32], s32[]) %op-start)", "add-update(%op-start)"),
        "has a consumer 'add-update', which belongs to another opcode",
    ),
    "HLO-ASYNC-16, done": (
        SUGARED.replace("custom-call-done", "slice-done"),
        "has a consumer 'slice-done', which belongs to another opcode",
    ),
    "HLO-ASYNC-16, no opcode": (SUGARED.replace("custom-call-", "op-"), "unknown opcode 'op-start'"),
    **{
        f"HLO-ASYNC-17 and HLO-ASYNC-18, {opcode}": (
            wrapping(opcode, *more),
            f"async-start cannot wrap .*, because HLO has {opcode}.* and {opcode}-done for it",
        )
        for opcode, *more in (
            ("copy", ""),
            ("all-gather", ", dimensions={0}, replica_groups={{0}}"),
            ("all-reduce", ", replica_groups={{0}}, to_apply=%sum"),
            ("collective-permute", ", source_target_pairs={{0,0}}"),
            ("send", ", channel_id=1", "f32[64], token[]", "(f32[64], u32[], token[])"),
            ("recv", ", channel_id=1", "token[]", "(f32[64], u32[], token[])"),
        )
    },
    "HLO-ASYNC-19, flat with another shape": (
        flat(UPDATES).replace("(f32[64],", "(f32[63],"),
        r"in the form of \(\(async-operands\), async-outputs, state\)",
    ),
    "HLO-ASYNC-20, one element": (
        UPDATES.replace(BUNDLE, "((f32[64]))"),
        r"in the form of \(\(async-operands\), async-outputs, state\)",
    ),
}
"""Texts and their errors, by the row that forbids them."""


@pytest.mark.parametrize("case", REJECTED)
def test_rejected(case: str):
    text, message = REJECTED[case]
    assert text not in NESTED.values()
    with pytest.raises((HLOError, VerifyException), match=message):
        parse_hlo(text).verify()


@pytest.mark.parametrize("opcode", ["negate", "abs", "tanh"])
def test_other_operations_are_wrapped(opcode: str):
    """Row HLO-ASYNC-01."""
    text = wrapping(opcode, "")
    assert f"{opcode}-start(" in print_hlo(read_hlo(text))
    assert f" {opcode}-done(" in print_hlo(read_hlo(text))


LAYERS = Path(__file__).parents[3] / "examples" / "async_layers.hlo"


@pytest.mark.parametrize("opcodes", [("slice",), ("slice", "reshape", "dot-general"), ("tanh", "copy")])
def test_xla_reads_the_results_of_passes(opcodes: tuple[str, ...]):
    texts: list[str] = []
    for max_in_flight in (None, 1, 2):
        module = read_hlo(LAYERS.read_text())
        AsyncWrapPass(opcodes).apply(new_context(), module)
        AsyncSchedulePass(max_in_flight).apply(new_context(), module)
        module.verify()
        texts += [print_hlo(module, uses_sugar=uses_sugar) for uses_sugar in (True, False)]
    assert all("-start(" in text for text in texts)
    assert xla_errors(texts) == [""] * len(texts)


def test_results_of_a_program_stay_that_the_passes_make_asynchronous():
    module = read_hlo(LAYERS.read_text())
    arguments = random_inputs(functions_of(module)["main"].function_type.inputs.data, seed=1)
    expected = evaluate(module, arguments)
    AsyncWrapPass(("slice", "dot-general")).apply(new_context(), module)
    AsyncSchedulePass(2).apply(new_context(), module)
    np.testing.assert_array_equal(evaluate(read_hlo(print_hlo(module)), arguments), expected)
