"""
Expansions of exp, sin, pow, ... against numpy in extended precision: all exponents, special values, large arguments.

The references have 64 bits of precision; erf and erfc, which numpy lacks, are the C library's, rounded to the type.
"""

import ctypes
import ctypes.util
import runpy
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from elementwise_kernel import elementwise_kernel, padded_size
from xdsl.dialects.builtin import ModuleOp

from xshardy import compiler
from xshardy.interpreters.simt import kernel, run_kernel
from xshardy.lowering import cuda_files
from xshardy.lowering.code_generators import compile_module
from xshardy.lowering.cuda_files import MissingCudaExtraError
from xshardy.ptx.kernels import run_kernel as run_on_ptx_machine
from xshardy.transforms.xla_gpu.expand_math_functions import ExpandMathFunctionsPass
from xshardy.transforms.xla_gpu.math_functions import FUNCTIONS
from xshardy.transforms.xla_gpu.math_functions.large_arguments import TWO_OVER_PI_WORDS, WORD
from xshardy.universe import new_context

Array = npt.NDArray[np.floating]

pytestmark = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 63, reason="numpy has no extended precision on this machine"
)

TYPES = {"f32": np.float32, "f64": np.float64}


def of_c_library(name: str) -> Callable[[Array], Array]:
    function = getattr(ctypes.CDLL(ctypes.util.find_library("m")), name)
    function.argtypes, function.restype = [ctypes.c_longdouble], ctypes.c_longdouble
    return lambda x: np.array([function(float(value)) for value in x], np.longdouble)


REFERENCES: dict[str, Callable[..., Array]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": of_c_library("erfl"),
    "erfc": of_c_library("erfcl"),
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "powf": np.power,
    "remf": np.fmod,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sinh": np.sinh,
    "tan": np.tan,
    "tanh": np.tanh,
}
BOUNDS = {"acos": 2.5, "asin": 2.5, "tan": 3.0, "erfc": 4.0}
"""Units in the last place where the expansion promises less than 2."""


def special_values(type: str) -> Array:
    info = np.finfo(TYPES[type])
    positive = [0, 0.5, 1, 1.5, 2, 3, info.tiny, info.smallest_subnormal, info.max, np.inf, np.nan]
    return np.array([*positive, *(-value for value in positive)], TYPES[type])


def numbers(type: str, seed: int) -> Array:
    """Special values, all exponents, numbers of moderate size, and those next to multiples of pi/2 and to 1."""
    draw = np.random.default_rng(seed)
    integer = np.int32 if type == "f32" else np.int64
    bits = draw.integers(np.iinfo(integer).min, np.iinfo(integer).max, 12000, integer)
    moderate = [draw.standard_normal(2000) * scale for scale in (0.1, 1, 10, 100, 700, 1e5)]
    near_one = (1 - np.exp2(-draw.uniform(0, 60, 4000))) * draw.choice([-1, 1], 4000)
    values = [
        bits.view(TYPES[type]),
        *moderate,
        np.arange(1, 2000) * (np.pi / 2),
        near_one,
        1 / near_one[near_one != 0],
        draw.uniform(-1, 1, 4000),
    ]
    return np.concatenate([special_values(type), *(value.astype(TYPES[type]) for value in values)])


def pairs(type: str, seed: int) -> tuple[Array, Array]:
    """Bases and exponents: all pairs of special values, any numbers, and those with a power in range."""
    draw, dtype = np.random.default_rng(seed), TYPES[type]
    special = special_values(type)
    x = numbers(type, seed)
    bases = np.abs(x[special.size :])
    with np.errstate(all="ignore"):
        limit = np.log(np.longdouble(np.finfo(dtype).max)) * 1.02
        exponents = (draw.uniform(-1, 1, bases.size) * limit / np.log(bases.astype(np.longdouble))).astype(dtype)
    near_one = (1 + draw.standard_normal(4000) * 1e-3).astype(dtype)
    large = (draw.standard_normal(4000) * 1e4).astype(dtype)
    grid = np.meshgrid(special, special)
    return (
        np.concatenate([grid[0].ravel(), x, bases, near_one]),
        np.concatenate([grid[1].ravel(), draw.permutation(x), exponents, large]),
    )


def arguments_of(name: str, type: str, seed: int) -> tuple[Array, ...]:
    return pairs(type, seed) if name in ("powf", "atan2", "remf") else (numbers(type, seed),)


def operation(name: str) -> str:
    return "arith.remf" if name == "remf" else f"math.{name}"


def expanded(name: str, type: str, operands: int, size: int) -> ModuleOp:
    values = ", ".join(f"%{operand}" for operand in "xy"[:operands])
    module = elementwise_kernel(f"%r = {operation(name)} {values} : {type}", type, [type] * operands, size)
    ExpandMathFunctionsPass().apply(new_context(), module)
    module.verify()
    assert not [op for op in module.walk() if isinstance(op, tuple(FUNCTIONS))]
    return module


def computed(name: str, type: str, *operands: Array) -> Array:
    """The results of the expansion, on the interpreter of threads."""
    size = padded_size(operands[0].size)
    module = expanded(name, type, len(operands), size)
    out = np.zeros(size, TYPES[type])
    return run_kernel(module, [*(np.resize(operand, size) for operand in operands), out])[0][: operands[0].size]


def check(name: str, type: str, operands: tuple[Array, ...], results: Array) -> None:
    """Compare with the reference: signs of zeros and infinities, NaN, and the error in units in the last place."""
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](*(operand.astype(np.longdouble) for operand in operands))
        near = exact.astype(TYPES[type])
        special = ~np.isfinite(near) | (near == 0)
        ulp = np.spacing(np.abs(near)).astype(np.longdouble)
        error = np.abs(results.astype(np.longdouble) - exact) / np.where(special, 1, ulp)
    # A result beyond the greatest number, by the bound or less, may be infinite or that number.
    bound = BOUNDS.get(name, 2.0)
    same = (results == near) & (np.signbit(results) == np.signbit(near)) | np.isnan(results) & np.isnan(near)
    near_overflow = np.isinf(near) & (np.abs(exact) <= np.finfo(TYPES[type]).max * np.longdouble(1 + 1e-6))
    smallest = np.finfo(TYPES[type]).smallest_subnormal
    near_zero = (near == 0) & (np.abs(results) <= smallest)
    wrong = np.where(special, ~(same | near_overflow | near_zero), ~(error <= bound))
    examples = [(*(operand[i] for operand in operands), results[i], near[i]) for i in np.flatnonzero(wrong)[:5]]
    assert not wrong.any(), f"{name} of {type}: {examples}"


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", REFERENCES)
def test_error_and_special_values(name: str, type: str):
    operands = arguments_of(name, type, seed=0)
    check(name, type, operands, computed(name, type, *operands))


def test_errors_of_halved_exponentials_are_not_one_sided():
    """`cosh` subtracts ln(2) in two parts. Without the small one, the mean error is 0.1 units in the last place."""
    x = np.random.default_rng(0).uniform(3, 80, 4000)
    exact = np.cosh(x.astype(np.longdouble))
    error = (computed("cosh", "f64", x).astype(np.longdouble) - exact) / exact
    assert abs(error.mean()) < 0.05 * np.finfo(np.float64).eps


def test_every_expansion_has_a_reference():
    assert {op.name.rpartition(".")[2] for op in FUNCTIONS} == REFERENCES.keys()


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("steps", [-2, 2])
def test_error_of_f32_with_inexact_quotients_and_roots(name: str, steps: int, monkeypatch: pytest.MonkeyPatch):
    """PTX's `div.full.f32` may be wrong by 2 units in the last place, and so may its approximate root."""
    for op in ("arith.divf", "math.sqrt"):
        exact = kernel.RULES[op]

        def wrong(lanes: object, op: object, *values: Array, exact: Callable[..., Array] = exact) -> Array:
            result = exact(lanes, op, *values)
            usual = np.isfinite(result) & (np.abs(result) > 1e-30)
            return np.where(usual, (result.view(np.int32) + steps).view(np.float32), result)

        monkeypatch.setitem(kernel.RULES, op, wrong)
    operands = tuple(operand[:12000] for operand in arguments_of(name, "f32", seed=1))
    check(name, "f32", operands, computed(name, "f32", *operands))


@pytest.mark.parametrize(
    ("name", "type"), [("sin", "f64"), ("tanh", "f32"), ("powf", "f32"), ("cos", "f32"), ("remf", "f64")]
)
def test_through_the_pipeline(name: str, type: str, monkeypatch: pytest.MonkeyPatch):
    """Lowered to LLVM IR without libdevice, compiled, and executed on the PTX machine."""
    monkeypatch.setattr(cuda_files, "find_spec", lambda name: None)
    operands = tuple(operand[:4096] for operand in arguments_of(name, type, seed=2))
    values = ", ".join(f"%{operand}" for operand in "xy"[: len(operands)])
    module = elementwise_kernel(f"%r = {operation(name)} {values} : {type}", type, [type] * len(operands), 4096)
    compiled = compile_module(compiler.lower(module, "llvm"))
    assert "__nv_" not in compiled.llvm_ir
    written = run_on_ptx_machine(compiled, dict(enumerate([*operands, np.zeros(4096, TYPES[type])])))
    check(name, type, operands, written[len(operands)])


FUSION = """HloModule m
fused { x = c64[64] parameter(0) ROOT r = c64[64] OPCODE(x) }
ENTRY main { x = c64[64] parameter(0) ROOT f = c64[64] fusion(x), kind=kLoop, calls=fused }"""


@pytest.mark.parametrize("opcode", ["cbrt", "exponential", "log", "sine", "tanh"])
def test_functions_of_complex_numbers_need_no_extra(opcode: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cuda_files, "find_spec", lambda name: None)
    assert ".entry" in compiler.compile(FUSION.replace("OPCODE", opcode)).ptx


def test_the_demo_says_what_it_skips(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cuda_files, "find_spec", lambda name: None)
    demo = runpy.run_path(str(Path(__file__).parents[4] / "examples" / "demo.py"))
    kernel = compiler.compile(FUSION.replace("OPCODE", "tanh").replace("c64", "f32"))
    assert demo["assembled"](kernel).startswith("skipped: NVIDIA's assembler ptxas is not installed: install the")


def test_a_function_without_an_expansion_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cuda_files, "find_spec", lambda name: None)
    module = elementwise_kernel("%r = math.exp2 %x : f32", "f32", ["f32"], 4096)
    with pytest.raises(MissingCudaExtraError, match=r"__nv_exp2f .*xshardy\[cuda\]"):
        compile_module(compiler.lower(module, "llvm"), "sm_90")
    with pytest.raises(ValueError, match="unknown math 'ours': expected one of auto, libdevice, expanded"):
        compiler.compile(FUSION.replace("OPCODE", "tanh"), math="ours")


def test_words_of_two_over_pi():
    """By Machin's formula: pi = 16 atan(1/5) - 4 atan(1/239)."""
    bits = WORD * (len(TWO_OVER_PI_WORDS) - 1)
    one = 1 << bits + 64

    def atan_of_inverse(n: int) -> int:
        terms = (one // ((2 * k + 1) * n ** (2 * k + 1)) for k in range(bits // 2))
        return sum(-term if k % 2 else term for k, term in enumerate(takewhile(bool, terms)))

    pi = 16 * atan_of_inverse(5) - 4 * atan_of_inverse(239)
    digits = (2 * one << bits) // pi
    words = [digits >> WORD * position & 0xFFFFFFFF for position in reversed(range(len(TWO_OVER_PI_WORDS)))]
    assert words == list(TWO_OVER_PI_WORDS)
