"""Stories too long to play, under the name that tests know them by. The bench measures on the same ones."""

from storyteller.bench.stories import make_nested_story, make_straight_story, name_places

__all__ = ["make_nested_story", "make_straight_story", "name_places"]
