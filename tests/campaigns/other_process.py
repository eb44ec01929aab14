"""Another process at the same database, for the tests of leases and of two submissions at once.

``python -m tests.campaigns.other_process DATABASE CAMPAIGN`` says that it is ready, waits for a line, submits
a turn, says what came of it, and then lives until its input ends or it is killed.
"""

import sys
from pathlib import Path

import django
from django.conf import settings


def main() -> None:
    database, campaign_id = sys.argv[1:]
    settings.DATABASES["default"]["NAME"] = Path(database)
    settings.STORY_CHANGE_LISTENER = "tests.campaigns.other_process.hear_nothing"
    django.setup()
    from campaigns.errors import StoryError
    from campaigns.models import TurnRequest
    from campaigns.services import requests
    from campaigns.services.requests import Submission

    _say("ready")
    sys.stdin.readline()
    submission = Submission(kind=TurnRequest.Kind.NEW, mode="action", text="I come from elsewhere.")
    try:
        opened = requests.open_request(campaign_id=int(campaign_id), submission=submission)
    except StoryError as error:
        _say(error.code)
    else:
        requests.save_partial(request_id=opened.request.pk, text="What had arr", reasoning="")
        _say("submitted")
    sys.stdin.read()


def hear_nothing(change: object) -> None:
    pass


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
