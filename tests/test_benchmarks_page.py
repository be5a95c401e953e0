"""The page of the benchmarks is what their results say."""

from benchmarks.page import PAGE, page


def test_no_number_of_the_page_was_typed_by_hand() -> None:
    """Made again from the kept results, it is the page that is there."""
    assert PAGE.read_text(encoding="utf-8") == page()
