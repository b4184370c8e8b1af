"""How far people agree with each other."""
