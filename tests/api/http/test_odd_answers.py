"""Every row of the table of odd answers, through the real client and over a real socket."""

import pytest

from linkdash.api import Client
from linkdash.api.errors import ServiceError
from tests.api.odd_answers import ROWS, Failure, Http, Row
from tests.api.raw_service import RawService


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_an_odd_answer_is_understood(row: Row, odd: RawService, odd_client: Client) -> None:
    answer = row.answer if isinstance(row.answer, Http) else Http(row.answer)
    odd.answer(answer.body, answer.status, answer.headers)
    if not isinstance(row.expected, Failure):
        assert await row.look(odd_client) == row.expected
    else:
        with pytest.raises(ServiceError) as raised:
            await row.look(odd_client)
        assert type(raised.value) is row.expected.kind
        assert row.expected.words in str(raised.value)
        assert str(raised.value).isprintable()
    assert len(odd.requests) == 1


def test_every_odd_answer_has_a_name_of_its_own() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS) >= 60
