"""The public page of a closed study's results, for readers without an account."""
