"""`xshardy explain`: where each axis of a sharding comes from, why others are missing, and a page about all."""
