"""Sources that several features share: distributions of concepts, sketches, people's answers."""
