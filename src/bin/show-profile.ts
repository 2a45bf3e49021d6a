import { profileSession } from '../pipeline/profile-session.ts';
import { asProctorError, ProctorError } from '../platform/base/errors.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import { FEATURES, type Feature, transformed } from '../stages/profile/features.ts';
import { makeProfile } from '../stages/profile/make-profile.ts';
import type { ProfileBody } from '../stages/profile/profile.ts';
import { findSessionProfile } from '../stages/profile/profile-store.ts';
import { type OpenReference, openReference } from '../stages/profile/reference.ts';
import { type FoundReference, findReference, loadReference } from '../stages/profile/reference-store.ts';
import { type Column, surpriseOf } from '../stages/profile/tail.ts';
import type { ShownFeature, ShownProfile } from '../web/case/shown-profile.ts';

/** What profiles are read with. */
export interface ShowParts {
  readonly database: Database;
  readonly blobs: Blobs;
}

/**
 * The behaviour of a session as its newest stored profile has it, beside the reference that it was compared with. Where none is stored it is made
 * out now, beside its task's newest reference. `conflict` for a session that is open.
 */
export async function showProfile(parts: ShowParts, sessionId: string): Promise<ShownProfile> {
  const stored = await storedProfile(parts.database, sessionId);
  if (stored === null) return computeProfile(parts, sessionId);
  const { body, createdAt } = stored;
  const { found, problem } = await referenceOf(parts.database, body.reference?.digest ?? null);
  return { ...shownOf(body, found), storedAt: createdAt, problem };
}

/** The newest stored profile of a session; null when there is none. */
export async function storedProfile(database: Database, sessionId: string) {
  return findSessionProfile(database, sessionId).catch((thrown) => {
    if (thrown instanceof ProctorError && thrown.code === 'not-found') return null;
    throw thrown;
  });
}

/** What a profile was compared with. Without it the profile can still be shown, and says why there are no ranges. */
async function referenceOf(database: Database, digest: string | null) {
  if (digest === null) return { found: null, problem: null };
  return loadReference(database, digest).then(
    (found) => ({ found, problem: null }),
    (thrown) => {
      const { code, message } = asProctorError(thrown);
      return { found: null, problem: code === 'defect' ? 'an unexpected error' : message };
    },
  );
}

async function computeProfile(parts: ShowParts, sessionId: string): Promise<ShownProfile> {
  const { behaviour, task, isRecorded } = await profileSession(parts, sessionId);
  const found = await findReference(parts.database, task, null);
  const window = found?.stored.window ?? null;
  const body = makeProfile({
    ...{ cohort: task, window, behaviour, isRecorded, group: [], gate: 0, isCorroborated: false },
    reference: found === null ? null : { ...found.stored, open: openReference(found.reference) },
  });
  return { ...shownOf(body, found), storedAt: null, problem: null };
}

function shownOf(body: ProfileBody, found: FoundReference | null): Omit<ShownProfile, 'storedAt' | 'problem'> {
  const { isRecorded, reference, p, testP, explanation, weight, review, reason } = body;
  const open = found === null ? null : openReference(found.reference);
  const score = reference !== null && {
    ...{ window: reference.window, p, testP, weight, review, reason },
    sessions: found?.stored.sessions ?? reference.calibration,
    sentence: explanation?.sentence ?? null,
    reasons: explanation?.reasons ?? [],
  };
  return { isRecorded, features: featuresOf(body, open), score: score || null };
}

function featuresOf({ features }: ProfileBody, reference: OpenReference | null): readonly ShownFeature[] {
  const known = new Map(features.map((feature) => [feature.name, feature]));
  return FEATURES.flatMap((feature: Feature, index): readonly ShownFeature[] => {
    const { name, family, test, unit } = feature;
    const { value = null, of = 0, at = 0 } = known.get(name) ?? {};
    if (value === null || !Number.isFinite(value)) return [];
    const column = reference?.columns[index] ?? null;
    const scaled = transformed(feature, value, of || undefined);
    const surprise = column === null || scaled === null ? null : surpriseOf(column, scaled, feature);
    return [{ name, family, test, unit, value, seq: at, surprise, cohort: cohortOf(column, feature) }];
  });
}

function cohortOf(column: Column | null, { transform }: Feature): ShownFeature['cohort'] {
  if (column === null) return null;
  const back = (value: number) => {
    if (transform === 'log1p') return Math.expm1(value);
    return transform === 'logit' ? 1 / (1 + Math.exp(-value)) : value;
  };
  return { median: back(column.median), low: back(column.low), high: back(column.high) };
}
