"""What was seen of participants and their screens, and which exclusions follow."""
