"""Why patterns leave operations as they are: for listeners only."""

from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp

from xshardy import compiler
from xshardy.emitters import emit_fusion, explain
from xshardy.hlo_text import parse_hlo
from xshardy.rewriting.reasons import Reasons, because
from xshardy.rewriting.rewriter import LazyRewriter, ReasonListener

TRANSPOSES = """HloModule m
f {
  x = f32[64,64] parameter(0)
  y = f32[32,128] parameter(1)
  a = f32[64,64] transpose(x), dimensions={1,0}
  b = f32[128,32] transpose(y), dimensions={1,0}
  ROOT both = (f32[64,64], f32[128,32]) tuple(a, b)
}
ENTRY main {
  x = f32[64,64] parameter(0)
  y = f32[32,128] parameter(1)
  ROOT fusion = (f32[64,64], f32[128,32]) fusion(x, y), kind=kInput, calls=f
}
"""
VECTORIZE = "xla-gpu-vectorize-loads-stores"
COLUMNS = """HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
f {
  x = f32[7,1000,511] parameter(0)
  zero = f32[] constant(0)
  ROOT total = f32[7,511] reduce(x, zero), dimensions={1}, to_apply=add
}
ENTRY main {
  x = f32[7,1000,511] parameter(0)
  ROOT fusion = f32[7,511] fusion(x), kind=kInput, calls=f
}
"""


class Untouched:
    """A value that must not be formatted."""

    def __str__(self) -> str:
        raise AssertionError("formatted, although nobody listens")


def reasons_of(text: str) -> list[str]:
    (fusion,) = compiler.fusions(parse_hlo(text))
    reasons = Reasons()
    compiler.lower(emit_fusion(fusion), "unrolled", reasons=reasons)
    return [*reasons.lines()]


def test_patterns_say_why_they_did_not_apply():
    assert reasons_of(COLUMNS) == [
        f"{VECTORIZE}: tensor.insert: not vectorized: it is not directly in a loop (2 times)",
        f"{VECTORIZE}: tensor.extract: not vectorized: an unknown number of iterations over a tensor<1024xf32> make "
        "no vector that one access moves",
        f"{VECTORIZE}: tensor.extract: not vectorized: it is not directly in a loop (2 times)",
        f"{VECTORIZE}: tensor.extract: not vectorized: 31 iterations over a tensor<3577000xf32> make no vector that "
        "one access moves",
        "xla-gpu-optimize-loops: scf.for: not unrolled: the number of iterations is no constant, or they are not "
        "counted from 0 in steps of 1",
    ]


def test_nothing_is_formatted_without_a_listener():
    op = test.TestOp()
    ModuleOp([op])
    rewriter = LazyRewriter(op)
    because(rewriter, "%s", Untouched())
    rewriter.extend_from_listener(ReasonListener())
    because(rewriter, "%s", Untouched())
    heard: list[str] = []
    listener = ReasonListener()
    listener.because = lambda op, reason: heard.append(f"{op.name}: {reason}")
    rewriter.extend_from_listener(listener)
    because(rewriter, "%s is %d", "two", 2)
    assert heard == ["test.op: two is 2"]
    rewriter.extend_from_listener(ReasonListener())  # one that does not want to know
    because(rewriter, "again")
    assert heard[1:] == ["test.op: again"]


def test_emitters_say_why_they_were_not_chosen():
    (fusion,) = compiler.fusions(parse_hlo(TRANSPOSES))
    choice = explain(fusion)
    assert choice.refused["transpose"] == "two transpositions differ"
