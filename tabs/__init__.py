"""The services, routes and pages of TrueHue: one package per feature, no color arithmetic.

Routes and tabs call services; ``truehue.tabs.page`` has the parts that all features share.
"""
