"""HLO shardings against XLA's: the text of one, and what the axes of a mesh are in the notation without meshes."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.device_axis import AxisSharding, DeviceMesh, hlo_sharding
from xshardy.axes.hlo_sharding import HloSharding, Tiled, Uniform
from xshardy.axes.hlo_sharding_parser import parse_hlo_shardings
from xshardy.axes.hlo_sharding_text import hlo_shardings_text
from xshardy.axes.spans import Span
from xshardy.axes.tiles import Iota, Tiles

XlaSharding = pytest.importorskip("jax._src.lib").xla_client.HloSharding


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A tiled sharding that need not be normalized."""
    factors = draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=4))
    shape = draw(st.permutations(factors))
    order = Iota.of(factors, draw(st.permutations(range(len(factors)))))
    listed = draw(st.permutations(range(prod(factors))))
    tiles = Tiles(tuple(shape), draw(st.sampled_from([order, order.numbers(), tuple(listed)])))
    kinds = draw(st.lists(st.sampled_from(["manual", "unreduced", "replicated"]), max_size=len(shape)))
    text = hlo_shardings_text(HloSharding(Tiled(tiles)))
    return f"{text[:-1]} last_tile_dims={{{', '.join(kinds)}}}}}" if kinds else text


@given(texts())
def test_text_is_normalized_as_xla_does(text: str):
    if text.startswith("{devices=") and "<=" not in text and prod(map(int, text[10 : text.index("]")].split(","))) == 1:
        return  # XLA reads no list of one device
    once = str(XlaSharding.from_string(text))
    # XLA drops dimensions of size 1 before it looks whether all that is left is unreduced, but only the second time.
    assert hlo_shardings_text(parse_hlo_shardings(text)) == str(XlaSharding.from_string(once))


@st.composite
def named_shardings(draw: st.DrawFn) -> tuple[AxisSharding, DeviceMesh]:
    """A sharding of an array of rank 2 over a mesh of axes `a`, `b`, ..."""
    mesh = DeviceMesh(tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=3))))
    groups: list[list[Span]] = [[], [], []]
    for axis in draw(st.permutations(range(len(mesh.sizes)))):
        groups[draw(st.integers(0, 2))].append(Span(axis, 1, mesh.sizes[axis]))
    first, second = map(tuple, groups[:2])
    last = tuple(sorted(groups[2]))  # XLA aborts where manual axes are not in the order of the mesh
    use = draw(st.sampled_from(["manual", "unreduced", "replicated"]))
    return AxisSharding(
        (first, second), *((last, ()) if use == "manual" else ((), last if use == "unreduced" else ()))
    ), mesh


def listed(axes: tuple[Span, ...]) -> str:
    return "{" + ", ".join(f"'{chr(ord('a') + axis)}'" for axis, _, _ in axes) + "}"


@given(named_shardings())
def test_axes_are_the_tiles_that_xla_makes_of_them(pair: tuple[AxisSharding, DeviceMesh]):
    sharding, mesh = pair
    axes = ", ".join(f"'{chr(ord('a') + axis)}'={size}" for axis, size in enumerate(mesh.sizes))
    dims = ", ".join(map(listed, sharding.dims))
    rest = "".join(
        f", {name}={listed(a)}" for name, a in (("unreduced", sharding.unreduced), ("manual", sharding.manual)) if a
    )
    xla = XlaSharding.v3_to_v2_sharding(XlaSharding.from_string(f"{{mesh[{axes}], [{dims}]{rest}}}"))
    ours = hlo_sharding(sharding, mesh)
    if mesh.count == 1 and not isinstance(xla, str) and "replicated" not in str(xla):
        return  # one device: XLA may call its array manual or unreduced
    assert hlo_shardings_text(ours) == str(xla)
    assert not isinstance(ours.placement, Uniform) or "devices" not in str(xla)
