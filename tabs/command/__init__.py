"""``python app.py`` without a page."""
