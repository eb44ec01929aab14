"""A command whose --help ends with examples and exit codes, printed as they are written."""

from argparse import RawDescriptionHelpFormatter
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandParser, DjangoHelpFormatter


class ExamplesHelpFormatter(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """Django's order of options, and the epilog's own lines."""


class CommandWithExamples(BaseCommand):
    epilog: ClassVar[str]

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        kwargs |= {"formatter_class": ExamplesHelpFormatter, "epilog": self.epilog}
        return super().create_parser(prog_name, subcommand, **kwargs)
