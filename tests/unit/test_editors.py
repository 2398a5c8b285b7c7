"""The TextMate grammars of `editors/`: what editors colour, by a tokeniser of the part of the format that they use."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from xshardy.hlo_text.opcodes import OPCODES
from xshardy.universe import DIALECTS, load

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text())
GRAMMARS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    grammar["language"]: json.loads((EXTENSION / grammar["path"]).read_text())["patterns"]
    for grammar in PACKAGE["contributes"]["grammars"]
}


def tokens(language: str, line: str) -> Iterator[tuple[str, str]]:
    """The parts of `line` with a scope, without the name of the language: the first rule of the leftmost match."""
    position = 0
    while position < len(line):
        found = [
            (match.start(), number, match)
            for number, rule in enumerate(GRAMMARS[language])
            if (match := re.compile(rule.get("match") or rule["begin"]).search(line, position)) is not None
        ]
        if not found:
            return
        start, number, match = min(found, key=lambda each: each[:2])
        rule, end = GRAMMARS[language][number], match.end()
        if "begin" in rule:
            inner = "|".join([*(each["match"] for each in rule.get("patterns", ())), rule["end"]])
            while (match := re.compile(inner).search(line, end)) is not None:
                end = match.end()
                if re.fullmatch(rule["end"], match[0]):
                    break
        assert end > start, rule
        yield line[start:end], rule["name"].removesuffix(f".{language}")
        position = end


def scopes(language: str, line: str) -> dict[str, str]:
    return dict(tokens(language, line))


def test_the_extension_names_files_that_are_there():
    for language in PACKAGE["contributes"]["languages"]:
        assert (EXTENSION / language["configuration"]).exists()
    for grammar in PACKAGE["contributes"]["grammars"]:
        text = json.loads((EXTENSION / grammar["path"]).read_text())
        assert text["scopeName"] == grammar["scopeName"]


def test_a_line_of_mlir():
    line = '%0:2 = "stablehlo.add"(%x, %y) {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>} : tensor<8x4xbf16> // sum'
    assert scopes("mlir", line) == {
        "%0:2": "variable.other",
        '"stablehlo.add"': "string.quoted.double",
        "%x": "variable.other",
        "%y": "variable.other",
        "sdy.sharding": "support.function",
        "#sdy.sharding": "entity.other.attribute-name",
        "@mesh": "entity.name.function",
        '"a"': "string.quoted.double",
        "tensor": "storage.type",
        "8": "constant.numeric",
        "4": "constant.numeric",
        "bf16": "storage.type",
        "// sum": "comment.line.double-slash",
    }


@pytest.mark.parametrize(
    ("part", "scope"),
    [
        ("// CHECK-NEXT: return", "meta.directive.filecheck"),
        ("!hlo.async_bundle", "support.type"),
        ("^bb0", "entity.name.label"),
        ("sdy.reshard", "support.function"),
        ("-1.500000e+00", "constant.numeric"),
        ("f8E4M3FN", "storage.type"),
        ("return", "keyword.control"),
        ("->", "keyword.operator"),
        (r'"a\"b\22"', "string.quoted.double"),
    ],
)
def test_parts_of_mlir(part: str, scope: str):
    assert [*tokens("mlir", part)] == [(part, scope)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_operation_and_type_of_our_dialects_has_a_scope(dialect: str):
    found = load(DIALECTS[dialect])
    for operation in found.operations:
        assert [*tokens("mlir", operation.name)] == [(operation.name, "support.function")]
    for attribute in found.attributes:
        for name, scope in ((f"!{attribute.name}", "support.type"), (f"#{attribute.name}", "entity.other.attribute-")):
            assert [(part, each.removesuffix("name")) for part, each in tokens("mlir", name)] == [(name, scope)]


def test_a_line_of_hlo():
    line = 'ROOT %add.1 = bf16[8,4]{1,0} add(%x, y), metadata={op_name="jit(f)/add" line=3}'
    assert scopes("hlo", line) == {
        "ROOT": "keyword.control",
        "%add.1": "variable.other",
        "=": "keyword.operator",
        "bf16[8,4]{1,0}": "storage.type",
        "add": "support.function",
        "%x": "variable.other",
        "metadata": "entity.other.attribute-name",
        "op_name": "entity.other.attribute-name",
        '"jit(f)/add"': "string.quoted.double",
        "line": "entity.other.attribute-name",
        "3": "constant.numeric",
    }


def test_every_opcode_of_hlo_has_a_scope():
    for opcode in OPCODES:
        assert scopes("hlo", f"  x = f32[] {opcode}(y)").get(opcode) == "support.function", opcode


@pytest.mark.parametrize("language", GRAMMARS)
def test_every_name_in_the_examples_has_a_scope(language: str):
    files = sorted((ROOT / "examples").glob(f"*.{language}"))
    assert files
    for file in files:
        for line in file.read_text().splitlines():
            rest = line
            for part, _ in tokens(language, line):
                rest = rest.replace(part, " ", 1)
            assert not re.search(r"[%@#!^\"]\w|\w\.\w", rest), f"{file.name}: {rest}"
