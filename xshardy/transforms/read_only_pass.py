"""Passes that change nothing."""

from xdsl.passes import ModulePass


class ReadOnlyPass(ModulePass):
    """A pass that verifies a module or writes it somewhere: what is known of the module stays true."""
