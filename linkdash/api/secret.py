"""A secret that no repr, log or dump shows."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

_SHOWN = "**********"


class SecretStr:
    """A text that is given only to who asks for it by name.

    As pydantic's, and a type for its models; but nothing has to be imported for it, so that settings are read
    before pydantic is there.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def get_secret_value(self) -> str:
        """The secret itself."""
        return self._value

    def __repr__(self) -> str:
        return f"SecretStr({str(self)!r})"

    def __str__(self) -> str:
        return _SHOWN if self._value else ""

    def __len__(self) -> int:
        return len(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretStr) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        """How models read it: from a text, or as it is; they dump it as it is, and as stars into JSON."""
        from pydantic_core import core_schema

        text = core_schema.no_info_after_validator_function(cls, core_schema.str_schema())
        return core_schema.json_or_python_schema(
            text,
            core_schema.union_schema([core_schema.is_instance_schema(cls), text], mode="left_to_right"),
            serialization=core_schema.plain_serializer_function_ser_schema(str, when_used="json"),
            metadata={"pydantic_js_updates": {"format": "password", "writeOnly": True}},
        )
