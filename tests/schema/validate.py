#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check files against the JSON Schemas: validate.py SCHEMA_DIR FILE... (77: no jsonschema module here).

The schema follows from the member "format". A name that ends in .bad.json must NOT be valid.
"""
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed", file=sys.stderr)
    sys.exit(77)


def validator(schemas, name):
    schema = schemas[name + ".schema.json"]
    try:
        from referencing import Registry, Resource
    except ImportError:  # jsonschema before 4.18
        resolver = jsonschema.RefResolver(schema["$id"], schema, store=schemas)
        return jsonschema.Draft202012Validator(schema, resolver=resolver)
    registry = Registry().with_resources((key, Resource.from_contents(value)) for key, value in schemas.items())
    return jsonschema.Draft202012Validator(schema, registry=registry)


def main(schema_dir, files):
    schemas = {p.name: json.loads(p.read_text()) for p in pathlib.Path(schema_dir).glob("*.schema.json")}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    bad = 0
    for name in files:
        data = json.loads(pathlib.Path(name).read_text())
        errors = list(validator(schemas, data["format"].removeprefix("vtb-")).iter_errors(data))
        if bool(errors) != name.endswith(".bad.json"):
            bad += 1
            print(f"{name}: {errors[0].json_path + ': ' + errors[0].message if errors else 'valid, but should not be'}")
    print(f"{len(files)} files, {bad} wrong")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
