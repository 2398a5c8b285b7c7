"""What the import, propagation and export passes share: analyses of data flow, functions and shardings."""
