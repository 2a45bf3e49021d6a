"""Trajectories of other tools, to hand in with `Client.import_session`, and verdicts in their words.

    python -m proctor_client.formats trajectory.json          # says what is in a file or a trial's folder
    for one in formats.read("trajectory.json"):
        client.import_session(instance_id, files, one.steps)

Read: ATIF 1.0 to 1.8, OpenAI chat messages and Responses items, SWE-agent `.traj`, Inspect logs, Harbor trial folders,
SWE-bench predictions. Written: ATIF 1.7, a SWE-bench report (schema 2), OpenTelemetry `gen_ai.evaluation.result`.
What is read is a claim of whoever wrote the file: Proctor keeps it as self-reported, and never judges by it alone.
"""

from .reading import read
from .trajectory import Trajectory, UnknownFormat

__all__ = ["Trajectory", "UnknownFormat", "read"]
