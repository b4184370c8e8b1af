"""Charts that several features share: figures of results with their numbers, and their parts."""
