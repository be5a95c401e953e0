"""What the streams of a namespace are called, and the subjects of their messages.

Decides the names. Must not know what the messages say.
"""

from anarchon.backends.names import escaped

LONGEST_JOB = 200
LONGEST_TOKEN = 66
# between the start of a manual run and its token
MANUAL = "m"


class Subjects:
    """The names of one namespace: ``claims`` and ``history`` are its two streams."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self.claims: str = f"{namespace}_claims"
        self.history: str = f"{namespace}_history"
        self.in_claims: list[str] = [f"{namespace}.c.*.*", f"{namespace}.t.*"]
        self.in_history: list[str] = [f"{namespace}.r.*.*"]

    def claim(self, job: str, slot: int) -> str:
        """Return where the claim of a slot is."""
        return f"{self._namespace}.c.{_token(job)}.{slot}"

    def claims_of(self, job: str) -> str:
        """Return where all claims of a job are."""
        return f"{self._namespace}.c.{_token(job)}.*"

    def result(self, job: str, slot: int) -> str:
        """Return where the result of a slot is."""
        return f"{self._namespace}.r.{_token(job)}.{slot}"

    def manual(self, job: str, started: int, token: str) -> str:
        """Return where the record of a manual run is that started then."""
        word = f"{started}{MANUAL}{escaped(token, LONGEST_TOKEN)}"
        return f"{self._namespace}.r.{_token(job)}.{word}"

    def records_of(self, job: str) -> str:
        """Return where all results and manual runs of a job are."""
        return f"{self._namespace}.r.{_token(job)}.*"

    def probe(self, unique: str) -> str:
        """Return where a message goes whose only purpose is its timestamp."""
        return f"{self._namespace}.t.{unique}"


def when(subject: str) -> int:
    """Return the slot that a subject is about, or when its manual run started.

    Raises:
        ValueError: it is about neither.
    """
    return int(subject.rpartition(".")[2].partition(MANUAL)[0])


def is_manual(subject: str) -> bool:
    """Whether a subject is that of a manual run."""
    return MANUAL in subject.rpartition(".")[2]


def _token(job: str) -> str:
    return escaped(job, LONGEST_JOB)
