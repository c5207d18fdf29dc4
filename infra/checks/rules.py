"""Our own assertions on an expanded template: what cfn-lint does not know. Each yields what is wrong."""

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
    """A message is hidden for six times as long as its function may take."""
    queues = flat.queues()
    for name, mapping in flat.of("Lambda::EventSourceMapping").items():
        function = flat.aliased(mapping["FunctionName"]) or target(mapping["FunctionName"])
        timeout = flat.of("Lambda::Function")[function]["Timeout"]
        _, queue = queues[mapping["EventSourceArn"].rsplit(":", 1)[1].split("-", 1)[1]]
        hidden = queue.get("VisibilityTimeout", 30)
        if hidden < 6 * timeout:
            yield f"{name}: messages are hidden for {hidden} s, and {function} may take {timeout}: at least {6 * timeout}"


def check_rates(flat):
    """Schedules have expressions that EventBridge takes, and every function knows the sweeper's."""
    seconds = {"minute": 60, "hour": 3600, "day": 86400}
    for name, schedule in flat.of("Scheduler::Schedule").items():
        says = schedule["ScheduleExpression"]
        found = re.fullmatch(r"rate\(([1-9]\d*) (minute|hour|day)(s?)\)", says)
        if not found or (found[1] == "1") == bool(found[3]):
            yield f"{name}: {says} is no rate: `rate(1 minute)`, `rate(5 minutes)`"
            continue
        period = int(found[1]) * seconds[found[2]]
        if flat.aliased(schedule["Target"]["Arn"]) == "SweeperFunction":
            for function, says in flat.of("Lambda::Function").items():
                told = says["Environment"]["Variables"].get("MILLPOND_SWEEP")
                if told != str(period):
                    yield f"{name}: a sweep every {period} s, and {function} has MILLPOND_SWEEP={told}"
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
            yield f"{name}: a tick is tried again, and the next one does it all"
        if not schedule.get("Name", "").startswith("pond-"):
            yield f"{name}: without the stack in its name two stacks cannot live in one account"
    for name in ("SweeperFunction", "RetentionFunction"):
        if name not in ticked:
            yield f"no schedule calls {name}"


def check_partial_failures(flat):
    """Of a batch only what failed comes again."""
    for name, mapping in flat.of("Lambda::EventSourceMapping").items():
        if mapping.get("FunctionResponseTypes") != ["ReportBatchItemFailures"]:
            yield f"{name}: without ReportBatchItemFailures one poisoned message brings the whole batch again"


def check_concurrency(flat):
    """Every mapping has a bound, so that a storm on one queue leaves instances to the others."""
    for name, mapping in flat.of("Lambda::EventSourceMapping").items():
        most = mapping.get("ScalingConfig", {}).get("MaximumConcurrency")
        if not isinstance(most, int) or not 2 <= most <= 1000:
            yield f"{name}: MaximumConcurrency is {most}, not 2 to 1000"


def check_public_url(flat):
    """Requests to a URL that is open to anybody cannot take the instances of other functions."""
    for name, url in flat.of("Lambda::Url").items():
        if url["AuthType"] == "AWS_IAM":
            continue
        function = flat.aliased(url["TargetFunctionArn"]) or target(url["TargetFunctionArn"])
        most = flat.of("Lambda::Function")[function].get("ReservedConcurrentExecutions")
        if not isinstance(most, int) or not 0 < most <= 1000:
            yield f"{name}: it is open to anybody, and {function} has no reserved concurrency"
            continue
        for source, mapping in flat.of("Lambda::EventSourceMapping").items():
            events = mapping["ScalingConfig"]["MaximumConcurrency"]
            if flat.aliased(mapping["FunctionName"]) == function and events >= most:
                yield f"{name}: {source} may take all {most} instances of {function}"


def check_recursion(flat):
    """Lambda does not stop the chains that executions form, and looks for loops in all other functions."""
    for short, (name, says) in flat.functions().items():
        chained = short in ("worker", "slow", "starter")
        loop = says.get("RecursiveLoop")
        if loop != ("Allow" if chained else None):
            yield f"{name}: RecursiveLoop is {loop}"


def check_dead_letters(flat):
    """What fails again and again leaves its queue, and is kept for longer than it was there."""
    queues = flat.of("SQS::Queue")
    for short, (name, says) in flat.queues().items():
        if short.endswith("-dead"):
            if says.get("MessageRetentionPeriod") != 1209600:
                yield f"{name}: dead letters are kept for 14 days (1209600)"
            continue
        redrive = says.get("RedrivePolicy", {})
        dead = target(redrive.get("deadLetterTargetArn"))
        if dead not in queues:
            yield f"{name}: it has no queue for dead letters"
            continue
        if not redrive.get("maxReceiveCount", 0) >= 5:
            yield f"{name}: maxReceiveCount is below 5, so that throttling alone kills messages"
        allowed = queues[dead].get("RedriveAllowPolicy", {}).get("sourceQueueArns", [])
        if not any(one.endswith(f":{says['QueueName']}") for one in allowed):
            yield f"{dead}: it does not take the letters of {name}"


def check_alias(flat):
    """Every function is called by its alias: an update ends nothing that runs."""
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
    """Nothing is allowed on everything, and nobody may do everything."""
    for name, statement in flat.statements():
        if statement["Effect"] != "Allow":
            continue
        for resource in listed(statement["Resource"]):
            if resource == "*" or (isinstance(resource, str) and resource.endswith(":*:*")):
                yield f"{name}: {statement.get('Sid')} allows it on everything"
        for action in listed(statement["Action"]):
            if "*" in action:
                yield f"{name}: {statement.get('Sid')} allows {action}"


def check_own_role(flat):
    """Every function has a role of its own, without policies of AWS's making (they end in `*`)."""
    taken = {}
    for short, (name, says) in flat.functions().items():
        role = target(says.get("Role"))
        if role not in flat.of("IAM::Role"):
            yield f"{name}: its role is not one of policies.yaml"
        if role in taken:
            yield f"{name}: it shares its role with {taken[role]}"
        taken[role] = name
        if says["Environment"]["Variables"].get("MILLPOND_ROLE") != ROLES.get(short):
            yield f"{name}: its MILLPOND_ROLE is not {ROLES.get(short)}"
    for name, says in flat.of("IAM::Role").items():
        if says.get("ManagedPolicyArns"):
            yield f"{name}: it has policies that are not ours: {says['ManagedPolicyArns']}"


def check_actions(flat):
    """Every function may do what table.py says, and nothing else."""
    express, slow = flat.storage == "express", "slow" in flat.queues()
    for short, (name, says) in flat.functions().items():
        may, should = flat.granted(target(says["Role"])), expected(short, express, slow)
        for action, place in sorted(should - may):
            yield f"{name}: it may not {action} on {place}, which table.py says it does"
        for action, place in sorted(may - should):
            yield f"{name}: it may {action} on {place}, which table.py does not know"


def check_hints(flat):
    """Who may send hints knows the queues, and who knows them may."""
    for name, says in flat.functions().values():
        may = any(action == "sqs:SendMessage" for action, _ in flat.granted(target(says["Role"])))
        knows = bool(says["Environment"]["Variables"].get("MILLPOND_QUEUES"))
        if may != knows:
            yield f"{name}: it {'may' if may else 'may not'} send hints, and has {'' if knows else 'no '}MILLPOND_QUEUES"


def check_bucket(flat):
    """A bucket of ours is private, encrypted, unversioned, and outlives the stack."""
    for name, says in flat.of("S3::Bucket").items():
        block = says.get("PublicAccessBlockConfiguration", {})
        for one in ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"):
            if block.get(one) is not True:
                yield f"{name}: {one} is not on"
        if not says.get("BucketEncryption", {}).get("ServerSideEncryptionConfiguration"):
            yield f"{name}: it does not encrypt"
        if "VersioningConfiguration" in says:
            yield f"{name}: versioning would keep a head for each commit"
        rules = says.get("LifecycleConfiguration", {}).get("Rules", [])
        if not any("AbortIncompleteMultipartUpload" in rule for rule in rules):
            yield f"{name}: uploads that were given up stay, and are billed"
        for rule in rules:
            archive = rule.get("Prefix", "").startswith(
                (f"{flat.prefix}/archive/", f"{flat.prefix}/archive-blob/")
            )
            if "ExpirationInDays" in rule and not archive:
                yield f"{name}: the rule {rule['Id']} deletes what is no archive"
        if flat.resources[name].get("DeletionPolicy") != "Retain":
            yield f"{name}: it goes with the stack, and all executions with it"
    if flat.storage == "new" and not flat.of("S3::Bucket"):
        yield "Storage=new makes no bucket"


def check_tls(flat):
    """Bucket and queues refuse what is not encrypted on its way."""
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
        yield f"{name}: it takes requests without TLS"


def check_conditional(flat):
    """A bucket of ours refuses unconditional puts on everything that the engine writes."""
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
    """Every queue hears of its mail, once, and the starter of the inbox; nothing hears of itself."""
    wanted = {
        f"{flat.prefix}/mail/{short}/": short for short in ("default", "slow") if short in flat.queues()
    }
    if "events" in flat.queues():
        wanted[flat.inbox] = "events"
    wired, deletes = {}, set()
    for says in flat.of("S3::Bucket").values():
        for one in says.get("NotificationConfiguration", {}).get("QueueConfigurations", []):
            (rule,) = one["Filter"]["S3Key"]["Rules"]
            to = one["Queue"].rsplit(":", 1)[1].split("-", 1)[1]
            if one["Event"] == "s3:ObjectCreated:*":
                wired[rule["Value"]] = to
            elif one["Event"] == "s3:ObjectRemoved:*":
                deletes.add(to)
    for says in flat.of("Events::Rule").values():
        (key,) = says["EventPattern"]["detail"]["object"]["key"]
        to = flat.of("SQS::Queue")[target(says["Targets"][0]["Arn"])]["QueueName"].split("-", 1)[1]
        kinds = says["EventPattern"]["detail-type"]
        if "Object Created" in kinds:
            wired[key["prefix"]] = to
        if "Object Deleted" in kinds:
            deletes.add(to)
    # Express tells nobody anything: hints and the sweeper have to do.
    express = flat.storage == "express"
    if wired != ({} if express else wanted):
        yield f"notifications are {wired}, not {wanted}"
    # The engine's own deletes would be as many messages again.
    if deletes != ({"events"} if "events" in flat.queues() and not express else set()):
        yield f"deletes are told to {sorted(deletes)}: they are for the starter, and for nobody else"
    if flat.inbox.startswith(f"{flat.prefix}/"):
        yield "the inbox is among the engine's own objects: a rule would trigger itself"


def check_logs(flat):
    """Every function's log is kept for a time that was chosen."""
    kept = {says["LogGroupName"]: says.get("RetentionInDays") for says in flat.of("Logs::LogGroup").values()}
    for name, says in flat.of("Lambda::Function").items():
        if not kept.get(f"/aws/lambda/{says['FunctionName']}"):
            yield f"{name}: its log is kept for ever"


def check_urls(flat):
    """URLs want IAM's signatures; an open one is there only where it was asked for, and leads to the starter."""
    for name, url in flat.of("Lambda::Url").items():
        if url["AuthType"] == "AWS_IAM":
            continue
        if flat.given.get("Webhooks", "none") != "public":
            yield f"{name}: it is open to anybody, and nobody asked for that"
        if target(url["TargetFunctionArn"]) != "StarterFunction":
            yield f"{name}: only the starter checks signatures"
    for name, one in flat.of("Lambda::Permission").items():
        if one["Principal"] == "*" and not ("FunctionUrlAuthType" in one or one.get("InvokedViaFunctionUrl")):
            yield f"{name}: anybody may invoke the function, by its URL or not"


def check_alarms(flat):
    """Somebody hears of dead letters, queues that grow old, errors, throttles, and a sweeper that is gone."""
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
        yield f"{'no alarm on' if (metric, of) in wanted else 'an alarm on nothing:'} {metric} of {of}"
    if not flat.of("CloudWatch::Dashboard"):
        yield "there is no dashboard"
    for says in flat.of("CloudWatch::Dashboard").values():
        json.loads(says["DashboardBody"])


RULES = {
    name[len("check_") :].replace("_", "-"): rule
    for name, rule in list(globals().items())
    if name.startswith("check_")
}
