"""Says what is in files and folders of trajectories."""

import json
import sys

from .reading import read
from .trajectory import UnknownFormat


def main(arguments: "list[str]") -> int:
    """One line of JSON for each trajectory; 1 when something could not be read."""
    failed = False
    for argument in arguments:
        try:
            for one in read(argument):
                told = {"format": one.format, "version": one.version, "id": one.id, "model": one.model}
                print(json.dumps({**told, "steps": len(one.steps), "patch": one.patch is not None, "notes": one.notes}))
        except (UnknownFormat, OSError) as error:
            print(f"{argument}: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
