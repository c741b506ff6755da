"""The choices of a form: words of people, not of the service."""

from collections.abc import Iterator

import pytest

from linkdash.api.fields import Field
from linkdash.api.qr_payloads import PAYLOADS
from linkdash.api.records import Body
from linkdash.model.declaration import declarations
from linkdash.model.writes.form_fields import every_field


def _models() -> Iterator[type[Body]]:
    for resource in declarations():
        yield from (model for model in (resource.create, resource.update) if model is not None)
        if resource.assignment is not None:
            yield resource.assignment.model
    yield from PAYLOADS.values()


_CHOICES = [
    pytest.param(field, id=f"{model.__name__}.{field.name}")
    for model in dict.fromkeys(_models())
    for field in every_field(model)
    if field.choices
]


@pytest.mark.parametrize("field", _CHOICES)
def test_every_choice_begins_as_a_person_writes_it(field: Field) -> None:
    for choice in field.choices:
        label = str(field.labels.of(choice))
        assert label[0].isupper(), f"{choice} is the service's word"
