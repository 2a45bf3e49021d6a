"""Scores columns by well-known detectors of outliers, for `npm run bench -- profile`.

Reads a file of float64 (the path is the argument) and its shapes as JSON on standard input:
{"folds": [{"fit": n, "calibration": n, "asked": n}], "columns": n}: for each fold its rows of the three kinds, one after
the other. Prints {"version": ..., "folds": [{"peer": {"calibration": [...], "asked": [...]}}]}: higher is odder.
Missing values are NaN and become the median of the rows that are fitted; columns are standardised by those rows.
"""
import json
import sys
import warnings

import numpy as np
import sklearn
from sklearn.covariance import MinCovDet
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

warnings.filterwarnings("ignore")
NEIGHBOURS = 20


def tails(fit, rows):
    """-log of the left and right empirical tail of each value, and the skewness of each column."""
    ordered = np.sort(fit, axis=0)
    n = len(fit)
    left = np.empty_like(rows)
    right = np.empty_like(rows)
    for j in range(fit.shape[1]):
        left[:, j] = np.searchsorted(ordered[:, j], rows[:, j], side="right")
        right[:, j] = n - np.searchsorted(ordered[:, j], rows[:, j], side="left")
    centred = fit - fit.mean(axis=0)
    spread = centred.std(axis=0)
    skew = (centred**3).mean(axis=0) / np.where(spread > 0, spread, 1) ** 3
    return -np.log((left + 1) / (n + 1)), -np.log((right + 1) / (n + 1)), skew


def ecod(fit, rows):
    """Li, Zhao, Hu, Botta, Ionescu, Chen 2022: the largest of the sums of left, right and skewness-chosen tails."""
    left, right, skew = tails(fit, rows)
    chosen = np.where(skew < 0, left, right)
    return np.maximum(np.maximum(left.sum(axis=1), right.sum(axis=1)), chosen.sum(axis=1))


def copod(fit, rows):
    """Li, Zhao, Botta, Ionescu, Hu 2020: by column the larger of the skewness-chosen tail and the mean of both."""
    left, right, skew = tails(fit, rows)
    chosen = np.where(skew < 0, left, right)
    return np.maximum(chosen, (left + right) / 2).sum(axis=1)


def isolation_forest(fit, rows):
    return -IsolationForest(n_estimators=100, random_state=0).fit(fit).score_samples(rows)


def local_outlier_factor(fit, rows):
    return -LocalOutlierFactor(n_neighbors=NEIGHBOURS, novelty=True).fit(fit).score_samples(rows)


def nearest_neighbours(fit, rows):
    return NearestNeighbors(n_neighbors=NEIGHBOURS).fit(fit).kneighbors(rows)[0][:, -1]


def robust_covariance(fit, rows):
    jitter = np.random.default_rng(0).normal(0, 1e-3, fit.shape)
    return MinCovDet(random_state=0, support_fraction=0.75).fit(fit + jitter).mahalanobis(rows)


PEERS = {
    "ECOD": ecod,
    "COPOD": copod,
    "IsolationForest": isolation_forest,
    "LocalOutlierFactor": local_outlier_factor,
    "kNN": nearest_neighbours,
    "MCD": robust_covariance,
}


def score_fold(fit, calibration, asked):
    known = ~np.all(np.isnan(fit), axis=0)
    fit, calibration, asked = fit[:, known], calibration[:, known], asked[:, known]
    middle = np.nanmedian(fit, axis=0)
    fill = lambda rows: np.where(np.isnan(rows), middle, rows)
    fit, calibration, asked = fill(fit), fill(calibration), fill(asked)
    mean, spread = fit.mean(axis=0), fit.std(axis=0)
    scale = lambda rows: (rows - mean) / np.where(spread > 0, spread, 1)
    fit, both = scale(fit), scale(np.vstack([calibration, asked]))
    told = {}
    for name, score in PEERS.items():
        scores = score(fit, both)
        told[name] = {"calibration": scores[: len(calibration)].tolist(), "asked": scores[len(calibration) :].tolist()}
    return told


def main():
    plan = json.load(sys.stdin)
    values = np.fromfile(sys.argv[1], dtype="<f8").reshape(-1, plan["columns"])
    at = 0
    folds = []
    for fold in plan["folds"]:
        parts = []
        for kind in ("fit", "calibration", "asked"):
            parts.append(values[at : at + fold[kind]])
            at += fold[kind]
        folds.append(score_fold(*parts))
    json.dump({"version": sklearn.__version__, "folds": folds}, sys.stdout)


main()
