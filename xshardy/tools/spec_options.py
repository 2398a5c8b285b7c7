"""The options of passes and targets, in braces behind the name: `ptx{opt_level=2}`."""

from collections.abc import Mapping
from typing import Any, TypeVar

from xdsl.passes import get_pass_option_infos
from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible

from xshardy.syntax.close_names import did_you_mean

Configured = TypeVar("Configured", bound=ArgSpecConvertible)


def with_options(what: str, kind: type[Configured], spec: ArgSpec) -> Configured:
    """
    The `what`, a pass or target of this kind, with the options of `spec`.

    Raises `ValueError` that names an option which is unknown, or whose value is wrong.
    """
    as_fields: Any = kind  # xDSL reads the fields of any dataclass, but says that it takes passes only
    expected = {_dashed(option.name): option.expected_type for option in get_pass_option_infos(as_fields)}
    for name in spec.parameters:
        if _dashed(name) not in expected:
            listed = f"its options are {', '.join(expected)}" if expected else "it has none"
            hint = did_you_mean(name, expected, f": {listed}")
            raise ValueError(f"{what} '{spec.name}' has no option '{name}'{hint}")
    try:
        return kind.from_spec(spec)
    except ValueError as error:
        raise ValueError(f"{what} '{spec.name}': {_in_words(error, spec, expected)}") from error


def _dashed(name: str) -> str:
    """`opt_level` -> `opt-level`: both are taken."""
    return name.replace("_", "-")


_VALUES: Mapping[str, str] = {
    "bool": "true or false",
    "int": "an integer",
    "float": "a number",
    "str": "one word or text",
}
"""The values that an option of a type takes."""


def _in_words(error: ValueError, spec: ArgSpec, expected: Mapping[str, str]) -> str:
    """
    `given ('maybe',), expected <class 'bool'>` -> `option 'a' is true or false, not maybe`; other errors as they are.

    `expected` is the type of each option.
    """
    for name, values in spec.parameters.items():
        kind = expected[_dashed(name)].partition("|")[0].strip()
        what = _VALUES.get(kind)
        of_xdsl = tuple(f"given {values}, expected {a_type}" for a_type in (f"<class '{kind}'>", f"{kind} | None"))
        if what is not None and str(error).endswith(of_xdsl):
            return f"option '{name}' is {what}, not {','.join(map(str, values)) or 'empty'}"
    return str(error)
