"""Reads the text of HLO shardings, such as `{devices=[2,1,4]<=[8] last_tile_dim_replicate}` or `{maximal device=3}`."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import NoReturn

from xshardy.axes.hlo_sharding import (
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
from xshardy.axes.hlo_sharding_text import REDUCTION_TYPE
from xshardy.axes.tiles import Iota, Tiles

MAX_DEVICES = 1 << 20
"""The most devices of a sharding that is read: a longer iota is refused, since its numbers are enumerated."""


class HloShardingSyntaxError(ValueError):
    """Text that is not an HLO sharding: `message` describes the error at `text[position]`."""

    def __init__(self, message: str, text: str, position: int):
        super().__init__(f"{message}, at position {position} of the sharding: {text}")
        self.message = message
        self.text = text
        self.position = position


def parse_hlo_shardings(text: str) -> HloShardings:
    """The sharding, or the tuple of shardings, that `text` describes. Raises `HloShardingSyntaxError`."""
    return _Parser(text).whole()


_TOKEN = re.compile(
    r'(?:\s|/\*.*?\*/)*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>-?\d+)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<mark><=|.))'
)

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


class _Parser:
    """Recursive descent over the tokens of one text; each method reads what it is named after."""

    def __init__(self, text: str):
        self.text = text
        self.position = 0
        self.start = 0
        self.token = ""
        self.advance()

    def advance(self) -> str:
        """Go to the next token, `""` at the end, and return the one before."""
        read = self.token
        match = _TOKEN.match(self.text, self.position)
        self.token = "" if match is None else match[match.lastgroup or 0]
        self.position = len(self.text) if match is None else match.end()
        self.start = self.position - len(self.token)
        return read

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        raise HloShardingSyntaxError(message, self.text, self.start if position is None else position)

    def expect(self, token: str) -> None:
        if self.token != token:
            self.fail(f"expected {token!r}, found {self.token!r}" if self.token else f"expected {token!r}")
        self.advance()

    def accept(self, token: str) -> bool:
        if self.token != token:
            return False
        self.advance()
        return True

    def integer(self) -> int:
        if not self.token.isdecimal() or len(self.token) > 18:
            self.fail(f"expected a number of devices or of one device, found {self.token!r}")
        return int(self.advance())

    def integers(self) -> Iterator[int]:
        """One number or more, with commas between them."""
        yield self.integer()
        while self.accept(","):
            yield self.integer()

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
        metadata = tuple(entry for entry in fields.metadata if REDUCTION_TYPE not in entry)
        return HloSharding(self.placement(fields, start), fields.group, self.reduction(fields), metadata).normalized()

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
        self.expect("[")
        iota_shape = tuple(self.integers())
        self.expect("]")
        permutation = tuple(range(len(iota_shape)))
        if self.accept("T"):
            self.expect("(")
            permutation = tuple(self.integers())
            self.expect(")")
        if sorted(permutation) != list(range(len(iota_shape))):
            self.fail(f"{list(permutation)} does not reorder the {len(iota_shape)} dimensions of the devices", at)
        if prod(iota_shape) != count:
            self.fail(f"{prod(iota_shape)} devices are arranged, but tiles of shape {list(shape)} need {count}", at)
        return Tiles(shape, Iota.of(iota_shape, permutation))

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
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}]', inside):
        if match.group() == "{":
            start = match.start() if depth == 0 else start
            depth += 1
        elif match.group() == "}":
            depth -= 1
            if depth == 0:
                found.append(inside[start : match.end()])
    return found
