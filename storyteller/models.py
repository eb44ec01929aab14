"""What opens the door. A secret itself is never stored, only its SHA-256 hash."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class ApiToken(models.Model):
    """Lets a program in as its owner, until it is revoked."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "name"], condition=Q(revoked_at=None), name="one_token_in_use_per_name"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SignInLink(models.Model):
    """Signs its owner in once, until it expires."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="sign_in_links")
    hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"sign-in link of {self.created_at:%Y-%m-%d %H:%M}"
