"""What operations are in views: a table from their classes to rules."""
