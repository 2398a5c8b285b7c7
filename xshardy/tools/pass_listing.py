"""The passes in `xshardy-opt --help`: ours with their first sentences, under the headings of `docs/passes.md`."""

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path

from xshardy.tools.pipelines import PASS_ALIASES
from xshardy.universe import PASSES

SECTIONS: Mapping[str, str] = {
    "transforms.sdy_import": "sdy: import",
    "transforms.sdy_propagation": "sdy: propagation",
    "transforms.sdy_export": "sdy: export",
    "transforms.sdy_partition": "sdy: partition",
    "transforms.sdy_partition.local": "sdy: partition",
    "transforms.sdy_partition.pad": "sdy: partition",
    "transforms.sdy_partition.resolve": "sdy: partition",
    "transforms.xla_sdy": "XLA's Shardy round trip",
    "transforms.xla_gpu": "XLA:GPU emitters",
    "lowering": "Lowering to the llvm dialect",
    "transforms.hlo_async": "Asynchronous HLO",
    "hlo_text": "HLO",
    "transforms.hlo": "HLO",
    "transforms.hlo.library_calls": "HLO",
    "fusing": "HLO",
    "transforms.chlo": "StableHLO and CHLO",
    "transforms.stablehlo": "StableHLO and CHLO",
    "transforms": "General",
}
"""The heading under which the passes of a package stand, in the order of the headings."""

PACKAGE = Path(__file__).parents[1]

NAME_WIDTH = 34
"""Characters for the name of a pass; what it does is on the next line if the name is longer."""

_SENTENCE = re.compile(r".*?\.(?= |$)|.*")


def by_heading() -> Mapping[str, Sequence[str]]:
    """The names of our passes by their headings, both in the order of a page."""
    found: dict[str, list[str]] = {heading: [] for heading in SECTIONS.values()}
    for name, reference in sorted(PASSES.items()):
        found[SECTIONS[reference.partition(":")[0].rpartition(".")[0]]].append(name)
    return found


def paragraph(docstring: str | None) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(cleandoc(docstring or "").split("\n\n")[0].split())


def first_sentence(reference: str) -> str:
    """What the class that `module:name` names does. Its file is parsed: importing all passes takes two seconds."""
    module, _, name = reference.partition(":")
    path = PACKAGE.joinpath(*module.split("."))
    source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()
    classes = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == name)
    found = _SENTENCE.match(paragraph(next((ast.get_docstring(node) for node in classes), "")))
    return found[0] if found else ""


def listing(available: Iterable[str], width: int) -> str:
    """All passes, in lines of `width` characters: ours by headings, other names for them, and those of xDSL."""
    lines = ["passes:"]
    for heading, names in by_heading().items():
        lines += ["", f"  {heading}:"]
        for name in names:
            lines += _row(name, first_sentence(PASSES[name]), width)
    lines += ["", "  upstream's names for these:"]
    for name, names in PASS_ALIASES.items():
        lines += _row(name, ", ".join(names), width)
    others = ", ".join(sorted(set(available) - PASSES.keys() - PASS_ALIASES.keys()))
    lines += ["", "  of xDSL and other packages:", *_wrapped(others, width, "    ", "    ")]
    return "\n".join(lines) + "\n"


def _row(name: str, text: str, width: int) -> Iterator[str]:
    indent = " " * (NAME_WIDTH + 5)
    if len(name) > NAME_WIDTH:
        yield f"    {name}"
        yield from _wrapped(text, width, indent, indent)
    else:
        yield from _wrapped(text, width, f"    {name:<{NAME_WIDTH}} ", indent)


def _wrapped(text: str, width: int, first_indent: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=first_indent, subsequent_indent=indent, break_on_hyphens=False
    ) or [first_indent.rstrip()]
