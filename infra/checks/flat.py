"""Reads an expanded template: its references, and its policies in the terms of table.py."""

import re


class Flat:
    """The resources of an expanded template, under the values it was expanded with."""

    def __init__(self, template, given):
        self.resources = template["Resources"]
        self.given = given
        self.storage = given.get("Storage", "new")
        self.prefix = given.get("Prefix", "pond")
        self.inbox = given.get("Inbox", "inbox/")
        self.bucket = f"arn:aws:s3:::{given['BucketName']}"

    def of(self, kind):
        """The properties of every resource of a type, by logical name."""
        return {
            name: one.get("Properties", {})
            for name, one in self.resources.items()
            if one["Type"] == f"AWS::{kind}"
        }

    def functions(self):
        """Every function's properties, by its name without the stack's."""
        return {
            properties["FunctionName"].split("-", 1)[1]: (name, properties)
            for name, properties in self.of("Lambda::Function").items()
        }

    def queues(self):
        """Every queue's properties, by its name without the stack's."""
        return {
            queue["QueueName"].split("-", 1)[1]: (name, queue) for name, queue in self.of("SQS::Queue").items()
        }

    def aliased(self, reference):
        """The logical name of the function that an alias refers to; `None` for any other reference."""
        alias = self.of("Lambda::Alias").get(target(reference))
        return target(alias["FunctionName"]) if alias else None

    def statements(self):
        """Every statement of every policy, with the name of the resource that holds it."""
        for name, one in self.resources.items():
            properties = one.get("Properties", {})
            documents = [policy["PolicyDocument"] for policy in properties.get("Policies", [])]
            documents += [properties["PolicyDocument"]] if "PolicyDocument" in properties else []
            for document in documents:
                for statement in document["Statement"]:
                    yield name, statement

    def granted(self, role):
        """What a role allows, as pairs of action and place (table.py)."""
        pairs = set()
        for holder, statement in self.statements():
            if holder == role and statement["Effect"] == "Allow":
                for action in listed(statement["Action"]):
                    for resource in listed(statement["Resource"]):
                        pairs |= {
                            (action, place) for place in self.places(resource, statement.get("Condition", {}))
                        }
        return pairs

    def places(self, resource, condition):
        """A resource of a policy in the terms of table.py, or unchanged if it has none."""
        if resource == self.bucket:
            return self._lists(condition)
        if condition:
            return [f"{resource} where {condition}"]
        pond = f"{self.bucket}/{self.prefix}/"
        for pattern, place in (
            (rf"{re.escape(pond)}([a-z-]+/)\*", r"\1"),
            (rf"{re.escape(pond)}(pond)", r"\1"),
            (rf"{re.escape(self.bucket)}/{re.escape(self.inbox)}\*", "inbox"),
            (r"arn:aws:sqs:us-east-1:123456789012:pond-([a-z]+)", r"queue \1"),
            (r"arn:aws:logs:us-east-1:123456789012:log-group:/aws/lambda/pond-([a-z]+):\*", r"log \1"),
            (
                rf"arn:aws:s3express:us-east-1:123456789012:bucket/{re.escape(self.given['BucketName'])}",
                "directory",
            ),
        ):
            found = re.fullmatch(pattern, resource)
            if found:
                return [found.expand(place)]
        return [resource]

    def _lists(self, condition):
        if condition == {"Null": {"s3:prefix": "true"}}:
            return ["absent"]
        prefixes = condition.get("StringLike", {}).get("s3:prefix")
        if list(condition) != ["StringLike"] or prefixes is None:
            return [f"the bucket where {condition}"]
        return [self._list(one) for one in listed(prefixes)]

    def _list(self, prefix):
        """A folder by its name; a pattern (`x/*/head`) as it stands."""
        begins = f"{self.prefix}/"
        if not prefix.startswith(begins) or "*" not in prefix:
            return f"list of {prefix}"
        return f"list {prefix.removeprefix(begins).removesuffix('*')}"


def listed(one):
    """A value or a list of values, as a list."""
    return one if isinstance(one, list) else [one]


def target(reference):
    """The logical name that a `Ref` or a `GetAtt` points at; `None` for anything else."""
    if isinstance(reference, dict):
        return reference.get("Ref") or next(iter(reference.get("Fn::GetAtt", [])), None)
    return None
