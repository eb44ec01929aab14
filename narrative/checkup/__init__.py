"""Whether the narrator can do what the game asks of it: looked at, tried out, and said in words.

Nothing is changed and nothing is stored. Whoever stops reading ends the check, and what was asked of the
model server with it.
"""

from narrative.checkup.lines import CheckLine, Status, worst_status
from narrative.checkup.running import PlannedLine, plan_checkup, run_checkup

__all__ = ["CheckLine", "PlannedLine", "Status", "plan_checkup", "run_checkup", "worst_status"]
