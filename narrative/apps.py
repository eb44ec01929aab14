from django.apps import AppConfig


class NarrativeConfig(AppConfig):
    name = "narrative"
    verbose_name = "Narrative"
