"""How many votes a study needs, before it starts."""
