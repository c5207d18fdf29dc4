"""Checks the sources against table.py and the template: calls of AWS, folders of keys, variables, metrics."""

import json
import pathlib
import re

import botocore.session

from table import CALLS, OPERATOR, OTHERS, ROLES, STATE

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def read():
    """Every source file that is built into the binary, by its path."""
    found = {}
    for room in ("engine/src", "adapters", "functions/src"):
        for file in sorted((ROOT / room).rglob("*.rs")):
            path = file.relative_to(ROOT).as_posix()
            if "/tests/" not in path and not path.endswith("/tests.rs"):
                found[path] = file.read_text()
    return found


def operations():
    """Every operation of S3 and SQS by its name in the SDK, to find new calls."""
    session = botocore.session.get_session()
    names = set()
    for service in ("s3", "sqs"):
        for name in session.get_service_model(service).operation_names:
            names.add(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower())
    return names


def called(files):
    """The operations that the sources call, each with a file that calls it."""
    known, found = operations(), {}
    for path, text in files.items():
        # The SDK's calls begin without arguments: `client.get_object()`.
        for name in re.findall(r"\.\s*([a-z0-9_]+)\(\)", text):
            if name in known and re.search(r"aws_sdk_(s3|sqs)|crate::bucket::S3Bucket", text):
                found.setdefault(name, path)
    return found


def check_calls(files):
    """Every call maps to an action, and every action of the table to a call."""
    found = called(files)
    for name, path in sorted(found.items()):
        if name not in CALLS and name not in OPERATOR:
            yield f"{path} calls {name}, and table.py lists no action for it"
    for action in sorted({*CALLS.values(), *OPERATOR.values()}):
        calls = sorted(name for name, needs in {**CALLS, **OPERATOR}.items() if needs == action)
        if not found.keys() & calls:
            yield f"table.py lists {action} for {' or '.join(calls)}, and no source calls it"
    needed = {CALLS[name] for name in found if name in CALLS}
    for role, lines in ROLES.items():
        for action, _, _ in lines:
            if action not in needed and action not in OTHERS:
                yield f"{role} may {action}, and no source needs it"


def check_folders(files):
    """The folders that the bucket protects are those that the engine's keys begin with."""
    code = "\n".join(text for path, text in files.items() if path.startswith("engine/src/keys/"))
    built = re.findall(r'"([a-z-]+/)', re.sub(r"//.*", "", code))
    for folder in sorted(set(built) - STATE):
        yield f"engine/src/keys builds {folder}, and table.py does not protect it"
    for folder in sorted(STATE - set(built)):
        yield f"table.py protects {folder}, and engine/src/keys builds no such key"


def check_variables(files, flats):
    """Every variable of ours that a function is given is read by it."""
    text = "\n".join(text for path, text in files.items() if path.startswith("functions/src/"))
    functions = [properties for flat in flats for properties in flat.of("Lambda::Function").values()]
    given = {name for properties in functions for name in properties["Environment"]["Variables"]}
    for name in sorted(name for name in given if name.startswith("MILLPOND_")):
        if f'"{name}"' not in text:
            yield f"functions are given {name}, and functions/src does not read it"
    for role in sorted({properties["Environment"]["Variables"].get("MILLPOND_ROLE") for properties in functions}):
        if f"    {str(role).capitalize()},\n" not in files.get("functions/src/lambda/deployment.rs", ""):
            yield f"a function has the role {role}, and functions/src/lambda/deployment.rs does not list it"


def check_metrics(files, flats):
    """The dashboard shows metrics that the functions write."""
    text = "\n".join(text for path, text in files.items() if path.startswith("functions/src/"))
    shown = {name for flat in flats for space, name in charted(flat) if space == "Millpond"}
    for name in sorted(shown):
        if f'"{name}"' not in text:
            yield f"the dashboard shows Millpond's {name}, and functions/src does not write it"
    if not shown:
        yield "the dashboard shows no metric of Millpond"


def charted(flat):
    """The namespace and name of each metric of the dashboard, in whose rows `.` repeats the row above."""
    for properties in flat.of("CloudWatch::Dashboard").values():
        for widget in json.loads(properties["DashboardBody"])["widgets"]:
            above = []
            for row in widget["properties"]["metrics"]:
                row = [one for one in row if isinstance(one, str)]
                if row[:1] == ["..."]:
                    row = above[: len(above) - len(row) + 1] + row[1:]
                above = [old if one == "." else one for one, old in zip(row, above + row[len(above) :])]
                yield above[0], above[1]
