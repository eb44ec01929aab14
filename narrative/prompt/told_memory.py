"""How the summary and the memories are told to the narrator. Pure."""

from narrative.prompt.counting import Count
from narrative.prompt.overlap import SENTENCE_END, Said
from narrative.prompt.remembered import RecalledMemory, SummaryInForce

SUMMARY_HEADING = "[The story so far, in short. It ends before the newest turns.]"
MEMORIES_HEADING = "[Memories of earlier turns, the oldest first.]"
INFERRED = "[inferred]"
INFERRED_RULE = f"[Lines marked {INFERRED} are somebody's interpretation and are not established.]"


def tell_summary(
    summary: SummaryInForce, *, budget: int, said: Said, count: Count
) -> tuple[str, list[str], bool]:
    """The section within ``budget`` tokens, the sentences left out because they are said already, and whether
    it was shortened for want of room: what it tells last is the nearest, and is kept."""
    sentences = SENTENCE_END.split(" ".join(summary.text.split()))
    repeated = [sentence for sentence in sentences if said.has(sentence)]
    kept = [sentence for sentence in sentences if not said.has(sentence)]
    room = budget - count(SUMMARY_HEADING) - 1
    costs = [count(sentence) + 1 for sentence in kept]
    first, spent = len(kept), 0
    while first > 0 and spent + costs[first - 1] <= room:
        first -= 1
        spent += costs[first]
    if first == len(kept):
        return "", repeated, bool(kept)
    return f"{SUMMARY_HEADING}\n{' '.join(kept[first:])}", repeated, first > 0


def memory_line(text: str, *, authority: str) -> str:
    """A memory as one line of the section."""
    mark = f" {INFERRED}" if authority == "heuristic" else ""
    return f"- {' '.join(text.split())}{mark}"


def tell_memories(used: tuple[RecalledMemory, ...]) -> str:
    """The section, in the order in which they happened; empty where there are none."""
    if not used:
        return ""
    lines = [memory_line(memory.text, authority=memory.authority) for memory in _in_order(used)]
    rule = [INFERRED_RULE] if any(memory.authority == "heuristic" for memory in used) else []
    return "\n".join([MEMORIES_HEADING, *rule, *lines])


def frame_of_memories(count: Count) -> int:
    """Tokens that the section's heading and rule cost beside its lines."""
    return count(f"{MEMORIES_HEADING}\n{INFERRED_RULE}\n")


def _in_order(used: tuple[RecalledMemory, ...]) -> list[RecalledMemory]:
    return sorted(used, key=lambda memory: (memory.depth, memory.id))
