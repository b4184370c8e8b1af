"""Compare: does a model know what colors people give a concept?"""
