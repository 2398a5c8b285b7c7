"""Padding against C++ Shardy's inside jaxlib: the same text for random chains of collectives and operations."""

import random
from collections.abc import Collection
from dataclasses import dataclass, field

import pytest
from test_sdy_export import assert_same_result

AXES = {"x": 4, "y": 2, "z": 3}
PASS = "sdy-pad-for-divisibility"


@dataclass
class Chain:
    """A function under construction: the last value, with its shape and the axis of each dimension."""

    choose: random.Random
    shape: list[int]
    axes: list[str | None] = field(default_factory=list[str | None])
    value: str = "%x"
    lines: list[str] = field(default_factory=list[str])

    @property
    def type(self) -> str:
        return f"tensor<{'x'.join(map(str, self.shape))}xf32>"

    @property
    def sharding(self) -> str:
        return f"<@mesh, [{self.listed(range(len(self.axes)))}]>"

    @property
    def note(self) -> str:
        return f"{{sdy.sharding = #sdy.sharding_per_value<[{self.sharding}]>}}"

    def emit(self, text: str) -> None:
        self.value = f"%v{len(self.lines)}"
        self.lines.append(f"{self.value} = {text}")

    def listed(self, dims: Collection[int]) -> str:
        """The axes of `dims`, and none of other dimensions."""
        return ", ".join(f'{{"{axis}"}}' if axis and dim in dims else "{}" for dim, axis in enumerate(self.axes))

    def slice_parts(self) -> None:
        """Divide some dimensions at once: C++ Shardy in jaxlib loses the sharding of what it pads."""
        dims = self.choose.sample(range(len(self.shape)), self.choose.randint(1, len(self.shape)))
        for dim, axis in zip(dims, self.choose.sample([*AXES], len(AXES)), strict=False):
            self.axes[dim] = axis
        self.emit(f"sdy.all_slice [{self.listed(dims)}] {self.value} out_sharding={self.sharding} : {self.type}")

    def gather_parts(self, dims: list[int] | None = None) -> None:
        divided = [dim for dim, axis in enumerate(self.axes) if axis is not None]
        if divided:
            dims = [self.choose.choice(divided)] if dims is None else divided
            gathered = self.listed(dims)
            self.axes = [None if dim in dims else axis for dim, axis in enumerate(self.axes)]
            self.emit(f"sdy.all_gather [{gathered}] {self.value} out_sharding={self.sharding} : {self.type}")

    def elementwise(self) -> None:
        if any(self.axes):
            self.emit(f"stablehlo.abs {self.value} {self.note} : {self.type}")

    def transpose(self) -> None:
        before = self.type
        self.shape, self.axes = self.shape[::-1], self.axes[::-1]
        order = ", ".join(str(dim) for dim in reversed(range(len(self.shape))))
        self.emit(f"stablehlo.transpose {self.value}, dims = [{order}] {self.note} : ({before}) -> {self.type}")


STEPS = (Chain.gather_parts, Chain.elementwise, Chain.transpose)


def random_chain(seed: int) -> str:
    choose = random.Random(seed)
    rank = choose.randint(2, 3)
    chain = Chain(choose, [choose.randint(2, 9) for _ in range(rank)], [None] * rank)
    of_argument = chain.type
    chain.slice_parts()
    for _ in range(choose.randint(1, 6)):
        choose.choice(STEPS)(chain)
    chain.gather_parts([])
    axes = ", ".join(f'"{name}"={size}' for name, size in AXES.items())
    body = "\n".join(chain.lines)
    return f"""sdy.mesh @mesh = <[{axes}]>
        func.func @main(%x: {of_argument}) -> {chain.type} {{
        {body}
        return {chain.value} : {chain.type} }}"""


@pytest.mark.parametrize("seed", range(12))
def test_random_chains(seed: int) -> None:
    assert_same_result(random_chain(seed), PASS)
