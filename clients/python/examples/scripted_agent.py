"""An agent without a model: it does what is written here, hands in and prints the reward.

    PROCTOR_URL=http://127.0.0.1:8787 PROCTOR_KEY=… python3 clients/python/examples/scripted_agent.py
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # so that it runs from a checkout as it is

from proctor_client import Client

HELPERS = r"""
PREFIX_trim() { local text="$1"; text="${text#"${text%%[! ]*}"}"; printf '%s\n' "${text%"${text##*[! ]}"}"; }
PREFIX_slug() {
  local text
  text="$(printf '%s' "${1,,}" | tr -cs 'a-z0-9' 'JOINT')"
  text="${text#JOINT}"; text="${text:0:LONGEST}"; printf '%s\n' "${text%JOINT}"
}
PREFIX_count_words() { local words; read -r -a words <<<"$1"; printf '%d\n' "${#words[@]}"; }
"""
TRIAL = ". lib/text.sh; PREFIX_trim ' a b '; PREFIX_slug ' Two  Words!'; PREFIX_count_words 'one two'"

# every instance has others, so they are read where the instruction says them
SAID = {"PREFIX": r"begin with `(\w+)_`", "JOINT": r"becomes one `(.)`", "LONGEST": r"at most (\d+)"}


def filled(text: str, instruction: str) -> str:
    for placeholder, said in SAID.items():
        text = text.replace(placeholder, re.findall(said, instruction)[0])
    return text


def main() -> None:
    with Client().open_session(task="proctor/tap-shell") as session:
        print(session.shell("cat lib/text.sh").stdout)
        session.write_file("lib/text.sh", filled(HELPERS, session.instruction))
        tried = session.shell(filled(TRIAL, session.instruction))
        print(tried.stdout, tried.stderr)
    reward = session.wait_for_reward()
    print(f"{reward.status}: reward {reward.reward:g}, learn from it: {reward.usable} {reward.failure_reason}")


if __name__ == "__main__":
    main()
