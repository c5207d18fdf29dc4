"""Holds the templates of infra/ against our own assertions, in every shape that their parameters give them.

validate.py FOLDER     also leaves each expanded template in FOLDER, for cfn-lint, and in FOLDER/broken
                       one that it must refuse
"""

import json
import pathlib
import sys

import broken
import packed
import sources
from flat import Flat
from parts import MAIN, expand, read, transformed
from rules import RULES

NAME = {"BucketName": "some-bucket"}
EXPRESS = {"BucketName": "some-bucket--use1-az4--x-s3", "Storage": "express"}
SHAPES = {
    "new": NAME,
    "new-all": {
        **NAME,
        "Slow": "yes",
        "Webhooks": "public",
        "ArchiveDays": "365",
        "RetentionSchedule": "rate(1 hour)",
        "WebhookSecret": "arn:aws:secretsmanager:us-east-1:123456789012:secret:pond-AbCdEf",
        "AlarmTopic": "arn:aws:sns:us-east-1:123456789012:pond",
        "Architecture": "arm64",
    },
    "new-least": {**NAME, "Starter": "no", "Alarms": "no", "SweepMinutes": "10"},
    "existing": {**NAME, "Storage": "existing", "Triggers": "package", "SweepMinutes": "5"},
    "existing-slow": {**NAME, "Storage": "existing", "Slow": "yes", "Prefix": "a/b", "Inbox": "c/d/"},
    "express": EXPRESS,
    "express-slow": {**EXPRESS, "Slow": "yes", "Starter": "no"},
    **{
        f"time-out-{each}": {**NAME, "Slow": "yes", "WorkerTimeout": each, "SlowTimeout": each}
        for each in ("30", "60", "120", "300", "900")
    },
}


def main():
    out = pathlib.Path(sys.argv[1])
    parts, files = read(), sources.read()
    wrong, flats = [], []
    (out / "sam.json").write_text(json.dumps(transformed(parts[MAIN], NAME), indent=1))
    for shape, given in SHAPES.items():
        whole = expand(parts, given)
        if not shape.startswith("time-out"):
            (out / f"{shape}.json").write_text(json.dumps(whole, indent=1))
        flat = Flat(whole, given)
        flats.append(flat)
        for rule, check in RULES.items():
            wrong += [f"{shape}: {rule}: {what}" for what in check(flat)]
    (out / "broken").mkdir()
    typo = (out / "new.json").read_text().replace("sqs:SendMessage", "sqs:SendMassage")
    (out / "broken" / "action.json").write_text(typo)
    wrong += [f"sources: {what}" for what in sources.check_calls(files)]
    wrong += [f"sources: {what}" for what in sources.check_folders(files)]
    wrong += [f"sources: {what}" for what in sources.check_variables(files, flats)]
    wrong += [f"sources: {what}" for what in sources.check_metrics(files, flats)]
    wrong += packed.check()
    wrong += [f"self-test: {what}" for what in broken.check(parts, files)]
    for what in wrong:
        print(what, file=sys.stderr)
    if wrong:
        sys.exit(1)
    print(
        f"{len(SHAPES)} shapes keep {len(RULES)} rules; {len(broken.BROKEN)} broken templates and 5 broken sources are refused"
    )


main()
