"""Groups as CFD has them, made from photographs with captions: long work that resumes."""
