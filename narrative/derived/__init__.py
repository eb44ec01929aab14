"""Memories and summaries, made from the story in the background and never inside a turn.

due.py      which stretch of the story comes next: a query, so that a kill loses nothing
writing.py  what the summarizer is asked, and what becomes of its answer
judging.py  the kind, the weight and the authority of a memory: the application's to say
storing.py  the row, if the story is still as it was read
status.py   how it goes, for the player to see
running.py  when: one pass at a time, while no turn is told
"""
