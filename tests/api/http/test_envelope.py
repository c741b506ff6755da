"""Bytes become members or a typed error, whatever the bytes are."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import SecretStr

from linkdash.api.errors import (
    AdminRequired,
    KeyRefused,
    LinkdashError,
    NotAnAnswer,
    Rejected,
    ServiceError,
)
from linkdash.api.http.envelope import MAX_SEARCHED_BYTES, judge_answer, message_of
from linkdash.api.http.request import Members
from linkdash.api.http.secrecy import MASK

KEY = SecretStr("lk-7f3a9c51")

json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "message", "msg", "data", "id", "x"]), inner)
    ),
    max_leaves=8,
)


@given(
    st.sampled_from([200, 204, 301, 400, 401, 403, 404, 429, 500, 502]),
    st.booleans(),
    st.binary() | json_like,
)
@example(200, False, b'\xff\xfe{"error":0}')
@example(200, False, b"{" * 500)
def test_every_answer_is_members_or_a_typed_error_of_one_line(
    status: int, admin: bool, answer: object
) -> None:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    found = judged(status, body, admin=admin)
    if isinstance(found, LinkdashError):
        assert type(found) in (NotAnAnswer, KeyRefused, AdminRequired, Rejected)
        assert len(str(found).splitlines()) == 1
    else:
        assert status < 300
        assert found


def judged(status: int, body: bytes, *, admin: bool) -> Members | LinkdashError:
    try:
        return judge_answer(status, body, admin=admin, can_be_wrong=False, secrets=[KEY])
    except LinkdashError as error:
        return error


@given(st.dictionaries(st.sampled_from(["data", "id", "message", "x"]), json_like, min_size=1))
def test_members_come_as_they_are(members: dict[str, object]) -> None:
    answer = {"error": 0, **members}
    judged = judge_answer(200, json.dumps(answer).encode())
    assert json.dumps(judged) == json.dumps(answer)


@given(st.text(), st.text())
def test_a_notice_before_the_json_changes_nothing(notice: str, message: str) -> None:
    answer = json.dumps({"error": 0, "message": message})
    if "{" not in notice:
        assert judge_answer(200, f"{notice}{answer}".encode()) == judge_answer(200, answer.encode())


@given(json_like)
def test_a_message_is_one_plain_line_without_the_key(message: object) -> None:
    said = message_of({"message": [message, f"<i>{KEY.get_secret_value()}</i>\x1b[2J"]}, [KEY])
    assert len(said.splitlines()) <= 1
    assert "\x1b" not in said
    assert "<i>" not in said
    assert KEY.get_secret_value() not in said


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<p>One</p><p>two</p>", "One two"),
        ("5 &lt; 6 &amp;&nbsp;7", "5 < 6 & 7"),
        ("2 < 3 and 4 > 1", "2 1"),
        ("<script>alert(1)</script>", "alert(1)"),
        ("  a \n\t b ", "a b"),
        ("&lt;b&gt;", "<b>"),
        ("<" * 3, "<<<"),
    ],
)
def test_html_in_a_message_is_made_plain(text: str, plain: str) -> None:
    assert message_of({"message": text}) == plain


@pytest.mark.parametrize(
    ("status", "admin", "can_be_wrong", "kind"),
    [
        (200, False, False, Rejected),
        (400, False, True, Rejected),
        (401, True, False, KeyRefused),
        (403, False, True, KeyRefused),
        (403, True, True, AdminRequired),
        (403, True, False, AdminRequired),
        (200, True, False, AdminRequired),
        (400, True, False, AdminRequired),
        (200, True, True, Rejected),
        (404, True, False, Rejected),
        (500, True, False, NotAnAnswer),
        (302, True, False, NotAnAnswer),
    ],
)
def test_the_kind_of_a_refusal(
    status: int, admin: bool, can_be_wrong: bool, kind: type[ServiceError]
) -> None:
    body = b'{"error":1,"message":"Because."}'
    with pytest.raises(ServiceError) as raised:
        judge_answer(status, body, admin=admin, can_be_wrong=can_be_wrong)
    assert type(raised.value) is kind
    if kind in (Rejected, KeyRefused, AdminRequired):
        assert "Because." in str(raised.value)
    if isinstance(raised.value, Rejected):
        assert raised.value.status == status


@pytest.mark.parametrize("fault", [b"\x01", b"\xff", rb"\ud800"])
def test_characters_that_json_forbids_are_read_in_an_answer_of_any_size(fault: bytes) -> None:
    body = b'{"error":0,"data":"' + fault + b"x" * MAX_SEARCHED_BYTES + b'"}'
    read = json.loads(fault.decode("utf-8", "replace").join('""'), strict=False)
    assert str(judge_answer(200, body)["data"]).rstrip("x") == read


def test_json_behind_a_notice_is_looked_for_in_an_answer_of_a_moderate_size() -> None:
    def body(size: int) -> bytes:
        return b'Notice: {"error":0,"data":"' + b"x" * (size - 30) + b'"}'

    assert judge_answer(200, body(MAX_SEARCHED_BYTES))["error"] == 0
    with pytest.raises(NotAnAnswer, match="broken JSON"):
        judge_answer(200, body(MAX_SEARCHED_BYTES + 50))


def test_secrets_are_masked_in_every_member_but_only_there() -> None:
    key = KEY.get_secret_value()
    answer = {"error": 0, "data": [{"id": 1, "apikey": key, "more": {"note": f"my {key}!"}, "name": "ann"}]}
    members = judge_answer(200, json.dumps(answer).encode(), secrets=[KEY])
    assert members["data"] == [{"id": 1, "apikey": MASK, "more": {"note": f"my {MASK}!"}, "name": "ann"}]
