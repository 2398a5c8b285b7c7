"""Programs of one operation, with the arrays to call them with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

from xshardy.numerics.element_types import Array

DTYPES = {
    "f32": np.float32,
    "bf16": ml_dtypes.bfloat16,
    "i1": np.bool_,
    "i4": ml_dtypes.int4,
    "ui4": ml_dtypes.uint4,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "complex<f32>": np.complex64,
}


@dataclass(frozen=True)
class Sample:
    """A program for all devices, without shardings, and its arguments."""

    text: str
    arguments: Sequence[Array] | None
    """None if the program can be converted, but not evaluated."""


Draw = st.DrawFn
Sampler = Callable[[Draw], Sample]

extents = st.sampled_from([4, 8, 8, 4, 2, 6, 3, 1, 0, 12, 5])
"""Sizes of dimensions: most can be divided, some are odd, one or empty."""
full_extents = st.sampled_from([4, 8, 8, 4, 2, 6, 3, 1, 12, 5])


def shapes(low: int = 0, high: int = 3, sizes: st.SearchStrategy[int] = extents) -> st.SearchStrategy[list[int]]:
    return st.lists(sizes, min_size=low, max_size=high)


def tensor(shape: Sequence[int], element: str) -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + f"{element}>"


def array(draw: Draw, shape: Sequence[int], element: str, low: int = -9, high: int = 9) -> Array:
    """Small numbers, whose sums and products are exact; few equal ones if there are few."""
    random = np.random.default_rng(draw(st.integers(0, 9)))
    if element == "i1":
        return random.random(shape) < 0.6
    low = 0 if element.startswith("u") else low
    values = random.integers(low, high, shape, endpoint=True)
    if element.startswith("complex"):
        return (values + 1j * random.integers(low, high, shape, endpoint=True)).astype(np.complex64)
    return values.astype(DTYPES[element])


def program(
    op: str,
    operands: Sequence[tuple[Array | None, str]],
    results: Sequence[str],
    *,
    properties: str = "",
    regions: str = "",
    functions: str = "",
    arguments: Sequence[Array] | None = (),
) -> Sample:
    """
    One operation in generic form: its operands, with the type of each, are the arguments of the function, and its
    results are returned. An operand whose array is None is replaced by the constant that is written as its type.
    """
    names: list[str] = []
    constants: list[str] = []
    given: list[str] = []
    arrays: list[Array] = []
    types: list[str] = []
    for index, (value, type) in enumerate(operands):
        if value is None:
            constants.append(f"%k{index} = stablehlo.constant {type}")
            types.append(type.rpartition(" : ")[2])
            names.append(f"%k{index}")
        else:
            given.append(f"%x{index}: {type}")
            types.append(type)
            names.append(f"%x{index}")
            arrays.append(value)
    returned = ", ".join(f"%r#{i}" if len(results) > 1 else "%r" for i in range(len(results)))
    bound = f"%r:{len(results)} = " if len(results) > 1 else "%r = " if results else ""
    types_after = ", ".join(results)
    text = f"""
        {functions}
        func.func public @main({", ".join(given)}) -> ({types_after}) {{
          {" ".join(constants)}
          {bound}"{op}"({", ".join(names)}) {f"<{{{properties}}}>" if properties else ""} {regions}
            : ({", ".join(types)}) -> ({types_after})
          func.return {returned} : {types_after}
        }}"""
    return Sample(text, None if arguments is None else arrays)


def body(combiner: str, element: str) -> str:
    """A region that combines two scalars."""
    scalar = tensor([], element)
    return f"""{{
      ^bb0(%a: {scalar}, %b: {scalar}):
        %c = stablehlo.{combiner} %a, %b : {scalar}
        stablehlo.return %c : {scalar}
    }}"""
