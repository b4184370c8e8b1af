"""Commands for terminals: each module has a function ``main(arguments)``."""
