"""How good colorings are: consensus, experts' reviews, second colorings, and what they give."""
