import { createKey } from '../../src/api/keys.ts';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { readFixtures } from '../../src/bin/corpus/read-fixtures.ts';
import { runCorpus } from '../../src/bin/corpus/run-corpus.ts';
import { demoRuns } from '../../src/bin/demo-runs.ts';
import type { Service } from '../../src/bin/open-service.ts';
import { awaitReward } from '../../src/pipeline/await-reward.ts';
import { drawInstance } from '../../src/pipeline/draw-instance.ts';
import { importSession } from '../../src/pipeline/import-session.ts';
import { digestOf } from '../../src/platform/base/digest.ts';
import { findArtifact } from '../../src/stages/artifact/artifact-store.ts';
import { findInstance, saveInstance } from '../../src/stages/instance/instance-store.ts';
import { saveOpinion } from '../../src/stages/opinion/opinion-store.ts';
import { findDecision } from '../../src/stages/policy/decision-store.ts';
import { describeCase } from '../../src/stages/review/describe-case.ts';
import type { Cause } from '../../src/stages/review/review.ts';
import { saveCase } from '../../src/stages/review/review-store.ts';
import { saveRuling } from '../../src/stages/review/ruling-store.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { findTask, saveTask } from '../../src/stages/task/task-store.ts';
import { findVerdict } from '../../src/stages/verdict/verdict-store.ts';
import { writeTinyTask } from '../support/tiny-task.ts';
import { cloneCases } from './clone-cases.ts';
import { PAYLOADS } from './payloads.ts';

/** What the pages are shown with. */
export interface Seeded {
  readonly keys: {
    readonly reviewer: string;
    readonly second: string;
    readonly admin: string;
    readonly trainer: string;
  };
  /** A case with a recorded session, one of a submission without, and one in which everything is hostile. */
  readonly cases: { readonly session: string | null; readonly submission: string; readonly hostile: string };
  readonly hostileVerdict: string;
  /** A group with many cases. */
  readonly group: string;
}

const SUBMISSIONS = ['hard-coded', 'patched-json', 'frame-peek', 'always-equal', 'honest-chatty', 'os-exit'];
/** Fills a service with a few real runs, rows for volume, and hostile ones. */
export async function seed(service: Service, scratch: string): Promise<Seeded> {
  const { parts } = service;
  const key = async (name: string, role: 'reviewer' | 'admin' | 'trainer') =>
    (await createKey(parts.database, { name, role })).text;
  const keys = {
    reviewer: await key('Ann', 'reviewer'),
    second: await key('Bela', 'reviewer'),
    admin: await key('Chris', 'admin'),
    trainer: await key('run 7', 'trainer'),
  };
  const submission = await seedSubmissions(service);
  const session = await seedSessions(service, `${scratch}/demo`);
  const hostile = await seedHostile(service, `${scratch}/hostile`);
  const group = await cloneCases(parts.database, { caseId: submission, count: 160, groups: 9 });
  return { keys, cases: { session, submission, hostile: hostile.caseId }, hostileVerdict: hostile.verdictId, group };
}

async function seedSubmissions(service: Service): Promise<string> {
  const wanted = SUBMISSIONS.map((name) => `implement-slugify/${name}`);
  const submissions = await readFixtures(BUNDLED.fixtureFolder, wanted);
  const { rows } = await runCorpus(service, submissions, { seed: 'e2e', inFlight: 2 });
  let first = '';
  for (const { verdictId, submission } of rows) {
    const id = await openCase(service, verdictId, { cause: submission.startsWith('honest') ? 'control' : 'always' });
    if (submission === 'frame-peek' || first === '') first = id;
  }
  return first;
}

async function seedSessions(service: Service, folder: string): Promise<string | null> {
  let last: string | null = null;
  for (const { verdictId, isHonest } of await demoRuns(service, folder)) {
    last = await openCase(service, verdictId, { cause: isHonest ? 'control' : 'always' });
  }
  return last;
}

/** Every payload as a file's name and content, as what an agent did and saw, and as a reviewer's note. */
async function seedHostile(service: Service, folder: string): Promise<{ caseId: string; verdictId: string }> {
  const { parts, pipeline } = service;
  const toml = (name: string) => `schema_version = "1.0"
[task]
name = ${JSON.stringify(name)}
[environment]
memory_mb = 128
storage_mb = 64
[proctor]
grader = "function"
case_timeout_sec = 1.0
[proctor.artifact]
include = ["**"]
[proctor.function]
module = "double"
function = "double"
`;
  const task = await loadTask(await writeTinyTask(folder, { 'task.toml': toml('test/hostile') }));
  await saveTask(parts, task);
  const { id: instanceId } = await saveInstance(parts.database, await drawInstance(parts, task, {}));
  const contents = PAYLOADS.map((payload, index) => ({
    path: `p/${String(index).padStart(2, '0')}.txt`,
    bytes: Buffer.from(payload.slice(0, 200_000)),
    executable: false,
  }));
  const names = PAYLOADS.map((payload, index) => ({
    path: `n/${index}-${payload.slice(0, 300).replaceAll('/', '∕')}`,
    bytes: Buffer.from('named'),
    executable: true,
  }));
  const files = [...names.slice(0, 0), ...contents.slice(0, 24), ...names, ...contents.slice(24)];
  const steps = PAYLOADS.map((payload) => ({
    ...{ at: null, messageId: payload.slice(0, 100).toWellFormed() },
    action: {
      command: payload.slice(0, 100_000),
      [payload.slice(0, 50).toWellFormed().replaceAll('\0', '')]: 'a name',
    },
    observation: { output: payload.slice(0, 100_000) },
  }));
  const { end } = await importSession(parts, pipeline, { instanceId, files, steps, idempotencyKey: 'hostile' });
  const { verdictId } = await awaitReward(parts.database, end.artifactId ?? '');
  const all = PAYLOADS.map((payload) => payload.slice(0, 60)).join(' ');
  await saveOpinion(parts.database, end.artifactId ?? '', {
    ...{ model: all, prompt: { name: 'judge', digest: digestOf('prompt') }, transcript: digestOf('transcript') },
    ...{ answer: { suspicion: 0.5, technique: all.slice(0, 200), step: 1, reason: all.slice(0, 2_000) } },
    ...{ error: '', inputTokens: null, outputTokens: null },
  });
  const caseId = await openCase(service, verdictId, {
    cause: 'always',
    why: PAYLOADS.map((text) => text.slice(0, 30)).join(' '),
  });
  for (const payload of PAYLOADS) {
    await saveRuling(parts.database, {
      ...{
        caseId,
        ruling: 'unsure',
        technique: null,
        note: payload,
        reviewer: payload.slice(0, 100).toWellFormed().replaceAll('\0', ' '),
      },
      ...{ bulk: false, undoes: null, idempotencyKey: null },
    });
  }
  return { caseId, verdictId };
}

async function openCase(
  { parts }: Service,
  verdictId: string,
  { cause, why }: { readonly cause: Exclude<Cause, 'appeal'>; readonly why?: string },
): Promise<string> {
  const { database } = parts;
  const verdict = await findVerdict(database, verdictId);
  const decision = await findDecision(database, verdictId);
  if (decision === null) throw new Error(`${verdictId} has no decision`);
  const { instanceId } = await findArtifact(database, verdict.artifactId);
  const task = await findTask(parts, (await findInstance(database, instanceId)).taskDigest);
  const asked = { ...decision, body: { ...decision.body, review: cause } };
  const opened = describeCase({ verdict, decision: asked, task: task.name });
  if (opened === null) throw new Error('no case was described');
  const made = { ...opened, why: why ?? opened.why };
  return (await database.transaction((transaction) => saveCase(transaction, made))).id;
}
