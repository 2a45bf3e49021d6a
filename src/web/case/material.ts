import { asProctorError } from '../../platform/base/errors.ts';
import type { ArtifactRow } from '../../stages/artifact/artifact.ts';
import { findArtifact } from '../../stages/artifact/artifact-store.ts';
import type { GradeRow } from '../../stages/grade/grade.ts';
import { findGrade } from '../../stages/grade/grade-store.ts';
import { findInstance } from '../../stages/instance/instance-store.ts';
import { remakeInstance } from '../../stages/instance/make-instance.ts';
import type { OpinionBody } from '../../stages/opinion/opinion.ts';
import { findOpinion } from '../../stages/opinion/opinion-store.ts';
import { findDecision, findDecisionPolicy } from '../../stages/policy/decision-store.ts';
import type { DecisionBody, FiredRule } from '../../stages/policy/policy.ts';
import { findScreening } from '../../stages/signal/screening-store.ts';
import type { Screening } from '../../stages/signal/signal.ts';
import { findTask } from '../../stages/task/task-store.ts';
import type { VerdictRow } from '../../stages/verdict/verdict.ts';
import type { WebParts } from '../web-parts.ts';
import { type ShownFile, showFiles } from './shown-files.ts';
import type { ShownMap } from './shown-map.ts';
import type { ShownProfile } from './shown-profile.ts';
import { readTimeline, type Timeline, type TimelineQuery } from './timeline.ts';

/** A rule that fired, in the words of its policy. */
export interface ShownRule extends FiredRule {
  /** Null: a law, or a rule that the stored policy does not have. */
  readonly about: string | null;
}

/** All that a page shows of one verdict. What could not be read is null, and `problems` says why. */
export interface Material {
  readonly verdict: VerdictRow;
  readonly decision: DecisionBody | null;
  readonly policy: string | null;
  readonly rules: readonly ShownRule[];
  readonly screening: Screening | null;
  readonly grade: GradeRow;
  readonly artifact: ArtifactRow;
  readonly task: string;
  readonly instruction: string | null;
  readonly files: readonly ShownFile[];
  /** Whether the task's own solution may be shown beside the work. */
  readonly maySeeReference: boolean;
  readonly sessionId: string | null;
  readonly timeline: Timeline | null;
  readonly profile: ShownProfile | null;
  readonly map: ShownMap | 'never-clustered' | null;
  /** What a language model thought of the session; null: none was asked. */
  readonly opinion: OpinionBody | null;
  readonly problems: readonly string[];
}

/** Reads what belongs to a verdict. */
export async function readMaterial(
  parts: WebParts,
  verdict: VerdictRow,
  { query, maySeeReference }: { readonly query: TimelineQuery; readonly maySeeReference: boolean },
): Promise<Material> {
  const { database, blobs } = parts;
  const problems: string[] = [];
  const tried = async <T>(what: string, read: () => Promise<T>): Promise<T | null> =>
    read().catch((thrown) => {
      const { code, message } = asProctorError(thrown);
      parts.log.warn({ err: thrown, verdict: verdict.id }, 'a part of a case page could not be read');
      problems.push(`${what}: ${code === 'defect' ? 'an unexpected error; the log has it' : message}`);
      return null;
    });
  const artifact = await findArtifact(database, verdict.artifactId);
  const row = await findInstance(database, artifact.instanceId);
  const task = await tried('the task', () => findTask({ database, blobs }, row.taskDigest));
  const instance = task && (await tried('the start of the workspace', async () => remakeInstance(task, row)));
  const sessionId = await parts.sessionOf(artifact.id);
  const solution = maySeeReference ? task : null;
  return {
    ...{ verdict, artifact, sessionId, task: task?.name ?? row.taskDigest, instruction: instance?.instruction ?? null },
    ...(await readDecision(parts, verdict.id)),
    screening: await tried('the signals', () => findScreening(database, artifact.id)),
    grade: await findGrade(database, verdict.gradeId),
    files: await showFiles({ manifest: artifact.manifest, instance, solution, blobs }),
    opinion: await tried('the opinion', () => findOpinion(database, artifact.id)),
    maySeeReference,
    timeline:
      sessionId === null
        ? null
        : await tried('the timeline', () => readTimeline({ database, blobs }, sessionId, query)),
    profile: sessionId === null ? null : await tried('the profile', () => parts.profileOf(sessionId)),
    map:
      sessionId === null || task === null
        ? null
        : await tried('the map', async () => (await parts.mapOf(sessionId, task.name)) ?? 'never-clustered'),
    problems,
  };
}

async function readDecision({ database }: WebParts, verdictId: string) {
  const decision = await findDecision(database, verdictId);
  if (decision === null) return { decision: null, policy: null, rules: [] };
  const policy = await findDecisionPolicy(database, decision.id).catch(() => null);
  const about = (id: string) => policy?.rules.rules.find((rule) => rule.id === id)?.about ?? null;
  return {
    decision: decision.body,
    policy: policy === null ? null : `${policy.rules.id} ${policy.rules.version}`,
    rules: decision.body.rules.map((rule) => ({ ...rule, about: about(rule.id) })),
  };
}
