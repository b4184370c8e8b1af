"""Studies with people: plans, links, participants, what they were shown and what they did."""
