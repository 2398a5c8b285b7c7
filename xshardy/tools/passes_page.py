"""
The page `docs/passes.md`: every registered pass, its options, its patterns, and its section of upstream's
documentation.

`python -m xshardy.tools.passes_page > docs/passes.md` regenerates the page; a test compares it with the code.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from inspect import cleandoc

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.hints import type_repr

from xshardy.rewriting import BACKWARD, FORWARD, INNER_FIRST, TO_FIXPOINT, PatternPass, Walk
from xshardy.tools.pass_listing import by_heading, paragraph
from xshardy.universe import PASSES, load

INTRODUCTION = """\
# Passes

Every registered pass: what it does, its options, the section of the upstream documentation that it implements, and its
patterns, each with what it rewrites. A pass without patterns says why it has none. The page is generated from the code:
`python -m xshardy.tools.passes_page > docs/passes.md`."""

WALKS: Mapping[Walk, str] = {
    FORWARD: "once, in text order",
    BACKWARD: "once, in reverse text order",
    INNER_FIRST: "once, inner operations first",
    TO_FIXPOINT: "until nothing changes",
}


def page() -> str:
    """The text of the page."""
    parts = [INTRODUCTION]
    for heading, names in by_heading().items():
        parts += [f"## {heading}", *("\n".join(entry(name, PASSES[name])) for name in names)]
    return "\n\n".join(parts) + "\n"


def entry(name: str, reference: str) -> Iterator[str]:
    """The lines about one pass."""
    pass_class: type[ModulePass] = load(reference)
    path = reference.partition(":")[0].replace(".", "/")
    yield f"### `{name}`"
    yield ""
    yield paragraph(pass_class.__doc__)
    yield f"[`{path}.py`](../xshardy/{path}.py)." + (
        f" Source: {source}." if (source := getattr(pass_class, "source", None)) else ""
    )
    if options := list(options_of(pass_class)):
        yield ""
        yield "Options: " + ", ".join(options) + "."
    yield ""
    yield from patterns_of(pass_class)


def options_of(pass_class: type[ModulePass]) -> Iterator[str]:
    """Each option of a pass with its type and its default."""
    for option in fields(pass_class):
        default = "" if option.default is MISSING else f" = {str(option.default).lower()}".rstrip()
        yield f"`{option.name.replace('_', '-')}: {type_repr(option.type)}{default}`"


def patterns_of(pass_class: type[ModulePass]) -> Iterator[str]:
    """The patterns of a pass, step by step; for a pass without patterns, the reason."""
    if (reason := getattr(pass_class, "no_patterns", None)) is not None:
        yield f"No patterns: {reason}."
        if inner := getattr(pass_class(), "passes", None):
            yield "Runs " + ", ".join(f"`{each.name}`" for each in inner) + "."
        return
    if not issubclass(pass_class, PatternPass):
        raise ValueError(f"{pass_class.__name__} is no PatternPass: say in `no_patterns` why")
    for number, step in enumerate(pass_class().steps(ModuleOp([])), 1):
        how = WALKS.get(step.walk, str(step.walk))
        if number > 1:
            yield ""
        yield f"Patterns, {how}:" if number == 1 else f"Then, {how}:"
        yield ""
        yield from dict.fromkeys(f"- `{type(pattern).__name__}`: {summary(pattern)}" for pattern in step.patterns)


def summary(pattern: RewritePattern) -> str:
    """What a pattern rewrites, requires and refuses, from its docstring."""
    first, *others = cleandoc(type(pattern).__doc__ or "").split("\n\n")
    conditions = (text for text in others if text.startswith(("Requires:", "Refuses:")))
    return " ".join(" ".join([first, *conditions]).split())


if __name__ == "__main__":
    print(page(), end="")
