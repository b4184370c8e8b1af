"""Quality of colorings: consensus, experts' reviews, second colorings, and valid colorings."""
