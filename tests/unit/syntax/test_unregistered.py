"""Names of operations, attributes and types that no dialect has: the diagnostic says which ones look like them."""

import pytest
from xdsl.utils.exceptions import ParseError

from xshardy.syntax import parse_module

OPERATIONS = {
    "stablehlo.tnah": ": did you mean stablehlo.tanh",
    "stabelhlo.tanh": ": did you mean stablehlo.tanh",
    "stablehlo.dot_genral": ": did you mean stablehlo.dot_general",
    "sdy.shardingconstraint": ": did you mean sdy.sharding_constraint",
    "stablehlo.xyzzy_quux": ": no dialect here has it",
    "retrun": ": did you mean return",
    "xyzzy": ": no dialect here has it",
    "nowhere.tanh": ": no dialect here has it",
    "mhlo.dot_general": ": it is stablehlo.dot_general today",
    "mhlo.xyzzy_quux": ": no dialect here has it",
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("form", ["{}", '"{}"'], ids=["custom", "generic"])
def test_an_operation(name: str, form: str):
    text = f"func.func @main(%x: tensor<4xf32>) {{\n  {form.format(name)}(%x) : (tensor<4xf32>) -> ()\n}}"
    with pytest.raises(ParseError) as caught:
        parse_module(text, "m.mlir")
    assert f"operation '{name}' is not registered{OPERATIONS[name]}" in caught.value.msg
    assert caught.value.span.text.strip('"') == name


ATTRIBUTES = {
    "#sdy.shardnig<@mesh, [{}]>": "'sdy.shardnig' is not registered: did you mean sdy.sharding",
    "#stablehlo.chanel_handle<handle = 1, type = 1>": "registered: did you mean stablehlo.channel_handle",
    "#stabelhlo.channel_handle<handle = 1, type = 1>": "registered: did you mean stablehlo.channel_handle",
    "#sdy<shardnig<@mesh, [{}]>>": "'sdy.shardnig' is not registered: did you mean sdy.sharding",
    "#sdy.xyzzy<1>": "'sdy.xyzzy' is not registered: no dialect here has it",
    "!stablehlo.tokn": "'stablehlo.tokn' is not registered: did you mean stablehlo.token",
}


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_an_attribute_or_type(text: str):
    with pytest.raises(ParseError) as caught:
        parse_module(f'"builtin.unrealized_conversion_cast"() {{a = {text}}} : () -> ()')
    assert ATTRIBUTES[text] in caught.value.msg
