"""Our own assertions on an expanded template: what cfn-lint does not check. Each yields its findings."""

import json
import re

from flat import listed, target
from table import STATE, expected

TICK = {"tick": "<aws.scheduler.scheduled-time>"}
ROLES = {
    "worker": "worker",
    "slow": "worker",
    "sweeper": "sweeper",
    "retention": "retention",
    "starter": "starter",
    "api": "api",
}


def check_visibility(flat):
    """The visibility timeout of a queue is six times the timeout of its function."""
    queues = flat.queues()
    for name, mapping in flat.of("Lambda::EventSourceMapping").items():
        function = flat.aliased(mapping["FunctionName"]) or target(mapping["FunctionName"])
        timeout = flat.of("Lambda::Function")[function]["Timeout"]
        _, queue = queues[mapping["EventSourceArn"].rsplit(":", 1)[1].split("-", 1)[1]]
        hidden = queue.get("VisibilityTimeout", 30)
        if hidden < 6 * timeout:
            yield f"{name}: messages are hidden for {hidden} s, and {function} may take {timeout}: at least {6 * timeout}"


def check_rates(flat):
    """Schedules have expressions that EventBridge takes, and every function has the sweeper's period."""
    seconds = {"minute": 60, "hour": 3600, "day": 86400}
    for name, schedule in flat.of("Scheduler::Schedule").items():
        rate = schedule["ScheduleExpression"]
        found = re.fullmatch(r"rate\(([1-9]\d*) (minute|hour|day)(s?)\)", rate)
        if not found or (found[1] == "1") == bool(found[3]):
            yield f"{name}: {rate} is not a rate: `rate(1 minute)`, `rate(5 minutes)`"
            continue
        period = int(found[1]) * seconds[found[2]]
        if flat.aliased(schedule["Target"]["Arn"]) == "SweeperFunction":
            for function, properties in flat.of("Lambda::Function").items():
                sweep = properties["Environment"]["Variables"].get("MILLPOND_SWEEP")
                if sweep != str(period):
                    yield f"{name}: a sweep every {period} s, and {function} has MILLPOND_SWEEP={sweep}"
            if period > 900:
                yield f"{name}: SQS holds a message for 900 s at most, and sweeps are {period} s apart"


def check_ticks(flat):
    """Sweeper and retention are called by a schedule, with the instant that it is for, and not retried."""
    ticked = {}
    for name, schedule in flat.of("Scheduler::Schedule").items():
        ticked[flat.aliased(schedule["Target"]["Arn"])] = name
        if json.loads(schedule["Target"].get("Input", "null")) != TICK:
            yield f"{name}: its input is not {json.dumps(TICK)}"
        if schedule["Target"].get("RetryPolicy", {}).get("MaximumRetryAttempts") != 0:
            yield f"{name}: a tick is retried, although the next one does the same work"
        if not schedule.get("Name", "").startswith("pond-"):
            yield f"{name}: without the stack in its name two stacks cannot be in one account"
    for name in ("SweeperFunction", "RetentionFunction"):
        if name not in ticked:
            yield f"no schedule calls {name}"


def check_partial_failures(flat):
    """Only the failed messages of a batch are delivered again."""
    for name, mapping in flat.of("Lambda::EventSourceMapping").items():
        if mapping.get("FunctionResponseTypes") != ["ReportBatchItemFailures"]:
            yield f"{name}: without ReportBatchItemFailures one invalid message repeats its whole batch"


def check_concurrency(flat):
    """Every mapping has a bound, so that a burst on one queue leaves instances for the others."""
    for name, mapping in flat.of("Lambda::EventSourceMapping").items():
        most = mapping.get("ScalingConfig", {}).get("MaximumConcurrency")
        if not isinstance(most, int) or not 2 <= most <= 1000:
            yield f"{name}: MaximumConcurrency is {most}, not 2 to 1000"


def check_public_url(flat):
    """Requests to a public URL cannot occupy the instances of other functions."""
    for name, url in flat.of("Lambda::Url").items():
        if url["AuthType"] == "AWS_IAM":
            continue
        function = flat.aliased(url["TargetFunctionArn"]) or target(url["TargetFunctionArn"])
        most = flat.of("Lambda::Function")[function].get("ReservedConcurrentExecutions")
        if not isinstance(most, int) or not 0 < most <= 1000:
            yield f"{name}: it is public, and {function} has no reserved concurrency"
            continue
        for source, mapping in flat.of("Lambda::EventSourceMapping").items():
            events = mapping["ScalingConfig"]["MaximumConcurrency"]
            if flat.aliased(mapping["FunctionName"]) == function and events >= most:
                yield f"{name}: {source} may occupy all {most} instances of {function}"


def check_recursion(flat):
    """Lambda does not stop the chains that executions form, and looks for loops in all other functions."""
    for short, (name, properties) in flat.functions().items():
        chained = short in ("worker", "slow", "starter")
        loop = properties.get("RecursiveLoop")
        if loop != ("Allow" if chained else None):
            yield f"{name}: RecursiveLoop is {loop}"


def check_dead_letters(flat):
    """Messages that fail repeatedly leave their queue, and are kept for longer than in it."""
    queues = flat.of("SQS::Queue")
    for short, (name, properties) in flat.queues().items():
        if short.endswith("-dead"):
            if properties.get("MessageRetentionPeriod") != 1209600:
                yield f"{name}: dead letters are kept for 14 days (1209600)"
            continue
        redrive = properties.get("RedrivePolicy", {})
        dead = target(redrive.get("deadLetterTargetArn"))
        if dead not in queues:
            yield f"{name}: it has no dead-letter queue"
            continue
        if not redrive.get("maxReceiveCount", 0) >= 5:
            yield f"{name}: maxReceiveCount is below 5, so that throttling alone can dead-letter messages"
        allowed = queues[dead].get("RedriveAllowPolicy", {}).get("sourceQueueArns", [])
        if not any(one.endswith(f":{properties['QueueName']}") for one in allowed):
            yield f"{dead}: it does not accept the dead letters of {name}"


def check_alias(flat):
    """Every function is called by its alias: an update interrupts no invocation."""
    aliased = {
        target(alias["FunctionName"])
        for alias in flat.of("Lambda::Alias").values()
        if alias["Name"] == "live"
    }
    for name in flat.of("Lambda::Function"):
        if name not in aliased:
            yield f"{name}: it has no alias live"
    callers = {name: one["FunctionName"] for name, one in flat.of("Lambda::EventSourceMapping").items()}
    callers |= {name: one["Target"]["Arn"] for name, one in flat.of("Scheduler::Schedule").items()}
    callers |= {name: one["FunctionName"] for name, one in flat.of("Lambda::Permission").items()}
    callers |= {
        name: one["TargetFunctionArn"]
        for name, one in flat.of("Lambda::Url").items()
        if one.get("Qualifier") != "live"
    }
    for name, called in callers.items():
        if not flat.aliased(called):
            yield f"{name}: it calls {called}, not an alias"


def check_no_star(flat):
    """No statement allows an action on all resources, or all actions."""
    for name, statement in flat.statements():
        if statement["Effect"] != "Allow":
            continue
        for resource in listed(statement["Resource"]):
            if resource == "*" or (isinstance(resource, str) and resource.endswith(":*:*")):
                yield f"{name}: {statement.get('Sid')} allows it on all resources"
        for action in listed(statement["Action"]):
            if "*" in action:
                yield f"{name}: {statement.get('Sid')} allows {action}"


def check_own_role(flat):
    """Every function has a role of its own, without managed policies of AWS (their resources end in `*`)."""
    taken = {}
    for short, (name, properties) in flat.functions().items():
        role = target(properties.get("Role"))
        if role not in flat.of("IAM::Role"):
            yield f"{name}: its role is not one of policies.yaml"
        if role in taken:
            yield f"{name}: it shares its role with {taken[role]}"
        taken[role] = name
        if properties["Environment"]["Variables"].get("MILLPOND_ROLE") != ROLES.get(short):
            yield f"{name}: its MILLPOND_ROLE is not {ROLES.get(short)}"
    for name, properties in flat.of("IAM::Role").items():
        if properties.get("ManagedPolicyArns"):
            yield f"{name}: it has managed policies: {properties['ManagedPolicyArns']}"


def check_actions(flat):
    """Every function has exactly the permissions of table.py."""
    express, slow = flat.storage == "express", "slow" in flat.queues()
    for short, (name, properties) in flat.functions().items():
        may, should = flat.granted(target(properties["Role"])), expected(short, express, slow)
        for action, place in sorted(should - may):
            yield f"{name}: it may not {action} on {place}, which table.py lists"
        for action, place in sorted(may - should):
            yield f"{name}: it may {action} on {place}, which table.py does not list"


def check_hints(flat):
    """A function has the list of queues if, and only if, it may send hints."""
    for name, properties in flat.functions().values():
        may = any(action == "sqs:SendMessage" for action, _ in flat.granted(target(properties["Role"])))
        listed = bool(properties["Environment"]["Variables"].get("MILLPOND_QUEUES"))
        if may != listed:
            yield f"{name}: it {'may' if may else 'may not'} send hints, and has {'' if listed else 'no '}MILLPOND_QUEUES"


def check_bucket(flat):
    """The bucket of the stack is private, encrypted, unversioned, and outlives the stack."""
    for name, properties in flat.of("S3::Bucket").items():
        block = properties.get("PublicAccessBlockConfiguration", {})
        for one in ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"):
            if block.get(one) is not True:
                yield f"{name}: {one} is not set"
        if not properties.get("BucketEncryption", {}).get("ServerSideEncryptionConfiguration"):
            yield f"{name}: it is not encrypted"
        if "VersioningConfiguration" in properties:
            yield f"{name}: versioning would keep a head for each commit"
        rules = properties.get("LifecycleConfiguration", {}).get("Rules", [])
        if not any("AbortIncompleteMultipartUpload" in rule for rule in rules):
            yield f"{name}: abandoned uploads remain, and are billed"
        for rule in rules:
            archive = rule.get("Prefix", "").startswith(
                (f"{flat.prefix}/archive/", f"{flat.prefix}/archive-blob/")
            )
            if "ExpirationInDays" in rule and not archive:
                yield f"{name}: the rule {rule['Id']} deletes objects that are not archives"
        if flat.resources[name].get("DeletionPolicy") != "Retain":
            yield f"{name}: it is deleted with the stack, and all executions with it"
    if flat.storage == "new" and not flat.of("S3::Bucket"):
        yield "Storage=new creates no bucket"


def check_tls(flat):
    """Bucket and queues refuse requests without TLS."""
    refusing = {
        target(resource) or resource
        for _, statement in flat.statements()
        if statement["Effect"] == "Deny"
        and statement.get("Condition") == {"Bool": {"aws:SecureTransport": "false"}}
        and statement["Principal"] == "*"
        and statement["Action"] in ("s3:*", "sqs:*")
        for resource in listed(statement["Resource"])
    }
    needed = {name for short, (name, _) in flat.queues().items() if not short.endswith("-dead")}
    if flat.of("S3::Bucket"):
        needed |= {flat.bucket, f"{flat.bucket}/*"}
    for name in sorted(needed - refusing):
        yield f"{name}: it accepts requests without TLS"


def check_conditional(flat):
    """The bucket of the stack refuses unconditional puts in every folder that the engine writes."""
    if not flat.of("S3::Bucket"):
        return
    condition = {
        "Null": {"s3:if-match": "true", "s3:if-none-match": "true"},
        "Bool": {"s3:ObjectCreationOperation": "true"},
    }
    refused = set()
    for name, statement in flat.statements():
        ours = (
            name in flat.of("S3::BucketPolicy")
            and statement["Effect"] == "Deny"
            and statement["Principal"] == "*"
        )
        if ours and "s3:PutObject" in listed(statement["Action"]) and statement.get("Condition") == condition:
            refused |= set(listed(statement["Resource"]))
    for folder in sorted(STATE):
        if f"{flat.bucket}/{flat.prefix}/{folder}*" not in refused:
            yield f"an unconditional put on {folder} is not refused"


def check_notifications(flat):
    """Each queue receives notifications of its mail once, the starter those of the inbox; none triggers itself."""
    wanted = {
        f"{flat.prefix}/mail/{short}/": short for short in ("default", "slow") if short in flat.queues()
    }
    if "events" in flat.queues():
        wanted[flat.inbox] = "events"
    wired, deletes = {}, set()
    for properties in flat.of("S3::Bucket").values():
        for one in properties.get("NotificationConfiguration", {}).get("QueueConfigurations", []):
            (rule,) = one["Filter"]["S3Key"]["Rules"]
            to = one["Queue"].rsplit(":", 1)[1].split("-", 1)[1]
            if one["Event"] == "s3:ObjectCreated:*":
                wired[rule["Value"]] = to
            elif one["Event"] == "s3:ObjectRemoved:*":
                deletes.add(to)
    for properties in flat.of("Events::Rule").values():
        (key,) = properties["EventPattern"]["detail"]["object"]["key"]
        to = flat.of("SQS::Queue")[target(properties["Targets"][0]["Arn"])]["QueueName"].split("-", 1)[1]
        kinds = properties["EventPattern"]["detail-type"]
        if "Object Created" in kinds:
            wired[key["prefix"]] = to
        if "Object Deleted" in kinds:
            deletes.add(to)
    # Express sends no notifications: hints and the sweeper suffice.
    express = flat.storage == "express"
    if wired != ({} if express else wanted):
        yield f"notifications are {wired}, not {wanted}"
    # The engine's own deletes would double the number of messages.
    if deletes != ({"events"} if "events" in flat.queues() and not express else set()):
        yield f"notifications of deletes go to {sorted(deletes)}: only the starter needs them"
    if flat.inbox.startswith(f"{flat.prefix}/"):
        yield "the inbox is among the engine's own objects: a rule would trigger itself"


def check_logs(flat):
    """Every function's log has a retention time."""
    kept = {log["LogGroupName"]: log.get("RetentionInDays") for log in flat.of("Logs::LogGroup").values()}
    for name, properties in flat.of("Lambda::Function").items():
        if not kept.get(f"/aws/lambda/{properties['FunctionName']}"):
            yield f"{name}: its log is kept forever"


def check_urls(flat):
    """URLs require IAM signatures; a public one exists only if it is configured, and calls the starter."""
    for name, url in flat.of("Lambda::Url").items():
        if url["AuthType"] == "AWS_IAM":
            continue
        if flat.given.get("Webhooks", "none") != "public":
            yield f"{name}: it is public, and no parameter asks for that"
        if target(url["TargetFunctionArn"]) != "StarterFunction":
            yield f"{name}: only the starter checks signatures"
    for name, one in flat.of("Lambda::Permission").items():
        if one["Principal"] == "*" and not ("FunctionUrlAuthType" in one or one.get("InvokedViaFunctionUrl")):
            yield f"{name}: anyone may invoke the function, not only by its URL"


def check_alarms(flat):
    """There is an alarm for dead letters, old messages, errors, throttles, and a sweeper that does not run."""
    if flat.given.get("Alarms", "yes") != "yes":
        return
    seen = set()
    for alarm in flat.of("CloudWatch::Alarm").values():
        metrics = [
            one["MetricStat"]["Metric"] for one in alarm.get("Metrics", []) if "MetricStat" in one
        ] or [alarm]
        seen |= {(one["MetricName"], one["Dimensions"][0]["Value"].split("-", 1)[1]) for one in metrics}
    wanted = {("Invocations", "sweeper")}
    for short in flat.queues():
        dead = short.endswith("-dead")
        wanted.add(("ApproximateNumberOfMessagesVisible" if dead else "ApproximateAgeOfOldestMessage", short))
    wanted |= {(metric, short) for short in flat.functions() for metric in ("Errors", "Throttles")}
    for metric, of in sorted(wanted ^ seen):
        yield f"{'no alarm on' if (metric, of) in wanted else 'an unexpected alarm on'} {metric} of {of}"
    if not flat.of("CloudWatch::Dashboard"):
        yield "there is no dashboard"
    for properties in flat.of("CloudWatch::Dashboard").values():
        json.loads(properties["DashboardBody"])


RULES = {
    name[len("check_") :].replace("_", "-"): rule
    for name, rule in list(globals().items())
    if name.startswith("check_")
}
