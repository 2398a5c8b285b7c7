"""Textures and surfaces, compared with the formulas of CUDA's programming guide, texel by texel."""

from collections.abc import Sequence
from itertools import product
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers, sampled_from
from ptx_kernels import kernel, line_of

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import LaunchError, PtxError
from xshardy.ptx.faults import Fault, FaultError, FaultKind
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.textures import Texture

COORDINATES = {"1d": "{%r10}", "2d": "{%r10, %r11}", "3d": "{%r10, %r11, %r12, %r12}", "a1d": "{%r10, %r11}"}
COORDINATES |= {"a2d": "{%r10, %r11, %r12, %r12}", "cube": "{%r10, %r11, %r12, %r12}"}
COORDINATES |= {"acube": "{%r10, %r11, %r12, %r13}"}
LOADS = """
  mul.wide.u32 %rd4, %r1, 16;
  add.s64 %rd5, %rd2, %rd4;
  add.s64 %rd6, %rd3, %rd4;
  ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd5];
"""
STORES = "st.global.v4.b32 [%rd6], {%r20, %r21, %r22, %r23};"


def fetching(opcode: str, geometry: str, more: str = "") -> str:
    """A kernel whose threads read four coordinates each from an array, and store what they fetch to another."""
    fetch = f"{opcode} {{%r20, %r21, %r22, %r23}}, [%rd1, {COORDINATES[geometry]}]{more};"
    return kernel(LOADS + fetch + STORES, parameters=3)


def fetched(text: str, texture: Texture, coordinates: Array, dtype: str = "f4") -> Array:
    """What each thread fetches: [threads, 4]. Coordinates are rows of four words."""
    results = np.zeros((len(coordinates), 4), dtype)
    assert Machine(text).run([1], [len(coordinates)], [texture, coordinates, results], Options(checks=True)) == []
    return results


def texel(image: Array, places: Sequence[int], address: str) -> Array:
    """The texel at any place, the innermost dimension last; an image has channels."""
    inside: list[int] = []
    for place, size in zip(places, image.shape, strict=False):
        if address == "border" and not 0 <= place < size:
            return np.zeros(image.shape[-1])
        mirrored = [*range(size), *reversed(range(size))]
        inside.append(
            {
                "wrap": place % size,
                "mirror": mirrored[place % (2 * size)],
                "clamp": min(max(place, 0), size - 1),
                "border": min(max(place, 0), size - 1),
            }[address]
        )
    return image[tuple(inside)].astype(np.float64)


def sampled(image: Array, point: Sequence[float], texture: Texture) -> Array:
    """The value at a point in texels, the innermost dimension last."""
    if texture.filter == "point":
        return texel(image, [floor(x) for x in point], texture.address)
    first = [floor(x - 0.5) for x in point]
    weights = [round((x - 0.5 - i) * 256) / 256 for x, i in zip(point, first, strict=True)]
    total = np.zeros(image.shape[-1])
    for steps in product((0, 1), repeat=len(point)):
        weight = np.prod([a if step else 1 - a for a, step in zip(weights, steps, strict=True)])
        total += weight * texel(image, [i + step for i, step in zip(first, steps, strict=True)], texture.address)
    return total


@settings(max_examples=60)
@given(
    geometry=sampled_from(["1d", "2d", "3d"]),
    filter=sampled_from(["point", "linear"]),
    address=sampled_from(["clamp", "border", "wrap", "mirror"]),
    channels=sampled_from([1, 2, 4]),
    dtype=sampled_from(["f4", "f2"]),
    seed=integers(0, 1000),
)
def test_filtering_and_addressing(geometry: str, filter: str, address: str, channels: int, dtype: str, seed: int):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 6, int(geometry[0])))
    image = rng.normal(size=(*shape, channels)).astype(dtype)
    normalized = address in ("wrap", "mirror") or bool(seed % 2)
    texture = Texture(image, geometry, filter, address, normalized)
    points = rng.integers(-900, 1500, (64, len(shape))) / 100  # in texels, the innermost dimension first
    sizes = np.array(shape[::-1])
    words = np.zeros((64, 4), np.float32)
    words[:, : len(shape)] = points / sizes if normalized else points
    found = fetched(fetching(f"tex.{geometry}.v4.f32.f32", geometry), texture, words)
    for word, result in zip(words.astype(np.float64), found, strict=True):
        place = (word[: len(shape)] * (sizes if normalized else 1))[::-1]
        expected = sampled(image, place.tolist(), texture)
        np.testing.assert_allclose(result[:channels], expected, rtol=1e-6, atol=1e-6)


def test_a_weight_has_eight_bits():
    texture = Texture(np.array([0, 256], np.float32), "1d", filter="linear")
    words = np.zeros((3, 4), np.float32)
    words[:, 0] = 0.5 + np.array([100.25, 100.75, 255.75]) / 256
    found = fetched(fetching("tex.1d.v4.f32.f32", "1d"), texture, words)
    assert found[:, 0].tolist() == [100, 101, 256]


def test_components_that_a_texel_has_not():
    found = fetched(fetching("tex.1d.v4.f32.f32", "1d"), Texture(np.array([7], "f4"), "1d"), np.zeros((1, 4), "f4"))
    assert found.tolist() == [[7, 0, 0, 1]]


def test_a_function_fetches_from_a_texture_that_it_is_given():
    """The caller has registers of the names that the function has for the texture and the coordinate."""
    function = """.func (.param .b32 fetched) fetch(.param .b64 fetch_0, .param .b32 fetch_1)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.b64 %rd2, [fetch_0];
  ld.param.b32 %r1, [fetch_1];
  tex.1d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%rd2, {%r1}];
  st.param.b32 [fetched], %r2;
  ret;
}
"""
    call = """
  {
    .param .b64 param0;
    .param .b32 param1;
    .param .b32 retval0;
    st.param.b64 [param0], %rd1;
    st.param.b32 [param1], %r10;
    call.uni (retval0), fetch, (param0, param1);
    ld.param.b32 %r20, [retval0];
  }
"""
    text = kernel(LOADS + call + STORES, parameters=3).replace(".visible", f"{function}.visible")
    words = np.array([[2] * 4, [0] * 4, [1] * 4], np.float32)
    found = fetched(text, Texture(np.array([5, 6, 7], np.float32), "1d"), words)
    assert found[:, 0].tolist() == [7, 5, 6]


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4"])
def test_integers_as_they_are(dtype: str):
    image = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 5], dtype)
    words = np.array([[0] * 4, [1] * 4, [2] * 4, [9] * 4, [-9] * 4], np.int32)
    opcode, result = ("tex.1d.v4.s32.s32", "i4") if dtype[0] == "i" else ("tex.1d.v4.u32.s32", "u4")
    found = fetched(fetching(opcode, "1d"), Texture(image, "1d"), words, result)
    assert found[:, 0].tolist() == [*image.tolist(), 5, image[0].item()]


@pytest.mark.parametrize(("dtype", "expected"), [("u1", [0, 1, 5 / 255]), ("i2", [-1, 1, 5 / 32767])])
def test_integers_as_fractions(dtype: str, expected: list[float]):
    image = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 5], dtype)
    texture = Texture(image, "1d", filter="linear", floats=True)
    words = np.full((3, 4), np.arange(3)[:, None] + 0.5, np.float32)
    assert np.allclose(fetched(fetching("tex.1d.v4.f32.f32", "1d"), texture, words)[:, 0], expected, rtol=1e-7)


def test_layers():
    image = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    words = np.zeros((2, 4), np.uint32)
    words[:, 0] = [0, 1]
    words[:, 1:] = np.array([2, 1, 0], np.float32).view(np.uint32)
    found = fetched(fetching("tex.a2d.v4.f32.f32", "a2d"), Texture(image, "a2d"), words)
    assert found[:, 0].tolist() == [image[0, 1, 2], image[1, 1, 2]]
    rows = fetched(fetching("tex.a1d.v4.f32.f32", "a1d"), Texture(image[0], "a1d"), words)
    assert rows[:, 0].tolist() == [image[0, 0, 2], image[0, 1, 2]]


DIRECTIONS = {  # by the table of "Cubemap Textures": face, and the place from -1 to 1 across and down
    (4.0, 1.0, 2.0): (0, -2 / 4, -1 / 4),
    (-4.0, 1.0, 2.0): (1, 2 / 4, -1 / 4),
    (1.0, 4.0, 2.0): (2, 1 / 4, 2 / 4),
    (1.0, -4.0, 2.0): (3, 1 / 4, -2 / 4),
    (1.0, 2.0, 4.0): (4, 1 / 4, -2 / 4),
    (1.0, 2.0, -4.0): (5, -1 / 4, -2 / 4),
    (3.0, 3.0, 3.0): (0, -1, -1),  # of equal ones, the first
}


@pytest.mark.parametrize("layers", [1, 2])
def test_faces_of_cubes(layers: int):
    size = 8
    cubes = np.random.default_rng(0).normal(size=(6 * layers, size, size)).astype(np.float32)
    expected = [
        cubes[6 * (layers - 1) + face, int((down + 1) / 2 * size), int((across + 1) / 2 * size)]
        for face, across, down in DIRECTIONS.values()
    ]
    words = np.zeros((len(DIRECTIONS), 4), np.float32)
    words[:, layers - 1 : layers + 2] = [*DIRECTIONS]
    if layers > 1:
        words.view(np.uint32)[:, 0] = layers - 1
    geometry = "acube" if layers > 1 else "cube"
    found = fetched(fetching(f"tex.{geometry}.v4.f32.f32", geometry), Texture(cubes, geometry), words)
    assert found[:, 0].tolist() == expected


def test_offsets_levels_and_residence():
    image = np.arange(12, dtype=np.float32).reshape(3, 4)
    words = np.full((1, 4), 1.5, np.float32)
    for opcode, more, expected in (
        ("tex.2d", ", {1, -1}", image[0, 2]),
        ("tex.level.2d", ", 0f3f800000", image[1, 1]),
        ("tex.grad.2d", ", {%r10, %r11}, {%r10, %r11}, {-1, 1}", image[2, 0]),
    ):
        text = fetching(f"{opcode}.v4.f32.f32", "2d", more)
        assert fetched(text, Texture(image, "2d"), words)[0, 0] == expected
    text = fetching("tex.2d.v4.f32.f32", "2d").replace("%r23}, [%rd1", "%r23}|%p1, [%rd1")
    text = text.replace(STORES, f"selp.b32 %r20, 7, 0, %p1; {STORES}")
    assert fetched(text, Texture(image, "2d"), words, "u4")[0, 0] == 7


def test_four_neighbours():
    image = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    found = fetched(fetching("tld4.g.2d.v4.f32.f32", "2d"), Texture(image, "2d"), np.full((1, 4), 1.75, np.float32))
    assert found.tolist() == [[image[y, x, 1] for y, x in ((2, 1), (2, 2), (1, 2), (1, 1))]]


def test_pairs_of_f16():
    fetch = """
  tex.1d.v2.f16x2.f32 {%r20, %r21}, [%rd1, {%r10}];
  tex.1d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [%rd1, {%r10}];
  mov.b32 %r22, {%h1, %h2};
  mov.b32 %r23, {%h3, %h4};
"""
    texture = Texture(np.array([[1, 2, 3, 4]], np.float32), "1d")
    found = fetched(kernel(LOADS + fetch + STORES, parameters=3), texture, np.zeros((1, 4), "f4"))
    assert found.view(np.float16).tolist() == [[1, 2, 3, 4] * 2]


def test_threads_with_other_textures():
    """Threads choose among two textures, one of which lies in a divergent branch."""
    body = """
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd6, %rd3, %rd4;
  setp.lt.u32 %p1, %r1, 3;
  selp.b64 %rd7, %rd1, %rd2, %p1;
  setp.eq.u32 %p2, %r1, 5;
  @%p2 bra $done;
  tex.1d.v4.f32.s32 {%r20, %r21, %r22, %r23}, [%rd7, {%r1}];
  st.global.b32 [%rd6], %r20;
$done:
"""
    first, second = np.arange(8, dtype=np.float32), np.arange(8, dtype=np.float32) + 100
    results = np.zeros(8, np.float32)
    Machine(kernel(body, parameters=3)).run([1], [8], [Texture(first, "1d"), Texture(second, "1d"), results])
    assert results.tolist() == [0, 1, 2, 103, 104, 0, 106, 107]


def test_one_image_with_two_samplers():
    image, results = np.array([0, 8], np.float32), np.zeros(2, np.float32)
    body = """
  tex.1d.v4.f32.f32 {%r20, %r21, %r22, %r23}, [%rd1, {0f3f800000}];
  tex.1d.v4.f32.f32 {%r24, %r21, %r22, %r23}, [%rd2, {0f3f800000}];
  st.global.v2.b32 [%rd3], {%r20, %r24};
"""
    textures = Texture(image, "1d"), Texture(image, "1d", filter="linear")
    Machine(kernel(body, parameters=3)).run([1], [1], [*textures, results])
    assert results.tolist() == [8, 4]


REFERENCE = """.global .texref image;
.visible .entry k(.param .u64 .ptr .align 16 k_0)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.b64 %rd1, [k_0];
  mov.u64 %rd2, image;
  tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [image, {1}];
  tex.1d.v4.u32.s32 {%r5, %r2, %r3, %r4}, [%rd2, 2];
  txq.width.b32 %r6, [image];
  txq.addr_mode_0.b32 %r7, [%rd2];
  st.global.v4.b32 [%rd1], {%r1, %r5, %r6, %r7};
  ret;
}
"""


def test_variables_that_stand_for_textures():
    text, results = kernel("").partition(".visible")[0] + REFERENCE, np.zeros(4, np.uint32)
    textures = {"image": Texture(np.array([5, 6, 7], np.uint8), "1d")}
    assert Machine(text).check([1], [1], [results], Options(textures=textures), schedules=2) == []
    assert results.tolist() == [6, 7, 3, 3]
    with pytest.raises(LaunchError, match=r"picture is no variable \.texref or \.surfref of the module: image"):
        Machine(text).run([1], [1], [results], Options(textures={"picture": textures["image"]}))
    with pytest.raises(FaultError, match="which is no texture"):
        Machine(text).run([1], [1], [results])


@pytest.mark.parametrize(
    ("geometry", "shape", "sizes"),
    [
        ("1d", (3,), [3, 0, 0, 0]),
        ("a1d", (2, 3), [3, 0, 0, 2]),
        ("3d", (4, 5, 6), [6, 5, 4, 0]),
        ("a2d", (4, 5, 6), [6, 5, 0, 4]),
        ("acube", (12, 5, 5), [5, 5, 0, 2]),
    ],
)
def test_queries(geometry: str, shape: tuple[int, ...], sizes: list[int]):
    body = """
  txq.width.b32 %r20, [%rd1];
  suq.height.b32 %r21, [%rd1];
  txq.level.depth.b32 %r22, [%rd1], 0;
  suq.array_size.b32 %r23, [%rd1];
  st.global.v4.b32 [%rd2], {%r20, %r21, %r22, %r23};
"""
    results = np.zeros(4, np.int32)
    Machine(kernel(body)).run([1], [1], [Texture(np.zeros(shape, np.float32), geometry), results])
    assert results.tolist() == sizes


def test_queries_of_samplers():
    body = "".join(
        f"txq.{name}.b32 %r{20 + number}, [%rd1];"
        for number, name in enumerate(("normalized_coords", "filter_mode", "addr_mode_2", "num_mipmap_levels"))
    )
    results = np.zeros(4, np.int32)
    texture = Texture(np.zeros((2, 2), np.float32), "2d", "linear", "mirror", normalized=True)
    stores = "st.global.v4.b32 [%rd2], {%r20, %r21, %r22, %r23};"
    Machine(kernel(body + stores)).run([1], [1], [texture, results])
    assert results.tolist() == [1, 1, 1, 0]


def surface(clamp: str) -> str:
    """Threads read two bytes from byte 2 * thread - 4 of row 1 on, and write the first to that byte of row 0."""
    return kernel(
        f"""
  shl.b32 %r3, %r1, 1;
  sub.s32 %r3, %r3, 4;
  suld.b.2d.b16.{clamp} %h1, [%rd1, {{%r3, 1}}]; // load
  sust.b.2d.cs.b8.{clamp} [%rd2, {{%r3, 0}}], %h1; // store
"""
    )


def test_surfaces_that_clamp_and_that_drop():
    for clamp in ("clamp", "zero"):
        source = np.array([[1, 2, 3], [10, 11, 12]], np.uint16)
        target = np.zeros((2, 3), np.uint16)
        Machine(surface(clamp)).run([1], [8], [Texture(source, "2d"), Texture(target, "2d")])
        kept = [10, 11, 12] if clamp == "zero" else [10, 11, 12 + (12 << 8)]  # the last byte of the row too
        assert target.tolist() == [kept, [0, 0, 0]]
        assert source.tolist() == [[1, 2, 3], [10, 11, 12]]


def test_surfaces_that_trap():
    text, target = surface("trap"), np.zeros((2, 3), np.uint16)
    with pytest.raises(FaultError, match=r"accesses 2 bytes outside of a surface of \(3, 2\) texels") as error:
        Machine(text).run([1], [8], [Texture(target, "2d"), Texture(target.copy(), "2d")])
    assert (error.value.fault.line, error.value.fault.kind) == (line_of(text, "// load"), FaultKind.OUT_OF_BOUNDS)


def test_layers_and_volumes_of_surfaces():
    body = """
  shl.b32 %r3, %r1, 3;
  suld.b.a2d.v2.b32.trap {%r4, %r5}, [%rd1, {1, %r3, 2, 0}];
  sust.b.3d.v2.b32.trap [%rd2, {%r3, 1, 1, 0}], {%r5, %r4};
"""
    source, target = np.arange(36, dtype=np.uint32).reshape(2, 3, 3, 2), np.zeros((2, 2, 3, 2), np.uint32)
    faults = Machine(kernel(body)).check([1], [3], [Texture(source, "a2d"), Texture(target, "3d")], schedules=2)
    assert faults == [] and (target[1, 1] == source[1, 2, :, ::-1]).all() and target.sum() == source[1, 2].sum()


def faults_of(text: str, arguments: Sequence[Array | Texture], threads: int = 4) -> list[tuple[int, FaultKind, str]]:
    """The line, kind and message of each."""
    options = Options(checks=True, collects_faults=True)
    found: list[Fault] = Machine(text).run([1], [threads], arguments, options)
    return [(fault.line, fault.kind, fault.message) for fault in found]


def test_what_the_kernel_writes_itself_is_not_read_through_textures():
    image = np.zeros(4, np.float32)
    body = """
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd5, %rd2, %rd4;
  tex.1d.v4.f32.s32 {%r20, %r21, %r22, %r23}, [%rd1, {%r1}];
  st.global.b32 [%rd5], %r1;
  tex.1d.v4.f32.s32 {%r20, %r21, %r22, %r23}, [%rd1, {%r1}]; // behind
"""
    text = kernel(body)
    ((line, kind, message),) = faults_of(text, [Texture(image, "1d"), image])
    assert (line, kind) == (line_of(text, "// behind"), FaultKind.READ_ONLY)
    assert "reads as constant what is written before, at byte 0 of k_0" in message


def test_stores_to_one_texel_race():
    text = kernel("sust.b.1d.b32.trap [%rd1, {0}], %r1;", parameters=1)
    ((_, kind, _),) = faults_of(text, [Texture(np.zeros(4, np.int32), "1d")])
    assert kind is FaultKind.RACE


@pytest.mark.parametrize(
    ("opcode", "texture", "message"),
    [
        ("tex.1d.v4.f32.s32", Texture(np.zeros((4, 4), "f4"), "2d"), "accesses a texture 2d as 1d"),
        ("tex.1d.v4.u32.s32", Texture(np.zeros(4, "f4"), "1d"), "reads .u32 from a texture that is read as floats"),
        ("tex.1d.v4.f32.s32", Texture(np.zeros(4, "u1"), "1d"), "reads .f32 from a texture that is read as integers"),
        (
            "tex.1d.v4.f32.s32",
            Texture(np.zeros(4, "f4"), "1d", normalized=True),
            "accesses a texture with normalized coordinates by integers",
        ),
        ("tex.1d.v4.f32.s32", np.zeros(4, "f4"), "which is no texture"),
        ("tex.a1d.v4.f32.s32", Texture(np.zeros((2, 4), "f4"), "a1d"), "accesses a layer of a texture that has 2"),
    ],
)
def test_misuse(opcode: str, texture: Texture | Array, message: str):
    text = fetching(opcode, opcode.split(".")[1])
    words = np.full((1, 4), 3, np.int32)
    with pytest.raises(FaultError, match=message) as error:
        Machine(text).run([1], [1], [texture, words, words.copy()])
    assert error.value.fault.kind in (FaultKind.TEXTURE, FaultKind.OUT_OF_BOUNDS)


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        ("tex.1d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r1}], 0f00000000", "depth textures are not supported"),
        ("tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r1}]", "takes 2 coordinates"),
        ("tex.cube.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r1, %r2, %r3, %r3}]", "takes 3 coordinates of .f32"),
        ("tex.1d.v2.f32.f32 {%r1, %r2}, [%rd1, {%r1}]", "expected four components"),
        ("tex.1d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%rd1]", "expects a texture and coordinates"),
        (
            "tld4.r.3d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r1, %r2, %r3, %r4}]",
            "expected two dimensions, and coordinates of .f32",
        ),
        ("tex.1d.v4.f64.f32 {%rd2, %rd3, %rd4, %rd5}, [%rd1, {%r1}]", "components of .u32, .s32, .f32 or .f16"),
        ("txq.channel_order.b32 %r1, [%rd1]", "expected one of .width"),
        ("suq.filter_mode.b32 %r1, [%rd1]", "expected one of .width, .height, .depth, .array_size"),
        ("sust.p.1d.b32.trap [%rd1, {%r1}], %r1", "expected one of .b"),
    ],
)
def test_what_is_refused(instruction: str, message: str):
    text = kernel(f"{instruction};", parameters=1)
    with pytest.raises(PtxError, match=message):
        Machine(text).run([1], [1], [Texture(np.zeros(4, np.float32), "1d")])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Texture(np.zeros(4, "f4"), "4d"), "the geometry of a texture is one of 1d, .*, not 4d"),
        (lambda: Texture(np.zeros(4, "f8"), "1d"), "integers of 8 to 32 bits, f16 or f32, not float64"),
        (lambda: Texture(np.zeros(4, "f4"), "2d"), r"an array of 2 dimensions, .*: not \(4,\)"),
        (lambda: Texture(np.zeros((4, 3), "f4"), "1d"), r"a last one of 1, 2 or 4 channels: not \(4, 3\)"),
        (lambda: Texture(np.zeros((5, 4, 4), "f4"), "cube"), "six square faces"),
        (lambda: Texture(np.zeros(4, "u1"), "1d", filter="linear"), "only textures that are read as floats"),
        (lambda: Texture(np.zeros(4, "f4"), "1d", address="wrap"), "only textures with normalized coordinates"),
    ],
)
def test_textures_that_cuda_has_not(make: object, message: str):
    assert callable(make)
    with pytest.raises(LaunchError, match=message):
        make()
