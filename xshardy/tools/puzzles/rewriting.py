"""A puzzle about patterns: a pass is run on programs, whose results stay, and which send less."""

from collections.abc import Sequence

from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.discardable import verify
from xshardy.engines.checked_run import run_module
from xshardy.engines.simulated import Simulated
from xshardy.numerics.element_types import Array
from xshardy.planning.byte_counts import in_bytes
from xshardy.planning.plan import plan_program
from xshardy.programs.program import Program, read_program
from xshardy.programs.source import Source
from xshardy.syntax import print_module
from xshardy.tools.puzzles.puzzle import Puzzle, StillWrong, require
from xshardy.tools.puzzles.python_answer import running

_PROGRAM = """\
sdy.mesh @mesh = <["x"=4]>

func.func @main(%x: tensor<32x16x{given}>) -> (tensor<32x16x{wide}>, tensor<32x16x{wide}>) {{
  %0:2 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{{"x"}}, {{}}]>]
      out_shardings=[<@mesh, [{{}}, {{}}]>, <@mesh, [{{"x"}}, {{}}]>]
      manual_axes={{"x"}} (%part: tensor<8x16x{given}>) {{
    %1 = stablehlo.convert %part : (tensor<8x16x{given}>) -> tensor<8x16x{wide}>
    %2:{count} = "stablehlo.all_gather"({operands}) <{{
      all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids
    }}> : ({parts}) -> ({wholes})
    sdy.return %2#0, %1 : tensor<32x16x{wide}>, tensor<8x16x{wide}>
  }} : (tensor<32x16x{given}>) -> (tensor<32x16x{wide}>, tensor<32x16x{wide}>)
  return %0#0, %0#1 : tensor<32x16x{wide}>, tensor<32x16x{wide}>
}}
"""

CASES: Sequence[tuple[str, str, int, int]] = (
    ("bf16", "f32", 1, 2),
    ("i8", "f32", 1, 4),
    ("f32", "bf16", 1, 1),
    ("bf16", "f32", 2, 1),
)
"""The type before and after the conversion, how many tensors are gathered, and how many times less can be sent."""


def gathers_what_is_narrow(answer: Source, puzzle: Puzzle) -> str:
    """Each program sends as little as it can after the pass, and its results are the same."""
    with running(answer, "GatherNarrowPass") as made:
        for given, wide, count, times in CASES:
            _check(made(), read_program(Source(_program(given, wide, count), "program")), times)
    return f"{len(CASES)} programs compute the same, and send no more than they have to."


def _program(given: str, wide: str, count: int) -> str:
    types = {"parts": f"tensor<8x16x{wide}>", "wholes": f"tensor<32x16x{wide}>"}
    gathered = {name: ", ".join([text] * count) for name, text in {"operands": "%1", **types}.items()}
    return _PROGRAM.format(given=given, wide=wide, count=count, **gathered)


def _check(step: ModulePass, program: Program, times: int) -> None:
    """Run a pass on a program, which may send so many times less then."""
    changed, _ = program.copy()
    step.apply(changed.context, changed.module)
    after = f"It is now:\n{print_module(changed.module)}"
    try:
        verify(changed.module)
    except VerifyException as error:
        raise StillWrong(f"The pass leaves a program that does not verify: {error}\n{after}") from None
    results, new_results = _results(program), _results(changed)
    require(
        all(old.tobytes() == new.tobytes() for old, new in zip(results, new_results, strict=True)),
        f"The pass changes the results of this program:\n{print_module(program.module)}{after}",
    )
    sent, least = plan_program(changed).bytes, plan_program(program).bytes // times
    require(sent <= least, f"A device sends {in_bytes(sent)}, and {in_bytes(least)} would do, in this program. {after}")


def _results(program: Program) -> Sequence[Array]:
    copy, _ = program.copy()
    return run_module(copy.module, Simulated(), copy.context).results
