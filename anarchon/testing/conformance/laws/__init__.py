"""The tests, one file for each group of laws. What they assert is the contract."""
