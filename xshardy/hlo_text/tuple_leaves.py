"""The leaves of tuples: what is in them that is no tuple, and the attributes of each."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, TupleType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.hlo import LAYOUT, MEMORY
from xshardy.dialects.hlo.annotation_names import SHARDING
from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.stablehlo import GetTupleElementOp, TupleOp
from xshardy.hlo_text.names import NAME
from xshardy.hlo_text.shardings.hlo_sharding_parser import leaf_texts
from xshardy.hlo_text.tuples import leaf_types

Tree: TypeAlias = "SSAValue | tuple[Tree, ...]"
"""A value, or the elements of a tuple."""


def all_leaf_types(types: Sequence[Attribute]) -> Iterator[Attribute]:
    """The types in `types` that are not tuples, with tuples flattened."""
    return chain.from_iterable(map(leaf_types, types))


def leaves(tree: Tree) -> Iterator[SSAValue]:
    """The values in `tree`, in order."""
    if isinstance(tree, SSAValue):
        yield tree
    else:
        for part in tree:
            yield from leaves(part)


def tree_from_leaves(type: Attribute, values: Iterator[SSAValue]) -> Tree:
    """A tree with the structure of `type`, filled from `values`."""
    if isinstance(type, TupleType):
        return tuple(tree_from_leaves(part, values) for part in elements(type))
    return next(values)


def resolved(value: SSAValue) -> SSAValue:
    """`value`, or the element that it denotes if it is an element of a tuple built in this function."""
    while isinstance(owner := value.owner, GetTupleElementOp):
        whole = resolved(owner.operand).owner
        if not isinstance(whole, TupleOp):
            break
        value = whole.operands[owner.index.value.data]
    return value


def tree_of(value: SSAValue) -> Tree:
    """The tree of `value`: a tuple built in the function is the tree of its elements."""
    value = resolved(value)
    return tuple(map(tree_of, value.owner.operands)) if isinstance(value.owner, TupleOp) else value


def build_tuple(tree: Tree, type: Attribute, place: InsertPoint, rewriter: PatternRewriter) -> SSAValue:
    """Build the tuple of `tree` for users that need the whole tuple; erased if there are none."""
    if isinstance(tree, SSAValue):
        return tree
    parts = [build_tuple(part, inner, place, rewriter) for part, inner in zip(tree, elements(type), strict=True)]
    return rewriter.insert(TupleOp(parts), place).result


def flatten(value: SSAValue, before: Operation, rewriter: PatternRewriter) -> list[SSAValue]:
    """The values in `value`, a use of `before`. Elements of a tuple that is not dissolved are extracted before it."""
    found: list[SSAValue] = []
    for leaf in leaves(tree_of(value)):
        if not isinstance(leaf.type, TupleType):
            found.append(leaf)
            continue
        for i in range(len(leaf.type.types.data)):
            element = rewriter.insert(GetTupleElementOp(leaf, i), InsertPoint.before(before))
            found += flatten(element.result, before, rewriter)
    return found


def of_whole(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """The attributes of a value that is a tuple which each of its leaves has too."""
    return {name: value for name, value in attributes.items() if name not in (LAYOUT, MEMORY, SHARDING, NAME)}


def leaf_attributes(type: Attribute, attributes: DictionaryAttr) -> list[DictionaryAttr]:
    """The attributes of each leaf of an argument or result of `type` with `attributes`; its own if it is no tuple."""
    if not isinstance(type, TupleType):
        return [attributes]
    count = len([*leaf_types(type)])
    leaves: list[dict[str, Attribute]] = [{} for _ in range(count)]
    for name in (LAYOUT, MEMORY):
        if isinstance(entries := attributes.data.get(name), ArrayAttr):
            for leaf, entry in zip(leaves, cast(ArrayAttr[Attribute], entries), strict=True):
                leaf[name] = entry
    if isinstance(sharding := attributes.data.get(SHARDING), StringAttr):
        texts = leaf_texts(sharding.data, count)
        if len(texts) != count:
            raise PassFailedException(f"the sharding {sharding.data} has {len(texts)} parts, its value {count}")
        for leaf, text in zip(leaves, texts, strict=True):
            leaf[SHARDING] = StringAttr(text)
    absent = (StringAttr(""), UnitAttr())
    return [DictionaryAttr({name: value for name, value in leaf.items() if value not in absent}) for leaf in leaves]
