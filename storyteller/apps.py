from django.apps import AppConfig


class StorytellerConfig(AppConfig):
    name = "storyteller"
    verbose_name = "Storyteller"
