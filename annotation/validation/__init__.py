"""Metrics against people: does a metric prefer what people prefer?"""
