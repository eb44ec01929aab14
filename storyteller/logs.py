"""Log lines as JSON objects, one a line, so that a program can read them."""

import json
import logging
import re
from datetime import UTC, datetime

# A link that was refused because of somebody else's attempts can still sign in.
_SIGN_IN_SECRET = re.compile(r"(/sign-in/)[\w-]+")


class JsonFormatter(logging.Formatter):
    """Time, level, logger, message, and the traceback where there is one.

    Never the text of a story, nor the secret of a sign-in link.
    """

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return _SIGN_IN_SECRET.sub(r"\1…", json.dumps(entry, ensure_ascii=False))
