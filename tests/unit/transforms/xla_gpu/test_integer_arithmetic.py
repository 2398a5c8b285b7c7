"""Guarded divisions and integer powers, executed for every pair of i8, against what XLA promises."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import bf16, f32, f64
from xdsl.passes import ModulePass

from xshardy.interpreters.simt import run_kernel
from xshardy.syntax import parse_module
from xshardy.transforms.xla_gpu.expand_integer_power import ExpandIntegerPowerPass
from xshardy.transforms.xla_gpu.recover_exp2 import is_ln2
from xshardy.transforms.xla_gpu.safe_integer_arithmetic import SafeIntegerArithmeticPass
from xshardy.universe import new_context

Bytes = npt.NDArray[np.int8]

EVERY = np.arange(-128, 128, dtype=np.int8)
X, Y = (values.ravel() for values in np.meshgrid(EVERY, EVERY))


def on_every_pair(op: str, step: ModulePass, before: str = "") -> Bytes:
    """`op` on all pairs of i8, after the pass `step`; `before` defines what else it uses."""
    text = f"""
    func.func @kernel(%x: tensor<65536xi8>, %y: tensor<65536xi8>, %out: tensor<65536xi8>) -> tensor<65536xi8>
        attributes {{xla.entry, gpu.known_block_size = array<i32: 256, 1, 1>,
                     gpu.known_grid_size = array<i32: 256, 1, 1>}} {{
      %c256 = arith.constant 256 : index
      %th = gpu.thread_id x
      %bl = gpu.block_id x
      %first = arith.muli %bl, %c256 : index
      %i = arith.addi %first, %th : index
      %a = tensor.extract %x[%i] : tensor<65536xi8>
      %b = tensor.extract %y[%i] : tensor<65536xi8>
      {before}
      %r = {op} : i8
      %t = tensor.insert %r into %out[%i] : tensor<65536xi8>
      func.return %t : tensor<65536xi8>
    }}"""
    module = parse_module(text)
    step.apply(new_context(), module)
    module.verify()
    return run_kernel(module, [X, Y, np.zeros(65536, dtype=np.int8)])[0]


def toward_zero(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


DIVISIONS: dict[str, Callable[[int, int], int]] = {
    "arith.divsi": lambda x, y: -1 if y == 0 else toward_zero(x, y),
    "arith.remsi": lambda x, y: x if y == 0 else x - y * toward_zero(x, y),
    "arith.divui": lambda x, y: -1 if y == 0 else (x & 255) // (y & 255),
    "arith.remui": lambda x, y: x if y == 0 else (x & 255) % (y & 255),
}


@pytest.mark.parametrize("op", DIVISIONS)
def test_guarded_division(op: str):
    result = on_every_pair(f"{op} %a, %b {{xla.guard_ub}}", SafeIntegerArithmeticPass())
    expected = [DIVISIONS[op](int(x), int(y)) for x, y in zip(X, Y, strict=True)]
    np.testing.assert_array_equal(result, np.array(expected).astype(np.int8))


def power(x: int, n: int) -> int:
    if n >= 0:
        return pow(x, n, 256)
    return pow(x, -n) if x in (1, -1) else 0


def test_integer_power():
    result = on_every_pair("math.ipowi %a, %b", ExpandIntegerPowerPass())
    expected = [power(int(x), int(n)) for x, n in zip(X, Y, strict=True)]
    np.testing.assert_array_equal(result, np.array(expected).astype(np.int8))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, 12, 127])
def test_integer_power_with_a_constant(exponent: int):
    result = on_every_pair("math.ipowi %a, %n", ExpandIntegerPowerPass(), f"%n = arith.constant {exponent} : i8")
    np.testing.assert_array_equal(result, np.array([pow(int(x), exponent, 256) for x in X]).astype(np.int8))


def test_ln2_is_known_in_every_precision():
    assert is_ln2(0.6931471805599453, f64)
    assert is_ln2(float(np.float32(np.log(2))), f32) and is_ln2(float(np.float32(np.log(2))), f64)
    assert is_ln2(0.69140625, f32) and is_ln2(0.69140625, bf16)
    assert not is_ln2(0.6931471805599453, f32), "no f32 has this value"
    assert not is_ln2(0.7, f64) and not is_ln2(0.5, f64) and not is_ln2(float("nan"), f64)
