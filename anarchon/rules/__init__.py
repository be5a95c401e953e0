"""Pure functions and values: no clock, no store, no loop, no waiting."""
