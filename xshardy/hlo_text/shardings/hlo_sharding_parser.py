"""Reads the text of HLO shardings, such as `{devices=[2,1,4]<=[8] last_tile_dim_replicate}` or `{maximal device=3}`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

from xshardy.hlo_text.shardings.device_axis import hlo_sharding_of_named
from xshardy.hlo_text.shardings.hlo_sharding import (
    SUBGROUPS,
    HloSharding,
    HloShardings,
    OneDevice,
    Placement,
    Reduction,
    ShardGroup,
    ShardGroupKind,
    Tiled,
    Uniform,
)
from xshardy.hlo_text.shardings.hlo_sharding_text import REDUCTION_TYPE
from xshardy.hlo_text.shardings.hlo_sharding_tokens import MAX_DEVICES, STRING, Tokens
from xshardy.hlo_text.shardings.named_sharding_parser import MESHES, read_named_sharding
from xshardy.hlo_text.shardings.tiles import Tiles


def parse_hlo_shardings(text: str) -> HloShardings:
    """The sharding, or the tuple of shardings, that `text` describes. Raises `HloShardingSyntaxError`."""
    return _Parser(text).whole()


_REDUCTION = re.compile(rf'{REDUCTION_TYPE}\s+op_name="(?P<name>\w+)"')


@dataclass
class _Fields:
    """What the text between a pair of braces says."""

    uniform: list[Uniform] = field(default_factory=list[Uniform])
    is_maximal: bool = False
    device: int | None = None
    tiles: Tiles | None = None
    replicates_last: bool = False
    subgroups: tuple[Uniform, ...] = ()
    group: ShardGroup | None = None
    metadata: tuple[str, ...] = ()


class _Parser(Tokens):
    """Recursive descent over the tokens of one text; each method reads what it is named after."""

    def whole(self) -> HloShardings:
        self.expect("{")
        if self.token not in ("{", "}") or (self.token == "}" and self.text[self.position :].strip()):
            shardings: HloShardings = self.sharding()
        else:
            elements: list[HloSharding] = []
            while not self.accept("}"):
                if elements:
                    self.expect(",")
                self.expect("{")
                elements.append(self.sharding())
            shardings = tuple(elements)
        if self.token:
            self.fail(f"unexpected {self.token!r} after the sharding")
        return shardings

    def sharding(self) -> HloSharding:
        """What follows the opening brace of one sharding."""
        start = self.start
        if self.token in MESHES:
            return self.named_sharding()
        fields = _Fields()
        while not self.accept("}"):
            if (read := _READERS.get(self.token)) is None:
                self.fail(
                    f"expected a property of a sharding, such as 'replicated' or 'devices=', found {self.token!r}"
                    if self.token
                    else "expected '}'"
                )
            self.advance()
            read(self, fields)
        placement, reduction = self.placement(fields, start), self.reduction(fields)
        return HloSharding(placement, fields.group, reduction, other_metadata(fields)).normalized()

    def named_sharding(self) -> HloSharding:
        """`mesh['a'=2,'b'=4], [{'a'}, {}]`, and what may follow."""
        start = self.start
        named = read_named_sharding(self)
        fields = _Fields()
        if self.accept(","):
            self.expect("metadata")
            _read_metadata(self, fields)
        self.expect("}")
        if (problem := named.problem()) is not None:
            self.fail(problem, start)
        return hlo_sharding_of_named(named, self.reduction(fields), other_metadata(fields))

    def placement(self, fields: _Fields, start: int) -> Placement:
        """What `fields` say of the devices. Raises an error at `start` if they say nothing, or two things."""
        said = len(fields.uniform) + fields.is_maximal + (fields.tiles is not None)
        if said != 1:
            self.fail(
                "expected one of replicated, manual, unknown, unreduced, maximal and devices="
                + ("" if said else ", found none"),
                start,
            )
        if fields.is_maximal != (fields.device is not None):
            self.fail("a maximal sharding names its device, and no other does: write {maximal device=0}", start)
        if fields.device is not None:
            return OneDevice(fields.device)
        if fields.tiles is None:
            return fields.uniform[0]
        subgroups = (Uniform.REPLICATED,) if fields.replicates_last else fields.subgroups
        if len(subgroups) > len(fields.tiles.shape):
            self.fail(f"{len(subgroups)} subgroups need as many dimensions of tiles", start)
        return Tiled(fields.tiles, subgroups)

    def reduction(self, fields: _Fields) -> Reduction:
        """The reduction that an entry of the metadata names; a sum if there is none."""
        for entry in fields.metadata:
            if (named := _REDUCTION.search(entry)) is not None and named["name"] in Reduction.__members__:
                return Reduction[named["name"]]
        return Reduction.SUM

    def tiles(self) -> Tiles:
        """`[4,2]<=[2,4]T(1,0)` or `[2,2]0,3,1,2`"""
        start = self.start
        self.expect("[")
        shape = tuple(self.integers())
        self.expect("]")
        count = prod(shape)
        if not 0 < count <= MAX_DEVICES:
            self.fail(f"a sharding of {count} devices: expected 1 to {MAX_DEVICES}", start)
        at = self.start
        if not self.accept("<="):
            devices = tuple(self.integers())
            if len(devices) != count:
                self.fail(f"{len(devices)} devices are listed, but tiles of shape {list(shape)} need {count}", at)
            if len(set(devices)) != count:
                self.fail("a device is listed twice", at)
            return Tiles(shape, devices)
        order = self.iota()
        if (arranged := prod(order.shape)) != count:
            self.fail(f"{arranged} devices are arranged, but tiles of shape {list(shape)} need {count}", at)
        return Tiles(shape, order)

    def subgroups(self) -> tuple[Uniform, ...]:
        """`{manual, replicated}`"""
        names = {kind.value: kind for kind in SUBGROUPS}
        found: list[Uniform] = []
        self.expect("{")
        while not self.accept("}"):
            if self.token not in names:
                self.fail(f"expected one of {', '.join(names)}, found {self.token!r}")
            found.append(names[self.advance()])
            self.accept(",")
        return tuple(found)

    def metadata(self) -> tuple[str, ...]:
        """`{op_name="f"}` or `{{op_name="f"}, {op_name="g"}}`: the text between the inner braces."""
        self.expect("{")
        if self.token != "{":
            return (self.entry(),)
        entries: list[str] = []
        while not self.accept("}"):
            if entries:
                self.expect(",")
            self.expect("{")
            entries.append(self.entry())
        return tuple(entries)

    def entry(self) -> str:
        """The text up to the brace that closes the one before, which is passed over."""
        start, depth = self.start, 1
        end = start
        while depth:
            if not self.token:
                self.fail("expected '}' after metadata")
            depth += {"{": 1, "}": -1}.get(self.token, 0)
            end = self.start
            self.advance()
        return self.text[start:end].strip()


def other_metadata(fields: _Fields) -> tuple[str, ...]:
    """The entries of the metadata that name no reduction."""
    return tuple(entry for entry in fields.metadata if REDUCTION_TYPE not in entry)


def _read_maximal(parser: _Parser, fields: _Fields) -> None:
    fields.is_maximal = True


def _read_replicate_last(parser: _Parser, fields: _Fields) -> None:
    fields.replicates_last = True


def _read_device(parser: _Parser, fields: _Fields) -> None:
    parser.expect("=")
    fields.device = parser.integer()


def _read_tiles(parser: _Parser, fields: _Fields) -> None:
    parser.expect("=")
    fields.tiles = parser.tiles()


def _read_subgroups(parser: _Parser, fields: _Fields) -> None:
    parser.expect("=")
    fields.subgroups = parser.subgroups()


def _read_metadata(parser: _Parser, fields: _Fields) -> None:
    parser.expect("=")
    fields.metadata = parser.metadata()


def _read_uniform(kind: Uniform) -> Callable[[_Parser, _Fields], None]:
    return lambda parser, fields: fields.uniform.append(kind)


def _read_group(kind: ShardGroupKind) -> Callable[[_Parser, _Fields], None]:
    def read(parser: _Parser, fields: _Fields) -> None:
        fields.group = ShardGroup(kind, parser.integer())

    return read


_READERS: Mapping[str, Callable[[_Parser, _Fields], None]] = {
    **{kind.value: _read_uniform(kind) for kind in Uniform},
    **{kind.value: _read_group(kind) for kind in ShardGroupKind},
    "maximal": _read_maximal,
    "device": _read_device,
    "devices": _read_tiles,
    "last_tile_dim_replicate": _read_replicate_last,
    "last_tile_dims": _read_subgroups,
    "metadata": _read_metadata,
}
"""By the word that a property of a sharding starts with: what reads the rest of it."""


def leaf_texts(text: str, count: int) -> list[str]:
    """
    The text of the sharding of each of the `count` leaves of a value, from the sharding `text` of the whole.

    `{{replicated}, {maximal device=3}}` has one for each, and any other sharding holds for all. If it has another
    number of them, the list has that length.
    """
    inside = text.strip().removeprefix("{").strip()
    if not inside.startswith("{"):
        return [text] * count
    found: list[str] = []
    depth = start = 0
    for match in re.finditer(rf"{STRING}|[{{}}]", inside):
        if match.group() == "{":
            start = match.start() if depth == 0 else start
            depth += 1
        elif match.group() == "}":
            depth -= 1
            if depth == 0:
                found.append(inside[start : match.end()])
    return found
