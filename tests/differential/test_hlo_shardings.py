"""HLO shardings against XLA's: the text of one, and what the axes of a mesh are in the notation without meshes."""

from dataclasses import replace
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.mesh import Mesh
from xshardy.axes.spans import Span
from xshardy.hlo_text.shardings.device_axis import AxisSharding, DeviceMesh, hlo_sharding
from xshardy.hlo_text.shardings.hlo_sharding import HloSharding, Tiled, Uniform
from xshardy.hlo_text.shardings.hlo_sharding_parser import parse_hlo_shardings
from xshardy.hlo_text.shardings.hlo_sharding_text import hlo_shardings_text
from xshardy.hlo_text.shardings.named_sharding import NamedDim, NamedMesh, NamedSharding, named_sharding_text
from xshardy.hlo_text.shardings.tiles import Iota, Tiles

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


def parts(axis: int, size: int) -> list[Span]:
    """The axis in parts that cannot merge into one: every other of its factors is left out."""
    return [Span(axis, 1, size)] if size < 8 else [Span(axis, 1, 2), Span(axis, 4, 8)]


@st.composite
def texts_with_axes(draw: st.DrawFn) -> str:
    """A sharding of an array of rank 2 by the names of axes, in any of its forms."""
    sizes = tuple(draw(st.lists(st.sampled_from([2, 3, 4, 8]), min_size=1, max_size=3)))  # 1: versions differ
    names = tuple(draw(st.lists(st.sampled_from(["a", "b", "x y", "c-d"]), min_size=3, max_size=3, unique=True)))
    axes = Mesh(names[: len(sizes)], sizes)
    shuffled = draw(st.permutations(range(len(sizes))))
    iota = Iota.of([sizes[axis] for axis in shuffled], [shuffled.index(axis) for axis in range(len(sizes))])
    listed = tuple(draw(st.permutations(range(prod(sizes)))))
    mesh = NamedMesh(axes, draw(st.sampled_from([iota, listed if listed != tuple(range(prod(sizes))) else iota])))
    groups: list[list[Span]] = [[], [], [], [], [], []]
    all_parts = [part for axis, size in enumerate(sizes) for part in parts(axis, size)]
    for part in draw(st.permutations(all_parts)):
        groups[draw(st.integers(0, 5))].append(part)
    dims = tuple(NamedDim(tuple(axes), draw(st.booleans())) for axes in groups[:2])
    replicated, unreduced, manual = (tuple(sorted(group)) for group in groups[2:5])
    if draw(st.booleans()):
        unreduced = ()  # XLA refuses both
    else:
        manual = ()
    rank = draw(st.sampled_from([0, 2, 2]))
    return f"{{{named_sharding_text(NamedSharding(mesh, dims[:rank], replicated, unreduced, manual))}}}"


@given(texts_with_axes())
def test_text_with_axes_is_read_as_xla_reads_it(text: str):
    xla = XlaSharding.from_string(text)
    ours = parse_hlo_shardings(text)
    assert hlo_shardings_text(ours) == str(xla) == text
    assert isinstance(ours, HloSharding)
    assert hlo_shardings_text(replace(ours, named=None)) == str(XlaSharding.v3_to_v2_sharding(xla))


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
