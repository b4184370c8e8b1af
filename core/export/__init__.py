"""What leaves TrueHue, and what comes back: tables, archives, reports, references."""
