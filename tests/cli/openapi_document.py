"""docs/openapi.json as tests read it: its operations, what they take, and whether an answer is one of those described."""

import dataclasses
import json
import os
import pathlib
import urllib.parse

import jsonschema

DOCS = pathlib.Path(os.environ["SLUICE_DOCS"])
TEXT = (DOCS / "openapi.json").read_text(encoding="utf-8")
DOCUMENT = json.loads(TEXT)
METHODS = ("get", "head", "post", "put", "patch", "delete", "options", "trace")
DOORS = {server["url"]: door for server, door in zip(DOCUMENT["servers"], ("http", "admin"))}
# What `default` of every operation stands for: bytes that are no request that is understood. fault.cc has the table.
REFUSED = {400, 413, 414, 417, 431, 501, 505}


def resolved(part):
    if "$ref" not in part:
        return part
    found = DOCUMENT
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return found


def faults_of(value, schema):
    # References begin at the root of a schema, so what they name is put there.
    validator = jsonschema.Draft202012Validator({**schema, "components": DOCUMENT["components"]})
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


@dataclasses.dataclass
class Answer:
    status: int
    fields: dict
    text: str

    def json(self):
        return json.loads(self.text)


@dataclasses.dataclass
class Operation:
    path: str
    method: str
    item: dict

    @property
    def parts(self):
        return self.item[self.method]

    @property
    def id(self):
        return self.parts["operationId"]

    @property
    def doors(self):
        return [DOORS[server["url"]] for server in self.item["servers"]]

    @property
    def parameters(self):
        return [resolved(one) for one in self.item.get("parameters", []) + self.parts.get("parameters", [])]

    @property
    def statuses(self):
        return {int(status) for status in self.parts["responses"] if status != "default"}

    def bodies(self):
        """The examples of request bodies: pairs of media type and value."""
        for media_type, content in self.parts.get("requestBody", {}).get("content", {}).items():
            for example in content.get("examples", {}).values():
                yield media_type, example["value"]

    def url(self, values=None, query=None):
        """The path with its parameters as the examples have them, or as `values` does."""
        path = self.path
        for one in self.parameters:
            if one["in"] == "path":
                value = (values or {}).get(one["name"], one["example"])
                path = path.replace("{" + one["name"] + "}", urllib.parse.quote(str(value), safe=""))
        return path + ("?" + urllib.parse.urlencode(query) if query else "")

    def examples(self, where):
        return {one["name"]: one["example"] for one in self.parameters if one["in"] == where and "example" in one}

    def faults(self, answer):
        """Why the answer is none of those that the document describes; empty where it is one."""
        responses = self.parts["responses"]
        key = str(answer.status)
        if key not in responses and answer.status not in REFUSED:
            return [f"{self.id}: {answer.status} is not described"]
        response = resolved(responses[key if key in responses else "default"])
        return [f"{self.id} {answer.status}: {fault}" for fault in self._faults_of_fields(response, answer)] + [
            f"{self.id} {answer.status}: {fault}" for fault in self._faults_of_body(response, answer)
        ]

    def _faults_of_fields(self, response, answer):
        described = {name.lower(): resolved(header) for name, header in response.get("headers", {}).items()}
        for name, header in described.items():
            if name not in answer.fields:
                if header.get("required"):
                    yield f"{name} is missing"
                continue
            value = answer.fields[name]
            is_number = resolved(header["schema"]).get("type") == "integer"
            yield from faults_of(int(value) if is_number else value, header["schema"])
        usual = {"content-type", "content-length", "connection"}
        yield from (f"{name} is not described" for name in answer.fields.keys() - described.keys() - usual)

    def _faults_of_body(self, response, answer):
        content = response.get("content")
        if self.method == "head" or content is None:
            if answer.text:
                yield f"has a body: {answer.text}"
            return
        media_type = answer.fields.get("content-type", "").partition(";")[0]
        if media_type not in content:
            yield f"{media_type} is not described"
            return
        is_json = media_type.endswith("json")
        yield from faults_of(answer.json() if is_json else answer.text, content[media_type]["schema"])


def operations():
    return [
        Operation(path, method, item) for path, item in DOCUMENT["paths"].items() for method in item if method in METHODS
    ]
