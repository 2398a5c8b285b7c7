"""
The examples of the documentation of asynchronous HLO, in both shapes and both spellings, and what must be rejected.

Source: "Async HLO Instructions", with `custom-call` for its placeholder `op`. XLA's parser reads them too.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException
from xla_oracle import xla_errors

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.async_operation import bundle_type
from xshardy.hlo_text import HLOError, print_hlo, read_hlo
from xshardy.interpreters.random_elements import random_inputs
from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax.printer import Printer
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo_async.schedule import AsyncSchedulePass
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


@pytest.mark.parametrize("name", NESTED)
def test_example_is_read_in_both_shapes(name: str):
    module, from_flat = read_hlo(NESTED[name]), read_hlo(flat(NESTED[name]))
    module.verify()
    assert str(from_flat) == str(module)
    (start,) = (op for op in module.walk() if isinstance(op, hlo.StartOp))
    assert isinstance(start, hlo.AsyncStartOp)
    expected = stablehlo.SliceOp if name == "slice" else stablehlo.CustomCallOp
    assert isinstance(start.wrapped(), expected)


@pytest.mark.parametrize("uses_sugar", [True, False])
@pytest.mark.parametrize("name", NESTED)
def test_example_is_written_and_read_again(name: str, uses_sugar: bool):
    module = read_hlo(NESTED[name])
    text = print_hlo(module, uses_sugar=uses_sugar)
    assert ("calls=" in text) != uses_sugar
    assert canonical(read_hlo(text)) == canonical(module)


def test_sugar_and_a_computation_are_the_same():
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
    module = read_hlo(UPDATES.replace(BUNDLE, bundle))
    module.verify()
    (start,) = (op for op in module.walk() if isinstance(op, hlo.StartOp))
    assert f"{bundle} " in print_hlo(module).replace("{0}", "")
    assert len(bundle_type(start.bundle).contexts) == bundle.count(", ") - 1


def test_computation_may_be_named_again_behind_the_start():
    again = UPDATES.replace("%async-update1)", "%async-update1), calls=%async_op")
    assert str(read_hlo(again)) == str(read_hlo(UPDATES))


def test_attribute_of_the_start_may_be_repeated_on_an_update():
    sugared = NESTED["sugared_updates"]
    repeated = sugared.replace("%op-start)\n", '%op-start), custom_call_target="foo"\n')
    assert repeated != sugared
    module = read_hlo(repeated)
    assert str(module) == str(read_hlo(sugared))
    assert print_hlo(module).count("custom_call_target") == 1


REJECTED = {
    "copy_has_opcodes_of_its_own": UPDATES.replace(
        'custom-call(f32[64] %param0), custom_call_target="foo"', "copy(%param0)"
    ).replace("f32[32]", "f32[64]"),
    "two_instructions_in_the_computation": UPDATES.replace(
        "  ROOT %op = f32[32] custom-call(f32[64] %param0)",
        "  %n = f32[64] negate(%param0)\n  ROOT %op = f32[32] custom-call(%n)",
    ),
    "two_dones": NESTED["start_and_done"].replace(
        "  ROOT %async", f"  %d = f32[32] async-done({BUNDLE} %async-start)\n  ROOT %async"
    ),
    "no_done": NESTED["start_and_done"].replace(
        f"async-done({BUNDLE} %async-start)", 'custom-call(%operand), custom_call_target="bar"'
    ),
    "element_of_the_start": NESTED["start_and_done"].replace(
        f"async-done({BUNDLE} %async-start)", "get-tuple-element(%async-start), index=1"
    ),
    "done_of_a_done": NESTED["start_and_done"]
    .replace("ROOT %async-done", "%d")
    .replace("%async-start)\n}", "%async-start)\n  ROOT %e = f32[32] async-done(%d)\n}"),
    "update_of_another_opcode": NESTED["sugared_updates"].replace(
        "custom-call-update(((f32[64]), f32[32], s32[]) %op-start)", "add-update(%op-start)"
    ),
    "done_of_another_opcode": NESTED["sugared_updates"].replace("custom-call-done", "slice-done"),
    "result_is_not_the_output": UPDATES.replace("ROOT %async-done = f32[32]", "ROOT %async-done = f32[31]"),
    "output_is_not_the_root": UPDATES.replace(BUNDLE, "((f32[64]), f32[31], s32[])").replace(
        "ROOT %async-done = f32[32]", "ROOT %async-done = f32[31]"
    ),
    "operands_are_other_shapes": UPDATES.replace(BUNDLE, "((f32[63]), f32[32], s32[])"),
    "update_changes_the_shape": UPDATES.replace(
        f"%async-update1 = {BUNDLE}", "%async-update1 = ((f32[64]), f32[32], u32[])"
    ),
    "one_element_only": UPDATES.replace(BUNDLE, "((f32[64]))"),
    "attribute_differs_on_an_update": NESTED["sugared_updates"].replace(
        "%op-start)\n", '%op-start), custom_call_target="bar"\n'
    ),
    "another_computation_is_named_again": UPDATES.replace(
        "ENTRY", OPERATION.replace("async_op", "other_op").replace("foo", "bar") + "ENTRY"
    ).replace("%async-update1)", "%async-update1), calls=%other_op"),
    "threads_differ": UPDATES.replace("calls=%async_op", 'calls=%async_op, async_execution_thread="a"'),
    "start_without_a_computation": UPDATES.replace(", calls=%async_op", ""),
    "no_such_computation": UPDATES.replace("calls=%async_op", "calls=%nothing"),
    "last_update_changes_the_shape": UPDATES.replace(
        f"%async-update1 = {BUNDLE}", "%async-update1 = ((f32[64]), f32[32], u32[])"
    ).replace(f"async-done({BUNDLE} ", "async-done("),
}


@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name: str):
    assert REJECTED[name] not in NESTED.values()
    with pytest.raises((HLOError, VerifyException)) as rejection:
        read_hlo(REJECTED[name]).verify()
    assert str(rejection.value)


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
