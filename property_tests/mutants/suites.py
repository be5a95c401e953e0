"""Which tests have to notice a fault, by the file that it is in.

Decides the choice and the order: what is likeliest to notice comes first, and what
can't import the file is left out, to save its time. Must not know any mutant.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Folders or files of tests, in order, and pytest's ``-k`` for what is in them."""

    name: str
    tests: tuple[str, ...]
    keyword: str = ""
    servers: bool = False


STORES = "property_tests/stores"
CLUSTERS = "property_tests/clusters/test_clusters.py"
RULES = "property_tests/rules"
ON_SERVERS = "tests/stores/test_models.py"

ON_MEMORY = Suite(name="memory", tests=(STORES, CLUSTERS), keyword="not sqlite")
WITHOUT_LEASES = Suite(
    name="memory, claim-only", tests=(STORES,), keyword="without_leases"
)
ON_SQLITE = Suite(name="SQLite", tests=(STORES,), keyword="sqlite")
WHOLE_CLUSTERS = Suite(name="clusters", tests=(CLUSTERS,))
CLAIM_ONLY_CLUSTERS = Suite(
    name="clusters, claim-only",
    tests=("property_tests/clusters/claims_only",),
)
RACES = Suite(name="races", tests=("property_tests/races/test_races.py",))
TURNS = Suite(name="turns", tests=("tests/backends/test_convoy.py",))
# the zones take long
ARITHMETIC = Suite(
    name="rules",
    tests=(f"{RULES}/test_durations.py", f"{RULES}/test_cron_expressions.py", RULES),
)
ON_REDIS = Suite(
    name="Redis",
    tests=(ON_SERVERS,),
    keyword="redis_leases and redis8",
    servers=True,
)
ON_POSTGRES = Suite(
    name="PostgreSQL", tests=(ON_SERVERS,), keyword="postgres", servers=True
)

# the first that a path begins with counts
BY_FILE = {
    "anarchon/backends/convoy.py": (TURNS,),
    "anarchon/backends/claim.py": (ON_MEMORY, ON_SQLITE),
    "anarchon/backends/memory/": (ON_MEMORY,),
    "anarchon/backends/sqlite/": (ON_SQLITE,),
    "anarchon/backends/redis/": (ON_REDIS,),
    "anarchon/backends/postgres/": (ON_POSTGRES,),
    "anarchon/engine/claim_runner.py": (CLAIM_ONLY_CLUSTERS,),
    "anarchon/engine/claimed_run.py": (CLAIM_ONLY_CLUSTERS,),
    "anarchon/rules/lease.py": (WHOLE_CLUSTERS,),
    "anarchon/rules/": (ARITHMETIC,),
    "anarchon/": (WHOLE_CLUSTERS,),
}


def suites_of(file: str) -> tuple[Suite, ...]:
    """Return the suites that each have to notice a fault in this file."""
    return next(suites for path, suites in BY_FILE.items() if file.startswith(path))
