"""What a quarantined sample does to its siblings' advantages, by trainer and by the way in which it is left out.

    python -m proctor_client.groups                # the table, for a group of its own
    python -m proctor_client.groups 1 0 0 1 0.5    # for these rewards; the last sample is the quarantined one

The right answer is always the batch without that sample. The estimators are written after the trainers' own source;
they work on one number per sample, as those do with an outcome reward.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Sequence, Tuple

#: Of a batch: its groups of rewards. None is a sample for which the trainer was told "no result".
Batch = Sequence[Sequence[Optional[float]]]
Estimator = Callable[[Batch], List[List[float]]]
#: Below this two advantages are the same number.
SAME = 1e-6


def thinning(run: str, sample: str, weight: float) -> bool:
    """Whether to keep a sample of this weight (0 to 1), where a trainer can only keep or drop.

    By a hash of run and sample: the same in every process and at every try, and kept with probability `weight`.
    """
    if not 0.0 < weight < 1.0:
        return weight >= 1.0
    digest = hashlib.sha256(json.dumps([run, sample]).encode()).digest()
    return int.from_bytes(digest[:8], "big") < weight * 2.0**64


def spread_of(values: Sequence[float]) -> Tuple[float, float]:
    """Mean and standard deviation with n - 1, as torch has it; 0 for a single one."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def grpo(batch: Batch) -> List[List[float]]:
    """Minus the mean, by the standard deviation. A single sample keeps its raw reward (verl, SkyRL)."""
    return [_spread(group, lambda value, mean, spread: (value - mean) / (spread + 1e-6), alone=True) for group in batch]


def dr_grpo(batch: Batch) -> List[List[float]]:
    """Minus the mean (Dr.GRPO; Tinker, prime-rl). A single sample keeps its raw reward in verl."""
    return [_spread(group, lambda value, mean, _: value - mean, alone=True) for group in batch]


def rloo(batch: Batch) -> List[List[float]]:
    """Minus the mean of the others (verl, OpenRLHF, SkyRL). A single sample gets 0, in verl its raw reward."""
    return [_left_out(group, is_scaled=False) for group in batch]


def rloo_normalised(batch: Batch) -> List[List[float]]:
    """The same, then minus the mean and by the standard deviation of the whole batch (TRL, `normalize_advantages`)."""
    return _whitened([_left_out(group, is_scaled=False) for group in batch], batch, 1e-4)


def rloo_scaled(batch: Batch) -> List[List[float]]:
    """Minus the mean of the others, by the standard deviation of the others where it is not 0 (NeMo RL's GRPO)."""
    return [_left_out(group, is_scaled=True) for group in batch]


def reinforce_baseline(batch: Batch) -> List[List[float]]:
    """Minus the mean, then whitened over the batch (REINFORCE++ with baseline: verl, OpenRLHF).

    Whitening here counts every sample that has a reward; verl leaves those out whose response mask is zero.
    """
    return _whitened([_spread(group, lambda value, mean, _: value - mean, alone=True) for group in batch], batch, 1e-8)


ESTIMATORS: Dict[str, Estimator] = {
    "GRPO (mean, std)": grpo,
    "Dr.GRPO (mean only)": dr_grpo,
    "RLOO": rloo,
    "RLOO, batch-normalised": rloo_normalised,
    "RLOO, std of the others": rloo_scaled,
    "REINFORCE++ baseline": reinforce_baseline,
}


@dataclass(frozen=True)
class Effect:
    """What one way of leaving a sample out comes to. Advantages are of the batch's first group."""

    estimator: str
    way: str
    advantages: Tuple[float, ...]
    right: Tuple[float, ...]
    #: Of the sample itself; 0 when nothing is learned from it.
    own: float

    @property
    def off(self) -> float:
        """The largest distance of a sibling's advantage from the right one."""
        return max((abs(one - other) for one, other in zip(self.advantages, self.right)), default=0.0)

    @property
    def scale(self) -> Optional[float]:
        """The factor by which all siblings' advantages are too large; None when there is no such factor."""
        pairs = list(zip(self.advantages, self.right))
        largest = max(pairs, key=lambda pair: abs(pair[1]), default=(0.0, 0.0))
        if abs(largest[1]) < SAME:
            return None
        factor = largest[0] / largest[1]
        return factor if all(abs(one - factor * other) < SAME for one, other in pairs) else None

    @property
    def kind(self) -> str:
        """`exact`, `rescaled` or `wrong`."""
        if self.off < SAME and abs(self.own) < SAME:
            return "exact"
        return "rescaled" if self.scale is not None and self.scale > 0 and abs(self.own) < SAME else "wrong"


def effects(group: Sequence[float], others: Sequence[Sequence[float]] = ()) -> List[Effect]:
    """Every estimator with every way, for a group whose last sample is the quarantined one, beside other groups."""
    siblings = list(group[:-1])
    neutral = math.fsum(siblings) / len(siblings)
    # what the trainer is given, and whether a loss mask keeps the sample itself from being learned from
    ways: Dict[str, Tuple[List[Optional[float]], bool]] = {
        "dropped": (list(siblings), True),
        "None": ([*siblings, None], True),
        "neutral reward": ([*siblings, neutral], False),
        "masked only": ([*siblings, group[-1]], True),
        "taken for a zero": ([*siblings, 0.0], False),
    }
    made: List[Effect] = []
    for name, estimator in ESTIMATORS.items():
        right = estimator([siblings, *others])[0]
        for way, (told, is_masked) in ways.items():
            whole = estimator([told, *others])[0]
            own = 0.0 if is_masked or len(whole) == len(siblings) else whole[-1]
            made.append(Effect(name, way, tuple(whole[: len(siblings)]), tuple(right), own))
    return made


def table(made: Sequence[Effect]) -> str:
    """The effects as a table to print: a row per estimator, a column per way."""
    ways = list(dict.fromkeys(effect.way for effect in made))
    rows = [["advantage", *ways]]
    for name in dict.fromkeys(effect.estimator for effect in made):
        rows.append([name, *(_cell(effect) for effect in made if effect.estimator == name)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def _cell(effect: Effect) -> str:
    if effect.kind == "exact":
        return "exact"
    if effect.kind == "rescaled":
        return f"x {effect.scale:.3f}"
    own = f", own {effect.own:+.3f}" if abs(effect.own) >= SAME else ""
    return f"off by {effect.off:.3f}{own}"


def _spread(group: Sequence[Optional[float]], by: Callable[[float, float, float], float], alone: bool) -> List[float]:
    valid = [value for value in group if value is not None]
    if not valid:
        return [0.0 for _ in group]
    mean, spread = spread_of(valid)
    if len(group) == 1 and alone:
        mean, spread = 0.0, 1.0
    return [0.0 if value is None else by(value, mean, spread) for value in group]


def _left_out(group: Sequence[Optional[float]], is_scaled: bool) -> List[float]:
    made: List[float] = []
    for place, value in enumerate(group):
        rest = [other for at, other in enumerate(group) if other is not None and at != place]
        if value is None or not rest:
            made.append(0.0)
            continue
        mean, spread = spread_of(rest)
        made.append((value - mean) / (spread if is_scaled and spread > 0 else 1.0))
    return made


def _whitened(advantages: List[List[float]], batch: Batch, epsilon: float) -> List[List[float]]:
    flat = [one for made, group in zip(advantages, batch) for one, told in zip(made, group) if told is not None]
    mean, spread = spread_of(flat)
    return [
        [0.0 if told is None else (one - mean) / (spread + epsilon) for one, told in zip(made, group)]
        for made, group in zip(advantages, batch)
    ]


#: A hard task that one of seven siblings solved; the quarantined sample has a full reward. Beside it an easier group.
EXAMPLE = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
BESIDE = ((1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0),)


def main(arguments: Sequence[str]) -> None:
    """Prints the table."""
    group = tuple(float(argument) for argument in arguments) or EXAMPLE
    if len(group) < 3:
        raise SystemExit("give at least three rewards: two siblings and, last, the quarantined sample")
    print(
        f"siblings {list(group[:-1])}, the quarantined sample {group[-1]:g}, beside {[list(one) for one in BESIDE]}\n"
    )
    print(table(effects(group, BESIDE)))
    print(
        "\nexact: as if the sample were not there. x: siblings' advantages are this many times too large, its own is 0."
    )
    print("off by: the siblings' largest error; own: the sample's advantage, which should be 0.")


if __name__ == "__main__":
    main(sys.argv[1:])
