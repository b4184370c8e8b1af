"""Signing in: passwords, sessions, and the guard before everything that is not for strangers."""
