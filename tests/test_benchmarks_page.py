"""The pages of the benchmarks are what their results say."""

from benchmarks.page import pages


def test_no_number_of_the_pages_was_typed_by_hand() -> None:
    """Made again from the kept results, they are the pages that are there."""
    for file, text in pages().items():
        assert file.read_text(encoding="utf-8") == text
