from django.urls import path

from narrative.consumers import StoryConsumer

websocket_urlpatterns = [path("ws/campaigns/<int:campaign_id>/", StoryConsumer.as_asgi())]
