"""What each instruction computes: a table per class of instructions, from the opcode without modifiers to a rule."""
