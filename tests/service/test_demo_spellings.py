"""The odd spellings the reference documents or warns of."""

from tests.service.test_demo_lists import every_record
from tests.service.visitor import Visitor


def test_plans_have_string_flags_and_counts_and_a_free_one_no_prices(reader: Visitor) -> None:
    answer = reader.read("/api/plans")
    assert answer["error"] == "0"
    plans = answer["data"]
    assert [plan["free"] for plan in plans] == [True, False, False, False]
    assert plans[0]["prices"] is None
    assert all(set(plan["prices"]) == {"monthly", "yearly", "lifetime"} for plan in plans[1:])
    for plan in plans:
        limits = dict(plan["limits"])
        assert all(isinstance(limits.pop(name), int) for name in ("links", "clicks", "retention"))
        assert len(limits) == 14
        counted = {name for name, feature in limits.items() if set(feature) == {"enabled", "count"}}
        assert counted == {"team", "splash", "overlay", "pixels", "domain"}
        assert all(feature["enabled"] in ("0", "1") for feature in limits.values())
        assert all(limits[name]["count"].isdecimal() for name in counted)


def test_campaigns_are_named_under_either_key_and_have_a_rotator_or_false(reader: Visitor) -> None:
    campaigns = every_record(reader, "/api/campaigns", "campaigns")
    rest = {"id", "public", "rotator", "list"}
    assert {frozenset(set(each) - rest) for each in campaigns} == {frozenset({"name"}), frozenset({"domain"})}
    assert {type(each["rotator"]) for each in campaigns} == {bool, str}
    assert all(each["rotator"] is False or each["rotator"].startswith("https://") for each in campaigns)
    assert {each["public"] for each in campaigns} == {True, False}


def test_statistics_count_in_strings_and_social_counts_in_integers(reader: Visitor) -> None:
    data = reader.read("/api/qr/10")["data"]
    assert set(data) == {
        *("clicks", "uniqueClicks", "topCountries", "topReferrers", "topBrowsers", "topOs", "socialCount")
    }
    for name in ("topCountries", "topReferrers", "topBrowsers", "topOs"):
        assert len(data[name]) >= 3
        assert all(count.isdecimal() for count in data[name].values())
    assert set(data["socialCount"]) == {"facebook", "twitter", "instagram"}
    assert all(isinstance(count, int) for count in data["socialCount"].values())


def test_some_codes_have_no_statistics_and_some_have_odd_labels(reader: Visitor) -> None:
    assert reader.read("/api/qr/7")["data"] == {}
    assert reader.read("/api/qr/7")["details"]["scans"] == 0
    assert {"", "Unknown"} <= set(reader.read("/api/qr/3")["data"]["topCountries"])


def test_a_new_code_has_empty_maps(admin: Visitor) -> None:
    code = admin.write("POST", "/api/qr/add", {"type": "text", "data": "hello"})
    data = admin.read(f"/api/qr/{code['id']}")["data"]
    assert (data["clicks"], data["topCountries"], data["topOs"]) == (0, {}, {})


def test_the_error_is_a_string_in_lists_and_an_integer_elsewhere(reader: Visitor) -> None:
    assert [reader.read(path)["error"] for path in ("/api/qr", "/api/channel/3", "/api/users")] == ["0"] * 3
    assert [reader.read(path)["error"] for path in ("/api/qr/3", "/api/account", "/api/user/3")] == [0] * 3


def test_the_account_shows_neither_key_nor_plan(reader: Visitor, plain_reader: Visitor) -> None:
    members = {"id", "email", "username", "avatar", "status", "expires", "registered"}
    for visitor in (reader, plain_reader):
        assert set(visitor.read("/api/account")["data"]) == members
