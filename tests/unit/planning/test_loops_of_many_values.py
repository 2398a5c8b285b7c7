"""Plans of loops and calls with many values take time in proportion to their number: they call as many functions."""

import re
import sys

import pytest

import xshardy

T = "tensor<10x4xf32>"
KINDS = {
    "loop": """%r:COUNT = stablehlo.while(CARRIED) : TYPES cond {
    %more = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    BODY
    stablehlo.return DOUBLED : TYPES
  }
  return RESULTS : TYPES
}""",
    "call": """%q:COUNT = call @f(GIVEN) : (TYPES) -> (TYPES)
  %r:COUNT = call @f(AGAIN) : (TYPES) -> (TYPES)
  return RESULTS : TYPES
}
func.func private @f(PARAMETERS) -> (TYPES) {
  BODY
  return DOUBLED : TYPES
}""",
}


def program(kind: str, count: int) -> str:
    """A program whose loop, or function, has `count` values of 10 rows on 4 devices; each result is gathered."""

    def listed(text: str, separator: str = ", ") -> str:
        return separator.join(text.replace("#", str(number)) for number in range(count))

    body = KINDS[kind].replace("COUNT", str(count)).replace("TYPES", listed(T))
    body = (
        body.replace("CARRIED", listed("%c# = %s#")).replace("GIVEN", listed("%s#")).replace("DOUBLED", listed("%d#"))
    )
    body = body.replace("BODY", listed(f"%d# = stablehlo.add %c#, %c# : {T}", "\n")).replace("AGAIN", listed("%q@#"))
    body = body.replace("RESULTS", listed("%r@#")).replace("PARAMETERS", listed(f"%c#: {T}"))
    body = re.sub("(%[qr])@", r"\1#", body)
    constraints = listed(f'%s# = sdy.sharding_constraint %x# <@m, [{{"x"}}, {{}}]> : {T}', "\n  ")
    return f"""sdy.mesh @m = <["x"=4]>
func.func @main({listed(f"%x#: {T}")}) -> ({listed(T)}) {{
  {constraints}
  {body}"""


def calls(kind: str, count: int) -> int:
    """How many functions of Python a plan calls."""
    text, called = program(kind, count), 0

    def count_call(_frame: object, event: str, _argument: object) -> None:
        nonlocal called
        called += event == "call"

    sys.setprofile(count_call)
    try:
        plan = xshardy.plan(text)
    finally:
        sys.setprofile(None)
    assert sum(plan.counts.values()) >= count
    return called


@pytest.mark.parametrize("kind", KINDS)
def test_plans_are_linear(kind: str):
    calls(kind, 1)  # what is imported or remembered once
    few, many = calls(kind, 25), calls(kind, 100)
    assert many < 4 * few, many / few
