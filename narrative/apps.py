from django.apps import AppConfig
from django.core.checks import register

from narrative.checks import check_inference


class NarrativeConfig(AppConfig):
    name = "narrative"
    verbose_name = "Narrative"

    def ready(self) -> None:
        register(check_inference)
