"""What a narrator is told: sections, a budget, a window of the story, and the record of it all."""
