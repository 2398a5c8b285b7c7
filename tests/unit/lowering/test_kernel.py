"""A compiled kernel in words."""

from dataclasses import replace

import pytest

from xshardy.lowering.kernel import Kernel, KernelArgument, KernelSource


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        (KernelArgument(0, 0, None, None, is_output=False), "read"),
        (KernelArgument(1, 1, 64, None, is_output=False), "read, at least 64 bytes"),
        (KernelArgument(2, 2, None, 16, is_output=False), "read, aligned to 16"),
        (KernelArgument(3, None, 64, 256, is_output=True), "written, at least 64 bytes, aligned to 256"),
    ],
)
def test_arguments_are_described_by_what_is_known_of_them(argument: KernelArgument, words: str):
    assert argument.described() == words


def source(grid: tuple[int, ...], *slices: int | None) -> KernelSource:
    """A kernel whose last argument is written; each has the number of a buffer, or none."""
    last = len(slices) - 1
    arguments = (KernelArgument(i, number, None, None, is_output=i == last) for i, number in enumerate(slices))
    return KernelSource("f", "", (128, 1, 1), grid, tuple(arguments))


def test_the_source_of_a_kernel_in_words():
    words = "<kernel source f: 2x1x1 blocks of 128x1x1 threads, 3 arguments (1 written); 1 lines of LLVM IR>"
    assert repr(replace(source((2, 1, 1), 0, 1, 2), llvm_ir="ret void\n")) == words


def test_a_kernel_without_blocks_is_empty():
    assert source((2, 0, 1)).is_empty and not source((2, 1, 1)).is_empty


def test_arguments_with_the_number_of_a_buffer_share_it():
    kernel = source((1, 1, 1), 0, None, 0)
    assert kernel.buffers == (0, 1, 0) and kernel.written_buffers == {0}


def test_a_notebook_shows_the_launch_the_arguments_and_the_ptx():
    kernel = Kernel("f", "", (128, 1, 1), (2, 1, 1), source((2, 1, 1), 0, 1).arguments, "entry", "// ptx", "sm_90", 64)
    page = kernel._repr_html_()  # pyright: ignore[reportPrivateUsage]
    for part in ("sm_90", "64 bytes", "[2, 1, 1] x [128, 1, 1]", "argument 0", "argument 1", "// ptx"):
        assert part in page
