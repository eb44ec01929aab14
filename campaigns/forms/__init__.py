"""What people type into pages, as far as it has a shape. The services judge the rest.

No field has a ``max_length``: a form's line ends arrive as two characters, so that a text which fits would be
refused here; and a browser's ``maxlength`` cuts what is pasted without a word.
"""

from campaigns.forms.new_campaign import NewCampaignForm
from campaigns.forms.turns import InputForm, NarrationForm

__all__ = ["InputForm", "NarrationForm", "NewCampaignForm"]
