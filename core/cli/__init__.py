"""Commands for terminals: each is a function ``main(arguments)``."""
