"""The templates of this folder: as they are written, and as one that has no parameters and no parts."""

import copy
import logging
import os
import pathlib

import boto3
from samtranslator.model.exceptions import InvalidDocumentException
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

from resolve import PSEUDO, Refused, Scope

FOLDER = pathlib.Path(__file__).resolve().parent.parent
MAIN = "template.yaml"
# The output of infra/build. SAM needs the place to which it was uploaded.
PACKAGE = "../target/deploy/bootstrap.zip"
UPLOADED = "s3://code/bootstrap.zip"

logging.getLogger("samtranslator").setLevel(logging.CRITICAL)


def read():
    """Every template, by file name."""
    return {file.name: yaml_parse(file.read_text()) for file in sorted(FOLDER.glob("*.yaml"))}


def transformed(template, given=None):
    """A SAM template as CloudFormation receives it."""
    template = copy.deepcopy(template)
    for name, one in template["Resources"].items():
        if one["Type"] == "AWS::Serverless::Function":
            if one["Properties"].get("CodeUri") != PACKAGE:
                raise Refused(
                    f"{name}: its CodeUri is not {PACKAGE}; by `Globals` the folder infra would be uploaded"
                )
            one["Properties"]["CodeUri"] = UPLOADED
    # SAM reads its partition, and does not call it.
    os.environ.setdefault("AWS_DEFAULT_REGION", PSEUDO["AWS::Region"])
    session = boto3.Session(region_name=PSEUDO["AWS::Region"])
    try:
        return Translator({}, Parser(), boto_session=session).translate(template, dict(given or {}))
    except InvalidDocumentException as refused:
        raise Refused(f"SAM: {refused.message}") from refused


def expand(parts, given, pseudo=None):
    """The resources of all parts under the values `given`, in one template."""
    main = Scope(transformed(parts[MAIN], given), given, pseudo or {})
    resources = {}
    nested = {
        name: one
        for name, one in main.template["Resources"].items()
        if one["Type"] == "AWS::CloudFormation::Stack"
    }
    for name, one in nested.items():
        if "Condition" in one and not main.holds(one["Condition"]):
            continue
        properties = one["Properties"]
        if properties["TemplateURL"] not in parts:
            raise Refused(f"{name}: there is no {properties['TemplateURL']}")
        part = Scope(parts[properties["TemplateURL"]], main.value(properties["Parameters"]), main.pseudo)
        _take(resources, part, skip=())
        outputs = part.template.get("Outputs", {}).items()
        main.outputs[name] = {
            key: part.value(out["Value"])
            for key, out in outputs
            if "Condition" not in out or part.holds(out["Condition"])
        }
    _take(resources, main, skip=nested)
    outputs = {
        key: {"Value": main.value(out["Value"])}
        for key, out in main.template["Outputs"].items()
        if "Condition" not in out or main.holds(out["Condition"])
    }
    return {"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources, "Outputs": outputs}


def _take(resources, scope, skip):
    for name, one in scope.template["Resources"].items():
        if name in skip or ("Condition" in one and not scope.holds(one["Condition"])):
            continue
        if name in resources:
            raise Refused(f"two parts have a resource {name}")
        one = {key: part for key, part in one.items() if key != "Condition"}
        # Parts are not resources here: dependencies on them are dropped.
        after = one.pop("DependsOn", [])
        after = [each for each in ([after] if isinstance(after, str) else after) if each not in skip]
        if after:
            one["DependsOn"] = after
        resources[name] = scope.value(one)
