"""The text of HLO shardings: read, written, and refused with a place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.hlo_sharding import HloSharding, HloShardings, Reduction, ShardGroup, ShardGroupKind, Tiled, Uniform
from xshardy.axes.hlo_sharding_parser import HloShardingSyntaxError, parse_hlo_shardings
from xshardy.axes.hlo_sharding_text import hlo_shardings_text


@pytest.mark.parametrize(
    "text",
    [
        "{replicated}",
        "{manual}",
        "{unknown}",
        "{maximal device=3}",
        "{devices=[4,2]<=[8]}",
        "{devices=[4,2]<=[2,4]T(1,0)}",
        "{devices=[2,2]0,3,1,2}",
        "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
        "{devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}",
        '{devices=[2,2]<=[4] last_tile_dims={unreduced} metadata={op_type="sdy::reduction_op" op_name="MAX"}}',
        "{replicated shard_as 3}",
        '{devices=[2]<=[2] shard_like 0 metadata={op_name="f{\\"}"}}',
        '{manual metadata={{op_name="f"}, {op_name="g"}}}',
        "{}",
        "{{replicated}}",
        "{{replicated}, {manual}, {unknown}, {maximal device=0}, {replicated}, /*index=5*/{devices=[2]<=[2]}}",
    ],
)
def test_normalized_text_is_read_and_written_alike(text: str):
    assert hlo_shardings_text(parse_hlo_shardings(text)) == text


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("{devices=[1,1,8]<=[8] last_tile_dim_replicate}", "{replicated}"),
        ("{devices=[1,8]<=[8] last_tile_dims={manual}}", "{manual}"),
        ("{devices=[2,1]<=[2] last_tile_dim_replicate}", "{devices=[2]<=[2]}"),
        ("{devices=[2,2]<=[2,1,2]T(0,1,2)}", "{devices=[2,2]<=[4]}"),
        (
            "{devices=[2,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={replicated, replicated}}",
            "{devices=[2,4]<=[8] last_tile_dim_replicate}",
        ),
        (
            "{devices=[1,2,2,2]<=[8] last_tile_dims={replicated, manual, replicated}}",
            "{devices=[1,2,4]<=[2,2,2]T(1,0,2) last_tile_dims={manual, replicated}}",
        ),
        ("{devices=[2,2]3,1,2,0 last_tile_dim_replicate}", "{devices=[2,2]1,3,0,2 last_tile_dim_replicate}"),
        ("{ replicated  }", "{replicated}"),
    ],
)
def test_text_is_normalized_as_xla_does(text: str, normalized: str):
    assert hlo_shardings_text(parse_hlo_shardings(text)) == normalized


def test_what_is_read():
    sharding = parse_hlo_shardings("{devices=[1,2,4]<=[8] last_tile_dims={manual, replicated} shard_like 7}")
    assert isinstance(sharding, HloSharding) and isinstance(sharding.placement, Tiled)
    assert sharding.placement.subgroups == (Uniform.MANUAL, Uniform.REPLICATED)
    assert sharding.placement.rank == 1
    assert sharding.group == ShardGroup(ShardGroupKind.LIKE, 7)
    assert sharding.reduction is Reduction.SUM


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("", "expected '{'", 0),
        ("replicated", "expected '{', found 'replicated'", 0),
        ("{replicated", "expected '}'", 11),
        ("{devices=[2,3]0,1}", "2 devices are listed, but tiles of shape [2, 3] need 6", 14),
        ("{devices=[2]0,0}", "a device is listed twice", 12),
        ("{devices=[2,2]<=[8]}", "8 devices are arranged, but tiles of shape [2, 2] need 4", 14),
        ("{devices=[4]<=[2,2]T(0,0)}", "[0, 0] does not reorder the 2 dimensions", 12),
        ("{devices=[0]<=[0]}", "a sharding of 0 devices", 9),
        ("{devices=[99999999]<=[99999999]}", "a sharding of 99999999 devices", 9),
        ("{devices=[2]<=[-2]}", "expected a number of devices or of one device, found '-2'", 15),
        ("{devices=[2]<=[2] replicated}", "expected one of replicated, manual", 1),
        ("{shard_as 3}", "expected one of replicated, manual, unknown, unreduced, maximal and devices=, found none", 1),
        ("{maximal}", "a maximal sharding names its device", 1),
        ("{replicated device=3}", "a maximal sharding names its device", 1),
        ("{devices=[2]<=[2] last_tile_dims={manual, manual}}", "2 subgroups need as many dimensions", 1),
        ("{devices=[2]<=[2] last_tile_dims={other}}", "expected one of manual, unreduced, replicated", 34),
        ("{sharded}", "expected a property of a sharding, such as 'replicated'", 1),
        ("{replicated} x", "unexpected 'x' after the sharding", 13),
        ("{{replicated} {manual}}", "expected ',', found '{'", 14),
        ("{replicated metadata={op_name=", "expected '}' after metadata", 30),
    ],
)
def test_text_that_is_no_sharding(text: str, message: str, position: int):
    with pytest.raises(HloShardingSyntaxError) as caught:
        parse_hlo_shardings(text)
    assert message in caught.value.message
    assert caught.value.position == position


@given(st.text(alphabet='{}[]()<=T, "replicatdevis0123456789_', max_size=40))
def test_any_text_is_read_or_refused(text: str):
    try:
        shardings: HloShardings = parse_hlo_shardings(text)
    except HloShardingSyntaxError:
        return
    assert parse_hlo_shardings(hlo_shardings_text(shardings)) == shardings
