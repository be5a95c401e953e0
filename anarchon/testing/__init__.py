"""What tests of anarchon, and of apps and backends that use it, are made of.

``anarchon.testing.conformance`` needs pytest and is imported by its full name.
"""
