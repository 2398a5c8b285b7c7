"""Random fusions of integers, in which values are shared at equal and at different indices, against the reference."""

from dataclasses import dataclass, field

from emission import check, check_module
from hypothesis import given, settings
from hypothesis import strategies as st

Shape = tuple[int, ...]


@dataclass
class Program:
    """The instructions of a fusion of s32 so far, and the values that there are, by shape."""

    lines: list[str] = field(default_factory=list)
    values: dict[Shape, list[str]] = field(default_factory=dict)

    def add(self, shape: Shape, instruction: str) -> None:
        name = f"v{len(self.lines)}"
        self.lines.append(f"  {name} = {text(shape)} {instruction}")
        self.values.setdefault(shape, []).append(name)


def text(shape: Shape) -> str:
    return f"s32[{','.join(map(str, shape))}]"


def listed(values: tuple[int, ...] | list[int]) -> str:
    return ",".join(map(str, values))


@st.composite
def fusions(draw: st.DrawFn) -> str:
    """A module with a fusion of up to 15 instructions on two parameters, and one or two roots."""
    program = Program()
    start = draw(st.tuples(st.integers(1, 4), st.integers(1, 5)))
    for _ in range(2):
        program.values.setdefault(start, []).append(f"p{len(program.values.get(start, []))}")
    program.add(start, "negate(p0)")
    for _ in range(draw(st.integers(1, 14))):
        step(draw, program)
    *_, last = program.lines
    shape = next(shape for shape, names in program.values.items() if last.split()[0] in names)
    candidates = program.values[shape]
    roots = [last.split()[0], *draw(st.lists(st.sampled_from(candidates), max_size=1))]
    body = "\n".join(program.lines)
    result = text(shape) if len(roots) == 1 else f"({', '.join([text(shape)] * len(roots))})"
    end = (
        f"  ROOT r = {text(shape)} copy({roots[0]})"
        if len(roots) == 1
        else f"  ROOT r = {result} tuple({', '.join(roots)})"
    )
    parameters = f"  p0 = {text(start)} parameter(0)\n  p1 = {text(start)} parameter(1)"
    return (
        f"HloModule m\nf {{\n{parameters}\n  zero = s32[] constant(0)\n{body}\n{end}\n}}\n"
        f"ENTRY main {{\n{parameters}\n  ROOT fusion = {result} fusion(p0, p1), kind=kLoop, calls=f\n}}\n"
    )


def step(draw: st.DrawFn, program: Program) -> None:
    """Add one instruction, of operands that there are."""
    shape = draw(st.sampled_from(sorted(program.values)))
    x, y = (draw(st.sampled_from(program.values[shape])) for _ in range(2))
    dims = range(len(shape))
    match draw(st.sampled_from(["unary", "binary", "transpose", "reverse", "slice", "pad", "concatenate", "reshape"])):
        case "unary":
            program.add(shape, f"negate({x})")
        case "binary":
            program.add(shape, f"{draw(st.sampled_from(['add', 'multiply', 'maximum']))}({x}, {y})")
        case "transpose":
            order = draw(st.permutations(dims))
            program.add(tuple(shape[d] for d in order), f"transpose({x}), dimensions={{{listed(order)}}}")
        case "reverse":
            program.add(
                shape, f"reverse({x}), dimensions={{{listed(draw(st.lists(st.sampled_from(dims), unique=True)))}}}"
            )
        case "slice":
            starts = [draw(st.integers(0, size - 1)) for size in shape]
            limits = [draw(st.integers(start + 1, size)) for start, size in zip(starts, shape, strict=True)]
            strides = [draw(st.integers(1, 2)) for _ in dims]
            ranges = zip(starts, limits, strides, strict=True)
            bounds = ", ".join(f"[{start}:{limit}:{stride}]" for start, limit, stride in ranges)
            sizes = tuple(-(-(b - a) // s) for a, b, s in zip(starts, limits, strides, strict=True))
            program.add(sizes, f"slice({x}), slice={{{bounds}}}")
        case "pad":
            low, high, gaps = ([draw(st.integers(lowest, 1)) for _ in dims] for lowest in (-1, 0, 0))
            sizes = tuple(
                size + a + b + (size - 1) * gap for size, a, b, gap in zip(shape, low, high, gaps, strict=True)
            )
            if 0 in sizes:
                return
            padding = "x".join(f"{a}_{b}_{gap}" for a, b, gap in zip(low, high, gaps, strict=True))
            program.add(sizes, f"pad({x}, zero), padding={padding}")
        case "concatenate":
            axis = draw(st.sampled_from(dims))
            sizes = tuple(2 * size if d == axis else size for d, size in enumerate(shape))
            program.add(sizes, f"concatenate({x}, {y}), dimensions={{{axis}}}")
        case _:
            rows, columns = shape
            program.add((columns, rows), f"reshape({x})")


@settings(max_examples=150)
@given(fusions())
def test_random_fusions(text: str):
    check(text)


@settings(max_examples=50)
@given(fusions())
def test_random_fusions_with_a_function_per_operation(text: str):
    check_module(text, starts_function=lambda _: True)
