"""Pages that tell no turn. The play page itself, and what needs a narrator, is in narrative.urls."""

from django.urls import path

from campaigns.views import branches, head, recovery, save_points, shelf, story, story_panel, takes, tree

_ONE = "campaigns/<int:campaign_id>/"
_TURN = f"{_ONE}turns/<int:turn_id>/"

urlpatterns = [
    path(f"{_ONE}archive/", shelf.archive, name="archive-campaign"),
    path(f"{_ONE}unarchive/", shelf.unarchive, name="unarchive-campaign"),
    path(f"{_ONE}delete/", shelf.delete, name="delete-campaign"),
    path(f"{_ONE}story/<slug:section>/", story_panel.edit_section, name="edit-story"),
    path(f"{_ONE}story/versions/bring-back/", story_panel.bring_back_versions, name="bring-back"),
    path(f"{_ONE}undo/", head.undo, name="undo"),
    path(f"{_ONE}redo/", head.redo, name="redo"),
    path(f"{_ONE}goto/<int:branch_id>/<int:depth>/", head.go_to, name="go-to"),
    path(f"{_ONE}return/<int:branch_id>/<int:depth>/", head.go_back, name="return-to"),
    path(f"{_TURN}takes/<int:number>/", story.take, name="take"),
    path(f"{_TURN}takes/<int:take_id>/select/", takes.select, name="select-take"),
    path(f"{_ONE}branches/<int:branch_id>/activate/", branches.activate, name="activate-branch"),
    path(f"{_ONE}branches/<int:branch_id>/rename/", branches.rename, name="rename-branch"),
    path(f"{_ONE}branches/<int:branch_id>/delete/", branches.delete, name="delete-branch"),
    path(f"{_ONE}branches/<int:branch_id>/keep/", branches.keep, name="keep-branch"),
    path(f"{_ONE}tree/", tree.tree, name="tree"),
    path(f"{_ONE}tree/<int:branch_id>/<int:depth>/name/", tree.name, name="name-place"),
    path(f"{_ONE}prune/", tree.prune, name="prune"),
    path(f"{_ONE}save-points/", save_points.create, name="create-save-point"),
    path(f"{_ONE}save-points/<int:save_point_id>/restore/", save_points.restore, name="restore-save-point"),
    path(f"{_ONE}save-points/<int:save_point_id>/update/", save_points.update, name="update-save-point"),
    path(f"{_ONE}save-points/<int:save_point_id>/delete/", save_points.delete, name="delete-save-point"),
    path(f"{_ONE}requests/<int:request_id>/discard/", recovery.discard, name="discard-request"),
]
