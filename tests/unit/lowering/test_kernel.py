"""A compiled kernel in words."""

import pytest

from xshardy.lowering.kernel import KernelArgument


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
