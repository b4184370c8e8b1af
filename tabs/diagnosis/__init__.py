"""How often each rule is right, on images of known color."""
