"""docs/openapi.json is a good OpenAPI document, and names the routes that the doors have and no others."""

import http.client
import importlib.util
import json
import pathlib
import re
import unittest

import jsonschema
from openapi_document import DOCS, DOCUMENT, METHODS, REFUSED, TEXT, faults_of, operations, resolved
from serving import Server

HERE = pathlib.Path(__file__).parent
SOURCES = DOCS.parent / "src" / "doors"
# Routes that answer for all that is below them, and what that is.
BELOW = {
    "/admin/v1/buckets/": ["{key}"],
    "/admin/v1/rules/": ["{rule_id}", "{rule_id}/history"],
    "/admin/v1/rules/top-level/": ["{field}"],
}
TOKENS = {"SLUICE_ADMIN_TOKEN": "secret"}


def parts(value, place="#"):
    """All objects of the document, each with its place."""
    if isinstance(value, dict):
        yield place, value
    for name, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from parts(part, f"{place}/{name}")


def tool():
    specification = importlib.util.spec_from_file_location("openapi", DOCS.parent / "tools" / "openapi.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class Document(unittest.TestCase):
    def test_it_has_the_shape_of_openapi(self):
        shape = json.loads((HERE / "openapi_shape.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(shape)
        errors = jsonschema.Draft202012Validator(shape).iter_errors(DOCUMENT)
        self.assertEqual([f"{error.json_path}: {error.message}" for error in errors], [])

    def test_every_reference_leads_somewhere_and_nothing_is_left_over(self):
        used = {part["$ref"] for _, part in parts(DOCUMENT) if isinstance(part.get("$ref"), str)}
        there = {f"#/components/{kind}/{name}" for kind, found in DOCUMENT["components"].items() for name in found}
        schemes = {name for one in operations() for choice in one.parts["security"] for name in choice}
        used |= {f"#/components/securitySchemes/{name}" for name in schemes}
        self.assertEqual(used, there)

    def test_every_schema_is_one(self):
        for place, part in parts(DOCUMENT):
            if place.endswith("/schema") or re.fullmatch("#/components/schemas/[^/]+", place):
                jsonschema.Draft202012Validator.check_schema(part)

    def test_operations_have_names_tags_and_parameters_of_their_own(self):
        names = [one.id for one in operations()]
        self.assertEqual(len(names), len(set(names)))
        tags = {tag["name"] for tag in DOCUMENT["tags"]}
        self.assertEqual({tag for one in operations() for tag in one.parts["tags"]}, tags)
        for one in operations():
            with self.subTest(one.id):
                in_path = [parameter["name"] for parameter in one.parameters if parameter["in"] == "path"]
                self.assertEqual(sorted(in_path), sorted(re.findall(r"{(\w+)}", one.path)))
                kinds = [(parameter["in"], parameter["name"]) for parameter in one.parameters]
                self.assertEqual(len(kinds), len(set(kinds)))
                for link in [link for part in one.parts["responses"].values() for link in part.get("links", {}).values()]:
                    self.assertIn(link["operationId"], names)

    def test_examples_fit_their_schemas(self):
        for one in operations():
            for media_type, example in one.bodies():
                schema = one.parts["requestBody"]["content"][media_type]["schema"]
                self.assertEqual(faults_of(example, schema), [], one.id)
            for parameter in one.parameters:
                if "example" in parameter:
                    self.assertEqual(faults_of(parameter["example"], parameter["schema"]), [], parameter["name"])
        for header in DOCUMENT["components"]["headers"].values():
            self.assertEqual(faults_of(header["example"], header["schema"]) if "example" in header else [], [])

    def test_schemas_of_rules_are_those_of_the_language_and_the_file_has_its_form(self):
        schema = (DOCS / "rules.schema.json").read_text(encoding="utf-8")
        self.assertEqual(TEXT, tool().made_anew(TEXT, schema), "write it anew: tools/openapi.py")

    def test_default_stands_for_the_statuses_of_requests_that_are_not_understood(self):
        table = (SOURCES / "http" / "fault.cc").read_text(encoding="utf-8")
        self.assertEqual({int(status) for status in re.findall(r"{Fault::k\w+, (\d+)", table)} - {200}, REFUSED)
        text = resolved({"$ref": "#/components/responses/Refused"})["description"]
        self.assertEqual({int(status) for status in re.findall(r"\d{3}", text)}, REFUSED)


def constant(file, name):
    return re.search(rf'{name} = "([^"]+)"', (SOURCES / file).read_text(encoding="utf-8"))[1]


def routes_of(file):
    """Path and methods of every row of a table of routes, as its source has them; no methods are all of them."""
    names = {"all": "admin/rules_routes.h", "BucketRoutes::kPath": "admin/bucket_routes.h"}
    text = (SOURCES / file).read_text(encoding="utf-8")
    table = text[re.search(r"^std::vector<(http::)?Route> [\w:]+::routes\(\)", text, re.M).end() :]
    table = table[: re.search(r"^}", table, re.M).start()]
    path = r'{(?:\.path = )?((?:"[^"]*"|all|std::string\([\w:]+\)|[ +])+)'
    methods = r'(?:\.methods = )?{((?:"[A-Z]+"(?:, )?)*)}'
    rows = re.findall(rf"{path},\s*{methods},", table)
    assert len(rows) == len(re.findall("^ {6}{", table, re.M)), f"{file} has rows that are not understood"
    for path, methods in rows:
        parts_of_path = re.findall(r'"[^"]*"|all|\w+::kPath', path)
        whole = "".join(part[1:-1] if part.startswith('"') else constant(names[part], "kPath") for part in parts_of_path)
        yield whole, frozenset(re.findall("[A-Z]+", methods) or map(str.upper, METHODS))


class Routes(unittest.TestCase):
    def documented(self, door):
        found = {}
        for one in operations():
            if door in one.doors:
                found.setdefault(one.path, set()).add(one.method.upper())
        return found

    def test_sources_and_document_have_the_same(self):
        texts = {path.relative_to(SOURCES).as_posix(): path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.cc")}
        tables = {file for file, text in texts.items() if re.search(r"Route> [\w:]+::routes\(\)", text)}
        doors = {"http/public_door.cc": "http", "admin/admin_door.cc": "admin", "admin/rules_routes.cc": "admin"}
        self.assertEqual(tables, set(doors), "who has routes?")
        for door in ("http", "admin"):
            found = [row for file, at in doors.items() if at == door for row in routes_of(file)]
            paths = {path + rest: methods for path, methods in found for rest in BELOW.get(path, [""])}
            documented = self.documented(door)
            self.assertEqual(set(paths), set(documented))
            for path, methods in paths.items():
                # What is below a route may take fewer methods; the running server tells.
                is_exact = not path.startswith("/admin/v1/rules/{")
                self.assertLessEqual(documented[path], methods, path)
                self.assertTrue(not is_exact or documented[path] == methods, path)

    def test_a_running_server_takes_these_methods_and_no_others(self):
        with Server(arguments=["--rules", "sqlite:rules.db"], **TOKENS) as server:
            for door in ("http", "admin"):
                connection = http.client.HTTPConnection("127.0.0.1", server.ports[door], timeout=60)
                self.addCleanup(connection.close)
                for path, methods in self.documented(door).items():
                    self.ask_with_every_method(connection, path, methods)
                self.assertEqual(self.asked(connection, "GET", "/v1/nothing").status, 404)

    def asked(self, connection, method, path):
        connection.request(method, path, headers={"Authorization": "Bearer secret"})
        response = connection.getresponse()
        response.read()
        return response

    def ask_with_every_method(self, connection, path, methods):
        one = next(one for one in operations() if one.path == path)
        expected = methods | {"HEAD"} if "GET" in methods else methods
        for method in map(str.upper, METHODS):
            with self.subTest(f"{method} {path}"):
                response = self.asked(connection, method, one.url())
                if method in expected:
                    self.assertNotEqual(response.status, 405)
                    allowed = {"rule_id", "field", "key"} & {parameter["name"] for parameter in one.parameters}
                    self.assertTrue(response.status != 404 or allowed, "only what has a name may be missing")
                else:
                    self.assertEqual(response.status, 405)
                    self.assertEqual(set(response.headers["Allow"].split(", ")), expected)

    def test_the_index_of_each_door_names_only_documented_paths(self):
        with Server(**TOKENS) as server:
            for door in ("http", "admin"):
                paths = json.loads(server.ask(door, "/")[1])["paths"]
                self.assertLessEqual(set(paths), set(self.documented(door)))
                prefixes = tuple(path.split("{")[0] for path in paths)
                missing = [path for path in self.documented(door) if not path.startswith(prefixes) and path != "/"]
                self.assertEqual(missing, [])

    def test_both_doors_serve_it_as_the_file_has_it(self):
        with Server(**TOKENS, SLUICE_HTTP_TOKEN="public") as server:
            self.assertEqual(server.ask("http", "/openapi.json")[0], 401)
            self.assertEqual(server.ask("http", "/openapi.json", token="public"), (200, TEXT))
            self.assertEqual(server.admin("/openapi.json"), (200, TEXT))


if __name__ == "__main__":
    unittest.main()
