"""The application that the server runs: pages and API over HTTP, the story's stream over WebSockets."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application
from django.urls import re_path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "storyteller.settings")
# First, because it loads the apps, whose models the consumers import.
django_application = get_asgi_application()

from narrative.routing import websocket_urlpatterns  # noqa: E402
from storyteller.websocket_origin import SameOrigin, refuse_socket  # noqa: E402

# The last route takes what no other does: the router would raise, and a stranger's guess is no error.
# Django's types know views only; this router's routes lead to ASGI applications.
_anything_else = re_path(r"", refuse_socket)  # type: ignore[arg-type]
_sockets = URLRouter([*websocket_urlpatterns, _anything_else])

application = ProtocolTypeRouter(
    {"http": django_application, "websocket": SameOrigin(AuthMiddlewareStack(_sockets))}
)
