import { profileSession } from '../pipeline/profile-session.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import { explainScore } from '../stages/profile/explain.ts';
import { FEATURES, type Feature } from '../stages/profile/features.ts';
import { type OpenReference, openReference } from '../stages/profile/reference.ts';
import { findReference } from '../stages/profile/reference-store.ts';
import { type Score, scoreSession } from '../stages/profile/score.ts';
import type { Column } from '../stages/profile/tail.ts';
import type { ShownFeature, ShownProfile } from '../web/case/shown-profile.ts';

interface Parts {
  readonly database: Database;
  readonly blobs: Blobs;
}

/** The behaviour of an ended session beside its task's newest reference. `conflict` while it is open. */
export async function showProfile(parts: Parts, sessionId: string): Promise<ShownProfile> {
  const { behaviour, task, isRecorded } = await profileSession(parts, sessionId);
  const found = await findReference(parts.database, task, null);
  const reference = found === null ? null : openReference(found.reference);
  const score = reference === null ? null : scoreSession(reference, { behaviour, group: [] });
  const features = FEATURES.flatMap((feature, index): readonly ShownFeature[] => {
    const { name, family, test, unit } = feature;
    const value = (score?.measured.raw ?? behaviour.values)[index] ?? null;
    if (value === null || !Number.isFinite(value)) return [];
    const surprise = score?.families[test].find((each) => each.feature === name)?.surprise ?? null;
    const seq = (score?.measured.at ?? behaviour.at)[index] ?? 0;
    return [{ name, family, test, unit, value, seq, surprise, cohort: cohortOf(reference, index, feature) }];
  });
  return { isRecorded, features, score: scoreOf(found?.stored.window ?? '', reference, score) };
}

function scoreOf(window: string, reference: OpenReference | null, score: Score | null): ShownProfile['score'] {
  if (reference === null || score === null) return null;
  const explanation = explainScore(reference, score);
  return {
    ...{ window, sessions: reference.sessions + reference.calibration.sessions, p: score.p, testP: score.testP },
    sentence: explanation?.sentence ?? null,
    reasons: explanation?.reasons.map(({ feature }) => feature) ?? [],
  };
}

function cohortOf(reference: OpenReference | null, index: number, { transform }: Feature): ShownFeature['cohort'] {
  const column: Column | null = reference?.columns[index] ?? null;
  if (column === null) return null;
  const back = (value: number) => {
    if (transform === 'log1p') return Math.expm1(value);
    return transform === 'logit' ? 1 / (1 + Math.exp(-value)) : value;
  };
  return { median: back(column.median), low: back(column.low), high: back(column.high) };
}
