"""An agent without a model: it does what is written here, hands in and prints the reward.

    PROCTOR_URL=http://127.0.0.1:8787 PROCTOR_KEY=… python3 clients/python/examples/scripted_agent.py
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # so that it runs from a checkout as it is

from proctor_client import Client

HELPERS = r"""
trim() { local text="$1"; text="${text#"${text%%[! ]*}"}"; printf '%s\n' "${text%"${text##*[! ]}"}"; }
slug() {
  local text
  text="$(printf '%s' "${1,,}" | tr -cs 'a-z0-9' '-')"
  text="${text#-}"; text="${text:0:LONGEST}"; printf '%s\n' "${text%-}"
}
count_words() { local words; read -r -a words <<<"$1"; printf '%d\n' "${#words[@]}"; }
"""


def main() -> None:
    with Client().open_session(task="proctor/tap-shell") as session:
        longest = re.findall(r"at most (\d+)", session.instruction)[0]  # every instance has another one
        print(session.shell("cat lib/text.sh").stdout)
        session.write_file("lib/text.sh", HELPERS.replace("LONGEST", longest))
        tried = session.shell(". lib/text.sh; trim ' a b '; slug ' Two  Words!'; count_words 'one two'")
        print(tried.stdout, tried.stderr)
    reward = session.wait_for_reward()
    print(f"{reward.status}: reward {reward.reward:g}, learn from it: {reward.usable} {reward.failure_reason}")


if __name__ == "__main__":
    main()
