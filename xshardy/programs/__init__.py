"""
A program from its source to the part of each device, as one chain of values: `Source -> Program -> Sharded`, and from a
`Program` to a `PartitionedProgram`. All entries of the library, commands, engines and plans take it from here.
"""
