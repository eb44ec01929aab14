"""How many tokens a text will cost a model. Pure.

Texts are counted with one encoding; servers count with their own. Their replies say how far the two are
apart, and where a server counts more, every estimate is raised by that ratio.
"""

import math
from collections.abc import Callable

from knowledge.tokens import count_tokens

Count = Callable[[str], int]


def counter(ratio: float = 1.0) -> Count:
    """A count of tokens that is raised by a model's ``ratio``; a ratio below 1 lowers nothing."""
    if ratio <= 1.0:
        return count_tokens
    return lambda text: math.ceil(count_tokens(text) * ratio)
