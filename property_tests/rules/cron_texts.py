"""Hypothesis strategies for what people write in cron expressions."""

from hypothesis import strategies as st

from property_tests.rules.cron_oracle import NAMES

MONTH_NAMES = tuple(NAMES)[:12]
WEEKDAY_NAMES = tuple(NAMES)[12:]


def fields(low: int, high: int, names: tuple[str, ...] = ()) -> st.SearchStrategy[str]:
    """Lists of numbers, names, ranges and steps."""
    return _lists(_parts(low, high, names))


def days() -> st.SearchStrategy[str]:
    """Days of the month: also the last one, up to the last one, and whichever."""
    to_last = st.integers(1, 30).map("{}-L".format)
    return st.just("?") | _lists(_parts(1, 31) | st.just("L") | to_last)


def weekdays() -> st.SearchStrategy[str]:
    """Days of the week: also the nth or last of the month, Sunday as 7, whichever."""
    to_sunday = st.integers(0, 6).map("{}-7".format)
    from_sunday = st.integers(1, 6).map("7-{}".format)
    sunday = st.just("7") | to_sunday | from_sunday
    plain = _parts(0, 6, WEEKDAY_NAMES) | sunday
    day = st.integers(0, 7).map(str) | st.sampled_from(WEEKDAY_NAMES)
    nth = st.builds("{}#{}".format, day, st.integers(1, 5))
    last = st.integers(0, 7).map("L{}".format)
    return st.just("?") | _lists(plain) | _lists(nth | last)


def dates() -> st.SearchStrategy[str]:
    """The three date fields, most of them wildcards, so that most months have slots."""
    seldom = st.just("*") | st.just("*")
    return st.builds(
        "{} {} {}".format,
        seldom | days(),
        seldom | fields(1, 12, MONTH_NAMES),
        seldom | weekdays(),
    )


def times() -> st.SearchStrategy[str]:
    """Minute and hour."""
    return st.builds("{} {}".format, fields(0, 59), fields(0, 23))


def _lists(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(parts, min_size=1, max_size=3).map(",".join)
    lists = st.just("*") | several
    return lists.map(str.lower) | lists


def _parts(low: int, high: int, names: tuple[str, ...] = ()) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    step = st.integers(1, high - low + 1)
    ends = st.lists(number, min_size=2, max_size=2, unique=True)

    def shown(value: int) -> str:
        return names[value - low] if names and value % 2 else str(value)

    def written(pair: list[int]) -> str:
        return "-".join(map(shown, pair))

    return st.one_of(
        number.map(shown),
        ends.map(written),
        step.map("*/{}".format),
        st.builds("{}/{}".format, st.integers(low, high - 1).map(shown), step),
        st.builds("{}/{}".format, ends.map(sorted).map(written), step),
    )
