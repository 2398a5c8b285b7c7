"""The table of annotations that `xshardy auto` prints."""

import pytest

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.planning.auto.reasons import AnnotationKind, FoundAnnotation
from xshardy.tools.auto import merged

WHOLE, OTHER = (TensorShardingAttr.fully_closed(mesh, 1) for mesh in ("mesh", "other"))


def row(
    tensor: str,
    second_best: float | None = 1.0,
    *,
    sharding: TensorShardingAttr = WHOLE,
    kind: AnnotationKind = AnnotationKind.ARGUMENT,
) -> FoundAnnotation:
    return FoundAnnotation(kind, tensor, "", "", sharding, second_best, count=1)


LAYERS = (
    row("argument 0 (p[0]['layers'][0]['w'])", 3.0),
    row("argument 2 (p[0]['layers'][10]['w'])", 2.0),
    row("argument 4 (p[0]['layers'][2]['w'])", None),
)


def test_arguments_of_layers_are_one_row_with_the_least_loss():
    (one,) = merged(LAYERS)
    assert (one.tensor, one.count, one.second_best) == ("p[0]['layers'][*]['w']", 3, 2.0)


@pytest.mark.parametrize("name", ["p['layer {}']['w']", "p['Block_{}'].kernel", "p.layers_{}.kernel", "p['h.{}.w']"])
def test_numbers_in_names_of_layers(name: str):
    (one,) = merged([row(f"argument {number} ({name.format(number)})") for number in range(3)])
    assert (one.tensor, one.count) == (name.format("*"), 3)


def test_a_row_stands_where_the_first_argument_does():
    between = row("argument 1 (x)")
    assert [each.tensor for each in merged((LAYERS[0], between, LAYERS[1]))] == [
        "p[0]['layers'][*]['w']",
        "argument 1 (x)",
    ]


@pytest.mark.parametrize(
    "other",
    [
        row("argument 2 (p[0]['layers'][1]['b'])"),
        row("argument 2 (p[0]['layers'][1]['w'])", sharding=OTHER),
        row("argument 2 (p[0]['layers'][1]['w'])", kind=AnnotationKind.PRODUCED),
    ],
)
def test_other_rows_stay(other: FoundAnnotation):
    assert merged((LAYERS[0], other)) == [LAYERS[0], other]


def test_arguments_without_indices_stay():
    rows = [
        row("argument 0 (x)"),
        row("argument 1 (x)"),
        row("argument 2"),
        row("argument 3"),
        row("argument 4 (w_1)"),
        row("argument 5 (w_2)"),
    ]
    assert merged(rows) == rows
