"""Which of the modules in a file is its program."""

from xdsl.dialects.builtin import ModuleOp, StringAttr

from xshardy.programs.errors import InputError
from xshardy.programs.source import Source
from xshardy.rewriting.walk import operations_of
from xshardy.syntax.close_names import did_you_mean
from xshardy.transforms.call_graph import functions_of

PUBLIC = StringAttr("public")
"""The visibility of a module that other files may use, also of one without a visibility."""


def program_in(module: ModuleOp, source: Source) -> ModuleOp:
    """
    The program in what was read from `source`: the module that it names, else `module` itself if it has functions, else
    the first public module in it that has some, else `module`.

    One that is inside of `module` is taken out, or copied if `source` is a module. Raises `InputError` if none has the
    name, or none is public.
    """
    if source.module is None and functions_of(module):
        return module
    candidates = [op for op in operations_of(module, ModuleOp) if functions_of(op)]
    names = [op.sym_name.data for op in candidates if op.sym_name is not None]
    if source.module is not None:
        candidates = [op for op in candidates if op.sym_name == StringAttr(source.module)]
        hint = did_you_mean(source.module, names, f": it has {', '.join(names) or 'no modules with names'}")
        complaint = f"no module '{source.module}' with functions{hint}"
    elif candidates:
        candidates = [op for op in candidates if op.attributes.get("sym_visibility", PUBLIC) == PUBLIC]
        complaint = f"none of its modules is public ({', '.join(names)}): name one with --module"
    else:
        return module
    if not candidates:
        raise InputError(f"{source.name}: error: {complaint}")
    chosen = candidates[0]
    if chosen is not module and isinstance(source.content, ModuleOp):
        return chosen.clone()
    if chosen is not module:
        chosen.detach()
    return chosen
