"""The one token counter: tiktoken's cl100k encoding, built from the table that ships with the program.

Servers count with their own tokenizers; this count is the estimate that every budget is made with. The
library's own loader is not used: it downloads.
"""

import base64
import functools
import gzip
import hashlib
from pathlib import Path

import tiktoken

from knowledge.errors import DamagedTableError

_TABLE = Path(__file__).parent / "data" / "cl100k_base.tiktoken.gz"
_TABLE_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
# The split pattern that belongs to the table, as tiktoken publishes it for cl100k_base.
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
# A window of story counts the same turns again every turn; each text is counted once.
_REMEMBERED_TEXTS = 16_384


@functools.lru_cache(maxsize=_REMEMBERED_TEXTS)
def count_tokens(text: str) -> int:
    """How many cl100k tokens the text has. Marks such as <|endoftext|> count as the characters they are."""
    return len(encoding().encode_ordinary(text))


@functools.cache
def encoding() -> tiktoken.Encoding:
    """The encoding; building it takes about half a second, once. Raises DamagedTableError."""
    table = gzip.decompress(_TABLE.read_bytes())
    if hashlib.sha256(table).hexdigest() != _TABLE_SHA256:
        raise DamagedTableError(f"{_TABLE.name} is damaged. Install the program again.")
    ranks = {}
    for line in table.splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    return tiktoken.Encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})
