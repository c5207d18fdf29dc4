"""Which function may do what, and why: policies.yaml must say this, and no more.

A place is a folder below the prefix (`x/`), `inbox` (what the starter reads), a list of a folder (`list x/`),
`absent` (a read of what is not there is answered 404), a queue, a log, or `directory` (all of a bucket of
S3 Express). The second half says which call of the SDK needs which action, and is held against the sources.
"""

# Each line: an action, the places, and what it is for.
_QUEUES = ("sqs:SendMessage", ["queue default", "queue slow"], "hints, to whoever runs the execution")


def _own(function, queue=None):
    lines = [(f"logs:{verb}", [f"log {function}"], "its log") for verb in ("CreateLogStream", "PutLogEvents")]
    if queue:
        verbs = ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")
        lines += [
            (f"sqs:{verb}", [f"queue {queue}"], "Lambda takes its messages by this role") for verb in verbs
        ]
    return lines


def _worker(function, queue):
    return [
        ("s3:GetObject", ["x/"], "heads, segments, large values; its own write, when no answer came"),
        ("s3:GetObject", ["mail/", "timers/"], "messages; whether the alarm that fired is still there"),
        ("s3:GetObject", ["feed/"], "its own write, when no answer came"),
        (
            "s3:PutObject",
            ["x/", "mail/", "timers/", "feed/"],
            "commits; children and messages; the alarm; events",
        ),
        ("s3:DeleteObject", ["mail/", "timers/"], "causes, when all that followed from them is there"),
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
            "alarms that are due soon, mail that is old; it reads nothing",
        ),
        _QUEUES,
        *_own("sweeper"),
    ],
    "retention": [
        ("s3:GetObject", ["x/", "feed/"], "heads, segments, large values; whether the feed was told"),
        ("s3:GetObject", ["archive/", "archive-blob/"], "an earlier one; its own write, when no answer came"),
        ("s3:PutObject", ["x/", "archive/", "archive-blob/", "feed/"], "tombstone, archive, announcement"),
        ("s3:GetObject", ["cursors/"], "how far the feed was walked"),
        ("s3:PutObject", ["cursors/"], "the same"),
        ("s3:DeleteObject", ["x/", "feed/"], "what is archived, tombstones at last; days that are over"),
        ("s3:DeleteObject", ["timers/"], "the alarm that the last run was woken by"),
        ("s3:ListBucket", ["list x/", "list feed/", "absent"], "an execution's objects; the feed by day"),
        *_own("retention"),
    ],
    "starter": [
        ("s3:GetObject", ["x/", "mail/"], "whether the key was started; its own write, when no answer came"),
        ("s3:PutObject", ["x/", "mail/"], "large arguments and the head; the message that starts or signals"),
        ("s3:GetObject", ["config/", "inbox"], "the rules; what was uploaded, where a rule splits it"),
        ("s3:ListBucket", ["absent"], "a key that was never started"),
        *_own("starter", "events"),
    ],
    "api": [
        (
            "s3:GetObject",
            ["x/", "mail/"],
            "heads, segments, large values; its own write, when no answer came",
        ),
        ("s3:GetObject", ["archive/", "archive-blob/"], "results of what was archived"),
        ("s3:PutObject", ["x/", "mail/"], "as the starter"),
        ("s3:ListBucket", ["absent"], "executions that never were"),
        _QUEUES,
        *_own("api"),
    ],
}

# The conditional writes that the bucket insists on: every folder that the engine writes.
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
# What only an operator's `doctor` asks, by the operator's own permissions.
OPERATOR = {
    "get_bucket_versioning": "s3:GetBucketVersioning",
    "get_bucket_lifecycle_configuration": "s3:GetLifecycleConfiguration",
}
# What no call of ours asks for.
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
            # Notifications of a start's mail are hint enough, and a directory bucket sends none.
            pairs |= {(_QUEUES[0], place) for place in _QUEUES[1]}
    return {(action, place) for action, place in pairs if slow or place != "queue slow"}
