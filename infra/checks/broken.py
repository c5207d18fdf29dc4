"""Invalid templates: each must be refused by its rule.

A rule that refuses none of these could be removed unnoticed: `check` reports it, too.
"""

import copy

from flat import Flat
from parts import expand
from resolve import Refused
from rules import RULES
from sources import check_calls, check_folders, check_metrics, check_variables

T, Q, B, P, W = "template.yaml", "queues.yaml", "bucket.yaml", "policies.yaml", "watch.yaml"
NEW = {"BucketName": "some-bucket"}
ALL = {**NEW, "Slow": "yes", "Webhooks": "public", "ArchiveDays": "365"}
EXISTING = {**NEW, "Storage": "existing"}
EXPRESS = {"BucketName": "some--use1-az4--x-s3", "Storage": "express"}


def put(file, *path, value):
    """Sets the value at `path`; a step may be a predicate that finds the member of a list."""

    def change(parts):
        *way, last = path
        node = _walk(parts[file]["Resources"], way)
        node[_at(node, last)] = value

    return change


def drop(file, *path):
    """Deletes the value at `path`."""

    def change(parts):
        *way, last = path
        node = _walk(parts[file]["Resources"], way)
        del node[_at(node, last)]

    return change


def _walk(node, way):
    for step in way:
        node = node[_at(node, step)]
    return node


def _at(node, step):
    return next(i for i, one in enumerate(node) if step(one)) if callable(step) else step


def sid(name):
    """The statement of that name, behind a condition or not."""
    return lambda one: (one["Fn::If"][1] if "Fn::If" in one else one).get("Sid") == name


def mapping(file, table, row, column, value):
    """Sets a cell of a mapping."""
    return lambda parts: parts[file]["Mappings"][table][row].__setitem__(column, value)


def also(statement):
    """One more statement for the worker."""
    return lambda parts: _walk(parts[P]["Resources"], QUEUES).append(statement)


def allow(action, resource):
    return also({"Sid": "More", "Effect": "Allow", "Action": action, "Resource": resource})


BUCKET = ("WorkerRole", "Properties", "Policies", 0, "Fn::If", 2, "PolicyDocument", "Statement")
QUEUES = ("WorkerRole", "Properties", "Policies", 1, "PolicyDocument", "Statement")
MAIL = ("WorkerFunction", "Properties", "Events", "Mail", "Properties")
SWEEP = ("SweeperFunction", "Properties", "Events", "Tick", "Properties")
VARIABLES = ("Properties", "Environment", "Variables")
POLICY = ("BucketPolicy", "Properties", "PolicyDocument", "Statement")
KINDS = ("Properties", "EventPattern", "detail-type")
SENDERS = ("DefaultSenders", "Properties", "PolicyDocument", "Statement")

# The rule that must refuse it, the values of its parameters, and the change.
BROKEN = [
    ("visibility", NEW, mapping(T, "Visibility", "60", "Seconds", 60)),
    ("visibility", ALL, mapping(T, "Visibility", "900", "Seconds", 900)),
    ("visibility", NEW, drop(Q, "DefaultQueue", "Properties", "VisibilityTimeout")),
    ("rates", NEW, mapping(T, "Sweep", "1", "Rate", "rate(1 minutes)")),
    ("rates", {**NEW, "SweepMinutes": "5"}, mapping(T, "Sweep", "5", "Rate", "rate(5 minute)")),
    ("rates", NEW, mapping(T, "Sweep", "1", "Rate", "every minute")),
    ("rates", NEW, mapping(T, "Sweep", "1", "Seconds", "30")),
    (
        "rates",
        NEW,
        lambda parts: parts[T]["Globals"]["Function"]["Environment"]["Variables"].pop("MILLPOND_SWEEP"),
    ),
    ("rates", NEW, mapping(T, "Sweep", "1", "Rate", "rate(1 hour)")),
    ("ticks", NEW, drop(T, *SWEEP, "Input")),
    ("ticks", NEW, put(T, *SWEEP, "Input", value='{"tick": "<aws.scheduler.execution-id>"}')),
    ("ticks", NEW, drop(T, *SWEEP, "Name")),
    ("ticks", NEW, put(T, *SWEEP, "RetryPolicy", value={"MaximumRetryAttempts": 8})),
    ("ticks", NEW, drop(T, "RetentionFunction", "Properties", "Events")),
    ("partial-failures", NEW, drop(T, *MAIL, "FunctionResponseTypes")),
    ("concurrency", NEW, drop(T, *MAIL, "ScalingConfig")),
    ("concurrency", NEW, put(T, *MAIL, "ScalingConfig", value={"MaximumConcurrency": 1})),
    ("public-url", ALL, drop(T, "StarterFunction", "Properties", "ReservedConcurrentExecutions")),
    ("public-url", {**ALL, "StarterConcurrency": "20"}, lambda parts: None),
    ("recursion", NEW, drop(T, "WorkerFunction", "Properties", "RecursiveLoop")),
    ("recursion", NEW, put(T, "SweeperFunction", "Properties", "RecursiveLoop", value="Allow")),
    ("dead-letters", NEW, drop(Q, "DefaultQueue", "Properties", "RedrivePolicy")),
    ("dead-letters", NEW, put(Q, "EventsQueue", "Properties", "RedrivePolicy", "maxReceiveCount", value=1)),
    ("dead-letters", NEW, drop(Q, "EventsDead", "Properties", "MessageRetentionPeriod")),
    (
        "dead-letters",
        NEW,
        put(Q, "DefaultDead", "Properties", "RedriveAllowPolicy", "sourceQueueArns", value=[]),
    ),
    ("alias", NEW, lambda parts: parts[T]["Globals"]["Function"].pop("AutoPublishAlias")),
    ("alias", ALL, drop(T, "WebhookUrl", "Properties", "Qualifier")),
    ("alias", ALL, put(T, "WebhookCallers", "Properties", "FunctionName", value={"Ref": "StarterFunction"})),
    ("hints", NEW, drop(T, "StarterFunction", *VARIABLES, "MILLPOND_QUEUES")),
    ("hints", NEW, drop(T, "RetentionFunction", *VARIABLES, "MILLPOND_QUEUES")),
    ("hints", EXPRESS, put(T, "StarterFunction", *VARIABLES, "MILLPOND_QUEUES", value={"Ref": "AWS::NoValue"})),
    ("no-star", NEW, allow("sqs:SendMessage", "*")),
    ("no-star", NEW, put(P, *BUCKET, sid("Journals"), "Action", value="s3:*")),
    ("own-role", NEW, drop(T, "WorkerFunction", "Properties", "Role")),
    (
        "own-role",
        NEW,
        put(T, "ApiFunction", "Properties", "Role", value={"Fn::GetAtt": ["Policies", "Outputs.WorkerRole"]}),
    ),
    (
        "own-role",
        NEW,
        put(
            P,
            "ApiRole",
            "Properties",
            "ManagedPolicyArns",
            value=["arn:aws:iam::aws:policy/AmazonS3FullAccess"],
        ),
    ),
    (
        "own-role",
        NEW,
        put(T, "ApiFunction", "Properties", "Environment", "Variables", "MILLPOND_ROLE", value="worker"),
    ),
    ("actions", NEW, put(P, *BUCKET, sid("Causes"), "Action", value=["s3:GetObject", "s3:PutObject"])),
    ("actions", NEW, drop(P, *BUCKET, sid("Absent"))),
    ("actions", NEW, drop(P, *BUCKET, sid("Mailboxes"), "Condition")),
    ("actions", NEW, put(P, *BUCKET, sid("Journals"), "Resource", value={"Fn::Sub": "${Pond}/*"})),
    ("actions", NEW, allow("s3:DeleteObject", {"Fn::Sub": "${Pond}/x/*"})),
    ("actions", NEW, allow("sqs:PurgeQueue", {"Fn::Sub": "${Queue}-default"})),
    ("actions", NEW, drop(P, *QUEUES, sid("Hints"))),
    (
        "actions",
        {**NEW, "Storage": "express"},
        put(P, "ApiRole", "Properties", "Policies", 0, "Fn::If", 1, value={"Ref": "AWS::NoValue"}),
    ),
    (
        "bucket",
        NEW,
        put(B, "Bucket", "Properties", "PublicAccessBlockConfiguration", "BlockPublicPolicy", value=False),
    ),
    ("bucket", NEW, drop(B, "Bucket", "Properties", "BucketEncryption")),
    ("bucket", NEW, put(B, "Bucket", "Properties", "VersioningConfiguration", value={"Status": "Enabled"})),
    ("bucket", NEW, put(B, "Bucket", "Properties", "LifecycleConfiguration", "Rules", value=[])),
    ("bucket", NEW, drop(B, "Bucket", "DeletionPolicy")),
    ("bucket", NEW, drop(T, "Bucket")),
    (
        "bucket",
        ALL,
        put(
            B,
            "Bucket",
            "Properties",
            "LifecycleConfiguration",
            "Rules",
            1,
            "Fn::If",
            1,
            "Prefix",
            value={"Ref": "Prefix"},
        ),
    ),
    ("tls", NEW, drop(B, *POLICY, sid("TlsOnly"))),
    ("tls", NEW, drop(Q, *SENDERS, sid("TlsOnly"))),
    ("tls", NEW, put(B, *POLICY, sid("TlsOnly"), "Resource", value={"Ref": "BucketArn"})),
    ("conditional", NEW, drop(B, *POLICY, sid("Conditional"))),
    ("conditional", NEW, drop(B, *POLICY, sid("Conditional"), "Resource", 0)),
    ("conditional", NEW, drop(B, *POLICY, sid("Conditional"), "Condition", "Null", "s3:if-match")),
    ("conditional", NEW, put(B, *POLICY, sid("Conditional"), "Effect", value="Allow")),
    ("notifications", NEW, drop(B, "Bucket", "Properties", "NotificationConfiguration")),
    (
        "notifications",
        ALL,
        drop(B, "Bucket", "Properties", "NotificationConfiguration", "QueueConfigurations", 1),
    ),
    ("notifications", EXISTING, drop(Q, "DefaultRule")),
    ("notifications", EXISTING, put(Q, "DefaultRule", *KINDS, value=["Object Created", "Object Deleted"])),
    ("notifications", EXISTING, put(Q, "EventsRule", *KINDS, value=["Object Created"])),
    ("notifications", {**NEW, "Inbox": "pond/mail/"}, lambda parts: None),
    ("logs", NEW, drop(T, "SweeperLogs", "Properties", "RetentionInDays")),
    ("urls", NEW, put(T, "ApiFunction", "Properties", "FunctionUrlConfig", "AuthType", value="NONE")),
    ("urls", NEW, drop(T, "WebhookUrl", "Condition")),
    ("urls", ALL, drop(T, "WebhookInvokers", "Properties", "InvokedViaFunctionUrl")),
    ("alarms", NEW, drop(W, "DefaultDeadAlarm")),
    ("alarms", NEW, drop(W, "SweeperMissingAlarm")),
    ("alarms", NEW, drop(W, "ErrorsAlarm", "Properties", "Metrics", 1)),
    ("alarms", NEW, drop(W, "Dashboard")),
    # CloudFormation itself would refuse these, and `infra/expand` does.
    ("refused", {**NEW, "Storage": "express", "ArchiveDays": "30"}, lambda parts: None),
    ("refused", {**ALL, "Starter": "no"}, lambda parts: None),
    ("refused", {**NEW, "WorkerTimeout": "61"}, lambda parts: None),
    ("refused", {**NEW, "Prefix": "/pond"}, lambda parts: None),
    ("refused", {**NEW, "Colour": "blue"}, lambda parts: None),
    ("refused", {}, lambda parts: None),
    ("refused", NEW, drop(T, "ApiFunction", "Properties", "CodeUri")),
]


def refused_by(parts, given):
    """The names of the rules that refuse these parts."""
    try:
        flat = Flat(expand(parts, given), given)
    except Refused:
        return {"refused"}
    return {name for name, rule in RULES.items() if next(iter(rule(flat)), None)}


def check(parts, files):
    """The templates above that are not refused as expected."""
    for at, (rule, given, change) in enumerate(BROKEN):
        copied = copy.deepcopy(parts)
        change(copied)
        by = refused_by(copied, given)
        if rule not in by:
            yield f"the invalid template {at}, for the rule {rule}, is refused by {sorted(by) or 'none'}"
    for rule in sorted(RULES.keys() - {rule for rule, _, _ in BROKEN}):
        yield f"there is no invalid template for the rule {rule}"
    yield from _sources(parts, files)


def _sources(parts, files):
    read = "adapters/s3/src/read.rs"

    def without(word):
        return {path: text.replace(word, "") for path, text in files.items()}

    flat = Flat(expand(parts, NEW), NEW)
    for what, rule, changed in (
        ("a call that table.py does not list", check_calls, {read: files[read] + "\nclient.copy_object()"}),
        ("a call that was removed", check_calls, without(".delete_object()")),
        ("a new folder of keys", check_folders, {"engine/src/keys/new.rs": 'format!("leases/{name}")'}),
        (
            "a variable that no source reads",
            lambda all_: check_variables(all_, [flat]),
            without('"MILLPOND_SWEEP"'),
        ),
        ("a metric that no source writes", lambda all_: check_metrics(all_, [flat]), without('"MailLag"')),
    ):
        if not next(iter(rule({**files, **changed})), None):
            yield f"sources with {what} are not refused"
