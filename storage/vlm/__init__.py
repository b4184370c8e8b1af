"""Question sets, and evaluations of models on them."""
