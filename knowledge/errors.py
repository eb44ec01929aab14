"""What can go wrong with the library and its vendored tables."""


class KnowledgeError(Exception):
    """Base of this app's errors."""


class DamagedTableError(KnowledgeError):
    """A table that ships with the program is not what was shipped."""
