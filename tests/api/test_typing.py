"""The library under type checkers: silence about what is right, and a word about every slip."""

import inspect
import pydoc
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_overloads

import pytest

import linkdash.api
from linkdash.api import Answer, Client, Created, Pixel, Request
from linkdash.api.client import Endpoints
from linkdash.api.endpoints import result
from linkdash.api.paging import read_page
from linkdash.api.records import Body
from linkdash.api.resources.account import AccountEndpoints
from linkdash.api.resources.campaigns import Campaigns
from linkdash.api.resources.channels import Channels
from linkdash.api.resources.domains import Domains
from linkdash.api.resources.pixels import Pixels
from linkdash.api.resources.plans import Plans
from linkdash.api.resources.qr import QrCodes
from linkdash.api.resources.users import Users
from linkdash.guide import page

ROOT = Path(__file__).parents[2]
SLIPS = (
    'client.pixels.create(type="nonsense", name="x", tag="x")',
    'client.pixels.create(type="bing", nam="x", tag="x")',
    'client.pixels.create(type="bing", name="x")',
    "client.domains.update(3, redirectroot=7)",
    'client.domains.delete("3")',
    "client.users.create(PixelCreate(type='bing', name='x', tag='x'))",
    'client.plans.subscribe(1, 2, type="weekly")',
    'client.users.list(filter="owner")',
    'client.channels.assign(1, "page", 2)',
    "client.domains.list(options=3)",
    "(await client.account.get()).user_name",
    "(await client.qr.get(1)).code.clicks",
)
WRITES: tuple[Callable[..., object], ...] = (
    *(AccountEndpoints.update, Domains.create, Domains.update, Campaigns.create, Campaigns.update),
    *(Channels.create, Channels.update, Pixels.create, Pixels.update, QrCodes.create, QrCodes.update),
    *(Plans.subscribe, Users.create),
)


def guide_example() -> str:
    """The library's example in the guide."""
    code = re.search(r"\n((?:    .*\n|\n)+)", page("library"))
    assert code is not None
    return textwrap.dedent(code[1])


@pytest.mark.nightly
def test_strict_type_checkers_let_the_examples_through_and_find_every_slip(tmp_path: Path) -> None:
    slips = ["from linkdash.api import Client, PixelCreate", "async def main(client: Client) -> None:"]
    slips += [f"    {slip if slip.startswith('(') else f'await {slip}'}" for slip in SLIPS]
    (tmp_path / "slips.py").write_text("\n".join([*slips, ""]))
    (tmp_path / "guide.py").write_text(guide_example())
    (tmp_path / "sample.py").write_text((Path(__file__).parent / "sample.py").read_text())
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context"]
    command += [
        "--config-file=",
        "--follow-imports=silent",
        f"--cache-dir={ROOT / '.mypy_cache' / 'library'}",
    ]
    files = [str(tmp_path / name) for name in ("slips.py", "guide.py", "sample.py")]
    ran = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True, check=False)
    errors = re.findall(r"(\w+)\.py:(\d+): error:", ran.stdout)
    assert {name for name, _ in errors} == {"slips"}, ran.stdout + ran.stderr
    assert {int(line) for _, line in errors} == set(range(3, 3 + len(SLIPS))), ran.stdout


@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__qualname__)
def test_the_members_that_can_be_named_are_those_of_the_body(write: Callable[..., object]) -> None:
    with_body, with_members = (inspect.signature(each, eval_str=True) for each in get_overloads(write))
    (model,) = {each.annotation for each in with_body.parameters.values() if _is_body(each.annotation)}
    named = {
        name: each.default is inspect.Parameter.empty
        for name, each in with_members.parameters.items()
        if each.kind is inspect.Parameter.KEYWORD_ONLY and name != "options"
    }
    assert named == {name: field.is_required() for name, field in model.model_fields.items()}


def _is_body(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Body)


def test_what_the_guide_says_of_pydoc_is_there() -> None:
    named = re.findall(r"`python -m pydoc ([\w.]+)`", page("library") + (linkdash.api.__doc__ or ""))
    assert len(named) >= 4
    assert [name for name in named if pydoc.locate(name) is None] == []


def test_what_is_printed_of_an_answer_says_what_it_is() -> None:
    data = {"result": 7, "pixels": [{"id": 3, "name": "Shop"}]}
    assert repr(read_page(Pixel, ("pixels",), data)).startswith("Page(result=7,")
    with_id = result(Created, Answer(Request("POST", "/api/pixel/add"), 200, {}, {"error": 0, "id": 7}))
    assert repr(with_id) == "Created(id=7, message='')"


def test_every_exported_name_is_there() -> None:
    for name in linkdash.api.__all__:
        assert getattr(linkdash.api, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Clientt'"):
        linkdash.api.Clientt  # type: ignore[attr-defined]  # noqa: B018


def test_importing_the_library_costs_nothing_until_it_is_used() -> None:
    heavy = "print(*(name for name in ('httpx', 'pydantic', 'asyncio', 'textual') if name in sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys, linkdash.api; {heavy}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == []


def methods() -> Iterator[tuple[str, Callable[..., object]]]:
    client = Client("https://a.example", "key")
    for namespace in vars(Endpoints):
        if not namespace.startswith("_"):
            for name, method in inspect.getmembers(getattr(client, namespace), inspect.ismethod):
                if not name.startswith("_"):
                    yield f"{namespace}.{name}", method


def test_every_method_says_what_it_raises_and_which_section_of_the_reference_it_is_of() -> None:
    told = dict(methods())
    assert len(told) >= 36
    for word in ("Raises", "eference"):
        assert [name for name, method in told.items() if word not in (inspect.getdoc(method) or "")] == []
