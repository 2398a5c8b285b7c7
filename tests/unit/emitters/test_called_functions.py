"""Functions that call each other in a fusion: code linear in the program, and the same results at every level."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from xshardy import compiler
from xshardy.dialects.xla_gpu import PureCallOp
from xshardy.emitters.preparation import called_functions
from xshardy.hlo_text import parse_hlo
from xshardy.lowering.ptxas import assemble
from xshardy.tools.execution import execute_fusion
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

SHAPE = "f32[6,4]"


def function(name: str, parameters: int, lines: Sequence[str]) -> str:
    """A computation with the parameters `p0`, `p1`, ... and the instructions `lines`, the last of which is its root."""
    *others, root = lines
    first = [f"p{i} = {SHAPE} parameter({i})" for i in range(parameters)]
    body = "\n".join(f"  {line}" for line in [*first, *others, f"ROOT {root}"])
    return f"{name} {{\n{body}\n}}\n"


def module(functions: Sequence[str], parameters: int, lines: Sequence[str], result: str = SHAPE) -> str:
    """A fusion of `lines`, which may call `functions`."""
    operands = "\n".join(f"  p{i} = {SHAPE} parameter({i})" for i in range(parameters))
    called = f"fusion({', '.join(f'p{i}' for i in range(parameters))}), kind=kLoop, calls=f"
    entry = f"ENTRY main {{\n{operands}\n  ROOT r = {result} {called}\n}}\n"
    return "HloModule m\n\n" + "\n".join([*functions, function("f", parameters, lines), entry])


def chain(length: int, step: Sequence[str], leaf: str = f"r = {SHAPE} negate(p0)") -> str:
    """`length` functions, of which each has the instructions `step`; in them `{below}` is the one before it."""
    functions = [function("c0", 1, [leaf])]
    functions += [function(f"c{i}", 1, [line.format(below=f"c{i - 1}") for line in step]) for i in range(1, length)]
    return module(functions, 1, [f"r = {SHAPE} call(p0), to_apply=c{length - 1}"])


ONCE = (f"x = {SHAPE} call(p0), to_apply={{below}}", f"r = {SHAPE} add(x, p0)")
TWICE = (
    f"x = {SHAPE} call(p0), to_apply={{below}}",
    f"y = {SHAPE} call(x), to_apply={{below}}",
    f"r = {SHAPE} add(x, y)",
)
DIAMOND = (
    f"x = {SHAPE} call(p0), to_apply={{below}}",
    f"n = {SHAPE} negate(p0)",
    f"y = {SHAPE} call(n), to_apply={{below}}",
    f"r = {SHAPE} subtract(x, y)",
)
LEAF = f"r = {SHAPE} cosine(p0)"


def check(text: str, levels: Sequence[str] = LEVELS) -> ModuleOp:
    """Emit the fusion of `text`, run it at all `levels`, and compare with the reference. Returns the emitted module."""
    (fusion,) = compiler.fusions(parse_hlo(text))
    emitted = compiler.emit(text)
    outputs = list(execute_fusion(fusion, emitted.clone(), levels, check=True))
    assert {output.level for output in outputs} == set(levels)
    for output in outputs:
        assert output.comparison, f"level {output.level}: {output.comparison}"
    return emitted


def called(emitted: ModuleOp) -> set[str]:
    """The functions with several calls."""
    names = [op.callee.string_value() for op in emitted.walk() if isinstance(op, PureCallOp)]
    return {name for name in names if names.count(name) > 1}


def operations(emitted: ModuleOp) -> int:
    return sum(1 for _ in emitted.walk())


@pytest.mark.parametrize("step", [TWICE, DIAMOND], ids=["twice", "diamond"])
def test_every_level_runs_functions_that_are_called_twice(step: Sequence[str]):
    assert called(check(chain(6, step, LEAF)))


@pytest.mark.parametrize("step", [TWICE, DIAMOND], ids=["twice", "diamond"])
def test_code_is_linear_in_the_number_of_functions_called_twice(step: Sequence[str]):
    short, long = (operations(compiler.emit(chain(length, step))) for length in (30, 60))
    assert long < 2.3 * short


def test_25_functions_called_twice_compile_and_agree_with_the_reference():
    text = chain(25, TWICE)
    check(text, LEVELS[:1])
    kernel = compiler.compile(text)
    assert kernel.ptx.count("\n.func") > 0
    assert kernel.ptx.count("\n") < 6000
    assemble(kernel.ptx, kernel.target)


def test_a_chain_of_1100_functions_called_once_is_one_function():
    emitted = check(chain(1100, ONCE), LEVELS[:1])
    assert len([op for op in emitted.ops if isinstance(op, FuncOp)]) == 2
    assert operations(emitted) < 1200


MANY = tuple(f"x{i + 1} = {SHAPE} add({f'x{i}' if i else 'p0'}, p0)" for i in range(called_functions.SMALL))
"""More instructions than a function has that is inlined at each of its calls."""


def test_both_roots_of_a_fusion_call_one_function():
    big = function("big", 1, MANY)
    lines = [
        f"x = {SHAPE} call(p0), to_apply=big",
        f"y = {SHAPE} call(p1), to_apply=big",
        f"r = ({SHAPE}, {SHAPE}) tuple(x, y)",
    ]
    assert called(check(module([big], 2, lines, f"({SHAPE}, {SHAPE})"))) == {"big_" + f"x{len(MANY)}"}


def test_small_functions_are_inlined():
    assert not called(check(module([function("small", 1, MANY[:8])], 1, TWICE_SMALL)))


TWICE_SMALL = [line.format(below="small") for line in TWICE]


def test_a_function_that_moves_elements_stays_and_is_called_at_its_own_indices():
    lines = [*MANY, f"v = {SHAPE} reverse(x{len(MANY)}), dimensions={{0}}", f"i = {SHAPE} iota(), iota_dimension=0"]
    moves = function("moves", 1, [*lines, f"r = {SHAPE} multiply(v, i)"])
    twice = [line.format(below="moves") for line in TWICE]
    assert "moves_r" in called(check(module([moves], 1, twice)))


@pytest.mark.parametrize(
    "reads",
    [
        [f"v = {SHAPE} reverse(x{len(MANY)}), dimensions={{0}}", f"r = {SHAPE} subtract(v, p0)"],
        [
            "s = f32[5,4] slice(p0), slice={[1:6], [0:4]}",
            "z = f32[] constant(1)",
            f"v = {SHAPE} pad(s, z), padding=1_0x0_0",
            f"r = {SHAPE} add(v, x{len(MANY)})",
        ],
    ],
    ids=["at two indices", "under a condition"],
)
def test_functions_that_are_no_functions_of_elements_are_inlined(reads: Sequence[str]):
    twice = [line.format(below="reads") for line in TWICE]
    check(module([function("reads", 1, [*MANY, *reads])], 1, twice))


def test_too_much_inlining_is_refused():
    step = [*TWICE[:2], f"v = {SHAPE} reverse(y), dimensions={{{{0}}}}", f"r = {SHAPE} add(v, x)"]
    message = r"@c\d+ has \d+ operations when its calls are inlined, too many for a kernel: @c\d+ cannot stay"
    with pytest.raises(PassFailedException, match=message):
        compiler.emit(chain(25, step))


def instructions(rng: Random, callable: Sequence[int], values: list[str]) -> Iterator[str]:
    """Random instructions, which append their names to `values`; `callable[i]` is the number of parameters of `ci`."""
    for number in range(rng.randint(2, 5)):
        a, b, name = rng.choice(values), rng.choice(values), f"v{number}"
        choice = rng.randrange(len(callable) + 6)
        if choice < len(callable):
            operands = ", ".join(rng.choice(values) for _ in range(callable[choice]))
            yield f"{name} = {SHAPE} call({operands}), to_apply=c{choice}"
        elif choice < len(callable) + 2:
            yield f"{name} = {SHAPE} add({a}, {b})"
        elif choice == len(callable) + 2:
            yield f"{name} = {SHAPE} reverse({a}), dimensions={{{rng.randrange(2)}}}"
        elif choice == len(callable) + 3:
            yield f"t{number} = f32[4,6] transpose({a}), dimensions={{1,0}}"
            yield f"{name} = {SHAPE} reshape(t{number})"
        elif choice == len(callable) + 4:
            yield f"{name} = {SHAPE} iota(), iota_dimension=1"
        else:
            yield f"s{number} = f32[5,4] slice({a}), slice={{[1:6], [0:4]}}"
            yield f"z{number} = f32[] constant({number})"
            yield f"{name} = {SHAPE} pad(s{number}, z{number}), padding=1_0x0_0"
        values.append(name)
    yield f"r = {SHAPE} add({values[-1]}, {rng.choice(values)})"


@settings(max_examples=25, deadline=None)
@given(seed=integers(0, 2**32))
def test_random_call_graphs_agree_with_the_reference(seed: int):
    """With no function small enough to be inlined for that."""
    rng = Random(seed)
    counts: list[int] = []
    functions: list[str] = []
    for number in range(rng.randint(2, 5)):
        parameters = [f"p{i}" for i in range(rng.randint(1, 2))]
        functions.append(function(f"c{number}", len(parameters), list(instructions(rng, counts, parameters[:]))))
        counts.append(len(parameters))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(called_functions, "SMALL", 1)
        check(module(functions, 2, list(instructions(rng, counts, ["p0", "p1"]))))
