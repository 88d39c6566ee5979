"""What a label is, and what is kept beside it."""

UNKNOWN = -1
"""Grade of an area that nobody judged for an abstract; known grades are 2 central, 1 secondary, 0 absent."""

PROVENANCE = ("id", "split", "source", "stratum", "sampled")
"""Columns of a label file that are not areas."""
