"""Arguments of `xshardy ptx` that are tensor maps, and its exit status."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.programs.errors import InputError
from xshardy.ptx.tensor_maps import TensorMap
from xshardy.ptx.textures import Texture
from xshardy.tools.cli import main
from xshardy.tools.ptx_arguments import read_arguments, read_textures
from xshardy.tools.usage import UsageError

COPY = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .align 64 .b8 k_0[128], .param .align 64 .b8 k_1[128])
{
  .reg .pred %p<4>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  .shared .align 128 .b8 s[1024];
  .shared .align 8 .b64 full;
  mov.b64 %rd1, k_0;
  cvta.param.u64 %rd2, %rd1;
  mov.b64 %rd3, k_1;
  cvta.param.u64 %rd4, %rd3;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $done;
  mbarrier.init.shared::cta.b64 [full], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 1024;
  cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd2, {0, 8}], [full];
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [full], 0;
  @!%p2 bra $wait;
  cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd4, {32, 0}], [s];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
$done:
  ret;
}
"""


def test_maps_of_files_and_shapes(tmp_path: Path):
    np.save(tmp_path / "x.npy", np.ones((8, 64), np.float16))
    of_file, of_shape = read_arguments([f"{tmp_path}/x.npy:box=4,32:swizzle=64", "f16[16,64]:box=8,64"], 0)
    assert isinstance(of_file, TensorMap) and isinstance(of_shape, TensorMap)
    assert (of_file.array.shape, of_file.box, of_file.swizzle) == ((8, 64), (4, 32), 64)
    assert (of_shape.array.shape, of_shape.box, of_shape.swizzle) == ((16, 64), (8, 64), 0)


def test_maps_with_strides_and_of_images():
    texts = ["f32[16,64]:box=8,64:strides=2,1", "f16[2,9,8]:box=16,8:lower=-1:upper=-2:swizzle=32"]
    strided, of_images = read_arguments(texts, 0)
    assert isinstance(strided, TensorMap) and isinstance(of_images, TensorMap)
    assert (strided.box, strided.strides, strided.of_columns) == ((8, 64), (2, 1), False)
    assert (of_images.box, of_images.lower, of_images.upper, of_images.swizzle) == ((16, 8), (-1,), (-2,), 32)


@pytest.mark.parametrize(
    "options, message",
    [
        ("box=8,64:order=1", "has the options box, swizzle, strides, lower, upper, not order"),
        ("box=8,64:strides=1-2", "strides takes integers, such as strides=64,32"),
    ],
)
def test_other_options_of_maps_are_refused(options: str, message: str):
    with pytest.raises(UsageError) as error:
        read_arguments([f"f32[16,64]:{options}"], 0)
    assert message in str(error.value)


def test_maps_of_numbers_are_refused():
    with pytest.raises(UsageError, match="a tensor map needs an array"):
        read_arguments(["7:box=4"], 0)


def test_a_tensor_is_copied_by_the_command(tmp_path: Path):
    (tmp_path / "k.ptx").write_text(COPY)
    source, target = np.arange(32 * 32, dtype=np.float32).reshape(32, 32), np.zeros((8, 64), np.float32)
    np.save(tmp_path / "source.npy", source)
    np.save(tmp_path / "target.npy", target)
    arguments = [
        "--arg",
        f"{tmp_path}/source.npy:box=8,32:swizzle=128",
        "--arg",
        f"{tmp_path}/target.npy:box=8,32:swizzle=128",
    ]
    launch = [f"{tmp_path}/k.ptx", "--grid", "1", "--block", "32", *arguments]
    assert main(["ptx", "check", *launch]) == 0
    assert main(["ptx", "run", *launch, "-o", str(tmp_path / "out")]) == 0
    written = np.load(tmp_path / "out" / "arg1.npy")
    np.testing.assert_array_equal(written[:, 32:], source[8:16])
    assert not written[:, :32].any()
    assert main(["ptx", "profile", *launch]) == 0


def test_profiles_need_tensor_maps(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "k.ptx").write_text(COPY)
    assert main(["ptx", "profile", f"{tmp_path}/k.ptx", "--grid", "1", "--block", "32"]) == 1
    assert "parameter k_0 is a tensor map or structure: give the arguments" in capsys.readouterr().err


@pytest.mark.parametrize("options", ["strides=4294967296,-1", "strides=0,1"])
def test_strides_that_no_map_has_are_a_diagnostic(options: str, capsys: pytest.CaptureFixture[str]):
    arguments = ["--arg", f"f32[128,256]:box=8,32:{options}", "--arg", "f32[4]"]
    assert main(["ptx", "run", "examples/block_sum.ptx", "--grid", "4", "--block", "128", *arguments]) == 1
    assert "a tensor map has element strides of" in capsys.readouterr().err


def test_the_status_of_a_check_is_that_of_its_faults_though_nobody_reads_them(tmp_path: Path):
    """As in `xshardy ptx check FILE 2>&1 | head -0`."""
    (tmp_path / "k.ptx").write_text(kernel("st.global.u32 [%rd1+4096], 1;", 1))
    arguments = ["ptx", "check", f"{tmp_path}/k.ptx", "--grid", "1", "--block", "1", "--arg", "u32[1]"]
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "xshardy.tools.cli", *arguments]
    assert subprocess.run(command, stdout=writer, stderr=writer, check=False).returncode == 1
    os.close(writer)


def test_textures_of_arrays():
    plain, filtered = read_arguments(["u8[4,8,2]:texture=2d", "f32[6,4,4]:texture=cube:linear:border"], 0)
    assert isinstance(plain, Texture) and isinstance(filtered, Texture)
    assert (plain.array.shape, plain.channels, plain.filter, plain.address) == ((4, 8, 2), 2, "point", "clamp")
    assert (filtered.geometry, filtered.filter, filtered.address) == ("cube", "linear", "border")
    (fractions,) = read_arguments(["u8[4]:texture=1d:floats:linear:normalized:mirror"], 0)
    assert isinstance(fractions, Texture) and fractions.floats and fractions.normalized
    assert read_textures(["image=f32[8]:texture=1d"], 0)["image"].sizes == (8,)


@pytest.mark.parametrize("text", ["5:texture=1d", "f32[8]:texture=1d:cubic"])
def test_other_words_of_textures_are_refused(text: str):
    with pytest.raises(UsageError, match=r"a texture is ARRAY:texture=GEOMETRY, and point, linear, wrap, mirror"):
        read_arguments([text], 0)
    with pytest.raises(UsageError, match=r"--texture image=f32\[8\]: expected NAME=ARRAY:texture=GEOMETRY"):
        read_textures(["image=f32[8]"], 0)


FILTERING = """.version 8.6
.target sm_90
.address_size 64
.global .surfref target;
.visible .entry k(.param .u64 image)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [image];
  mov.u32 %r1, %tid.x;
  cvt.rn.f32.u32 %r2, %r1;
  tex.1d.v4.f32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%r2}];
  shl.b32 %r7, %r1, 2;
  sust.b.1d.b32.trap [target, {%r7}], %r3;
  ret;
}
"""


def test_textures_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    np.save(tmp_path / "x.npy", np.array([0, 2, 6, 14], np.float32))
    (tmp_path / "k.ptx").write_text(FILTERING)
    arguments = [f"{tmp_path}/k.ptx", "--grid", "1", "--block", "4", "--arg", f"{tmp_path}/x.npy:texture=1d:linear"]
    target = ["--texture", "target=f32[4]:texture=1d"]
    assert main(["ptx", "run", *arguments, *target, "-o", str(tmp_path / "out")]) == 0
    assert np.load(tmp_path / "out" / "arg0.npy").tolist() == [0, 2, 6, 14]
    assert main(["ptx", "check", *arguments, *target]) == 0
    assert main(["ptx", "check", *arguments, "--texture", "target=f32[2]:texture=1d"]) == 1
    assert "accesses 4 bytes outside of a surface of (2,) texels" in capsys.readouterr().err


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x03\x04 zip", b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'"])
def test_files_without_an_array_are_a_diagnostic(data: bytes, tmp_path: Path):
    file = tmp_path / "x.npy"
    file.write_bytes(data)
    with pytest.raises(InputError) as error:
        read_arguments([str(file)], 0)
    assert str(error.value).startswith(f"{file}: error: no array of numpy: ")
    assert "pickle" not in str(error.value)


def test_cooperative_launches(tmp_path: Path):
    body = "mov.u32 %r3, %envreg1;\n  st.global.u32 [%rd1], %r3;"
    (tmp_path / "k.ptx").write_text(kernel(body, parameters=1))
    np.save(tmp_path / "x.npy", np.zeros(1, np.uint32))
    launch = ["ptx", "run", f"{tmp_path}/k.ptx", "--grid", "1", "--block", "1", "--arg", f"{tmp_path}/x.npy"]
    for more, is_given in (([], False), (["--cooperative"], True)):
        assert main([*launch, *more, "-o", str(tmp_path / "out")]) == 0
        assert np.load(tmp_path / "out" / "arg0.npy").any() == is_given
