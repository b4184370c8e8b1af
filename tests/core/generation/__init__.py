"""Models that draw, each by the code that draws with the published weights."""
