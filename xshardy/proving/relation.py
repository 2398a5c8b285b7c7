"""Relations that a user writes down: which part of each argument and result the program of a device has."""

import tomllib
from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.hints import isa

from xshardy.dialects.function_attributes import add_argument_attributes, add_result_attributes
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.sdy.verification import verify_sharding
from xshardy.programs.errors import InputError
from xshardy.syntax.parser import Parser
from xshardy.transforms.sdy.main_function import main_function


def relate(module: ModuleOp, text: str, name: str, context: Context) -> None:
    """
    Give the main function of `module` the shardings that the TOML file `name` has, in place.

    `mesh` is a mesh of sdy; `arguments` and `results` are lists of shardings, as `sdy` writes them after the name of a
    mesh. A summand of a tensor is `[{}], unreduced={"x"}`. Raises `InputError`.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: error: {error}") from None
    if unknown := found.keys() - {"mesh", "arguments", "results"}:
        raise InputError(f"{name}: error: unknown key {sorted(unknown)[0]}: a relation has mesh, arguments and results")
    main = main_function(module)
    mesh = found.get("mesh", "")
    types = main.function_type
    for key, whole, add in (
        ("arguments", types.inputs.data, add_argument_attributes),
        ("results", types.outputs.data, add_result_attributes),
    ):
        shardings, count = found.get(key, []), len(whole)
        if not isa(shardings, list[str]):
            raise InputError(
                f"{name}: error: {key} is no list of strings: write {key} = ['[{{\"x\"}}, {{}}]'], one string each"
            )
        if len(shardings) != count:
            raise InputError(
                f"{name}: error: {len(shardings)} {key}, but @{main.sym_name.data} has {count}: one line each"
            )
        parsed = [
            _sharding(mesh, each, type, f"{name}: error: {key} {number}", main, context)
            for number, (each, type) in enumerate(zip(shardings, whole, strict=True))
        ]
        add(main, {number: {SHARDING: sharding} for number, sharding in enumerate(parsed)})


def _sharding(mesh: str, text: str, type: Attribute, place: str, main: FuncOp, context: Context) -> TensorShardingAttr:
    try:
        found = Parser(context, f"#sdy.sharding<mesh{mesh}, {text}>").parse_attribute()
        assert isinstance(found, TensorShardingAttr)
        verify_sharding(found, type, main)
    except (ParseError, VerifyException) as error:
        raise InputError(
            f"{place}: {text} over the mesh {mesh} is no sharding of sdy: {_last_line(str(error))}"
        ) from None
    return found


def _last_line(text: str) -> str:
    lines: Sequence[str] = [line.strip(" ^") for line in text.splitlines() if line.strip(" ^")]
    return lines[-1] if lines else text
