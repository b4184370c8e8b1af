"""Shared parts of all features: context, error messages, responses, jobs, links, widgets."""
