"""Scheduled jobs on every instance of a service, without a leader."""
