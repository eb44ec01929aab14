"""What a log line tells, and what it keeps to itself."""

import json
import logging

from storyteller.logs import JsonFormatter


def test_line_is_json_and_keeps_the_secret_of_a_link() -> None:
    record = logging.LogRecord("x", logging.WARNING, "", 0, "Gone: %s", ("/sign-in/aB-c_9/",), None)
    line = JsonFormatter().format(record)
    assert json.loads(line)["message"] == "Gone: /sign-in/…/"
    assert json.loads(line)["level"] == "WARNING"
