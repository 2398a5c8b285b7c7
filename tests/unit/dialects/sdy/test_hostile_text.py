"""Huge, deep and malformed text: one complaint with its place, at once, and never a traceback."""

import pytest

from xshardy.tools.xshardy_opt import run

pytestmark = pytest.mark.timeout(30)
"""Seconds. Each takes a tenth of one; those that grow faster than their text would not end in a day."""

MANY = 100_000
BEYOND_64_BITS = 2**70
MESH = 'sdy.mesh @mesh = <["a"=4, "b"=2]>\n'


def argument(sharding: str) -> str:
    return MESH + f"func.func @f(%x: tensor<8x8xf32> {{sdy.sharding = {sharding}}}) {{ return }}"


def rule(text: str) -> str:
    attribute = f"sdy.sharding_rule = #sdy.op_sharding_rule<{text}>"
    return f"func.func @f(%x: tensor<8xf32>) {{ %0 = stablehlo.tanh %x {{{attribute}}} : tensor<8xf32> return }}"


NAMED = 'sdy.named_computation<"f">() () {'
WRONG = {
    "nested parentheses": (argument('#sdy.sharding<@mesh, [{"a":' + "(" * MANY + "}]>"), "expected integer value"),
    "nested brackets": (argument("#sdy.sharding<@mesh, " + "[" * MANY + "]" * MANY + ">"), "expected '{'"),
    "nested braces": (argument("#sdy.sharding<@mesh, [" + "{" * MANY + "}" * MANY + "]>"), "expected string"),
    "nested angles": (argument("#sdy.sharding" + "<" * MANY + ">" * MANY), "expecting MeshAttr or FlatSymbolRefAttr"),
    "nested arrays": (argument("[" * MANY + "]" * MANY), "nested too deeply"),
    "nested dictionaries": (argument("{a = " * MANY + "}" * MANY), "nested too deeply"),
    "nested operations": (NAMED * MANY, "nested too deeply"),
    "axis beyond 64 bits": (f'sdy.mesh @m = <["a"={BEYOND_64_BITS}]>', "integer value too large"),
    "axis of many digits": (f'sdy.mesh @m = <["a"={"9" * MANY}]>', "integer value too large"),
    "device id beyond 64 bits": (f"sdy.mesh @m = <[], device_ids=[{BEYOND_64_BITS}]>", "integer value too large"),
    "device ids repeat": ('sdy.mesh @m = <["a"=4], device_ids=[1, 0, 1, 0]>', "sorted device ids must be iota"),
    "a few ids of many": ('sdy.mesh @m = <["a"=1000000000], device_ids=[1, 0]>', "got: 1000000000 != 2"),
    "priority": (argument(f'#sdy.sharding<@mesh, [{{"a"}}p{BEYOND_64_BITS}, {{}}]>'), "expecting integer priority"),
    "unknown mesh": (argument('#sdy.sharding<@nobody, [{"a"}, {}]>'), "unknown mesh: @nobody"),
    "sub-axis overflows": (argument('#sdy.sharding<@mesh, [{"a":(2)4}, {}]>'), "doesn't divide the size"),
    "sub-axis from 0": (argument('#sdy.sharding<@mesh, [{"a":(0)2}, {}]>'), "pre-size must be at least 1"),
    "large sub-axis": (
        argument(f'#sdy.sharding<@mesh, [{{"a":(1){BEYOND_64_BITS}}}, {{}}]>'),
        "integer value too large",
    ),
    "factor size": (rule(f"([i])->([i]) {{i={BEYOND_64_BITS}}}"), "integer value too large"),
    "factor symbol": (rule(f"([z_{'1' * MANY}])->([i]) {{i=8}}"), "expecting symbol index <=2^63-1"),
    "not closed": (argument('#sdy.sharding<@mesh, [{"a"'), "expected ']'"),
    "long string not closed": (argument('#sdy.sharding<@mesh, [{"' + "a" * MANY), "before closing string literal"),
    "string not closed": (argument('#sdy.sharding<@mesh, [{"a'), "before closing string literal"),
    "mesh without a name": (argument("#sdy.sharding<@m, [{}, {}]>") + '\n"sdy.mesh"() : () -> ()', "unknown mesh: @m"),
}


@pytest.mark.parametrize("text, complaint", WRONG.values(), ids=WRONG)
def test_one_complaint(text: str, complaint: str):
    status, out, err = run([], text)
    assert (status, out, err.count("error:")) == (1, "", 1)
    assert complaint in err.splitlines()[0]


def test_the_devices_of_a_mesh_are_never_listed():
    sizes = ", ".join(f'"{axis}"=1000000000' for axis in "abc")
    sharding = '#sdy.sharding<@m, [{"a":(1)500000000}, {"b"}], replicated={"c"}>'
    text = f"sdy.mesh @m = <[{sizes}]>\nfunc.func @f(%x: tensor<8x8xf32> {{sdy.sharding = {sharding}}}) {{ return }}"
    status, out, _ = run(["-p", "canonicalize,sdy-verify-strict"], text)
    assert status == 0 and sharding in out
