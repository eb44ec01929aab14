"""How the shelf is looked at, as its address says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl, urlencode

from campaigns.models import Campaign
from campaigns.shelf import SORTS

SORT_NAMES = {"played": "Last played", "title": "Title", "longest": "Longest", "newest": "Newest"}
_MOST_WORDS = 200


@dataclass(frozen=True, slots=True)
class ShelfView:
    """Anything that is not known is left out: an address never fails."""

    status: str = Campaign.Status.ACTIVE
    words: str = ""
    sort: str = SORTS[0]
    page: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        page = query.get("page", "")
        return cls(
            status=Campaign.Status.ARCHIVED if query.get("status") == "archived" else Campaign.Status.ACTIVE,
            words=query.get("q", "").strip()[:_MOST_WORDS],
            sort=query["sort"] if query.get("sort") in SORTS else SORTS[0],
            page=max(1, int(page)) if page.isascii() and page.isdecimal() and len(page) < 6 else 1,
        )

    @classmethod
    def read_address(cls, query: str) -> Self:
        return cls.read(dict(parse_qsl(query)))

    @property
    def is_archive(self) -> bool:
        return self.status == Campaign.Status.ARCHIVED

    @property
    def is_plain(self) -> bool:
        """As the shelf shows itself to somebody who asked for nothing."""
        return not self.words and self.sort == SORTS[0] and self.page == 1 and not self.is_archive

    def address(self, *, page: int | None = None) -> str:
        """The query that leads to this view, or to another page of it; empty for the plain one."""
        page = self.page if page is None else page
        fields = {
            "status": "archived" if self.is_archive else "",
            "q": self.words,
            "sort": "" if self.sort == SORTS[0] else self.sort,
            "page": str(page) if page > 1 else "",
        }
        return urlencode({name: value for name, value in fields.items() if value})
