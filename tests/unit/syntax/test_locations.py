"""Locations are read when they are asked for, and named as the user's program does."""

import pytest
from hypothesis import given
from hypothesis.strategies import SearchStrategy, builds, deferred, integers, lists, none, one_of, sampled_from
from xdsl.dialects.builtin import UNKNOWN_LOC, FileLineColLoc, FusedLoc, LocationAttr, ModuleOp, NameLoc, StringAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError

from xshardy.rewriting.locations import fused
from xshardy.syntax import parse_module, print_module
from xshardy.syntax.locations import file_and_line, given_name, location_of
from xshardy.syntax.locations.text import TextLocation
from xshardy.syntax.locations.values import call_site, named, place_in_file

RETURN = "func.func @f() {{ func.return loc({}) }}\n{}"


def return_of(module: ModuleOp) -> Operation:
    return next(op for op in module.walk() if op.name == "func.return")


def read(text: str, aliases: str = "") -> LocationAttr:
    return location_of(return_of(parse_module(RETURN.format(text, aliases))))


def test_a_location_is_not_read_before_it_is_asked_for():
    op = return_of(parse_module(RETURN.format("#loc1", '#loc1 = loc("a":1:2)')))
    assert isinstance(op.location, TextLocation) and op.location._value is None  # pyright: ignore
    assert isinstance(location_of(op), FileLineColLoc)
    assert op.location._value is not None  # pyright: ignore


def test_operations_share_the_location_of_an_alias():
    module = parse_module('func.func @f() { func.return loc(#loc1) } loc(#loc1)\n#loc1 = loc("a":1:2)')
    assert len({id(op.location) for op in module.walk() if not isinstance(op, ModuleOp)}) == 1


def test_a_chain_of_any_length():
    count = 3000
    aliases = '#l0 = loc("f.py":1:2)\n' + "".join(f'#l{i + 1} = loc("n{i}"(#l{i}))\n' for i in range(count))
    module = parse_module(RETURN.format(f"#l{count}", aliases))
    assert file_and_line(location_of(return_of(module))) == "f.py:1"


def test_the_text_of_a_line_is_a_template_whatever_its_location():
    lines = "\n".join(f'  %{i + 1} = arith.addi %{i}, %{i} : i32 loc("f.py":{i}:1)' for i in range(5))
    text = f"func.func @f() {{\n  %0 = arith.constant 1 : i32\n{lines}\n  func.return\n}}\n"
    places = [file_and_line(location_of(op)) for op in parse_module(text).walk() if op.name == "arith.addi"]
    assert places == [f"f.py:{i}" for i in range(5)]


def test_loc_in_a_comment_or_a_string_is_none():
    text = 'func.func @f() {\n  func.return {a = "x loc(#nope)"} // loc(#nope)\n}\n'
    assert return_of(parse_module(text)).location is UNKNOWN_LOC


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('"/home/me/model.py":42:7', "model.py:42"),
        ('"jit(f)/add"("model.py":42:7 to :9)', "model.py:42"),
        ('callsite("layer"("model.py":3:1) at "main"("train.py":9:2))', "model.py:3"),
        ('fused["a", "model.py":5:1]', "model.py:5"),
        ('"add"', None),
        ("unknown", None),
    ],
)
def test_the_place_is_the_innermost_one(text: str, place: str | None):
    assert file_and_line(read(text)) == place


def test_a_location_may_be_around_another_as_xdsl_prints_it():
    text = 'module {{ "test.op"() : () -> () loc(fused[{}, "b"]) }}'
    around, plain = (next(iter(parse_module(text.format(part)).ops)) for part in ('loc("a")', '"a"'))
    assert location_of(around) == location_of(plain) == fused([named("a"), named("b")])


def test_only_a_plain_name_is_that_of_an_argument():
    assert given_name(read("\"p['emb']\"")) == "p['emb']"
    assert given_name(read('"jit(f)"("f.py":1:2)')) is None
    assert given_name(read('"f.py":1:2')) is None
    assert given_name(read('""')) is None


TEXTS = sampled_from(["f.py", "jit(f)/add", "p['emb']", 'a"b\\c', "ä\n\t"])
NUMBERS = integers(0, 9)
LEAVES = one_of(
    builds(lambda name: named(name), TEXTS),
    builds(place_in_file, TEXTS, NUMBERS, NUMBERS, none(), none() | NUMBERS),
    builds(place_in_file, TEXTS, NUMBERS, NUMBERS, NUMBERS, NUMBERS),
)
LOCATIONS: SearchStrategy[LocationAttr] = deferred(
    lambda: one_of(
        LEAVES,
        builds(named, TEXTS, LOCATIONS),
        builds(call_site, LOCATIONS, LOCATIONS),
        builds(fused, lists(LOCATIONS, max_size=3), none() | builds(StringAttr, TEXTS)),
    )
)


@given(lists(LOCATIONS, min_size=1, max_size=4))
def test_what_is_printed_is_read_back(locations: list[LocationAttr]):
    module = parse_module("func.func @f(%x: i32) { func.return }")
    function, end = list(module.walk())[1:]
    function.location, end.location = locations[0], locations[-1]
    function.regions[0].block.args[0].location = locations[len(locations) // 2]
    text = print_module(module, debug_info=True)
    again = parse_module(text)
    assert print_module(again, debug_info=True) == text
    assert print_module(again) == print_module(module)
    assert str(location_of(list(again.walk())[1])) == str(locations[0])
    assert str(location_of(list(again.walk())[2])) == str(locations[-1])


WORDS = [
    '"a"',
    "#loc1",
    "#loc2",
    "callsite(",
    " at ",
    "fused",
    "[",
    "]",
    ")",
    ",",
    ":",
    "1",
    " to ",
    "unknown",
    "<",
    ">",
]


@given(lists(sampled_from(WORDS), max_size=8))
def test_any_text_is_a_location_or_a_diagnostic(words: list[str]):
    try:
        location = read("".join(words), '#loc1 = loc("a":1:2)')
    except ParseError:
        return
    assert str(location)


def test_names_and_fused_locations_are_xdsl_s():
    assert isinstance(read('"a"("b")'), NameLoc)
    assert isinstance(read('fused["a", "b"]'), FusedLoc)
