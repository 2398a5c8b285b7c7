"""
The text of HLO shardings: `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`, `{{replicated}, {maximal device=3}}`.

`hlo_shardings_text` and `parse_hlo_shardings` of `hlo_sharding_parser.py` are inverse, up to `HloSharding.normalized`.
"""

from collections.abc import Iterator, Sequence

from xshardy.hlo_text.shardings.hlo_sharding import (
    HloSharding,
    HloShardings,
    OneDevice,
    Placement,
    Reduction,
    Tiled,
    Uniform,
)
from xshardy.hlo_text.shardings.named_sharding import named_sharding_text
from xshardy.hlo_text.shardings.tiles import Iota, listed

REDUCTION_TYPE = 'op_type="sdy::reduction_op"'
"""How the metadata of a sharding starts that name the reduction of its unreduced part."""


def hlo_shardings_text(shardings: HloShardings) -> str:
    """The text of a sharding, or of a tuple of shardings, as XLA prints it."""
    if isinstance(shardings, HloSharding):
        return hlo_sharding_text(shardings)
    return "{" + "".join(_separated(map(hlo_sharding_text, shardings))) + "}"


def _separated(texts: Iterator[str]) -> Iterator[str]:
    """With commas between them, and the index before every fifth: `{replicated}, /*index=5*/{replicated}`."""
    for index, text in enumerate(texts):
        yield (", " if index else "") + (f"/*index={index}*/" if index and index % 5 == 0 else "") + text


def hlo_sharding_text(sharding: HloSharding) -> str:
    """The text of one sharding, as XLA prints it. Precondition: it is normalized."""
    entries = list(sharding.metadata)
    # The newest XLA writes sums too; all versions read a sum where nothing is written.
    if sharding.reduction is not Reduction.SUM:
        entries.append(f'{REDUCTION_TYPE} op_name="{sharding.reduction.value}"')
    if sharding.named is not None:
        return "{" + ", ".join((named_sharding_text(sharding.named), *_metadata_text(entries))) + "}"
    parts = [_placement_text(sharding.placement)]
    if sharding.group is not None:
        parts.append(f"{sharding.group.kind.value} {sharding.group.number}")
    return "{" + " ".join((*parts, *_metadata_text(entries))) + "}"


def _metadata_text(entries: Sequence[str]) -> Iterator[str]:
    """`metadata={op_name="f"}`, if there are entries."""
    if entries:
        yield f"metadata={{{entries[0] if len(entries) == 1 else ', '.join(f'{{{entry}}}' for entry in entries)}}}"


def _placement_text(placement: Placement) -> str:
    match placement:
        case Uniform():
            return placement.value
        case OneDevice(device):
            return f"maximal device={device}"
        case Tiled(tiles, subgroups):
            text = f"devices=[{listed(tiles.shape)}]{_order_text(tiles.order)}"
            if subgroups == (Uniform.REPLICATED,):
                return f"{text} last_tile_dim_replicate"
            return f"{text} last_tile_dims={{{', '.join(kind.value for kind in subgroups)}}}" if subgroups else text


def _order_text(order: Iota | tuple[int, ...]) -> str:
    return f"<={order.text}" if isinstance(order, Iota) else listed(order)
