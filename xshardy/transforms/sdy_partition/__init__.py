"""The partitioner: from a module with closed shardings to the program of each device."""
