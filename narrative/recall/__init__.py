"""Which memories a scene calls for, and why.

query.py       the scene's words, and what each of them is worth
candidates.py  memories on the path that share words with it, and the pinned ones
ranking.py     what each candidate's score is made of
choosing.py    repeats go before the cut, then the best that fit
"""

from narrative.recall.query import SceneWords
from narrative.recall.searching import recall

__all__ = ["SceneWords", "recall"]
