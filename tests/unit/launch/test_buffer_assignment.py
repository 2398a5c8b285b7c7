"""
Random programs with loops, branches, updates in place and donated parameters, executed on memory as it is assigned.

The evaluator computes what kernels would, so that many programs are tried; the emitters say which results share the
memory of operands.
"""

import re
from dataclasses import replace
from itertools import combinations
from typing import cast

import numpy as np
from hypothesis import given, settings
from hypothesis.strategies import DrawFn, composite, integers, lists, sampled_from
from module_programs import FUSIONS, LOOP, PROGRAMS

from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.stablehlo import TokenType
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.buffer_assignment import ALIGNMENT, Slice, placed
from xshardy.launch.checked_run import ModuleRuns, planned
from xshardy.launch.coalescing import Buffer
from xshardy.launch.cpu_machine import CpuMachine
from xshardy.launch.execution import Execution
from xshardy.launch.launch_plan import ConditionalStep, KernelStep, LaunchPlan
from xshardy.launch.live_ranges import Interval, live_ranges
from xshardy.launch.plan_steps import plan_in_memory
from xshardy.launch.prepared_program import entry_of, prepared
from xshardy.syntax import parse_module


class EvaluatingMachine(CpuMachine):
    """Kernels by the evaluator."""

    def __init__(self):
        super().__init__("none", "none")

    def kernel(self, step: KernelStep) -> None:
        self.library(step)


class Writer:
    """Writes the text of a random program: computations of f32[300] values and one s32[] counter per loop."""

    def __init__(self, draw: DrawFn):
        self.draw = draw
        self.computations = list[str]()
        self.names = 0

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def body(self, known: list[str], index: str, depth: int) -> tuple[list[str], list[str]]:
        """Random instructions that read `known` arrays and a counter; the lines, and the arrays after them."""
        lines, known = list[str](), list(known)
        for _ in range(self.draw(integers(1, 4))):
            kind = self.draw(sampled_from(["unary", "sum", "update", "update", "loop", "branch"][: 6 if depth else 4]))
            x, y = self.draw(sampled_from(known)), self.draw(sampled_from(known))
            name = self.fresh("v")
            match kind:
                case "unary":
                    fusion = self.draw(sampled_from(["negate", "double"]))
                    lines.append(f"{name} = f32[300] fusion({x}), kind=kLoop, calls={fusion}")
                case "sum":
                    lines.append(f"{name} = f32[300] fusion({x}, {y}), kind=kLoop, calls=sum")
                case "update":
                    lines.append(f"{name} = f32[300] fusion({x}, {index}), kind=kLoop, calls=update")
                case "branch":
                    branches = [self.computation(1, depth - 1) for _ in range(2)]
                    called = f"branch_computations={{{', '.join(branches)}}}"
                    lines.append(f"{name} = f32[300] conditional({index}, {x}, {y}), {called}")
                case _:
                    lines += self.loop(name, x, y, depth)
            known.append(name)
        return lines, known

    def computation(self, count: int, depth: int) -> str:
        """A computation of one array; its name."""
        name, parameters = self.fresh("c"), [self.fresh("p") for _ in range(count)]
        index = self.fresh("i")
        lines, known = self.body(parameters, index, depth)
        inputs = [f"{p} = f32[300] parameter({number})" for number, p in enumerate(parameters)]
        result = self.draw(sampled_from(known))
        text = [*inputs, f"{index} = s32[] constant(2)", *lines, f"ROOT r = f32[300] copy({result})"]
        self.computations.append(f"{name} {{\n  " + "\n  ".join(text) + "\n}\n")
        return name

    def loop(self, name: str, x: str, y: str, depth: int) -> list[str]:
        """A loop that carries two arrays, perhaps exchanged, and a counter."""
        type = "(s32[], f32[300], f32[300])"
        a, b, i = self.fresh("a"), self.fresh("b"), self.fresh("i")
        lines, known = self.body([a, b], i, depth - 1)
        following = [self.draw(sampled_from([a, b, *known])) for _ in range(2)]
        condition, body = self.fresh("condition"), self.fresh("body")
        elements = [
            f"s = {type} parameter(0)",
            f"{i} = s32[] get-tuple-element(s), index=0",
            f"{a} = f32[300] get-tuple-element(s), index=1",
            f"{b} = f32[300] get-tuple-element(s), index=2",
        ]
        test = [*elements[:2], f"ROOT go = pred[] fusion({i}), kind=kLoop, calls=is_less"]
        step = [f"n = s32[] fusion({i}), kind=kLoop, calls=next", f"ROOT t = {type} tuple(n, {', '.join(following)})"]
        self.computations.append(f"{condition} {{\n  " + "\n  ".join(test) + "\n}\n")
        self.computations.append(f"{body} {{\n  " + "\n  ".join([*elements, *lines, *step]) + "\n}\n")
        zero, state, loop = self.fresh("zero"), self.fresh("state"), self.fresh("loop")
        return [
            f"{zero} = s32[] constant(0)",
            f"{state} = {type} tuple({zero}, {x}, {y})",
            f"{loop} = {type} while({state}), condition={condition}, body={body}",
            f"{name} = f32[300] get-tuple-element({loop}), index={self.draw(integers(1, 2))}",
        ]


@composite
def programs(draw: DrawFn) -> str:
    """The text of a module."""
    writer = Writer(draw)
    lines, known = writer.body(["x", "y"], "i", depth=2)
    results = draw(lists(sampled_from(known), min_size=1, max_size=3))
    donated = draw(sampled_from(["", "{0}: (0, {})", "{0}: (1, {})"]))
    header = f", input_output_alias={{ {donated} }}" if donated and len(results) > 1 else ""
    inputs = ["x = f32[300] parameter(0)", "y = f32[300] parameter(1)", "i = s32[] parameter(2)"]
    types = ", ".join(["f32[300]"] * len(results))
    root = f"ROOT results = ({types}) tuple({', '.join(results)})"
    entry = "ENTRY main {\n  " + "\n  ".join([*inputs, *lines, root]) + "\n}\n"
    return f"HloModule m{header}\n{FUSIONS}{''.join(writer.computations)}{entry}"


@settings(max_examples=20, deadline=None)
@given(programs())
def test_programs_compute_what_the_evaluator_does(text: str):
    module = parse_hlo(text)
    plan = planned(module, "sm_90")
    require_disjoint(plan)
    runs = ModuleRuns(module, plan)
    (results,) = runs.run([EvaluatingMachine()], checks=True)
    for actual, expected in zip(results, evaluate(entry_of(module), runs.arguments[0]), strict=True):
        np.testing.assert_array_equal(actual, expected)


def require_disjoint(plan: LaunchPlan) -> None:
    """No two tensors that are live at once share a byte, unless they are one buffer."""
    placed = plan.assignment.slices.items()
    for (one, a), (other, b) in combinations(placed, 2):
        if a.allocation == b.allocation and a.offset < b.offset + b.size and b.offset < a.offset + a.size:
            assert not one.overlaps(other)
    assert all(place.offset % ALIGNMENT == 0 for _, place in placed)


def test_memory_is_used_again():
    text = f"HloModule chain\n{FUSIONS}ENTRY main {{\n  v0 = f32[300] parameter(0)\n"
    text += "".join(f"  v{i + 1} = f32[300] fusion(v{i}), kind=kLoop, calls=negate\n" for i in range(9))
    assignment = planned(parse_hlo(text + "  ROOT r = f32[300] fusion(v9), kind=kLoop, calls=double\n}\n"), "sm_90")
    assert assignment.assignment.temporary_bytes == 1280 + 1200


def test_no_copies_where_the_loop_of_xla_needs_none():
    """An update in place of what a loop carries: the buffer of the loop is that of the update."""
    text = LOOP.replace("tuple(following, b, updated)", "tuple(following, updated, b)")
    plan = planned(parse_hlo(text), "sm_90")
    copied = [step.name for step in plan.all_steps() if step.op in plan.assignment.inserted]
    assert copied == ["zero", "x", "following", "x"]


def buffer(size: int, start: int, end: int) -> Buffer:
    return Buffer([], [Interval(start, end)], size)


def test_large_buffers_have_a_place_first():
    """In the other order, the large one is above both others, which are live together."""
    small, other, large = buffer(256, 0, 2), buffer(256, 1, 3), buffer(512, 2, 5)
    assert placed([small, other, large]) == {large: 0, small: 0, other: 512}


def test_a_buffer_fills_a_gap_of_its_size():
    first, above, later = buffer(512, 0, 2), buffer(512, 1, 9), buffer(512, 3, 8)
    assert placed([later, above, first]) == {first: 0, above: 512, later: 0}


def test_donated_parameters_hold_results():
    allocations = planned(parse_hlo(PROGRAMS["donated"]), "sm_90").assignment.allocations
    assert [(each.kind, each.parameter, each.results) for each in allocations[:2]] == [
        ("parameter", 0, (0,)),
        ("parameter", 1, (1,)),
    ]
    assert "result" not in [each.kind for each in allocations]


def test_nothing_is_copied_into_the_parameter_that_it_is():
    text = "HloModule m, input_output_alias={ {}: (0, {}) }\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}\n"
    assert not planned(parse_hlo(text), "sm_90").steps


TOKENS = f"""HloModule tokens
{FUSIONS}
condition {{
  state = (s32[], token[]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  ROOT go = pred[] fusion(i), kind=kLoop, calls=is_less
}}
body {{
  state = (s32[], token[]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  t = token[] get-tuple-element(state), index=1
  following = s32[] fusion(i), kind=kLoop, calls=next
  later = token[] after-all(t)
  ROOT r = (s32[], token[]) tuple(following, later)
}}
yes {{
  x = token[] parameter(0)
  ROOT r = token[] after-all(x)
}}
no {{
  ROOT x = token[] parameter(0)
}}
ENTRY main {{
  zero = s32[] constant(0)
  p = pred[] parameter(0)
  t = token[] after-all()
  state = (s32[], token[]) tuple(zero, t)
  loop = (s32[], token[]) while(state), condition=condition, body=body
  i = s32[] get-tuple-element(loop), index=0
  after = token[] get-tuple-element(loop), index=1
  last = token[] conditional(p, after, after), true_computation=yes, false_computation=no
  ROOT r = (s32[], token[]) tuple(i, last)
}}
"""


def test_tokens_have_no_memory():
    """Loops carry them, and branches and the program return them, without copies."""
    plan = planned(parse_hlo(TOKENS), "sm_90")
    assert all(step.op.results[0].type != TokenType() for step in plan.all_steps() if step.kind == "copy")
    assert [result.leaf.shape_text for result in plan.results] == ["s32[]{}"]


NESTED_COPIES = f"""HloModule nested
{FUSIONS}
same {{
  ROOT x = f32[300] parameter(0)
}}
other {{
  x = f32[300] parameter(0)
  ROOT r = f32[300] fusion(x), kind=kLoop, calls=negate
}}
condition {{
  state = (s32[], f32[300]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  ROOT go = pred[] fusion(i), kind=kLoop, calls=is_less
}}
body {{
  state = (s32[], f32[300]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  a = f32[300] get-tuple-element(state), index=1
  v = f32[300] fusion(a), kind=kLoop, calls=negate
  u = f32[300] fusion(a), kind=kLoop, calls=double
  p = pred[] fusion(i), kind=kLoop, calls=is_less
  b = f32[300] conditional(p, v, u), true_computation=same, false_computation=other
  following = s32[] fusion(i), kind=kLoop, calls=next
  ROOT r = (s32[], f32[300]) tuple(following, b)
}}
ENTRY main {{
  x = f32[300] parameter(0)
  zero = s32[] constant(0)
  state = (s32[], f32[300]) tuple(zero, x)
  loop = (s32[], f32[300]) while(state), condition=condition, body=body
  ROOT r = f32[300] get-tuple-element(loop), index=1
}}
"""
"""
A branch returns `v`, which is live with `a`, the value before it. So either `v` or the next `a` can be in the memory
of `b`, and a copy is left.
"""


def test_inner_copies_are_dropped_first():
    plan = planned(parse_hlo(NESTED_COPIES), "sm_90")
    (branch,) = (step for step in plan.all_steps() if isinstance(step, ConditionalStep))
    assert [[step.kind for step in steps] for steps in branch.branches] == [[], ["kernel"]]


IN_FLIGHT = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = hlo.fusion loop @negate(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %start = "stablehlo.async_start"(%a) ({
  ^bb0(%y: tensor<4xf32>):
    %b = hlo.fusion loop @negate(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %c = hlo.fusion loop @negate(%b) : (tensor<4xf32>) -> tensor<4xf32>
    %unread = hlo.fusion loop @negate(%b) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %c : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %d = hlo.fusion loop @negate(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %done = "stablehlo.async_done"(%start) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  %e = hlo.fusion loop @negate(%d) : (tensor<4xf32>) -> tensor<4xf32>
  return %e : tensor<4xf32>
}
func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_what_is_in_flight_is_live_until_the_operation_that_waits():
    """What is read and what is written there, and no longer."""
    found = live_ranges(prepared(parse_module(IN_FLIGHT)))
    (done,) = (number for op, number in found.numbers.items() if op.name == "stablehlo.async_done")
    ends = {leaf.name: interval.end for leaf, interval in found.intervals.items()}
    assert ends["a"] == ends["b"] == ends["c"] == ends["unread"] == 2 * done + 1


def test_a_wrong_alias_is_found():
    """Two buffers at one place: the step that reads what the other one has overwritten is named."""
    module = parse_hlo(PROGRAMS["asynchronous"])
    plan = planned(module, "sm_90")
    slices = plan.assignment.slices
    buffers = {leaf.name: buffer for buffer in slices for leaf in buffer.leaves}
    first, second = slices[buffers["copy"]], buffers["b"]
    moved = replace(plan.assignment, slices={**slices, second: Slice(first.allocation, first.offset, first.size)})
    fingerprints = {step.op: step.fingerprint for step in plan.all_steps() if isinstance(step, KernelStep)}
    wrong = plan_in_memory(plan.entry, moved, cast(dict[FusionOp, str], fingerprints))
    execution = Execution(wrong, EvaluatingMachine(), checks=True)
    execution.run(ModuleRuns(module, plan).arguments[0])
    assert re.match(r"step 10, r, operand copied: \d+ of its 1200 bytes were overwritten before", str(execution.wrong))
