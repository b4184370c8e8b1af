"""What several features draw on: distributions of concepts, sketches, answers of people."""
