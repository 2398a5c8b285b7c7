"""Reads of textures, and accesses of surfaces. Source: PTX ISA, "Texture Instructions", "Surface Instructions"."""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.decode import Context, Reader, Step, Writer
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import ONE, Row
from xshardy.ptx.instructions.scalar.memory import (
    CACHE_OPERATORS,
    Addresses,
    addresses,
    load_words,
    store_words,
    take_elements,
)
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Instruction, Operand, Pair, Tensor, Vector
from xshardy.ptx.textures import (
    FACES,
    FOOTPRINT,
    GEOMETRIES,
    QUERIES,
    SAMPLER_QUERIES,
    BoundTexture,
    Texture,
    onto_face,
)
from xshardy.ptx.types import TYPES, Kind, Type

U32, S32, F32 = TYPES["u32"], TYPES["s32"], TYPES["f32"]
LEVELS: Mapping[str, int] = {"base": 0, "level": 1, "grad": 2}
"""How many operands say which level of a texture is read."""
RESULTS = ("u32", "s32", "f32", "f16", "f16x2")
COMPONENTS = ("r", "g", "b", "a")
OUTSIDE = ("trap", "clamp", "zero")
"""What accesses outside of a surface do."""


def _zero(lanes: Lanes) -> Array:
    return np.zeros((1, 1), np.int32)


class Lookup:
    """The texture and the coordinates of an instruction: `[a, {x, y}]`."""

    def __init__(self, form: Form, context: Context, operand: Operand, type: Type):
        geometry = form.required(*GEOMETRIES)
        shape = GEOMETRIES[geometry]
        if not isinstance(operand, Tensor):
            raise form.error("expects a texture and coordinates, such as [%rd1, {%f1, %f2}]")
        elements, registers = operand.coordinates.elements, context.registers
        types = [U32] * shape.is_array + [type] * shape.coordinates
        if len(elements) < len(types) or (shape.has_faces and type is not F32):
            raise form.error(f"takes {len(types)} coordinates{' of .f32' if shape.has_faces else ''}")
        read = [registers.reader(form.instruction, *pair) for pair in zip(elements, types, strict=False)]
        self.instruction, self.memory, self.geometry, self.shape = form.instruction, context.memory, geometry, shape
        self.type = type
        self.layer: Reader = read[0] if shape.is_array else _zero
        self.coordinates = read[shape.is_array :]
        self.handle = addresses(context, form.instruction, operand.map)

    def wrong(self, texture: Texture) -> str | None:
        """Why a texture is not for the instruction, in words; None if it is."""
        if texture.geometry != self.geometry:
            return f"accesses a texture {texture.geometry} as {self.geometry}"
        if self.instruction.opcode.startswith("tex.") and self.type is S32 and texture.is_normalized:
            return "accesses a texture with normalized coordinates by integers"
        return None

    def image(self, lanes: Lanes, texture: Texture) -> tuple[Array, list[Array]]:
        """The layer or face of each thread, and its coordinates there."""
        layer, coordinates = self.layer(lanes).astype(np.int64), [read(lanes) for read in self.coordinates]
        if self.shape.has_faces:
            face, inside = onto_face(*coordinates)
            layer, coordinates = layer * FACES + face, [*inside]
        outside = layer >= texture.images
        if (wrong := np.broadcast_to(outside, lanes.shape) & lanes.active_mask()).any():
            what = f"accesses a layer of a texture that has {texture.images}"
            self.memory.faults.report(FaultKind.OUT_OF_BOUNDS, self.instruction.line, lanes, wrong, lambda _: what)
        return np.where(outside, 0, layer), coordinates


def each_texture(
    lanes: Lanes,
    memory: Memory,
    instruction: Instruction,
    read: Addresses,
    wrong: Callable[[Texture], str | None],
    act: Callable[[Lanes, BoundTexture], None],
) -> None:
    """Let the threads act that have a texture in common. That one has none, or a wrong one, is a fault."""
    handles, before = read(lanes), lanes.mask
    several = np.unique(lanes.active(handles))
    for handle in several:
        if len(several) > 1:
            lanes.mask = (np.broadcast_to(handles, lanes.shape) == handle) & (before is None or before)
        bound = memory.textures.get(int(handle))
        fault = f"accesses {int(handle):#x}, which is no texture" if bound is None else wrong(bound.texture)
        if fault is not None:
            everything = lanes.active_mask()
            memory.faults.report(FaultKind.TEXTURE, instruction.line, lanes, everything, lambda _, what=fault: what)
        elif bound is not None:
            act(lanes, bound)
    lanes.mask = before


def fetch(form: Form, context: Context) -> Step:
    """`tex{.base,.level,.grad}.geom.v4.dtype.ctype d{|p}, [a, c]{, lod}{, e}`. Textures have one level."""
    return _fetch(form, context, LEVELS[form.take(*LEVELS) or "base"], None)


def gather(form: Form, context: Context) -> Step:
    """`tld4.comp.geom.v4.dtype.f32 d{|p}, [a, c]{, e}`: a component of the four texels around a point."""
    return _fetch(form, context, 0, COMPONENTS.index(form.required(*COMPONENTS)))


def _fetch(form: Form, context: Context, levels: int, component: int | None) -> Step:
    instruction, registers, memory = form.instruction, context.registers, context.memory
    destination, source, *others = instruction.operands
    others = others[levels:]
    type, type_of_coordinates = form.types(2)
    lookup = Lookup(form, context, source, type_of_coordinates)
    dimensions = lookup.shape.dimensions
    read_offsets = [_zero] * dimensions
    match others:
        case []:
            pass
        case [Vector(elements)] if len(elements) >= dimensions:
            read_offsets = [registers.reader(instruction, element, S32) for element in elements[:dimensions]]
        case _:
            raise form.error("expected nothing but offsets behind the coordinates: depth textures are not supported")
    is_resident: Writer | None = None
    if isinstance(destination, Pair):
        is_resident = registers.writer(instruction, destination.second, TYPES["pred"])
        destination = destination.first
    writers = [registers.writer(instruction, element, type) for element in take_elements(form, destination)]
    if len(writers) * type.elements != len(COMPONENTS) or type.name not in RESULTS:
        raise form.error("expected four components of .u32, .s32, .f32 or .f16")
    if component is not None and (dimensions != 2 or type_of_coordinates is not F32):
        raise form.error("expected two dimensions, and coordinates of .f32")

    def wrong(texture: Texture) -> str | None:
        if texture.gives_floats != (type.kind is Kind.FLOAT):
            is_read = "floats" if texture.gives_floats else "integers"
            return f"reads .{type.name} from a texture that is read as {is_read}"
        return lookup.wrong(texture)

    def act(lanes: Lanes, bound: BoundTexture) -> None:
        texture = bound.texture
        image, coordinates = lookup.image(lanes, texture)
        offsets = [read(lanes) for read in read_offsets]
        is_linear = component is not None or (texture.filter == "linear" and type_of_coordinates is F32)
        found: list[tuple[Array, list[Array]]] = []
        for weight, number, inside in texture.texels(coordinates, offsets, is_linear=is_linear):
            number = number + image * int(np.prod(texture.sizes))
            where = (number * texture.texel_bytes + bound.address).astype(np.uint64)
            size, count = texture.array.itemsize, texture.channels
            words = load_words(lanes, memory, instruction, "global", where, size, count)
            found.append((weight, [np.where(inside, value, 0) for value in texture.components(words)]))
        if component is not None:
            results = [found[corner][1][component] for corner in FOOTPRINT]
        elif is_linear:
            results = [sum(weight * values[part] for weight, values in found) for part in range(len(COMPONENTS))]
        else:
            ((_, results),) = found
        results = [np.asarray(value).astype(type.dtype) for value in results]
        for number, writer in enumerate(writers):
            parts = results[number * type.elements : (number + 1) * type.elements]
            writer(lanes, parts[0] if type.elements == 1 else np.stack(np.broadcast_arrays(*parts), axis=-1))
        if is_resident is not None:
            is_resident(lanes, np.ones((1, 1), np.bool_))

    return lambda lanes: each_texture(lanes, memory, instruction, lookup.handle, wrong, act)


class Surface:
    """What a load or store of a surface accesses."""

    def __init__(self, form: Form, context: Context, operand: Operand):
        form.take(*CACHE_OPERATORS)
        self.outside = form.take(*OUTSIDE) or "trap"
        self.lookup = Lookup(form, context, operand, S32)

    def places(self, lanes: Lanes, bound: BoundTexture, size: int) -> tuple[Array, Array]:
        """The address of each thread, and whether it accesses memory there. That it may not is a fault of `.trap`."""
        texture, instruction = bound.texture, self.lookup.instruction
        row = texture.sizes[0] * texture.texel_bytes
        place, stride, inside = np.zeros((1, 1), np.int64), 1, np.ones((1, 1), np.bool_)
        for coordinate, most, extent in zip(
            [read(lanes) for read in (*self.lookup.coordinates, self.lookup.layer)],
            (row - size, *(size - 1 for size in texture.sizes[1:]), texture.images - 1),
            (row, *texture.sizes[1:], texture.images),
            strict=True,
        ):
            clamped = coordinate.astype(np.int64).clip(0, max(most, 0))
            inside = inside & (coordinate == clamped) & (most >= 0)
            place, stride = place + clamped * stride, stride * extent
        outside = np.broadcast_to(~inside, lanes.shape) & lanes.active_mask()
        if self.outside == "trap" and outside.any():
            what = f"accesses {size} bytes outside of a surface of {texture.sizes} texels"
            faults = self.lookup.memory.faults
            faults.report(FaultKind.OUT_OF_BOUNDS, instruction.line, lanes, outside, lambda _: what)
        kept = lanes.active_mask() if self.outside == "clamp" else lanes.active_mask() & inside
        return (place + bound.address).astype(np.uint64), kept

    def step(self, act: Callable[[Lanes, BoundTexture], None]) -> Step:
        """What lets the threads act that have a surface in common."""
        lookup = self.lookup
        return lambda lanes: each_texture(lanes, lookup.memory, lookup.instruction, lookup.handle, lookup.wrong, act)


def surface_load(form: Form, context: Context) -> Step:
    """`suld.b.geom{.cop}{.v2,.v4}.type.clamp d, [a, b]`; the first coordinate is in bytes."""
    instruction, memory = form.instruction, context.memory
    surface = Surface(form, context, instruction.operands[1])
    destinations = take_elements(form, instruction.operands[0])
    type = form.type()
    writers = [context.registers.writer(instruction, destination, type) for destination in destinations]
    size = type.bits // 8

    def act(lanes: Lanes, bound: BoundTexture) -> None:
        where, kept = surface.places(lanes, bound, size * len(writers))
        before, lanes.mask = lanes.mask, kept
        values = load_words(lanes, memory, instruction, "global", where, size, len(writers))
        lanes.mask = before
        for writer, value in zip(writers, values, strict=True):
            writer(lanes, np.where(kept, value, 0).astype(type.dtype))

    return surface.step(act)


def surface_store(form: Form, context: Context) -> Step:
    """`sust.b.geom{.cop}{.v2,.v4}.type.clamp [a, b], c`; the first coordinate is in bytes."""
    instruction, memory = form.instruction, context.memory
    surface = Surface(form, context, instruction.operands[0])
    sources = take_elements(form, instruction.operands[1])
    type = form.type()
    readers = [context.registers.reader(instruction, source, type) for source in sources]

    def act(lanes: Lanes, bound: BoundTexture) -> None:
        where, kept = surface.places(lanes, bound, type.bits // 8 * len(readers))
        before, lanes.mask = lanes.mask, kept
        store_words(lanes, memory, instruction, "global", where, [read(lanes) for read in readers])
        lanes.mask = before

    return surface.step(act)


def query(form: Form, context: Context) -> Step:
    """`txq{.level}.query.b32 d, [a]`, `suq.query.b32 d, [a]`: a number that belongs to the texture."""
    form.take("level")
    queries = QUERIES if form.name == "suq" else {**QUERIES, **SAMPLER_QUERIES}
    number = queries[form.required(*queries)]
    type, instruction = form.type(), form.instruction
    read = addresses(context, instruction, instruction.operands[1])
    write = context.registers.writer(instruction, instruction.operands[0], type)

    def act(lanes: Lanes, bound: BoundTexture) -> None:
        write(lanes, np.array([[number(bound.texture)]], type.dtype))

    return lambda lanes: each_texture(lanes, context.memory, instruction, read, lambda _: None, act)


TEXTURES: Mapping[str, Row] = {
    "tex": Row(fetch, "texture load", ONE),
    "tld4": Row(gather, "texture load", ONE),
    "suld.b": Row(surface_load, "surface load"),
    "sust.b": Row(surface_store, "surface store"),
    **dict.fromkeys(("txq", "suq"), Row(query, "texture query")),
}
