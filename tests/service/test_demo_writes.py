"""Writes: each is read afterwards as it was made."""

from typing import Any

import pytest

from linkdash.demo.server import Running, serve_in_thread
from tests.service.test_demo_refusals import assert_refused
from tests.service.visitor import Clock, Visitor

NOW = "2026-09-21 14:13:20"


def newest(admin: Visitor, path: str, collection: str) -> Any:
    return admin.read(path)["data"][collection][0]


def test_a_domain_is_created_changed_cleared_and_deleted(admin: Visitor) -> None:
    body = {"domain": "https://New.example.org/", "redirectroot": "https://example.org"}
    made = admin.write("POST", "/api/domain/add", body)["id"]
    domain = {"id": made, "domain": "https://new.example.org", "redirectroot": "https://example.org"}
    assert newest(admin, "/api/domains", "domains") == {**domain, "redirect404": ""}
    admin.write(
        "PUT", f"/api/domain/{made}/update", {"redirectroot": "", "redirect404": "http://example.net/x"}
    )
    changed = {**domain, "redirectroot": "", "redirect404": "http://example.net/x"}
    assert newest(admin, "/api/domains", "domains") == changed
    admin.write("DELETE", f"/api/domain/{made}/delete")
    assert newest(admin, "/api/domains", "domains")["id"] == 12
    assert_refused(admin.ask("DELETE", f"/api/domain/{made}/delete"), 404, str(made))


@pytest.mark.parametrize("domain", ["https://go.harbor-coffee.example", "http://GO.harbor-coffee.example/"])
def test_a_domain_is_there_once(domain: str, admin: Visitor) -> None:
    assert_refused(admin.ask("POST", "/api/domain/add", {"domain": domain}), 400, "already in use")


def test_a_domain_must_point_to_the_service(admin: Visitor) -> None:
    assert_refused(
        admin.ask("POST", "/api/domain/add", {"domain": "https://go.invalid"}), 400, "does not point"
    )


def test_a_campaign_gets_and_loses_its_rotator(admin: Visitor) -> None:
    made = admin.write("POST", "/api/campaign/add", {"slug": "fair"})
    assert made["rotator"] == "https://lnk.example/r/fair"
    assert (made["domain"], made["public"]) == ("Untitled campaign", False)
    assert_refused(admin.ask("POST", "/api/campaign/add", {"slug": "fair"}), 400, "fair")
    path = f"/api/campaign/{made['id']}/update"
    assert admin.write("PUT", path, {"name": "Fair", "public": True})["rotator"] == made["rotator"]
    assert admin.write("PUT", path, {"name": "Fair", "slug": "fair"})["rotator"] == made["rotator"]
    changed = admin.write("PUT", path, {"name": "Fair", "slug": ""})
    assert changed == {**made, "domain": "Fair", "public": True, "rotator": False}
    listed = newest(admin, "/api/campaigns", "campaigns")
    assert (listed["id"], listed["rotator"], listed["public"]) == (made["id"], False, True)


def test_a_channel_is_created_with_defaults_and_changed_in_part(admin: Visitor) -> None:
    made = admin.write("POST", "/api/channel/add", {"name": "New"})
    del made["error"]
    assert (made["description"], made["starred"]) == ("", False)
    admin.write("PUT", f"/api/channel/{made['id']}/update", {"starred": True, "color": "#abcdef"})
    assert newest(admin, "/api/channels", "channels") == {**made, "starred": True, "color": "#abcdef"}
    admin.write("PUT", f"/api/channel/{made['id']}/update", {})


@pytest.mark.parametrize(("kind", "item"), [("links", 5), ("bio", 5), ("qr", 5)])
def test_an_item_is_in_a_channel_once_however_often_assigned(kind: str, item: int, admin: Visitor) -> None:
    for _ in range(2):
        admin.write("POST", f"/api/channel/10/assign/{kind}/{item}")
    page = admin.read("/api/channel/10")["data"]
    assert [(each["type"], each["id"]) for each in page["items"]] == [(kind, item)]
    assert page["result"] == 1


def test_deleting_a_channel_unassigns_its_items(admin: Visitor) -> None:
    made = admin.write("POST", "/api/channel/add", {"name": "Short-lived"})["id"]
    admin.write("POST", f"/api/channel/{made}/assign/qr/5")
    admin.write("DELETE", f"/api/channel/{made}/delete")
    assert admin.read("/api/qr/5")["details"]["id"] == 5
    again = admin.write("POST", "/api/channel/add", {"name": "Next"})["id"]
    assert again != made
    assert admin.read(f"/api/channel/{again}")["data"]["result"] == 0


def test_deleting_a_qr_code_takes_it_out_of_its_channels(admin: Visitor) -> None:
    admin.write("POST", "/api/channel/10/assign/qr/5")
    admin.write("DELETE", "/api/qr/5/delete")
    assert admin.read("/api/channel/10")["data"]["items"] == []
    assert_refused(admin.ask("GET", "/api/qr/5"), 404, "5")


def test_a_pixel_is_dated(admin: Visitor) -> None:
    body = {"type": "tiktok", "name": "Shop", "tag": "TT-1"}
    made = admin.write("POST", "/api/pixel/add", body)["id"]
    assert newest(admin, "/api/pixels", "pixels") == {"id": made, **body, "date": NOW}
    admin.write("POST", "/api/pixel/add", body)
    admin.write("PUT", f"/api/pixel/{made}/update", {"tag": "TT-1", "name": "Store"})
    assert admin.read("/api/pixels?limit=1&page=2")["data"]["pixels"][0]["name"] == "Store"


def test_a_qr_code_is_created_with_its_landing_address(admin: Visitor) -> None:
    made = admin.write("POST", "/api/qr/add", {"type": "wifi", "data": {"ssid": "Guests"}, "logo": "a/b.PNG"})
    details = admin.read(f"/api/qr/{made['id']}")["details"]
    assert details == {
        "id": made["id"],
        "link": made["link"],
        "scans": 0,
        "name": details["name"],
        "date": NOW,
    }
    assert made["link"].startswith("https://lnk.example/qr/")


@pytest.mark.parametrize(
    ("body", "expires"),
    [
        ({"type": "monthly"}, "2026-10-21 14:13:20"),
        ({"type": "yearly"}, "2027-09-21 14:13:20"),
        ({"type": "lifetime"}, "2126-09-21 14:13:20"),
        ({"type": "monthly", "expiration": "2031-12-31 23:59:59"}, "2031-12-31 23:59:59"),
    ],
)
def test_a_subscription_sets_plan_status_and_expiry(
    body: dict[str, str], expires: str, admin: Visitor
) -> None:
    free = admin.read("/api/users?filter=free")["data"][0]["id"]
    admin.write("PUT", f"/api/plan/3/user/{free}", body)
    user = admin.read(f"/api/user/{free}")["data"]
    assert (user["planid"], user["status"], user["expires"]) == (3, "pro", expires)
    admin.write("PUT", f"/api/plan/1/user/{free}", {"type": "monthly"})
    user = admin.read(f"/api/user/{free}")["data"]
    assert (user["planid"], user["status"], user["expires"]) == (1, "free", None)


@pytest.mark.parametrize(
    ("now", "expires"),
    [(1_801_353_600, "2027-02-28 00:00:00"), (1_806_451_200, "2027-04-30 00:00:00")],
    ids=["from 31 January", "from 31 March"],
)
def test_a_month_after_the_31st_is_the_last_of_a_shorter_month(
    now: float, expires: str, admin: Visitor, clock: Clock
) -> None:
    clock.now = now
    admin.write("PUT", "/api/plan/2/user/9", {"type": "monthly"})
    assert admin.read("/api/user/9")["data"]["expires"] == expires


def test_an_admin_on_another_plan_stays_an_admin(admin: Visitor) -> None:
    admin.write("PUT", "/api/plan/1/user/1", {"type": "monthly"})
    assert 1 in {user["id"] for user in admin.read("/api/users?filter=admin")["data"]}


NEW_USER = {"username": "ada", "email": "ada@example.org", "password": "12345"}


def test_a_new_user_is_free_has_a_key_that_works_and_loses_it(admin: Visitor, running: Running) -> None:
    made = admin.write("POST", "/api/user/add", NEW_USER)["data"]
    assert made == {"id": 1201, "email": "ada@example.org", "username": "ada"}
    user = admin.read("/api/user/1201")["data"]
    assert (user["status"], user["expires"], user["planid"], user["registered"]) == ("free", None, 1, NOW)
    with Visitor(running, user["apikey"]) as ada:
        assert ada.read("/api/account")["data"]["username"] == "ada"
        assert_refused(ada.ask("GET", "/api/users"), 403)
        admin.write("DELETE", "/api/user/1201/delete")
        assert_refused(ada.ask("GET", "/api/account"), 401)


@pytest.mark.parametrize(
    ("more", "expires"),
    [
        ({"planid": 2}, "2026-10-21 14:13:20"),
        ({"planid": 2, "expiration": "2030-01-01 00:00:00"}, "2030-01-01 00:00:00"),
    ],
)
def test_a_new_user_on_a_premium_plan_is_pro(more: dict[str, object], expires: str, admin: Visitor) -> None:
    made = admin.write("POST", "/api/user/add", {**NEW_USER, **more})["data"]["id"]
    user = admin.read(f"/api/user/{made}")["data"]
    assert (user["status"], user["planid"], user["expires"]) == ("pro", 2, expires)


@pytest.mark.parametrize("member", ["username", "email"])
def test_usernames_and_emails_are_there_once(member: str, admin: Visitor) -> None:
    taken = admin.read("/api/user/2")["data"][member]
    assert_refused(
        admin.ask("POST", "/api/user/add", {**NEW_USER, member: taken}), 400, f"{member} is in use"
    )


def test_the_account_changes_its_email_but_not_to_anothers(admin: Visitor) -> None:
    admin.write("PUT", "/api/account/update", {"email": "new@example.org"})
    admin.write("PUT", "/api/account/update", {"email": "new@example.org", "password": "other"})
    assert admin.read("/api/account")["data"]["email"] == "new@example.org"
    taken = admin.read("/api/user/2")["data"]["email"]
    assert_refused(admin.ask("PUT", "/api/account/update", {"email": taken}), 400, "in use")


def test_nobody_deletes_their_own_account(admin: Visitor) -> None:
    assert_refused(admin.ask("DELETE", "/api/user/1/delete"), 400, "own account")


def test_nothing_is_left_of_the_items_of_a_deleted_channel_or_of_a_deleted_code() -> None:
    query = "SELECT COUNT(*) FROM channel_items WHERE channel_id = 1 OR (type = 'qr' AND item_id = 1)"
    with serve_in_thread() as running, Visitor(running, running.api_key) as admin:
        admin.write("POST", "/api/channel/1/assign/links/1")
        admin.write("POST", "/api/channel/2/assign/qr/1")
        admin.write("DELETE", "/api/channel/1/delete")
        admin.write("DELETE", "/api/qr/1/delete")
        (left,) = running.ask(lambda service: service.db.execute(query).fetchone())
    assert left == 0
