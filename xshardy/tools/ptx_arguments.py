"""The arguments of kernels on the command line of `xshardy ptx`."""

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import TensorType

from xshardy.dialects.element_names import ELEMENT_TYPES
from xshardy.interpreters.random_elements import GENERATORS, plain_floats, random_inputs
from xshardy.numerics.element_types import Array, Kind
from xshardy.programs.errors import InputError
from xshardy.ptx.tensor_maps import TensorMap
from xshardy.ptx.textures import ADDRESSING, FILTERS, Texture
from xshardy.tools.usage import UsageError

Argument = Array | int | float | TensorMap | Texture

_MAP = re.compile(r"(?P<array>.+?):(?P<options>box=[\d,]+(?::[a-z]+=[-\d,]+)*)")
_MAP_OPTIONS = ("box", "swizzle", "strides", "lower", "upper")
_TEXTURE = re.compile(r"(?P<array>.+?):texture=(?P<geometry>\w+)(?P<words>(?::\w+)*)")
_TEXTURE_WORDS: Mapping[str, Mapping[str, str | bool]] = {
    **{name: {"filter": name} for name in FILTERS},
    **{name: {"address": name} for name in ADDRESSING},
    **{name: {name: True} for name in ("normalized", "floats")},
}
"""What each word behind the geometry of a texture says."""
_SHAPE = re.compile(r"(?P<element>[a-z]\w*)\[(?P<sizes>[\d,\s]*)\]")


def dimensions(text: str) -> tuple[int, ...]:
    """`X`, `X,Y` or `X,Y,Z`, each at least 1."""
    parts = text.split(",")
    if len(parts) > 3 or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"expected one to three sizes of at least 1, such as 128,2, got '{text}'")
    return tuple(map(int, parts))


def read_arguments(texts: Sequence[str], seed: int) -> list[Argument]:
    """
    Each text as an argument: an array of a file, a seeded array of a shape, a tensor map or texture of one, or a
    number.

    Raises `UsageError` for another text, `InputError` for a file without an array, and `OSError` for one that cannot be
    read.
    """
    return [_argument(text, seed + number) for number, text in enumerate(texts)]


def read_textures(texts: Sequence[str], seed: int) -> dict[str, Texture]:
    """Each text as a texture for a variable: `NAME=f32[64,64]:texture=2d`. Raises as `read_arguments` does."""
    found: dict[str, Texture] = {}
    for text, (name, _, argument) in ((text, text.partition("=")) for text in texts):
        texture = _argument(argument, seed)
        if not isinstance(texture, Texture):
            raise UsageError(f"error: --texture {text}: expected NAME=ARRAY:texture=GEOMETRY")
        found[name] = texture
    return found


def _argument(text: str, seed: int) -> Argument:
    if (map := _MAP.fullmatch(text)) is not None:
        array = _argument(map["array"], seed)
        if not isinstance(array, np.ndarray):
            raise UsageError(f"error: --arg {text}: a tensor map needs an array, such as f16[128,64]:box=64,64")
        return _tensor_map(text, array, map["options"])
    if (texture := _TEXTURE.fullmatch(text)) is not None:
        return _texture(text, texture, _argument(texture["array"], seed))
    if text.endswith(".npy"):
        return _loaded(text)
    shape = _SHAPE.fullmatch(text)
    if shape is not None and shape["element"] in ELEMENT_TYPES:
        sizes = [int(size) for size in shape["sizes"].split(",") if size.strip()]
        generators = {**GENERATORS, Kind.FLOAT: plain_floats}
        return random_inputs([TensorType(ELEMENT_TYPES[shape["element"]], sizes)], seed, generators)[0]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise UsageError(
        f"error: --arg {text}: expected a file FILE.npy, a shape such as f32[128,256], "
        "a tensor map such as f16[128,64]:box=64,64:swizzle=128, a texture such as f32[64,64]:texture=2d:linear, "
        "or a number"
    )


def _tensor_map(text: str, array: Array, options: str) -> TensorMap:
    """A map by the options behind its array, `name=numbers`, such as `box=64,32:swizzle=128`."""
    found = dict[str, tuple[int, ...]]()
    for option in options.split(":"):
        name, _, numbers = option.partition("=")
        if name not in _MAP_OPTIONS:
            raise UsageError(f"error: --arg {text}: a tensor map has the options {', '.join(_MAP_OPTIONS)}, not {name}")
        try:
            found[name] = tuple(int(number) for number in numbers.split(",") if number)
        except ValueError:
            raise UsageError(f"error: --arg {text}: {name} takes integers, such as {name}=64,32") from None
    box, swizzle, strides, lower, upper = (found.get(name, ()) for name in _MAP_OPTIONS)
    return TensorMap(array, box, (*swizzle, 0)[0], strides=strides, lower=lower, upper=upper)


def _texture(text: str, match: re.Match[str], array: Argument) -> Texture:
    """A texture by its geometry and the words behind that."""
    words = match["words"].split(":")[1:]
    if not isinstance(array, np.ndarray) or any(word not in _TEXTURE_WORDS for word in words):
        raise UsageError(f"error: --arg {text}: a texture is ARRAY:texture=GEOMETRY, and {', '.join(_TEXTURE_WORDS)}")
    fields = {field: value for word in words for field, value in _TEXTURE_WORDS[word].items()}
    return replace(Texture(array, match["geometry"]), **fields)


def _loaded(file: str) -> Array:
    with Path(file).open("rb") as stream:
        try:
            return np.ascontiguousarray(np.lib.format.read_array(stream, allow_pickle=False))
        except ValueError as error:
            raise InputError(f"{file}: error: no array of numpy: {error}") from None
