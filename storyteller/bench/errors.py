"""Why a figure could not be taken."""


class BenchError(Exception):
    """Something that was to be measured did not do what it must. The message says what."""
