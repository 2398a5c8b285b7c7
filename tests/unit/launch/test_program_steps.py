"""What of a program is an entry, a step or memory, and what is said of the rest."""

import numpy as np
import pytest
from module_programs import FUSIONS, PROGRAMS
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.utils.exceptions import PassFailedException

from xshardy.fusing.pipeline import fused_program
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters import simt
from xshardy.launch.aliases import aliases_of, donated_parameters
from xshardy.launch.buffer_assignment import Slice
from xshardy.launch.checked_run import ModuleRuns, planned
from xshardy.launch.cpu_machine import CpuMachine, cpu_machines
from xshardy.launch.execution import Execution
from xshardy.launch.kernel_levels import first_of_buffer
from xshardy.launch.launch_plan import AsyncDoneStep, AsyncStartStep, ConditionalStep, KernelStep, LaunchStep
from xshardy.launch.leaves import Leaf, leaves_of, origin
from xshardy.launch.live_ranges import Interval
from xshardy.launch.prepared_program import ModuleError, entry_of, module_around, prepared
from xshardy.launch.unfused import require_fused
from xshardy.syntax import parse_module

ONE = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n return %x : tensor<4xf32>\n}\n"
OTHER = ONE.replace("@main", "@other")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (ONE, "main"),
        (OTHER, "other"),
        (OTHER + ONE, "main"),
        (ONE.replace("func.func", "func.func private") + OTHER, "other"),
        ("func.func @main(tensor<4xf32>) -> tensor<4xf32>\n" + OTHER, "other"),
    ],
    ids=["alone", "of another name", "main", "public", "with a body"],
)
def test_which_function_is_the_entry(text: str, name: str):
    assert entry_of(parse_module(text)).sym_name.data == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OTHER + OTHER.replace("@other", "@third"), r"2 public functions \(@other, @third\)"),
        (OTHER.replace("func.func", "func.func private"), r"0 public functions \(none\)"),
    ],
)
def test_no_function_is_the_entry(text: str, message: str):
    with pytest.raises(ModuleError, match=message):
        entry_of(parse_module(text))


M = "tensor<4x4xf32>"
UNFUSED = {
    "dot": (f"stablehlo.dot %x, %x : ({M}, {M}) -> {M}", "1 operation to hand to cuBLAS"),
    "dot_general": (
        f"stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : ({M}, {M}) -> {M}",
        "1 operation to hand to cuBLAS",
    ),
    "convolution": (
        "stablehlo.convolution(%x, %x) dim_numbers = [b, f]x[i, o]->[b, f], window = {} "
        f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({M}, {M}) -> {M}",
        "1 operation to hand to cuDNN",
    ),
    "sort by a value from around": (
        f'"stablehlo.sort"(%x) ({{\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n'
        "%1 = stablehlo.compare LT, %a, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        f"stablehlo.return %1 : tensor<i1>\n}}) {{dimension = 0 : i64}} : ({M}) -> {M}",
        r"1 operation whose computations read values from around, which those of HLO cannot \(1 sort\)",
    ),
    "negate": (f"stablehlo.negate %x : {M}", "1 operation to fuse "),
    "copy": (f"hlo.copy %x {{hlo.layout = array<i64: 0, 1>}} : {M}", r"1 operation to fuse \(it changes a layout\)"),
    "sharding": (f"sdy.sharding_constraint %x <@mesh, [{{}}, {{}}]> : {M}", "1 operation to partition"),
    "infeed": (
        '"stablehlo.infeed"(%t) : (!stablehlo.token) -> !stablehlo.token',
        "1 operation that the host executes",
    ),
    "outfeed": (
        f'"stablehlo.outfeed"(%x, %t) : ({M}, !stablehlo.token) -> !stablehlo.token',
        "1 operation that the host executes",
    ),
    "recv": (
        '"stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, '
        "is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token",
        "1 operation that the host executes",
    ),
    "send": (
        '"stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, '
        f"is_host_transfer = true}}> : ({M}, !stablehlo.token) -> !stablehlo.token",
        "1 operation that the host executes",
    ),
}


def test_a_plan_has_no_recursion():
    call = "%0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
    functions = (ONE.replace(" return %x", f"{call} return %0"), ONE.replace("@main", "private @f"))
    text = "".join(functions).replace(" return %x", f"{call} return %0")
    with pytest.raises(ModuleError, match="@f calls itself, by way of main -> f: a launch plan has no recursion"):
        prepared(parse_module(text))


def test_the_size_of_a_buffer_is_known():
    module = parse_module("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\nreturn %x : tensor<?xf32>\n}")
    (leaf,) = leaves_of(entry_of(module).args[0])
    with pytest.raises(ModuleError, match=r"x is a f32\[\?\]: the size of a buffer must be known"):
        _ = leaf.size


@pytest.mark.parametrize("name", UNFUSED)
def test_what_should_be_done_with_what_is_no_step(name: str):
    operation, message = UNFUSED[name]
    mesh = 'sdy.mesh @mesh = <["x"=2]>\n' if name == "sharding" else ""
    module = parse_module(
        f"{mesh}func.func @main(%x: {M}, %s: tensor<f32>, %t: !stablehlo.token) -> {M} {{\n"
        f"%0 = {operation}\nreturn %x : {M}\n}}"
    )
    with pytest.raises(ModuleError, match=message):
        require_fused(prepared(module))


def test_only_some_names_of_operations_are_shown():
    def message(count: int) -> str:
        lines = "\n".join(f"%{i} = stablehlo.negate %x : {M}" for i in range(count))
        module = parse_module(f"func.func @main(%x: {M}) -> {M} {{\n{lines}\nreturn %x : {M}\n}}")
        with pytest.raises(ModuleError) as error:
            require_fused(prepared(module), advice="")
        return str(error.value)

    assert message(12).endswith(", ".join(["negate"] * 12))
    assert message(13).endswith(", ".join(["negate"] * 12) + ", ...")


def test_an_element_of_a_tuple_is_what_it_was_made_of():
    module = parse_module("""
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.tuple %x, %y : tuple<tensor<4xf32>, tensor<5xf32>>
  %1 = stablehlo.tuple %x, %0 : tuple<tensor<4xf32>, tuple<tensor<4xf32>, tensor<5xf32>>>
  %2 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<4xf32>, tuple<tensor<4xf32>, tensor<5xf32>>>) -> tuple<tensor<4xf32>, tensor<5xf32>>
  %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<4xf32>, tensor<5xf32>>) -> tensor<5xf32>
  return %3 : tensor<5xf32>
}
""")  # noqa: E501
    entry = entry_of(module)
    returned = entry.body.block.last_op
    assert returned is not None
    assert origin(Leaf(returned.operands[0])) == Leaf(entry.args[1])


def test_arguments_without_the_number_of_a_buffer_have_one_each():
    module = parse_module("""
func.func @kernel(%x: tensor<4xf32>, %y: tensor<4xf32> {xla.slice_index = 1 : index},
                  %z: tensor<4xf32>, %out: tensor<4xf32> {xla.slice_index = 1 : index}) -> tensor<4xf32>
    attributes {xla.entry} {
  return %out : tensor<4xf32>
}
""")
    assert first_of_buffer(simt.find_kernel(module)) == [0, 1, 2, 1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_buffers_are_live_in_the_steps_between_their_times(name: str):
    """A step reads at twice its number and writes at the time after: the first and the last that do so meanwhile."""
    plan = planned(parse_hlo(PROGRAMS[name]), "sm_90")
    times = [2 * plan.assignment.ranges.numbers[step.op] for step in plan.all_steps()]
    last = max(times) + 4
    for start in range(-1, last):
        for end in range(start, last + 1):
            first = next((n for n, time in enumerate(times) if time >= start), len(times) - 1)
            during = [n for n, time in enumerate(times) if time < end]
            assert plan.lifetime(Interval(start, end)) == (first, max(first, during[-1] if during else 0))


def test_a_program_without_steps_has_buffers_of_the_first():
    plan = planned(parse_hlo("HloModule m\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}\n"), "sm_90")
    (step,) = plan.all_steps()
    assert plan.lifetime(Interval(0, 9)) == (0, 0) and step.kind == "copy"


class Broken(CpuMachine):
    """The first kernel leaves a wrong result."""

    def __init__(self):
        super().__init__("xla_gpu", "sm_90")
        self.launched = 0

    def kernel(self, step: KernelStep) -> None:
        super().kernel(step)
        self.launched += 1
        if self.launched == 1:
            place: Slice = step.results[0].slice
            data = self.read(place)
            data[3] ^= 0x40  # the exponent of the first float
            self.write(place, data)


def test_nothing_runs_after_a_step_that_is_wrong():
    module = parse_hlo(
        f"HloModule m\n{FUSIONS}ENTRY main {{\n  x = f32[300] parameter(0)\n"
        "  a = f32[300] fusion(x), kind=kLoop, calls=negate\n"
        "  ROOT b = f32[300] fusion(a), kind=kLoop, calls=double\n}\n"
    )
    plan = planned(module, "sm_90")
    machine, finished = Broken(), list[LaunchStep]()
    execution = Execution(plan, machine, checks=True, finished=finished.append)
    execution.run(ModuleRuns(module, plan).arguments[0])
    assert execution.wrong is not None and execution.wrong.step.name == "a"
    assert machine.launched == 1 and execution.steps == 0 and not finished


TYPES = {"f32": np.float32, "s32": np.int32, "u8": np.uint8, "c64": np.complex64}


@pytest.mark.parametrize("type", TYPES)
def test_floats_that_a_whole_program_reads_have_no_sign(type: str):
    module: ModuleOp = parse_hlo(
        f"HloModule m\nENTRY main {{\n  x = {type}[999] parameter(0)\n  ROOT y = {type}[999] copy(x)\n}}\n"
    )
    ((array,),) = ModuleRuns(module, planned(module, "sm_90")).arguments
    assert array.dtype == TYPES[type]
    if type in ("f32", "u8"):
        assert not np.signbit(array).any()
    else:
        assert (array.real < 0).any()


@pytest.mark.parametrize(
    ("buffers", "operands", "expected"),
    [
        ([0, 1, 2, 3], 2, {}),
        ([0, 1, 1, 0], 2, {0: 1, 1: 0}),
        ([5, 5, 5], 2, {0: 0}),
        ([0, 1, 2, 2], 3, {0: 2}),
        ([], 0, {}),
    ],
)
def test_which_results_of_a_kernel_share_the_memory_of_operands(
    buffers: list[int], operands: int, expected: dict[int, int]
):
    assert aliases_of(buffers, operands) == expected


@pytest.mark.parametrize(
    ("alias", "root", "expected"),
    [
        ("{}: (1, {})", "f32[4] copy(x)", {0: 1}),
        ("{0}: (1, {}, may-alias), {1}: (0, {}, must-alias)", "(f32[4], f32[4]) tuple(x, y)", {0: 1, 1: 0}),
        ("{1}: (0, {})", "(f32[4], f32[4]) tuple(x, y)", {1: 0}),
    ],
)
def test_which_results_of_a_program_share_the_memory_of_parameters(alias: str, root: str, expected: dict[int, int]):
    module = parse_hlo(
        f"HloModule m, input_output_alias={{ {alias} }}\nENTRY main {{\n  x = f32[4] parameter(0)\n"
        f"  y = f32[4] parameter(1)\n  ROOT r = {root}\n}}\n"
    )
    assert donated_parameters(module) == expected


def test_a_whole_tuple_is_not_the_memory_of_one_parameter():
    text = (
        "HloModule m, input_output_alias={ {}: (1, {}) }\nENTRY main {\n  x = f32[4] parameter(0)\n"
        "  y = f32[4] parameter(1)\n  ROOT r = (f32[4], f32[4]) tuple(x, y)\n}\n"
    )
    with pytest.raises(PassFailedException, match="gives 2 tensors of the result the memory of 1 of the parameters"):
        parse_hlo(text)


def test_arguments_of_stablehlo_name_the_results_that_they_share_memory_with():
    module = parse_module("""
func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %y: tensor<4xf32>,
                %z: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %z : tensor<4xf32>, tensor<4xf32>
}
""")
    assert donated_parameters(module) == {1: 0, 0: 2}


@pytest.mark.parametrize("alias", ["{0,1}: (0, {})", "{0}: (0, {1})"])
def test_no_part_of_a_tuple_shares_memory(alias: str):
    module = parse_hlo(
        f"HloModule m, input_output_alias={{ {alias} }}\nENTRY main {{\n  ROOT x = f32[4] parameter(0)\n}}\n"
    )
    with pytest.raises(ModuleError, match="a part of a nested tuple shares memory"):
        donated_parameters(module)


def test_a_constant_without_elements_is_copied():
    """The value of all of its bytes would be that of the first."""
    plan = planned(parse_hlo("HloModule m\nENTRY main {\n  ROOT c = f32[0] constant({})\n}\n"), "sm_90")
    assert [step.kind for step in plan.all_steps()] in (["copy"], [])


def test_the_first_of_two_wrong_operands_is_named():
    module = parse_hlo(
        f"HloModule m\n{FUSIONS}ENTRY main {{\n  x = f32[300] parameter(0)\n  y = f32[300] parameter(1)\n"
        "  ROOT r = f32[300] fusion(x, y), kind=kLoop, calls=sum\n}\n"
    )
    plan = planned(module, "sm_90")

    class Overwriting(CpuMachine):
        """What is read is never what was written."""

        def read(self, place: Slice):
            return super().read(place) + 1

    execution = Execution(plan, Overwriting("xla_gpu", "sm_90"), checks=True)
    execution.run(ModuleRuns(module, plan).arguments[0])
    assert execution.wrong is not None and execution.wrong.what == "operand x"


def test_which_branch_runs():
    plan = planned(parse_hlo(PROGRAMS["branches"]), "sm_90")
    by_predicate, by_index = (step for step in plan.steps if isinstance(step, ConditionalStep))
    assert [by_predicate.branch(selected) for selected in (1, 0)] == [0, 1]
    assert [by_index.branch(selected) for selected in (-1, 0, 1, 2, 3)] == [2, 0, 1, 2, 2]


def test_the_name_of_an_element_has_the_number_of_its_result_first():
    module = parse_module("""
func.func @main(%x: tensor<4xf32>) {
  %0:2 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tuple<tensor<4xf32>, tensor<5xf32>>)
  return
}
""")
    (call,) = (op for op in entry_of(module).walk() if op.name == "stablehlo.custom_call")
    assert [leaf.name for result in call.results for leaf in leaves_of(result)] == [
        "custom_call{0}",
        "custom_call{1}{0}",
        "custom_call{1}{1}",
    ]


TWICE = f"""HloModule twice
{FUSIONS}
wrapped {{
  x = f32[300] parameter(0)
  ROOT r = f32[300] fusion(x), kind=kLoop, calls=negate
}}
started {{
  x = f32[300] parameter(0)
  starting = ((f32[300]), f32[300]) async-start(x), calls=wrapped
  ROOT r = f32[300] async-done(starting), calls=wrapped
}}
ENTRY main {{
  x = f32[300] parameter(0)
  a = f32[300] call(x), to_apply=started
  b = f32[300] call(a), to_apply=started
  ROOT c = f32[300] call(b), to_apply=started
}}
"""
"""A function with an asynchronous operation, called several times."""


def test_each_call_has_a_start_of_its_own_name():
    plan = planned(parse_hlo(TWICE), "sm_90")
    starts = [step.name for step in plan.steps if isinstance(step, AsyncStartStep)]
    dones = [step.start for step in plan.steps if isinstance(step, AsyncDoneStep)]
    assert starts == dones and len({*starts}) == 3


def test_what_is_called_ends_once():
    """The end of a function is none inside of its caller."""
    block = prepared(parse_hlo(TWICE)).body.block
    assert [op for op in block.ops if isinstance(op, ReturnOp)] == [block.last_op]


def test_kernels_of_equal_names_get_others():
    """`a.b` and `a-b` are `a_b` in PTX; `a_b.0` has taken the first name with a number."""
    text = f"HloModule m\n{FUSIONS}ENTRY main {{\n  x = f32[300] parameter(0)\n"
    for name, operand, called in (("a_b.0", "x", "negate"), ("a.b", "a_b.0", "double"), ("a-b", "x, a.b", "sum")):
        root = "ROOT " if called == "sum" else ""
        text += f"  {root}{name} = f32[300] fusion({operand}), kind=kLoop, calls={called}\n"
    assert [*planned(parse_hlo(text + "}\n"), "sm_90").kernels.values()] == ["a_b_0", "a_b", "a_b_1"]


def test_a_program_with_operations_of_the_host_is_not_fused():
    module = parse_module("""
func.func @main(%t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}
""")
    with pytest.raises(ModuleError, match="1 operation that the host executes"):
        fused_program(module)


PRODUCTS = """HloModule m
less {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
}
next {
  a = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT r = s32[] add(a, one)
}
condition {
  p = (s32[], f32[4,4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT r = pred[] fusion(i, n), kind=kLoop, calls=less
}
body {
  p = (s32[], f32[4,4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[4,4] get-tuple-element(p), index=1
  j = s32[] fusion(i), kind=kLoop, calls=next
  gemm = (f32[4,4], s8[0]) custom-call(x, x), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"alpha_real":1,"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"alpha_imag":0}}
  y = f32[4,4] get-tuple-element(gemm), index=0
  ROOT r = (s32[], f32[4,4]) tuple(j, y)
}
ENTRY main {
  zero = s32[] constant(0)
  x = f32[4,4] parameter(0)
  state = (s32[], f32[4,4]) tuple(zero, x)
  loop = (s32[], f32[4,4]) while(state), condition=condition, body=body
  ROOT r = f32[4,4] get-tuple-element(loop), index=1
}
"""  # noqa: E501


def test_the_computation_of_a_library_call_is_made_once():
    """Not once for each iteration of a loop and each device: that takes time, and fills the module."""
    plan = planned(parse_hlo(PRODUCTS), "sm_90")
    functions = len(module_around(plan.entry).body.block.ops)
    x = np.full((4, 4), 0.5, np.float32)
    for machine in cpu_machines(plan.assignment, 2, "xla_gpu", "sm_90"):
        (result,) = Execution(plan, machine, True).run([x])
        np.testing.assert_array_equal(result, np.full((4, 4), 0.5**8 * 4**7))
        assert len(module_around(plan.entry).body.block.ops) == functions + 1
