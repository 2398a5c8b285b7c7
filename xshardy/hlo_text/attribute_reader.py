"""Reader of the attributes of instructions of HLO text: `, key=value, ...` after the operands."""

from typing import Any, cast

from xdsl.dialects.builtin import StringAttr

from xshardy.hlo_text.annotations import ANNOTATIONS
from xshardy.hlo_text.fields import ComputationName, read_computation
from xshardy.hlo_text.opcode import Opcode
from xshardy.hlo_text.scope import Attributes, Scope
from xshardy.hlo_text.undefined import undefined_computation

ANONYMOUS = "_"
"""The name of a computation that the text does not name, as in XLA."""
NAME_IT = "write it as an instruction of its own: `name = shape opcode(...), attribute=...`"


class AttributeReader:
    """Reads the attributes of the instructions of one computation, called `name`."""

    def __init__(self, scope: Scope, name: str):
        self.scope = scope
        self.name = name
        self.tokens = scope.tokens

    def read_fields(
        self,
        opcode: str,
        row: Opcode,
        at: int | None = None,
        skipped: frozenset[str] = frozenset(),
        *,
        is_nested: bool = False,
    ) -> tuple[dict[str, Any], Attributes]:
        """
        `, key=value, ...`: attributes of the opcode, and annotations.

        Attributes in `skipped` are ignored. An instruction that is an operand has none.
        """
        tokens = self.tokens
        fields: dict[str, Any] = {}
        kept: Attributes = {}
        while not is_nested and tokens.accept(","):
            key_at = tokens.index
            key = tokens.take("name", "an attribute")
            tokens.expect("=")
            if key in fields or (kept and key in ANNOTATIONS and ANNOTATIONS[key].attribute in kept):
                raise tokens.error(f"{opcode}: attribute '{key}' is given twice", "remove one of the two", key_at)
            if (read := row.readers.get(key)) is not None:
                is_body = read is read_computation and tokens.text == "{"
                value = fields[key] = self.read_anonymous() if is_body else read(tokens)
                if isinstance(value, ComputationName):
                    self.check_computation(value)
                elif type(value) is tuple:
                    for part in cast(tuple[object, ...], value):
                        if isinstance(part, ComputationName):
                            self.check_computation(part)
            elif (annotation := ANNOTATIONS.get(key)) is not None:
                kept[annotation.attribute] = annotation.read(tokens)
            elif key in skipped:
                self.read_raw()
            else:
                allowed = ", ".join(sorted(row.readers)) or "no attributes of its own"
                raise tokens.error(f"{opcode}: unknown attribute '{key}'", f"{opcode} takes {allowed}", key_at)
        if missing := row.required - fields.keys():
            raise tokens.error(
                f"{opcode}: attribute '{min(missing)}' is missing",
                NAME_IT if is_nested else f"write `{min(missing)}=...` after the operands",
                at,
            )
        return fields, kept

    def read_anonymous(self) -> ComputationName:
        """`{ instructions }`, a computation without a name that this instruction applies."""
        scope, at = self.scope, self.tokens.index
        if self.tokens.kinds[at + 1] == "name" and self.tokens.texts[at + 2] == "}":
            name = self.tokens.texts[at + 1]
            hint = f"a name stands alone: write {name} without braces, which hold the instructions of a computation"
            raise self.tokens.error("expected instructions, found a name", hint, at + 1)
        with scope.nested():
            function, root = scope.read_computation(scope, ANONYMOUS)
        function.sym_name = StringAttr(scope.free_name(ANONYMOUS))
        scope.define(function, root, at)
        return ComputationName(function.sym_name.data, at)

    def check_computation(self, callee: ComputationName) -> None:
        """Raise `HLOError` if a called computation has not been read yet."""
        if callee.name not in self.scope.functions:
            raise undefined_computation(self.tokens, callee, self.name)

    def read_raw(self) -> str:
        """The value of an attribute, as written."""
        tokens = self.tokens
        start = tokens.index
        tokens.take_raw()
        while tokens.text in ("[", "(", "{", "<=", "->", "T"):
            tokens.take_raw()
        return tokens.raw_text(start)
