"""Which axes the dimensions of one operation can keep when its operands and results are sharded differently."""
