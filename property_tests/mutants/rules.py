"""Faults in the rules: slots, durations, jitter."""

from property_tests.mutants.mutant import Mutant

CRON = "anarchon/rules/cron.py"
DATES = "anarchon/rules/dates.py"

MUTANTS = (
    Mutant(
        name="a fixed time that occurs twice runs the second time",
        breaks="autumn: once, the first time",
        file=CRON,
        find="return instants[0] if instants",
        put="return instants[-1] if instants",
    ),
    Mutant(
        name="a fixed time in a spring gap runs an hour late",
        breaks="spring: once, right after the gap",
        file=CRON,
        find="else self._zone.gap(wall).instant",
        put="else self._zone.gap(wall).instant + 3600",
    ),
    Mutant(
        name="an hourly job leaves out the hour that occurs twice",
        breaks="a job by the hour keeps its rhythm",
        file=CRON,
        find=(
            "            for wall in {first_time, last_time}\n"
            "            for instant in self._instants_from(wall)\n"
        ),
        put=(
            "            for wall in {first_time}\n"
            "            for instant in self._instants_from(wall)\n"
        ),
    ),
    Mutant(
        name="day of month and day of week must both match",
        breaks="either matches",
        file=DATES,
        find="return _matches_day(dates.days, day, length) or _matches_weekday(",
        put="return _matches_day(dates.days, day, length) and _matches_weekday(",
    ),
    Mutant(
        name="the last weekday of a month is a week early",
        breaks="cron fields",
        file=DATES,
        find="if day + 7 > length:",
        put="if day + 7 <= length < day + 14:",
    ),
    Mutant(
        name="a grid forgets its offset",
        breaks="every instance computes the same slots",
        file="anarchon/rules/every.py",
        find="return ms - (ms - self.offset_ms) % self.period_ms",
        put="return ms - ms % self.period_ms",
    ),
    Mutant(
        name="a duration loses what is less than a second",
        breaks="durations",
        file="anarchon/rules/durations.py",
        find="return round(total, 6)",
        put="return float(int(total))",
    ),
    Mutant(
        name="a jitter may pass the next slot",
        breaks="a jitter is at most half of the gap",
        file="anarchon/rules/jitter.py",
        find="longest = min(jitter * 1000, (following - slot) / 2)",
        put="longest = jitter * 1000",
    ),
)
