"""Scans of HLO text, beside numpy."""

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.stablehlo import evaluate


def scan(attributes: str) -> str:
    """`y = x * c`, and `x + c` is carried on."""
    return f"""HloModule m
    step {{
      x = f32[2] parameter(0)
      c = f32[2] parameter(1)
      y = f32[2] multiply(x, c)
      n = f32[2] add(x, c)
      ROOT r = (f32[2], f32[2]) tuple(y, n)
    }}
    ENTRY e {{
      x = f32[2,4] parameter(0)
      c = f32[2] parameter(1)
      ROOT r = (f32[2,4], f32[2]) scan(x, c), dimensions={{1}}, to_apply=step{attributes}
    }}"""


@pytest.mark.parametrize("is_reverse", [False, True])
def test_slices_in_order_with_carried_values(is_reverse: bool):
    x, c = np.arange(8, dtype=np.float32).reshape(2, 4), np.array([1, -1], np.float32)
    expected, carried = np.zeros_like(x), c
    for place in range(4)[:: -1 if is_reverse else 1]:
        expected[:, place], carried = x[:, place] * carried, x[:, place] + carried
    text = scan(f", num_carries=1, is_reverse={str(is_reverse).lower()}")
    y, last = evaluate(parse_hlo(text), [x, c])
    assert (y.tolist(), last.tolist()) == (expected.tolist(), carried.tolist())


def test_without_the_number_of_carried_values():
    with pytest.raises(InterpretationError, match=r"hlo\.scan: expected `dimensions`, `num_carries`"):
        evaluate(parse_hlo(scan("")), [np.zeros((2, 4), np.float32), np.zeros(2, np.float32)])
