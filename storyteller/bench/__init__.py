"""The bench: how fast the game is, in figures that are held against a reference measured in the same run.

A row (docs/performance.md) is a module in ``rows/``; nothing else has to know of it.
"""
