"""
Which functions that a computation calls stay functions, so that the code is linear in the size of the program.

A function with one call is inlined, and so is a small one. Any other stays a function of elements, if it can be one.
Source: the rules of XLA's inliner (XGPU-32), here applied to HLO calls; XLA inlines all of those.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xshardy.affine.expressions import constant
from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import is_static, shape_of
from xshardy.dialects.stablehlo.dynamic_shapes import GetDimensionSizeOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.emitters.partition import is_too_large, roots_of
from xshardy.emitters.preparation.calls import Call, ElementFunction, callee_name
from xshardy.emitters.reads import has_reads, reads_of
from xshardy.transforms.call_graph import bottom_up

SMALL = 32
"""Operations: a function of at most so many, with all inlined into it, is inlined at each call. Chosen by us."""

MAX_COPIED = 1 << 12
"""Operations: how much larger than the program a function may become by inlining. Chosen by us."""

Prepare = Callable[[FuncOp, Mapping[str, ElementFunction]], FuncOp]
"""Clones and prepares a function, given those of its callees that stay functions."""


def element_functions(
    computation: FuncOp, functions: Mapping[str, FuncOp], prepare: Prepare
) -> dict[str, ElementFunction]:
    """
    The functions that `computation` calls, perhaps through others, and that stay functions; callees first.

    Raises `PassFailedException` for recursive calls, and if a function would grow too large by inlining those that
    cannot stay.
    """
    functions = {**functions, computation.sym_name.data: computation}
    calls = calls_below(computation, functions)
    walk = bottom_up({name: list(callees) for name, callees in calls.items()})
    if walk.recursive:
        raise PassFailedException(
            f"@{min(walk.recursive)} calls itself, perhaps through others: a kernel cannot recurse"
        )
    sites = Counter[str]()
    for callees in calls.values():
        sites.update(callees)
    own = {name: sum(1 for _ in functions[name].body.walk()) for name in calls}
    limit = sum(own.values()) + MAX_COPIED
    sizes: dict[str, int] = {}
    with_sizes = set[str]()
    found: dict[str, ElementFunction] = {}
    for name in walk.order:
        inlined = {callee: count for callee, count in calls[name].items() if callee not in found}
        sizes[name] = own[name] + sum(sizes[callee] * count for callee, count in inlined.items())
        if sizes[name] > limit:
            raise PassFailedException(_too_large(name, sizes, inlined))
        if asks_for_sizes(functions[name]) or not with_sizes.isdisjoint(calls[name]):
            with_sizes.add(name)  # the answer may be at a call
        elif sites[name] > 1 and sizes[name] > SMALL:
            prepared = prepare(functions[name], found)
            maps = element_maps_of(prepared)
            if maps is not None and prepared.function_type == functions[name].function_type:
                found[name] = ElementFunction(prepared, maps)
    return found


def asks_for_sizes(function: FuncOp) -> bool:
    """Whether `function` asks for the size of a dimension, which may be set outside of it."""
    return any(isinstance(op, GetDimensionSizeOp) for op in function.body.walk())


def _too_large(name: str, sizes: Mapping[str, int], inlined: Mapping[str, int]) -> str:
    largest = max(inlined, key=lambda callee: sizes[callee] * inlined[callee])
    return (
        f"@{name} has {sizes[name]} operations when its calls are inlined, too many for a kernel: @{largest} cannot "
        "stay a function, since it reads a parameter at several indices, in a loop or under a condition; compute "
        "what its calls share once, or outside of the kernel"
    )


def calls_below(computation: FuncOp, functions: Mapping[str, FuncOp]) -> dict[str, Counter[str]]:
    """How often `computation`, and every function of `functions` that it calls, calls each of them."""
    calls: dict[str, Counter[str]] = {}
    pending = [computation]
    while pending:
        function = pending.pop()
        if function.sym_name.data in calls:
            continue
        callees = Counter(callee_name(op) for op in function.body.walk() if isinstance(op, Call))
        known = Counter({name: count for name, count in callees.items() if name in functions})
        calls[function.sym_name.data] = known
        pending += [functions[name] for name in known]
    return calls


def element_maps_of(function: FuncOp) -> tuple[IndexingMap, ...] | None:
    """
    The map from the indices of the results of a prepared `function` to those of each parameter.

    None if the results differ in shape, or if a parameter is read at several indices, in a loop, under a condition, or
    at indices that are computed. An unused parameter gets the map to its first element.
    """
    roots = roots_of(function)
    values = (*roots, *function.body.block.args)
    if not roots or not all(isinstance(value.type, TensorType) and is_static(tensor_type(value)) for value in values):
        return None
    shape = shape_of(roots[0])
    if any(shape_of(root) != shape for root in roots) or not all(map(has_reads, function.body.block.ops)):
        return None
    found: dict[SSAValue | Operation, IndexingMap | None] = {}

    def read(value: SSAValue, at: IndexingMap | None) -> None:
        key = value.owner if isinstance(value.owner, Operation) else value
        if at is None or at.constraints or is_too_large(at) or found.get(key, at) != at:
            found[key] = None
        else:
            found[key] = at

    for root in roots:
        read(root, IndexingMap.identity(shape))
    for op in reversed(function.body.block.ops):
        if op not in found:
            continue
        for operand, step in zip(op.operands, reads_of(op), strict=True):
            is_plain = step.part is None and not step.is_repeated
            at = found[op] if is_plain else None
            read(operand, None if at is None else at.then(step.map).simplify())
    return _all_known(
        found.get(parameter, IndexingMap.from_tensor_sizes([constant(0)] * len(shape_of(parameter)), shape))
        for parameter in function.body.block.args
    )


def _all_known(maps: Iterable[IndexingMap | None]) -> tuple[IndexingMap, ...] | None:
    known = tuple(maps)
    return None if any(at is None for at in known) else tuple(at for at in known if at is not None)
