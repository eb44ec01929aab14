"""The pages of this app. Those that need a narrator are in narrative."""
