"""Writes src/flow_hooks/api from the API description of a service: its types, and a method for each route.

    python tools/generate.py https://hooks.example.com/openapi.json [directory]

Needs the packages of requirements-dev.txt. A service with its own HOOKS_PREFIX has other paths: take its description.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from api_types import HEADER, MODELS, Json, Types

GENERATED = Path(__file__).parent.parent / "src/flow_hooks/api"
METHODS = ("get", "post", "put", "patch", "delete")
KEYS = {"adminKey", "apiKey"}
LINE = 120


def main(source: str, directory: Path) -> None:
    if source.startswith(("http://", "https://")):
        with urllib.request.urlopen(source, timeout=30) as answer:
            document = json.load(answer)
    else:
        document = json.loads(Path(source).read_text())
    types = Types()
    for name, schema in document["components"]["schemas"].items():
        types.add(name, schema)
    routes = [route(types, *operation) for operation in operations(document)]
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "__init__.py").write_text(f"{HEADER}\n")
    (directory / "types.py").write_text(types.text())
    (directory / "routes.py").write_text(ROUTES.replace("HEADER", HEADER) + "\n".join(routes))


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    """The routes for callers with an API key or an admin key; the others are for platforms and browsers."""
    for path, methods in document["paths"].items():
        for method in METHODS:
            operation = methods.get(method)
            if operation and any(KEYS & set(requirement) for requirement in operation["security"]):
                yield path, method, operation


def route(types: Types, path: str, method: str, operation: Json) -> str:
    """The method of a route. Adds the types of its input and its answer."""
    operation_id = operation["operationId"]
    name = operation_id[0].upper() + operation_id[1:]
    arguments, passed = ["self"], [f'"{method.upper()}"', python_path(path)]

    def add(argument: str, suffix: str, schema: Json) -> None:
        described = types.resolved(schema)
        if not described.get("properties") and described.get("type") == "object":
            return
        type_name = schema["$ref"].removeprefix(MODELS) if "$ref" in schema else name + suffix
        if described is schema:
            types.add(type_name, schema)
        optional = "required" not in described and described.get("type") == "object"
        arguments.append(f"{argument}: types.{type_name}" + (" | None = None" if optional else ""))
        passed.append(f"{argument}={argument}")

    parameters = operation.get("parameters", [])
    arguments += [f"{snake(each['name'])}: str" for each in parameters if each["in"] == "path"]
    body = operation.get("requestBody", {}).get("content", {})
    if "application/json" in body:
        add("body", "Body", body["application/json"]["schema"])
    elif body:
        arguments.append("body: bytes")
        passed.append("body=body")
    add("query", "Query", of_parameters("query", parameters))
    add("headers", "Headers", of_parameters("header", parameters))
    answer = answer_of(types, name, operation)
    if answer == "bytes":
        passed.append("raw=True")
    return method_text(operation, snake(operation_id), arguments, passed, answer)


def python_path(path: str) -> str:
    """`/replays/{id}` as an f-string with quoted parameters."""
    if "{" not in path:
        return f'"{path}"'
    return 'f"' + re.sub(r"{(\w+)}", lambda found: "{quoted(" + snake(found[1]) + ")}", path) + '"'


def of_parameters(place: str, parameters: list[Json]) -> Json:
    fields = [each for each in parameters if each["in"] == place]
    required = [each["name"] for each in fields if each.get("required")]
    properties = {each["name"]: described(each) for each in fields}
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def described(parameter: Json) -> Json:
    schema: Json = dict(parameter["schema"])
    return schema | {"description": parameter["description"]} if "description" in parameter else schema


def answer_of(types: Types, name: str, operation: Json) -> str:
    """The type of the answer: of all successful ones together."""
    found: list[str] = []
    for status, response in operation["responses"].items():
        if not status.startswith("2") or "content" not in response:
            continue
        schema = response["content"].get("application/json", {}).get("schema")
        if schema is None:
            found.append("bytes")
        elif "$ref" in schema:
            found.append(f"types.{schema['$ref'].removeprefix(MODELS)}")
        else:
            types.add(f"{name}Answer", schema)
            found.append(f"types.{name}Answer")
    return " | ".join(dict.fromkeys(found)) or "None"


def method_text(operation: Json, name: str, arguments: list[str], passed: list[str], answer: str) -> str:
    words = f"{operation['summary']}. {operation.get('description', '')}".strip().replace("\\", "\\\\")
    return "".join(
        [
            call(f"    def {name}", arguments, f" -> {answer}:"),
            docstring(words),
            call("        return self._send", passed, ""),
        ]
    )


def call(start: str, arguments: list[str], end: str) -> str:
    """In one line, or with a line for each argument."""
    line = f"{start}({', '.join(arguments)}){end}\n"
    if len(line) <= LINE + 1:
        return line
    indent = " " * (len(start) - len(start.lstrip()))
    return f"{start}(\n" + "".join(f"{indent}    {each},\n" for each in arguments) + f"{indent}){end}\n"


def docstring(words: str) -> str:
    indent = " " * 8
    if len(words) <= LINE - len(indent) - 6 and "\n" not in words:
        return f'{indent}"""{words}"""\n'
    paragraphs = words.split("\n\n")
    lines = "\n\n".join(textwrap.fill(each, LINE - len(indent)) for each in paragraphs)
    return textwrap.indent(f'"""{lines}\n"""\n', indent)


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: "_" + found[1], name).lower()


ROUTES = '''HEADER
# mypy: disable-error-code="no-any-return"
"""A method for each route that an API key or an admin key may call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..paths import quoted
from . import types


class Send(Protocol):
    def __call__(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        body: Any = None,
        raw: bool = False,
    ) -> Any: ...


class Routes:
    """A method for each route, with the name that the API description gives it.

    `POST /admin/api/replays/{id}/cancel` is `cancel_replay`.
    """

    def __init__(self, send: Send) -> None:
        self._send = send

'''

if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) == 3 else GENERATED)
