"""Prints the whole template, all parts in one, with every value worked out. NAME=VALUE sets a parameter, or a
pseudo-parameter such as AWS::AccountId."""

import json
import sys

from parts import expand, read
from resolve import PSEUDO, Refused


def main():
    given, pseudo = {}, {}
    for word in sys.argv[1:]:
        name, mark, value = word.partition("=")
        if not mark:
            sys.exit(f"infra/expand: {word} is not NAME=VALUE")
        (pseudo if name in PSEUDO else given)[name] = value
    try:
        json.dump(expand(read(), given, pseudo), sys.stdout, indent=1)
    except Refused as why:
        sys.exit(f"infra/expand: {why}")
    print()


main()
