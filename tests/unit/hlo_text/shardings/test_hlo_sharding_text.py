"""The text of HLO shardings: read, written, and refused with a place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xshardy.hlo_text.shardings.hlo_sharding import (
    HloSharding,
    HloShardings,
    Reduction,
    ShardGroup,
    ShardGroupKind,
    Tiled,
    Uniform,
)
from xshardy.hlo_text.shardings.hlo_sharding_parser import parse_hlo_shardings
from xshardy.hlo_text.shardings.hlo_sharding_text import hlo_shardings_text
from xshardy.hlo_text.shardings.hlo_sharding_tokens import HloShardingSyntaxError


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
        "{mesh['a'=2,'b'=4], [{'a'}, {'b', ?}]}",
        "{mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)), [{'b':(2)2, 'a'}, {?}], replicated={'b':(1)2}}",
        "{mesh['a'=2,'b'=2], device_ids=(3,1,2,0), [{}, {}], unreduced={'a'}, manual={'b'}}",
        "{mesh['a'=2], [{'a'}], metadata={op_name=\"f\"}}",
        '{mesh[\'a\'=2], unreduced, metadata={op_type="sdy::reduction_op" op_name="MAX"}}',
        "{mesh['a'=2], replicated}",
        "{mesh['a'=2], manual}",
        "{mesh['a'=2,'b'=2], [], manual={'a'}}",
        "{mesh[], replicated}",
        "{maximal_mesh[device_id=3]}",
        "{{mesh['a{,'=2], [{'a{,'}]}, {replicated}}",
        "{mesh['it\\'s'=2], [{'it\\'s'}]}",
    ],
)
def test_normalized_text_is_read_and_written_alike(text: str):
    assert hlo_shardings_text(parse_hlo_shardings(text)) == text


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("{devices=[1,1,8]<=[8] last_tile_dim_replicate}", "{replicated}"),
        ("{devices=[1,8]<=[8] last_tile_dims={manual}}", "{manual}"),
        ("{devices=[1,1,8]<=[8] last_tile_dims={replicated, manual}}", "{manual}"),
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
        ("{mesh[a=2, \"b c\"=4],[{a} , {'b c'}], replicated={}}", "{mesh['a'=2,'b c'=4], [{'a'}, {'b c'}]}"),
        ("{mesh['a'=2], [], unreduced={'a'}}", "{mesh['a'=2], unreduced}"),
        ("{mesh['a'=2] [{'a'}, {}]}", "{mesh['a'=2], [{'a'}, {}]}"),
        ("{mesh['a'=2,'b'=2], device_ids=(0,2,1,3) [{'b'}]}", "{mesh['a'=2,'b'=2], device_ids=(0,2,1,3), [{'b'}]}"),
        ("{{mesh['a'=2] unreduced}, {mesh['a'=2] manual}}", "{{mesh['a'=2], unreduced}, {mesh['a'=2], manual}}"),
        ("{mesh['a'=2,'b'=4], [{'1':(1)2, '0'}, {'b':(2)2}]}", "{mesh['a'=2,'b'=4], [{'b':(1)2, 'a'}, {'b':(2)2}]}"),
        ("{mesh['1'=2,'0'=4], [{'1'}]}", "{mesh['1'=2,'0'=4], [{'1'}]}"),
        ("{mesh['a'=2,'b'=2], device_ids=([4]T(0)), [], manual={}}", "{mesh['a'=2,'b'=2], replicated}"),
        ("{mesh['a'=4], [{'a':(1)4}]}", "{mesh['a'=4], [{'a'}]}"),
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
    ("named", "tiles"),
    [
        ("{mesh['a'=2,'b'=4], [{'a'}, {?}]}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"),
        (
            "{mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)), [{'b'}]}",
            "{devices=[4,2]<=[8] last_tile_dim_replicate}",
        ),
        (
            "{mesh['a'=2,'b'=4], [{}], manual={'b'}}",
            "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual, replicated}}",
        ),
        ("{mesh['a'=2,'b'=4], unreduced}", "{unreduced}"),
        ("{mesh[], replicated}", "{replicated}"),
        ("{maximal_mesh[device_id=3]}", "{maximal device=3}"),
    ],
)
def test_what_names_of_axes_mean_for_devices(named: str, tiles: str):
    by_name, by_tiles = parse_hlo_shardings(named), parse_hlo_shardings(tiles)
    assert isinstance(by_name, HloSharding) and isinstance(by_tiles, HloSharding)
    found, expected = by_name.placement, by_tiles.placement
    if isinstance(found, Tiled) and isinstance(expected, Tiled):
        assert found.subgroups == expected.subgroups
        assert found.tiles.shape == expected.tiles.shape and found.tiles.devices() == expected.tiles.devices()
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("", "expected '{'", 0),
        ("replicated", "expected '{', found 'replicated'", 0),
        ("{replicated", "expected '}'", 11),
        ("{devices=[2,3]0,1}", "2 devices are listed, but tiles of shape [2, 3] need 6", 14),
        ("{devices=[2]0,0}", "a device is listed twice", 12),
        ("{devices=[2,2]<=[8]}", "8 devices are arranged, but tiles of shape [2, 2] need 4", 14),
        ("{devices=[4]<=[2,2]T(0,0)}", "[0, 0] does not reorder the 2 dimensions", 14),
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
        ("{mesh['a'=2], [{'c'}]}", "the mesh has no axis 'c': its axes are 'a'", 16),
        ("{mesh['a'=2], [{'1'}]}", "the mesh has no axis '1': its axes are 'a'", 16),
        ("{mesh['a'=2] replicated={'a'}}", "expected", 23),
        ("{mesh[], [{'c'}]}", "the mesh has no axis 'c': its axes are none", 11),
        ("{mesh['a'=2,'a'=4], [{'a'}]}", "the mesh has two axes 'a'", 1),
        ("{mesh[''=2,''=4], []}", "the mesh has two axes ''", 1),
        ("{mesh['a'=0], [{'a'}]}", "an axis of the mesh has no devices", 1),
        ("{mesh['a'=99999999], [{'a'}]}", "a mesh of 99999999 devices", 1),
        ("{mesh[2], [{'a'}]}", "expected the name of an axis in quotes, found '2'", 6),
        ("{mesh['a'=2], device_ids=(0,1,2), [{'a'}]}", "3 devices for a mesh of 2", 26),
        ("{mesh['a'=2], device_ids=(0,2), [{'a'}]}", "the devices of the mesh are not 0 to 1", 1),
        ("{mesh['a'=4], device_ids=([2,2]T(0,0)), [{'a'}]}", "[0, 0] does not reorder the 2 dimensions", 26),
        ("{mesh['a'=2], [{'a', 'a'}]}", "'a' and 'a' have devices in common", 1),
        ("{mesh['a'=2], [{'a'}], unreduced={'a'}}", "'a' and 'a' have devices in common", 1),
        ("{mesh['a'=8], [{'a':(1)4}, {'a':(2)2}]}", "'a':(1)4 and 'a':(2)2 have devices in common", 1),
        ("{mesh['a'=8], [{'a':(1)2, 'a':(2)2}]}", "parts of an axis that follow each other are one part", 1),
        ("{mesh['a'=6], [{'a':(1)4}]}", "'a':(1)4 is no part of an axis of 6", 1),
        ("{mesh['a'=6], [{'a':(0)2}]}", "a part of an axis starts at 1 or later", 16),
        ("{mesh['a'=2,'b'=2], [], manual={'b','a'}}", "the manual axes are not in the order of the mesh", 1),
        ("{mesh['a'=2], [], manual={'a'}, manual={}}", "the manual axes are named twice", 38),
        ("{mesh['a'=2], [{?, 'a'}]}", "expected '}', found ','", 17),
        ("{mesh['a'=2]}", "expected '[', found '}'", 12),
        ("{mesh['a'=2], [{'a'}], foo={'a'}}", "expected 'metadata', found 'foo'", 23),
        ("{maximal_mesh[device_id=3], [{}]}", "expected 'metadata', found '['", 28),
    ],
)
def test_text_that_is_no_sharding(text: str, message: str, position: int):
    with pytest.raises(HloShardingSyntaxError) as caught:
        parse_hlo_shardings(text)
    assert message in caught.value.message
    assert caught.value.position == position


@given(
    st.text(alphabet='{}[]()<=T, "replicatdevis0123456789_', max_size=40)
    | st.text(alphabet="{}[]()=:?, 'ab0123", max_size=30).map("{{mesh['a'=2,'b'=4], [{}".format)
)
def test_any_text_is_read_or_refused(text: str):
    try:
        shardings: HloShardings = parse_hlo_shardings(text)
    except HloShardingSyntaxError:
        return
    assert parse_hlo_shardings(hlo_shardings_text(shardings)) == shardings
