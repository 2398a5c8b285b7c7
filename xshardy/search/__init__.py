"""The solver behind `xshardy auto`: one strategy per node, least cost, memory below a limit. It knows no IR."""
