"""Generations, verdicts on them, what people say of those, and where rules agree."""
