"""A machine for PTX: reads it, executes a grid on the CPU, checks it, and counts what it executes."""
