#!/usr/bin/env python3
"""Django's command line, for this project."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "storyteller.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError as error:
        raise SystemExit(
            "Django is not installed here. Make the environment first: "
            "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt, "
            "then run .venv/bin/python manage.py."
        ) from error
    from storyteller.env import EnvironmentValueError

    try:
        execute_from_command_line(sys.argv)
    except EnvironmentValueError as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
