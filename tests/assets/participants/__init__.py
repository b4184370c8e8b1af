"""Scripts of the participants' page that need no page."""
