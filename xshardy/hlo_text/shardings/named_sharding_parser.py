"""Reads HLO's newest notation of shardings: `mesh['a'=2,'b'=4], [{'a'}, {'b':(1)2, ?}], replicated={'b':(2)2}`."""

import re
from collections.abc import Mapping
from math import prod

from xshardy.axes.mesh import Mesh
from xshardy.axes.spans import Axes, Span
from xshardy.hlo_text.shardings.hlo_sharding_tokens import MAX_DEVICES, Tokens
from xshardy.hlo_text.shardings.named_sharding import NamedDim, NamedMesh, NamedSharding
from xshardy.hlo_text.shardings.tiles import Iota

MESHES = ("mesh", "maximal_mesh")
"""The words that a sharding in this notation starts with."""
USES = ("replicated", "unreduced", "manual")
"""What axes do that divide no dimension."""


def read_named_sharding(tokens: Tokens) -> NamedSharding:
    """
    The sharding that starts at the next token, up to its metadata or its closing brace.

    Raises `HloShardingSyntaxError`. What the axes mean together is checked by `NamedSharding.problem`.
    """
    if tokens.accept("maximal_mesh"):
        for token in ("[", "device_id", "="):
            tokens.expect(token)
        device = tokens.integer()
        tokens.expect("]")
        return NamedSharding(NamedMesh.of_device(device))
    mesh = _read_mesh(tokens)
    tokens.accept(",")  # XLA reads the mesh without one, too
    if tokens.token in USES:
        word = tokens.advance()
        return _of_uses(mesh, (), {word: mesh.spans} if word != "replicated" else {})
    dims: list[NamedDim] = []
    tokens.expect("[")
    while not tokens.accept("]"):
        if dims:
            tokens.expect(",")
        dims.append(_read_dim(tokens, mesh))
    uses: dict[str, Axes] = {}
    while tokens.token == "," and tokens.peek() in USES:
        tokens.advance()
        word = tokens.advance()
        if word in uses:
            tokens.fail(f"the {word} axes are named twice")
        tokens.expect("=")
        uses[word] = _read_dim(tokens, mesh, may_be_open=False).axes
    return _of_uses(mesh, tuple(dims), uses)


def _of_uses(mesh: NamedMesh, dims: tuple[NamedDim, ...], uses: Mapping[str, Axes]) -> NamedSharding:
    replicated, unreduced, manual = (uses.get(word, ()) for word in USES)
    return NamedSharding(mesh, dims, replicated, unreduced, manual)


def _read_mesh(tokens: Tokens) -> NamedMesh:
    start = tokens.start
    tokens.expect("mesh")
    tokens.expect("[")
    names: list[str] = []
    sizes: list[int] = []
    while not tokens.accept("]"):
        if names:
            tokens.expect(",")
        names.append(_read_name(tokens))
        tokens.expect("=")
        sizes.append(tokens.integer())
    if prod(sizes) > MAX_DEVICES:
        tokens.fail(f"a mesh of {prod(sizes)} devices: expected {MAX_DEVICES} at most", start)
    axes = Mesh(tuple(names), tuple(sizes))
    if tokens.token != "," or tokens.peek() != "device_ids":
        return NamedMesh.of(axes)
    for token in (",", "device_ids", "=", "("):
        tokens.expect(token)
    at = tokens.start
    order = tuple(tokens.integers()) if tokens.token.isdecimal() else tokens.iota()
    tokens.expect(")")
    count = prod(order.shape) if isinstance(order, Iota) else len(order)
    if count != prod(sizes):
        tokens.fail(f"{count} devices for a mesh of {prod(sizes)}", at)
    return NamedMesh(axes, order)


def _read_dim(tokens: Tokens, mesh: NamedMesh, *, may_be_open: bool = True) -> NamedDim:
    """`{'a', 'b':(1)2, ?}`"""
    axes: list[Span] = []
    tokens.expect("{")
    while not tokens.accept("}"):
        if axes:
            tokens.expect(",")
        if may_be_open and tokens.accept("?"):
            tokens.expect("}")
            return NamedDim(tuple(axes), is_open=True)
        axes.append(_read_axis(tokens, mesh))
    return NamedDim(tuple(axes))


def _read_axis(tokens: Tokens, mesh: NamedMesh) -> Span:
    """`'a'`, or `'a':(2)4` for a part."""
    at = tokens.start
    name = _read_name(tokens)
    if name not in mesh.axes.names and name in map(str, range(len(mesh.axes.names))):
        name = mesh.axes.names[int(name)]  # XLA reads numbers of axes, too
    if name not in mesh.axes.names:
        tokens.fail(
            f"the mesh has no axis {name!r}: its axes are {', '.join(map(repr, mesh.axes.names)) or 'none'}", at
        )
    number = mesh.axes.names.index(name)
    if not tokens.accept(":"):
        return Span(number, 1, mesh.axes.sizes[number])
    tokens.expect("(")
    start = tokens.integer()
    if start < 1:
        tokens.fail("a part of an axis starts at 1 or later", at)
    tokens.expect(")")
    return Span(number, start, start * tokens.integer())


def _read_name(tokens: Tokens) -> str:
    """A name in quotes, single or double; XLA's first versions of this notation had none."""
    if tokens.token.isidentifier():
        return tokens.advance()
    if tokens.token[:1] not in ("'", '"') or len(tokens.token) < 2:
        tokens.fail(f"expected the name of an axis in quotes, found {tokens.token!r}")
    return re.sub(r"\\(.)", r"\1", tokens.advance()[1:-1])
