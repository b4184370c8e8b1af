"""Studies with people: plans, links, participants, what they were shown, and their votes and other
answers."""
