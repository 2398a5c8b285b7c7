"""The pages that the site generates from the code: complete, and with examples that are in the tests."""

import re

import pytest
from api_page import api_page
from command_page import command_page
from comparison_page import comparison_page
from dialect_pages import dialect_page
from filecheck_examples import TESTS, examples
from gallery_page import GALLERY, gallery_page

import xshardy
from xshardy.universe import DIALECTS, PASSES, load

WITHOUT_EXAMPLE = re.compile(
    r"nvvm\.read\.ptx\.sreg\.|rocdl\.work(item|group)\.id\.|check\.|interpreter\.|stablehlo\.cross-replica-sum$"
    r"|hlo\.(dynamic_reshape|opaque|scaled_dot|scan|tuple_constant)$"
)
"""
Operations that no FileCheck input has: registers alike, assertions of executable tests, an operation that JAX writes in
its own way, and opcodes that unit tests have in HLO text.
"""


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_every_operation_is_on_the_page_of_its_dialect(name: str):
    page = "\n".join(dialect_page(name))
    for definition in (*load(DIALECTS[name]).operations, *load(DIALECTS[name]).attributes):
        assert f"{definition.name}`\n\n" in page
    assert not re.search(r"### `\S+`\n\n\n(?!One of)", page), "an operation without a word about it"


def test_operations_have_examples():
    names = [operation.name for name in DIALECTS for operation in load(DIALECTS[name]).operations]
    missing = [name for name in names if name not in examples() and not WITHOUT_EXAMPLE.match(name)]
    assert not missing


def test_an_example_is_a_whole_statement():
    example = examples()["sdy.manual_computation"]
    assert example.text in re.sub(r"\n +", "\n", example.file.read_text()) or "\n" in example.text
    assert example.text.count("{") == example.text.count("}")
    assert example.file.is_relative_to(TESTS)


def test_commands_are_listed_with_their_options():
    page = command_page()
    for command in ("emit", "compile", "run", "shard", "explain", "plan"):
        assert f"### `xshardy {command}`" in page
    assert "| `--level " in page and "## `xshardy-opt`" in page and "%%" not in page


def test_every_name_of_the_library_is_documented():
    page = api_page()
    for name in xshardy.__all__:
        assert re.search(rf"^::: xshardy\..*\.{name}$", page, re.MULTILINE), name


def test_the_comparison_names_what_is_ours():
    page = comparison_page()
    ours = [name for name in PASSES if getattr(load(PASSES[name]), "source", "").startswith("ours:")]
    assert ours and all(f"| [`{name}`]" in page for name in ours)
    assert "callbacks into Python" in page, "the tables of docs/status.md are read"


def test_the_gallery_shows_every_picture():
    assert all(f"<!-- picture: {name} -->" in gallery_page() for name in GALLERY)
