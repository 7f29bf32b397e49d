"""The types of a service's API, made by datamodel-code-generator."""

from __future__ import annotations

import json
from typing import Any

from datamodel_code_generator import GenerateConfig, generate
from datamodel_code_generator.enums import DataModelType, InputFileType, NamingStrategy
from datamodel_code_generator.format import Formatter, PythonVersion
from datamodel_code_generator.parser import LiteralType

Json = dict[str, Any]

HEADER = "# Made from /openapi.json by tools/generate.py. Do not edit."
MODELS = "#/components/schemas/"

# Constraints that the service checks, and that types of Python do not express.
UNTYPED = {"pattern", "format", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "minItems"}
UNTYPED |= {"maxItems", "default", "examples", "propertyNames"}


class Types:
    """The types that are written, by their names."""

    def __init__(self) -> None:
        self._schemas: Json = {}

    def add(self, name: str, schema: Json) -> None:
        """Adds a type. The parts of a list or a union get names that are derived from its name."""
        schema = dict(schema)
        if "properties" in schema.get("items", {}):
            self.add(f"{name}Item", schema["items"])
            schema["items"] = {"$ref": f"{MODELS}{name}Item"}
        for union in ("anyOf", "oneOf"):
            if union in schema:
                schema[union] = [self._part(f"{name}{n}", part) for n, part in enumerate(schema[union], 1)]
        self._schemas[name] = simplified(schema)

    def resolved(self, schema: Json) -> Json:
        """The schema to which a reference leads, or the schema itself."""
        if "$ref" not in schema:
            return schema
        found: Json = self._schemas[schema["$ref"].removeprefix(MODELS)]
        return found

    def _part(self, name: str, schema: Json) -> Json:
        if "properties" not in schema:
            return schema
        self.add(name, schema)
        return {"$ref": MODELS + name}

    def text(self) -> str:
        document = {
            "openapi": "3.1.1",
            "info": {"title": "Flow Hooks", "version": "1"},
            "paths": {},
            "components": {"schemas": self._schemas},
        }
        config = GenerateConfig(
            input_file_type=InputFileType.OpenAPI,
            output_model_type=DataModelType.TypingTypedDict,
            target_python_version=PythonVersion.PY_311,
            enum_field_as_literal=LiteralType.All,
            naming_strategy=NamingStrategy.FullPath,
            use_closed_typed_dict=False,
            use_schema_description=True,
            use_field_description=True,
            use_single_line_docstring=True,
            use_standard_collections=True,
            use_union_operator=True,
            formatters=[Formatter.BUILTIN],
            custom_file_header=HEADER,
        )
        return str(generate(json.dumps(document), config=config)).rstrip() + "\n"


def simplified(schema: Json) -> Json:
    """The schema without constraints."""
    return {key: simplified_keyword(key, value) for key, value in schema.items() if key not in UNTYPED}


def simplified_keyword(key: str, value: Any) -> Any:
    if key == "properties":
        return {name: simplified(schema) for name, schema in value.items()}
    if key in ("items", "additionalProperties") and isinstance(value, dict):
        return simplified(value)
    if key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        return [simplified(schema) for schema in value]
    return value
