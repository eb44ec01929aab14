"""Pages that need the narrator."""

from django.urls import path

from narrative import check_views, edit_views, opening_views, settings_views, state_views, views

_ONE = "campaigns/<int:campaign_id>/"

urlpatterns = [
    path("settings/", settings_views.settings_page, name="settings"),
    path("settings/model/", settings_views.choose_model, name="choose-model"),
    path("settings/check/", check_views.check, name="check-page"),
    path("", opening_views.campaigns_page, name="campaigns"),
    path("campaigns/new/", opening_views.new_campaign, name="new-campaign"),
    path("campaigns/new/opening/", opening_views.narrate, name="narrate-opening"),
    path(_ONE, views.play, name="play"),
    path(f"{_ONE}transcript/", views.transcript, name="transcript"),
    path(f"{_ONE}narrator/", views.narrator, name="narrator"),
    path(f"{_ONE}submit/", views.submit_turn, name="submit-turn"),
    path(f"{_ONE}stop/", views.stop_turn, name="stop-turn"),
    path(f"{_ONE}turns/<int:turn_id>/retry/", views.retry_turn, name="retry-turn"),
    path(
        f"{_ONE}turns/<int:turn_id>/takes/<int:take_id>/edit/",
        edit_views.edit_narration,
        name="edit-narration",
    ),
    path(f"{_ONE}turns/<int:turn_id>/input/", views.edit_input, name="edit-input"),
    path(f"{_ONE}requests/<int:request_id>/retry/", views.retry_request, name="retry-request"),
    path(f"{_ONE}requests/<int:request_id>/rehearse/", views.rehearse_request, name="rehearse-request"),
    path(f"{_ONE}requests/<int:request_id>/keep/", views.keep_request, name="keep-request"),
    path(f"{_ONE}state/correct/", state_views.correct, name="correct-state"),
    path(f"{_ONE}state/events/<int:event_id>/take-back/", state_views.take_back, name="take-back"),
    path(f"{_ONE}turns/<int:turn_id>/ask-again/", state_views.ask_again, name="ask-again"),
    path("samples/begin/", views.begin_sample, name="begin-sample"),
]
