"""Which names jobs and namespaces may have."""

import pytest

from anarchon.errors import InvalidOption
from anarchon.rules.names import check_job_name, check_namespace


@pytest.mark.parametrize(
    "name",
    ["sync", "x" * 200, "a/b: {c}*?", " ", "d\u00eda", "di\u0301a", "日報 🕑", "\n"],
)
def test_job_name_is_any_text_and_stays_as_it_is(name: str) -> None:
    """Names aren't normalised: two spellings of a letter are two names."""
    assert name == check_job_name(name)


@pytest.mark.parametrize("name", ["", "x" * 201, "a\0b", "a\ud800b", "\udfff", 7, None])
def test_impossible_job_name_is_refused(name: object) -> None:
    """Empty, over-long and unstorable names are refused, with what is allowed."""
    with pytest.raises(InvalidOption, match="a job's name must"):
        check_job_name(name)


def test_over_long_name_does_not_flood_the_message() -> None:
    """The message shows the beginning and the length."""
    with pytest.raises(InvalidOption, match="not 100000: 'xxx") as caught:
        check_job_name("x" * 100_000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ["anarchon", "Team_7-prod", "a", "x" * 64])
def test_namespace_is_what_every_store_can_hold(name: str) -> None:
    """Letters, digits, underscores and hyphens are legal everywhere."""
    assert name == check_namespace(name)


@pytest.mark.parametrize(
    "name", ["", "x" * 65, "a.b", "a b", "a:b", "{a}", "día", "a\n", "a;drop", 7, None]
)
def test_other_namespace_is_refused(name: object) -> None:
    """The message names it and the characters that are allowed."""
    with pytest.raises(InvalidOption, match="A-Z, a-z, 0-9") as caught:
        check_namespace(name)
    assert str(caught.value).endswith(repr(name))
