"""Folds and patterns that upstream MLIR has for its own dialects and xDSL lacks, a module per kind of operation."""
