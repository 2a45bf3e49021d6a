import { digestOf } from '../platform/base/digest.ts';
import { ProctorError } from '../platform/base/errors.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import type { ArtifactRow } from '../stages/artifact/artifact.ts';
import { findArtifact } from '../stages/artifact/artifact-store.ts';
import type { Instance } from '../stages/instance/instance.ts';
import { findInstance } from '../stages/instance/instance-store.ts';
import { remakeInstance } from '../stages/instance/make-instance.ts';
import type { Behaviour } from '../stages/profile/behaviour.ts';
import { extractFeatures, type SessionFacts } from '../stages/profile/extract-features.ts';
import { LAST_EVENTS } from '../stages/session/event.ts';
import { type SessionRow, WORK_FOLDER } from '../stages/session/session.ts';
import { allEvents, findSession, findSessionEnd } from '../stages/session/session-store.ts';
import { findTask } from '../stages/task/task-store.ts';
import type { VerdictBody } from '../stages/verdict/verdict.ts';
import { findLatestVerdict } from '../stages/verdict/verdict-store.ts';

/** What profiles are made with: nothing is graded. */
export interface ProfileParts {
  readonly database: Database;
  readonly blobs: Blobs;
}

/** The behaviour of an ended session, with what else is known of it. */
export interface ProfiledSession {
  readonly session: SessionRow;
  readonly task: string;
  /** Its prompt: rollouts of one are compared with each other. */
  readonly group: string;
  readonly behaviour: Behaviour;
  /** Null while it is not graded. */
  readonly verdict: VerdictBody | null;
  /** Whether a recorder saw all of every step. */
  readonly isRecorded: boolean;
}

/** What no honest work in a workspace needs, whoever looks: memory and root of the process that holds it. */
const FORBIDDEN = ['/proc/1/mem', '/proc/1/root'];

/**
 * Events that are counted. A session that an honest agent made has hundreds; a log that was made long is not recorded whole for who
 * reads it, so that "nothing" in it is not known.
 */
const MOST_EVENTS = 20_000;

/** A session with what its log alone does not tell. */
export interface EndedSession {
  readonly session: SessionRow;
  readonly task: string;
  readonly instance: Instance;
  readonly artifact: ArtifactRow | null;
  readonly verdict: VerdictBody | null;
}

/** Counts what a session did, from its log and the exact facts of its instance. `conflict` while it is open. */
export async function profileSession(parts: ProfileParts, sessionId: string): Promise<ProfiledSession> {
  const { database } = parts;
  const session = await findSession(database, sessionId);
  const end = await findSessionEnd(database, sessionId);
  if (end === null)
    throw new ProctorError('conflict', `session ${sessionId} is open: it has a profile once it has ended`);
  const row = await findInstance(database, session.instanceId);
  const task = await findTask(parts, row.taskDigest);
  const instance = remakeInstance(task, row);
  const artifact = end.artifactId === null ? null : await findArtifact(database, end.artifactId);
  const verdict = artifact === null ? null : ((await findLatestVerdict(database, artifact.id))?.body ?? null);
  return countSession(database, { session, task: task.name, instance, artifact, verdict });
}

/** Counts what a session did until it handed in; its log need not be closed yet. */
export async function countSession(database: Database, ended: EndedSession): Promise<ProfiledSession> {
  const { session, task, instance, artifact, verdict } = ended;
  const events = await allEvents(database, session.id, MOST_EVENTS);
  const acted = events.filter(({ type }) => !LAST_EVENTS.includes(type));
  const records = acted.filter(({ type }) => type === 'step.recorded');
  const isWhole = events.length < MOST_EVENTS && records.every(({ outcome }) => outcome !== 'incomplete');
  return {
    ...{ session, task, group: instance.digest, verdict },
    behaviour: extractFeatures(acted, factsOf(instance, artifact, verdict)),
    isRecorded: records.length > 0 && isWhole,
  };
}

function factsOf(instance: Instance, artifact: ArtifactRow | null, verdict: VerdictBody | null): SessionFacts {
  const decoys = instance.decoys.flatMap(({ paths }) => paths.map((path) => `${WORK_FOLDER}/${path}`));
  const isGraded = verdict !== null && verdict.outcome !== 'ungraded';
  return {
    ...{ workspace: WORK_FOLDER, forbiddenPaths: FORBIDDEN, harnessPaths: [], decoyPaths: decoys },
    ...(isGraded && { passed: verdict.outcome === 'passed' }),
    ...(artifact !== null && { patchBytes: changedBytes(instance, artifact) }),
  };
}

/** Bytes of the files that are not as the workspace gave them. */
function changedBytes({ files }: Instance, { manifest }: ArtifactRow): number {
  const given = new Map(files.map(({ path, bytes }) => [path, digestOf(bytes)]));
  const changed = manifest.files.filter(({ path, blob }) => given.get(path) !== blob);
  return changed.reduce((sum, { size }) => sum + size, 0);
}
