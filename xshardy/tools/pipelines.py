"""The text of a pipeline, as `-p` takes it: names and options of passes, and upstream's names for ours."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from xshardy.syntax.close_names import did_you_mean
from xshardy.tools.spec_options import with_options
from xshardy.transforms.pipeline_pass import PipelinePass

_CLEAN_UP = ("xla-gpu-canonicalize", "xla-gpu-cse")

PASS_ALIASES: Mapping[str, Sequence[str]] = {
    "canonicalize": ("xla-gpu-canonicalize",),
    "cse": ("xla-gpu-cse",),
    "licm": ("xla-gpu-licm",),
    "loop-invariant-code-motion": ("xla-gpu-licm",),
    "xla-gpu-lower-xla-loops-to-scf": ("xla-gpu-lower-xla-gpu-loops-to-scf",),
    "xla-gpu-lower-xla-to-scf": ("xla-gpu-lower-xla-gpu-to-scf",),
    "xla-gpu-test-optimize": ("xla-gpu-simplify-arith", *_CLEAN_UP, "xla-gpu-erase-dead-functions", "xla-gpu-cse"),
    "xla-gpu-test-transform-loops": (
        "xla-gpu-lower-xla-gpu-to-scf",
        "xla-gpu-lower-xla-shared",
        "inline",
        *_CLEAN_UP,
        "xla-gpu-peel-loops",
        "xla-gpu-lower-xla-gpu-loops-to-scf",
        *_CLEAN_UP,
        "xla-gpu-flatten-tensors",
        "xla-gpu-licm",
        "xla-gpu-unswitch-loops",
        "xla-gpu-licm",
        "xla-gpu-vectorize-loads-stores",
        "xla-gpu-optimize-loops",
        *_CLEAN_UP,
    ),
    "xla-gpu-test-to-llvm": (
        "xla-gpu-convert-pure-call-ops",
        "xla-gpu-lower-xla-shared",
        "xla-gpu-lower-tensors",
        "xla-gpu-merge-pointers",
        *_CLEAN_UP,
        "xla-gpu-simplify-arith",
        "xla-gpu-simplify-affine",
        "xla-gpu-lower-affine",
        "xla-gpu-convert-index-type",
        "xla-gpu-cse",
        "xla-gpu-expand-float-ops",
        "xla-gpu-lower-to-llvm",
    ),
}
"""
Upstream's names for our passes, and for sequences of them. Options go to the first pass of a sequence.

xDSL also has passes named `cse` and `licm`; they lack the effects of some of upstream's operations.
"""


def passes_of(pipeline: str, available: Mapping[str, Callable[[], type[ModulePass]]]) -> tuple[ModulePass, ...]:
    """
    The passes of `pipeline`, such as `canonicalize,sdy-close-shardings`, looked up in `available`.

    `builtin.module(...)` may be around them, as upstream writes pipelines: every pass here runs on a module.

    Raises `ValueError` for an unknown pass or option, and for invalid pipeline text.
    """
    try:
        specs = [spec for given in parse_pipeline(_on_module(pipeline)) for spec in _expand(given)]
    except ArgSpecParseError as error:  # no `Exception`: `except Exception` does not catch it
        raise ValueError(str(error)) from None
    if unknown := [spec.name for spec in specs if spec.name not in available]:
        hint = did_you_mean(unknown[0], [*available, *PASS_ALIASES], ": `xshardy-opt --help` lists all")
        raise ValueError(f"Unrecognized passes: {unknown}{hint}")
    return tuple(with_options("pass", available[spec.name](), spec) for spec in specs)


def single_passes(passes: Iterable[ModulePass]) -> Iterator[ModulePass]:
    """`passes`, with those that a pipeline runs in its place."""
    for each in passes:
        if isinstance(each, PipelinePass):
            yield from single_passes(each.passes)
        else:
            yield each


_ANCHORED = re.compile(r"\s*([\w-]+\.[\w-]+|any)\s*\((.*)\)\s*", re.DOTALL)
"""`builtin.module(PASSES)`: passes, and the operation that they run on."""

_ANCHOR = re.compile(r"(?:^|,)\s*([\w-]+\.[\w-]+|any)\s*\(")
"""Where the passes for an operation begin."""


def _on_module(pipeline: str) -> str:
    """`builtin.module(PASSES)` -> `PASSES`. Raises `ValueError` for passes on other operations."""
    anchored = _ANCHORED.fullmatch(pipeline)
    passes = anchored[2].strip() if anchored is not None and anchored[1] == "builtin.module" else pipeline
    if (nested := _ANCHOR.search(passes)) is not None:
        raise ValueError(
            f"passes run on modules here, not on each '{nested[1]}': "
            f"leave out `{nested[1]}(` and the `)` that closes it"
        )
    return passes


def _expand(spec: ArgSpec) -> Iterator[ArgSpec]:
    """The passes that an alias stands for; the pass itself if it is none."""
    first, *rest = PASS_ALIASES.get(spec.name, (spec.name,))
    yield ArgSpec(first, spec.parameters)
    yield from (ArgSpec(name, {}) for name in rest)
