"""``python app.py runs``: one module a part of what it does; ``command`` reads the line."""
