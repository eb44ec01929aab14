"""Every address of the game, by mounting what each app has."""

from django.contrib import admin
from django.urls import include, path

from storyteller import token_views, views
from storyteller.api import api

handler500 = "storyteller.views.server_error"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-in/<str:token>/", views.use_link, name="sign-in-link"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("settings/tokens/", token_views.tokens, name="tokens"),
    path("settings/tokens/<int:token_id>/revoke/", token_views.revoke, name="revoke-token"),
    path("admin/login/", views.admin_sign_in),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("", include("campaigns.urls")),
    path("", include("narrative.urls")),
]
