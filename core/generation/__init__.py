"""Image generation: the generators, their requirements, and the request that all accept."""
