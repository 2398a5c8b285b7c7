"""The page that compares xshardy with upstream: what is the same, what differs, what is ours alone."""

import re
from collections.abc import Iterator

from filecheck_examples import ROOT
from xdsl.passes import ModulePass

from xshardy.tools.pass_listing import paragraph
from xshardy.universe import PASSES, load

INTRODUCTION = """\
# Comparison with upstream

Upstream is OpenXLA: C++ Shardy, StableHLO, and XLA:GPU's emitters. Generated from the code and from the sections about
differences that the pages of this documentation have.
"""

COMPARED = (
    ("FileCheck inputs of the sdy passes, random modules, and programs of JAX", "C++ Shardy inside jaxlib", "the text"),
    ("MLIR text, its diagnostics, bytecode and artifacts", "MLIR and StableHLO inside jaxlib", "the text, the bytes"),
    ("HLO text", "XLA's parser and printer inside jaxlib", "the module"),
    ("StableHLO, CHLO and HLO operations, kernels at every level", "JAX on the CPU, numpy", "the numbers"),
    ("partitioned programs, plans", "XLA on virtual CPUs", "the numbers, the collectives"),
)
"""What the tests compare, with what, and by what."""

DIFFERENCES = (
    ("sdy_import.md", "Differences from upstream"),
    ("sdy_differences.md", "Differences from upstream"),
    ("syntax.md", "What upstream accepts and we do not, and the other way round"),
    ("emitters.md", "Where the emitted form differs from XLA's"),
)
"""The sections about differences: the page, and the heading."""

OURS = ("ours:", "none upstream:")
"""How the `source` of a pass begins that upstream lacks."""


def comparison_page() -> str:
    """The text of the page."""
    return "\n".join([INTRODUCTION, *_same(), *_different(), *_ours(), *_missing()])


def _same() -> Iterator[str]:
    yield from (
        "## The same",
        "",
        "`tests/differential/` compares with upstream itself, which PyPI packages contain:",
        "",
    )
    yield from ("| What | With | By |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in COMPARED), "")
    upstreams = [name for name in PASSES if not _source(name).startswith(OURS)]
    yield f"{len(upstreams)} of {len(PASSES)} passes are upstream's, with its names and options where it has them:"
    yield "[the page of passes](../passes.md) names the source of each.\n"


def _different() -> Iterator[str]:
    yield "## Different\n"
    for page, heading in DIFFERENCES:
        text = (ROOT / "docs" / page).read_text()
        section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        if section is None:
            raise ValueError(f"docs/{page} has no section `{heading}`")
        title = text.splitlines()[0].removeprefix("# ")
        yield f"### [{title}](../{page})\n\n{re.sub(r'^###', '####', section[1].strip(), flags=re.MULTILINE)}\n"


def _ours() -> Iterator[str]:
    yield from (
        "## Ours alone",
        "",
        "Passes that upstream does not have:",
        "",
        "| Pass | What it does | Why |",
        "|---|---|---|",
    )
    for name in sorted(PASSES):
        source = _source(name)
        if source.startswith(OURS):
            why = source.partition(": ")[2]
            yield f"| [`{name}`](../passes.md#{name}) | {paragraph(_pass(name).__doc__)} | {why} |"
    yield (
        "\nAlso ours: execution of every level of a kernel on the CPU (`xshardy run`), explanations and plans of "
        "shardings (`xshardy explain`, `plan`), sharding rules for linalg and for operations of other dialects, "
        "PTX without libdevice, reports on the memory traffic of kernels.\n"
    )


def _missing() -> Iterator[str]:
    """The rows of docs/status.md that lack something; `... memory` belongs to the row above it."""
    yield from ("## Not here yet", "", "| | Part | What does not work yet |", "|---|---|---|")
    section = whole = ""
    for line in (ROOT / "docs" / "status.md").read_text().splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("| "):
            part, _, missing = (cell.strip() for cell in line.strip("|").split(" | "))
            whole = whole if part.startswith("...") else part.replace("](", "](../")
            if missing and part != "Part":
                shown = part.replace("... ", f"{whole}: ") if part.startswith("...") else whole
                yield f"| {section} | {shown} | {missing} |"


def _pass(name: str) -> type[ModulePass]:
    return load(PASSES[name])


def _source(name: str) -> str:
    return getattr(_pass(name), "source", "")
