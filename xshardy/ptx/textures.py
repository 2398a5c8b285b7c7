"""
Textures and surfaces: which texels coordinates name, and what is made of them.

Source: CUDA's programming guide, "Texture Memory", "Cubemap Textures", "Texture Fetching"; PTX ISA, `tex`, `txq`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import LaunchError

ELEMENTS = tuple(map(np.dtype, ("u1", "u2", "u4", "i1", "i2", "i4", "f2", "f4")))
CHANNELS = (1, 2, 4)
MISSING = (0, 0, 0, 1)
"""The components that a texel has not."""
FACES = 6
WEIGHTS = 256
"""The steps of a weight between 0 and 1: 8 bits."""
FOOTPRINT = (1, 3, 2, 0)
"""Of four texels (in the order of x, then y), counter-clockwise from the lower left, where y grows downwards."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """What the coordinates of a texture are."""

    dimensions: int
    """Of an image."""
    is_array: bool = False
    """Whether the number of a layer, or of a cube, is in front of them."""
    has_faces: bool = False
    """Whether they are a direction from the centre of a cube, whose faces are images."""

    @property
    def coordinates(self) -> int:
        """How many there are, without the number of the layer."""
        return 3 if self.has_faces else self.dimensions


GEOMETRIES: Mapping[str, Geometry] = {
    "1d": Geometry(1),
    "2d": Geometry(2),
    "3d": Geometry(3),
    "a1d": Geometry(1, is_array=True),
    "a2d": Geometry(2, is_array=True),
    "cube": Geometry(2, has_faces=True),
    "acube": Geometry(2, is_array=True, has_faces=True),
}

FILTERS = ("point", "linear")
ADDRESSING: Mapping[str, Callable[[Array, int], Array]] = {
    "wrap": lambda index, size: index % size,
    "mirror": lambda index, size: np.minimum(index % (2 * size), 2 * size - 1 - index % (2 * size)),
    "clamp": lambda index, size: index.clip(0, size - 1),
    "border": lambda index, size: index.clip(0, size - 1),
}
"""From whole numbers, which may be infinite, to those of texels. Behind a border all is 0."""
PERIODIC = ("wrap", "mirror")
ADDRESSING_CODES: Mapping[str, int] = {"wrap": 0, "mirror": 1, "clamp": 3, "border": 4}
"""As `txq` gives them."""


@dataclass(frozen=True, slots=True)
class Texture:
    """
    An argument for a texture or surface object of CUDA: an image, and how it is read.

    The array is [layers or faces, depth, height, width, channels], of which there are those that the geometry has;
    the last dimension may be missing. It has integers of 8, 16 or 32 bits or floats of 16 or 32, and 1, 2 or 4
    channels. Raises `LaunchError` for what CUDA does not allow.
    """

    array: Array
    geometry: str
    """One of `GEOMETRIES`."""
    filter: str = "point"
    """`point`, or `linear` between neighbours."""
    address: str = "clamp"
    """What coordinates outside mean, in all dimensions: one of `ADDRESSING`."""
    normalized: bool = False
    """Whether coordinates are multiples of the size; those of cubes always are."""
    floats: bool = False
    """Whether integers are read as floats from 0 to 1, or from -1 to 1: `cudaReadModeNormalizedFloat`."""

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("geometry", self.geometry, GEOMETRIES),
            ("filter", self.filter, FILTERS),
            ("address", self.address, ADDRESSING),
        ):
            if value not in choices:
                raise LaunchError(f"the {name} of a texture is one of {', '.join(choices)}, not {value}")
        if self.array.dtype not in ELEMENTS:
            raise LaunchError(f"a texture has integers of 8 to 32 bits, f16 or f32, not {self.array.dtype}")
        shape, rank = self.array.shape, self._rank
        if len(shape) not in (rank, rank + 1) or self.channels not in CHANNELS or not self.array.size:
            raise LaunchError(
                f"a texture {self.geometry} is an array of {rank} dimensions, and a last one of 1, 2 or 4 channels: "
                f"not {shape}"
            )
        wrong = shape[0] % FACES if self._shape.is_array else shape[0] != FACES
        if self._shape.has_faces and (wrong or shape[1] != shape[2]):
            raise LaunchError(f"a texture {self.geometry} has six square faces: not {shape}")
        if self.filter == "linear" and not self.gives_floats:
            raise LaunchError("only textures that are read as floats are filtered (`floats` reads integers so)")
        if self.address in PERIODIC and not self.is_normalized:
            raise LaunchError(f"only textures with normalized coordinates are addressed by {self.address}")

    @property
    def _shape(self) -> Geometry:
        return GEOMETRIES[self.geometry]

    @property
    def _rank(self) -> int:
        return self._shape.dimensions + (self._shape.is_array or self._shape.has_faces)

    @property
    def channels(self) -> int:
        return int(prod(self.array.shape[self._rank :]))

    @property
    def texel_bytes(self) -> int:
        return self.array.itemsize * self.channels

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of an image, in texels, the width first."""
        return self.array.shape[: self._rank][::-1][: self._shape.dimensions]

    @property
    def images(self) -> int:
        """How many layers or faces there are."""
        return self.array.shape[0] if self._rank > self._shape.dimensions else 1

    @property
    def array_size(self) -> int:
        """How many textures of an array, or 0."""
        return self.images // (FACES if self._shape.has_faces else 1) if self._shape.is_array else 0

    @property
    def gives_floats(self) -> bool:
        return self.floats or self.array.dtype.kind == "f"

    @property
    def is_normalized(self) -> bool:
        return self.normalized or self._shape.has_faces

    def texels(
        self, coordinates: Sequence[Array], offsets: Sequence[Array], *, is_linear: bool
    ) -> Iterator[tuple[Array, Array, Array]]:
        """
        The texels that a point of an image depends on: the weight of each, its number in the image, and whether it is
        there, not behind a border. Floats are points; integers are texels.

        Weights are rounded to 8 bits. Offsets are in texels.
        """
        axes = zip(self.sizes, coordinates, offsets, strict=True)
        for parts in product(*(self._along(*axis, is_linear=is_linear) for axis in axes)):
            number, stride = np.zeros((1, 1), np.int64), 1
            for (_, index, _), size in zip(parts, self.sizes, strict=True):
                number, stride = number + index * stride, stride * size
            weights, _, inside = zip(*parts, strict=True)
            yield np.asarray(prod(weights)), number, np.logical_and.reduce(np.broadcast_arrays(*inside))

    def _along(
        self, size: int, coordinate: Array, offset: Array, *, is_linear: bool
    ) -> list[tuple[Array, Array, Array]]:
        """The same along one dimension."""
        place = coordinate.astype(np.float64)
        if self.is_normalized and coordinate.dtype.kind == "f":
            place = place * size
        place = place - 0.5 if is_linear else place
        first = np.floor(place)
        weight = np.rint((place - first) * WEIGHTS) / WEIGHTS
        found = [(1 - weight, first + offset), (weight, first + offset + 1)] if is_linear else [(1.0, first + offset)]
        return [(np.asarray(weight), *self._addressed(index, size)) for weight, index in found]

    def _addressed(self, index: Array, size: int) -> tuple[Array, Array]:
        """The texel of each number, and whether it is there."""
        addressed = ADDRESSING[self.address](index, size)
        inside = (addressed == index) | (self.address != "border")
        return np.nan_to_num(addressed).astype(np.int64), inside

    def components(self, words: Sequence[Array]) -> list[Array]:
        """The four components of texels, in f64 or as integers of 64 bits, of the words of their channels."""
        values = [word.view(self.array.dtype) for word in words]
        if self.gives_floats:
            values = [value.astype(np.float64) for value in values]
            if self.array.dtype.kind != "f":
                values = [np.maximum(value / np.iinfo(self.array.dtype).max, -1) for value in values]
        else:
            values = [value.astype(np.int64) for value in values]
        return [*values, *(np.array([[value]], values[0].dtype) for value in MISSING[len(values) :])]


def onto_face(x: Array, y: Array, z: Array) -> tuple[Array, tuple[Array, Array]]:
    """The face of a cube that a direction meets, and where, from 0 to 1 along both sides of the face."""
    x, y, z = np.broadcast_arrays(*(value.astype(np.float64) for value in (x, y, z)))
    by_x = (abs(x) >= abs(y)) & (abs(x) >= abs(z))
    by_y = ~by_x & (abs(y) >= abs(z))
    axis = np.where(by_x, x, np.where(by_y, y, z))
    sign = np.where(axis < 0, -1.0, 1.0)
    across = np.where(by_x, -z * sign, np.where(by_y, x, x * sign))
    down = np.where(by_y, z * sign, -y)
    face = np.where(by_x, 0, np.where(by_y, 2, 4)) + (axis < 0)
    return face, ((across / abs(axis) + 1) / 2, (down / abs(axis) + 1) / 2)


@dataclass(frozen=True, slots=True)
class BoundTexture:
    """A texture of a launch, and the address of its array."""

    texture: Texture
    address: int


QUERIES: Mapping[str, Callable[[Texture], int]] = {
    "width": lambda texture: texture.sizes[0],
    "height": lambda texture: (*texture.sizes, 0)[1],
    "depth": lambda texture: (*texture.sizes, 0, 0)[2],
    "array_size": lambda texture: texture.array_size,
}
"""What `txq` and `suq` give."""
SAMPLER_QUERIES: Mapping[str, Callable[[Texture], int]] = {
    "normalized_coords": lambda texture: int(texture.is_normalized),
    "filter_mode": lambda texture: FILTERS.index(texture.filter),
    **dict.fromkeys((f"addr_mode_{number}" for number in range(3)), lambda texture: ADDRESSING_CODES[texture.address]),
    **dict.fromkeys(("num_mipmap_levels", "num_samples"), lambda texture: 0),
}
"""What only `txq` gives."""
