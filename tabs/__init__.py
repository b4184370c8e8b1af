"""What TrueHue does and what people see of it: a package a feature, no color arithmetic.

Services are below routes and tabs; what all features share is in ``truehue.tabs.page``.
"""
