"""Whatever a body holds, the answer is the service's own: never a failure of the server."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkdash.demo.server import Running
from tests.service.contract import VALID, Endpoint
from tests.service.visitor import Visitor

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(endpoint=st.sampled_from([one for one in VALID if one.body]), data=st.data())
def test_any_values_get_an_answer_in_the_envelope(
    endpoint: Endpoint, data: st.DataObject, running: Running, admin: Visitor
) -> None:
    good = endpoint.body or {}
    names = st.sampled_from(sorted(good))
    body = {**good, **data.draw(st.dictionaries(names, VALUES, min_size=1))}
    response = admin.ask(endpoint.method, endpoint.path, body)
    assert response.status_code in (200, 400, 404)
    assert response.json()["error"] == (0 if response.status_code == 200 else 1)
