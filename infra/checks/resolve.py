"""Resolves a template whose parameters have values.

Conditions are decided, and `Ref`, `Sub`, `FindInMap`, `Join` and `If` are resolved, as by
CloudFormation. References to resources remain: CloudFormation assigns their names.
"""

import re

# A placeholder account, unless another is given.
PSEUDO = {
    "AWS::AccountId": "123456789012",
    "AWS::Partition": "aws",
    "AWS::Region": "us-east-1",
    "AWS::StackName": "pond",
    "AWS::URLSuffix": "amazonaws.com",
}


class Refused(Exception):
    """A template, or a value for it, that CloudFormation would reject."""


class _Nothing:
    """`AWS::NoValue`: as if the property were absent."""


NOTHING = _Nothing()


class Scope:
    """One template with values for its parameters. `outputs` are those of its nested stacks, by name."""

    def __init__(self, template, given, pseudo):
        self.template = template
        self.pseudo = {**PSEUDO, **pseudo}
        self.outputs = {}
        self.parameters = _parameters(template.get("Parameters", {}), given)
        for name, rule in template.get("Rules", {}).items():
            if self.holds(rule.get("RuleCondition", {"Fn::Equals": ["", ""]})):
                for assertion in rule["Assertions"]:
                    if not self.holds(assertion["Assert"]):
                        raise Refused(f"rule {name}: {assertion['AssertDescription']}")

    def holds(self, condition):
        """Whether a condition, or the one of that name, is true."""
        if isinstance(condition, str):
            named = self.template.get("Conditions", {})
            if condition not in named:
                raise Refused(f"there is no condition {condition}")
            return self.holds(named[condition])
        ((verb, of),) = condition.items()
        if verb == "Condition":
            return self.holds(of)
        if verb == "Fn::Equals":
            left, right = (self.value(one) for one in of)
            return str(left) == str(right)
        if verb == "Fn::Not":
            return not self.holds(of[0])
        if verb == "Fn::And":
            return all(self.holds(one) for one in of)
        if verb == "Fn::Or":
            return any(self.holds(one) for one in of)
        raise Refused(f"unknown condition function: {verb}")

    def value(self, node):
        """`node`, resolved."""
        if isinstance(node, list):
            return [one for one in map(self.value, node) if one is not NOTHING]
        if not isinstance(node, dict):
            return node
        if len(node) == 1:
            ((verb, of),) = node.items()
            known = getattr(self, "_" + verb.replace("::", "_").lower(), None)
            if known and (verb == "Ref" or verb.startswith("Fn::")):
                return known(of)
        worked = ((key, self.value(one)) for key, one in node.items())
        return {key: one for key, one in worked if one is not NOTHING}

    def name(self, name):
        """The value of a parameter or a pseudo-parameter; `None` for the name of a resource."""
        return self.parameters.get(name, self.pseudo.get(name))

    def _ref(self, name):
        if name == "AWS::NoValue":
            return NOTHING
        known = self.name(name)
        return {"Ref": name} if known is None else known

    def _fn_if(self, of):
        condition, then, otherwise = of
        return self.value(then if self.holds(condition) else otherwise)

    def _fn_sub(self, of):
        text, more = (of, {}) if isinstance(of, str) else (of[0], self.value(of[1]))

        def put(found):
            known = more.get(found[1], self.name(found[1]))
            return found[0] if known is None or isinstance(known, dict) else str(known)

        text = re.sub(r"\$\{([^!}]+)\}", put, text)
        return {"Fn::Sub": text} if re.search(r"\$\{[^!]", text) else text.replace("${!", "${")

    def _fn_join(self, of):
        mark, parts = of[0], self.value(of[1])
        whole = all(isinstance(one, (str, int)) for one in parts)
        return mark.join(map(str, parts)) if whole else {"Fn::Join": [mark, parts]}

    def _fn_findinmap(self, of):
        table, row, column = (str(self.value(one)) for one in of)
        try:
            return self.template["Mappings"][table][row][column]
        except KeyError as absent:
            raise Refused(f"the mapping {table} has no {row}, {column}") from absent

    def _fn_getatt(self, of):
        name, _, attribute = of.partition(".") if isinstance(of, str) else (of[0], "", of[1])
        if name in self.outputs:
            output = attribute[len("Outputs.") :]
            if output not in self.outputs[name]:
                raise Refused(f"{name} has no output {output}")
            return self.outputs[name][output]
        return {"Fn::GetAtt": [name, attribute]}


def _parameters(declared, given):
    for name in given:
        if name not in declared:
            raise Refused(f"there is no parameter {name}: {', '.join(sorted(declared))}")
    values = {}
    for name, parameter in declared.items():
        if name not in given and "Default" not in parameter:
            raise Refused(f"the parameter {name} has no value")
        value = given.get(name, parameter.get("Default"))
        text = value if isinstance(value, dict) else str(value)
        allowed = parameter.get("AllowedValues")
        if allowed is not None and text not in map(str, allowed):
            raise Refused(f"{name} is {text}, not one of {', '.join(map(str, allowed))}")
        if "AllowedPattern" in parameter and not re.fullmatch(parameter["AllowedPattern"], text):
            raise Refused(f"{name} is {text}, which does not match {parameter['AllowedPattern']}")
        number = parameter["Type"] == "Number" and not isinstance(value, dict)
        if number and not parameter.get("MinValue", 0) <= int(text) <= parameter.get("MaxValue", 1 << 31):
            raise Refused(f"{name} is {text}, out of bounds")
        values[name] = int(text) if number else text
    return values
