"""Our canonicalization against MLIR's, by way of jaxlib: the same text, function by function."""

import re
from pathlib import Path

import pytest
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir, passmanager
from xdsl.context import Context

from xshardy.syntax import parse_module, print_module
from xshardy.transforms.canonicalize import CanonicalizePass
from xshardy.universe import new_context

INPUTS = Path(__file__).parents[1] / "filecheck" / "transforms" / "canonicalize"

DIFFERENT = {
    "arith_casts_and_selects:booleans": "ours also removes `cmpi eq, (extui x), 0`",
    "arith_casts_and_selects:casts_of_casts": "ours keeps discardable attributes",
    "arith_casts_and_selects:compare_extended": "ours compares before it extends",
    "arith_casts_and_selects:comparison_of_vectors": "ours compares before it extends",
    "arith_floats:bits": "ours keeps bitcasts of NaNs, whose bits numbers of Python do not hold",
    "arith_floats:bits_there_and_back": "MLIR also makes one bitcast of two",
    "arith_floats:comparisons": "ours also folds `cmpf false`",
    "arith_floats:constants": "constants in another order",
    "arith_floats:conversions": "ours also folds casts that round",
    "arith_floats:wider_than_a_double": "ours does not compute with floats wider than 64 bits",
    "conditions_and_casts:compared_extended_booleans": "ours also removes `cmpi eq, (extui x), 0`",
    "conditions_and_casts:nested": "MLIR also merges one `scf.if` with the next one of the same condition",
    "conditions_and_casts:select_of_compared": "MLIR also makes a minimum of a comparison and a selection",
    "constants:complex_constants": "ours also computes with complex constants",
    "constants:once": "ours keeps discardable attributes",
    "containers:a_position_that_is_also_the_source": "MLIR also makes a constant position static",
    "containers:elements_behind_inserts": "MLIR also extracts from what was inserted",
    "containers:extract_what_was_inserted": "ours also extracts what was inserted at the same runtime position",
    "containers:tensors": "ours also looks through inserts and splats",
    "scf:not_nested_alone": "MLIR also merges one `scf.if` with the next one of the same condition",
    "scf:region_of_several_blocks": "MLIR also inlines a region of several blocks",
}
"""Where we differ, and why."""
CRASHES = {"containers:places_out_of_bounds"}
"""Where jaxlib's MLIR ends the process."""


def functions() -> list[object]:
    found: list[object] = []
    for file in sorted(INPUTS.glob("*.mlir")):
        for text in re.split(r"(?m)^(?=func\.func)", file.read_text())[1:]:
            name = re.match(r"func\.func @(\w+)", text)
            assert name is not None
            if (id := f"{file.stem}:{name[1]}") not in CRASHES:
                found.append(pytest.param(text, id=id))
    return found


def ours(text: str) -> str:
    context: Context = new_context()
    module = parse_module(text, ctx=context)
    CanonicalizePass().apply(context, module)
    module.verify()
    return print_module(module)


def theirs(text: str) -> str:
    with make_ir_context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(print_module(parse_module(text)))
        passmanager.PassManager.parse("builtin.module(canonicalize)").run(module.operation)
        return str(module)


@pytest.mark.parametrize("text", functions())
def test_canonicalizes_as_upstream(text: str, request: pytest.FixtureRequest):
    name = request.node.callspec.id
    if name in DIFFERENT:
        assert ours(text).strip() != theirs(text).strip(), "it is the same now: take it off the list"
        pytest.skip(DIFFERENT[name])
    assert ours(text).strip() == theirs(text).strip()
