"""A store that another package brings: found by its scheme, held to the same laws."""

from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

import anarchon
from anarchon.errors import InvalidOption
from anarchon.protocol import Backend
from anarchon.testing.conformance import ClaimConformance, InTime, ManualClock
from tests.backends.third_party.anarchon_folder import FolderBackend

PACKAGE = Path(__file__).parent / "third_party"


class TestFolder(ClaimConformance, InTime):
    """The store in a folder."""

    @pytest.fixture
    def backend(self, clock: ManualClock, tmp_path: Path) -> Backend:
        """Return an empty store."""
        return FolderBackend(tmp_path, clock)


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Install the package that brings the store, and name a store of its."""
    monkeypatch.syspath_prepend(PACKAGE)
    return f"folder://{tmp_path}/jobs"


@pytest.mark.anyio
async def test_scheduler_finds_an_installed_packages_store(url: str) -> None:
    """Installing the package is all that it takes: its URL opens a scheduler."""
    async with anarchon.open_scheduler(url, jitter=0) as scheduler:
        scheduler.every("sync", 0.05, anyio.lowlevel.checkpoint)
        with anyio.fail_after(5):
            while not any(
                record.status is anarchon.Status.SUCCESS
                for record in await scheduler.history("sync")
            ):
                await anyio.sleep(0.01)


@pytest.mark.anyio
async def test_claim_only_stores_name_is_in_the_refusal(url: str) -> None:
    """An option that its store can't honour is refused by the name it gives itself."""
    async with anarchon.open_scheduler(url) as scheduler:
        with pytest.raises(InvalidOption, match="the folder backend keeps no leases"):
            scheduler.every("sync", "1s", lambda: None, max_attempts=5)
