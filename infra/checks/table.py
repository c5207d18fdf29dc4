"""The permissions of each function, and the reasons: policies.yaml must contain exactly these.

A place is a folder below the prefix (`x/`), `pond` (the object), `inbox` (what the starter reads), a list of a folder (`list x/`),
`absent` (a read of a missing object is answered 404), a queue, a log, or `directory` (all of a bucket of
S3 Express). The second half maps calls of the SDK to actions, and is checked against the sources.
"""

# Each line: an action, the places, and the purpose.
_QUEUES = ("sqs:SendMessage", ["queue default", "queue slow"], "hints to the workers")


def _own(function, queue=None):
    lines = [("s3:GetObject", ["pond"], "the id of the pond, with a keyring")]
    lines += [(f"logs:{verb}", [f"log {function}"], "its log") for verb in ("CreateLogStream", "PutLogEvents")]
    if queue:
        verbs = ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")
        lines += [
            (f"sqs:{verb}", [f"queue {queue}"], "Lambda receives its messages with this role") for verb in verbs
        ]
    return lines


def _worker(function, queue):
    return [
        ("s3:GetObject", ["x/"], "heads, segments, large values; its own write after a lost reply"),
        ("s3:GetObject", ["mail/", "timers/"], "messages; whether the timer that fired still exists"),
        ("s3:GetObject", ["feed/"], "its own write after a lost reply"),
        (
            "s3:PutObject",
            ["x/", "mail/", "timers/", "feed/"],
            "commits; children and messages; the timer; events",
        ),
        ("s3:DeleteObject", ["mail/", "timers/"], "causes, once all their effects exist"),
        ("s3:ListBucket", ["list mail/", "absent"], "the mailbox of an execution"),
        ("s3:ListBucket", ["list x/*/head"], "when a head changed whose lease ends too far ahead"),
        _QUEUES,
        *_own(function, queue),
    ]


ROLES = {
    "worker": _worker("worker", "default"),
    "slow": _worker("slow", "slow"),
    "sweeper": [
        (
            "s3:ListBucket",
            ["list timers/", "list mail/"],
            "timers that are due soon, and old mail; it reads no object",
        ),
        _QUEUES,
        *_own("sweeper"),
    ],
    "retention": [
        ("s3:GetObject", ["x/", "feed/"], "heads, segments, large values; whether the feed has the event"),
        ("s3:GetObject", ["archive/", "archive-blob/"], "an earlier one; its own write after a lost reply"),
        ("s3:PutObject", ["x/", "archive/", "archive-blob/", "feed/"], "tombstone, archive, event"),
        ("s3:GetObject", ["cursors/"], "the position in the feed"),
        ("s3:PutObject", ["cursors/"], "the same"),
        ("s3:DeleteObject", ["x/", "feed/"], "archived objects, later tombstones; old days of the feed"),
        ("s3:DeleteObject", ["timers/"], "the timer that fired for the last run"),
        ("s3:ListBucket", ["list x/", "list feed/", "absent"], "an execution's objects; the feed by day"),
        *_own("retention"),
    ],
    "starter": [
        ("s3:GetObject", ["x/", "mail/"], "whether the key was started; its own write after a lost reply"),
        ("s3:PutObject", ["x/", "mail/"], "large arguments and the head; the message that starts or signals"),
        ("s3:GetObject", ["config/", "inbox"], "the rules; an upload that a rule splits"),
        ("s3:ListBucket", ["absent"], "a key that was never used"),
        *_own("starter", "events"),
    ],
    "api": [
        (
            "s3:GetObject",
            ["x/", "mail/"],
            "heads, segments, large values; its own write after a lost reply",
        ),
        ("s3:GetObject", ["archive/", "archive-blob/"], "results of archived executions"),
        ("s3:PutObject", ["x/", "mail/"], "as the starter"),
        ("s3:ListBucket", ["absent"], "executions that do not exist"),
        _QUEUES,
        *_own("api"),
    ],
}

# The folders in which the bucket requires conditional writes: all that the engine writes.
STATE = {"x/", "mail/", "timers/", "feed/", "archive/", "archive-blob/", "cursors/"}

# A call of aws-sdk-s3 or aws-sdk-sqs, and the action it needs.
CALLS = {
    "get_object": "s3:GetObject",
    "put_object": "s3:PutObject",
    "delete_object": "s3:DeleteObject",
    "list_objects_v2": "s3:ListBucket",
    "send_message": "sqs:SendMessage",
    "send_message_batch": "sqs:SendMessage",
}
# Calls of `doctor` only, with the operator's own permissions.
OPERATOR = {
    "get_bucket_versioning": "s3:GetBucketVersioning",
    "get_bucket_lifecycle_configuration": "s3:GetLifecycleConfiguration",
}
# Actions that no call of ours needs.
OTHERS = {
    "s3express:CreateSession": "the SDK, before the first request to a directory bucket",
    "sqs:ReceiveMessage": "Lambda's poller",
    "sqs:DeleteMessage": "Lambda's poller",
    "sqs:GetQueueAttributes": "Lambda's poller",
    "logs:CreateLogStream": "Lambda",
    "logs:PutLogEvents": "Lambda",
}


def expected(function, express, slow):
    """The pairs of action and place of a function."""
    pairs = {(action, place) for action, places, _ in ROLES[function] for place in places}
    if express:
        pairs = {(action, place) for action, place in pairs if not action.startswith("s3:")}
        pairs.add(("s3express:CreateSession", "directory"))
        if function == "starter":
            # A start's mail causes a notification, which suffices as a hint; a directory bucket sends none.
            pairs |= {(_QUEUES[0], place) for place in _QUEUES[1]}
    return {(action, place) for action, place in pairs if slow or place != "queue slow"}
