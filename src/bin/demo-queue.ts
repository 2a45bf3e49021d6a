import { once } from 'node:events';
import { createKey } from '../api/keys.ts';
import { createMetrics } from '../api/metrics.ts';
import type { Config } from '../config.ts';
import { findDecision } from '../stages/policy/decision-store.ts';
import { describeCase } from '../stages/review/describe-case.ts';
import { findCasesOf, saveCase } from '../stages/review/review-store.ts';
import { findVerdict } from '../stages/verdict/verdict-store.ts';
import { appOver } from './api.ts';
import { demoRuns } from './demo-runs.ts';
import { explainListen } from './gauges.ts';
import type { Service } from './open-service.ts';
import { withScratchFolder } from './scratch-folder.ts';

/** What the demo graded. */
interface Graded {
  readonly task: string;
  readonly verdictId: string;
  readonly given: { readonly integrity: string };
}

/** Serves the review queue with what is doubtful among these, tells where it is and how to get in, and waits for SIGINT or SIGTERM. */
export async function serveDemoQueue(service: Service, config: Config, rows: readonly Graded[]): Promise<void> {
  const sessions = await withScratchFolder('demo-runs', (folder) => demoRuns(service, folder));
  const doubtful = [
    ...rows.filter(({ given }) => given.integrity !== 'clean'),
    ...sessions.filter(({ isHonest }) => !isHonest),
  ];
  for (const { task, verdictId } of doubtful) await openDemoCase(service, { task, verdictId });
  const app = await appOver(service, config, createMetrics());
  try {
    const { database } = service.parts;
    const { text } = await createKey(database, { name: 'demo', role: 'admin' });
    const address = await app
      .listen({ host: '127.0.0.1', port: 0 })
      .catch(explainListen('127.0.0.1', { PROCTOR_PORT: 0 }));
    console.log(
      `\nThe review queue with the ${doubtful.length} suspicious runs:\n  ${address}/review\nLog in with this key:\n  ${text}`,
    );
    if (sessions.length > 0) {
      console.log(`Those of ${sessions[0]?.task} have recorded sessions, with profiles beside simulated honest ones.`);
    }
    console.log('Ctrl-C ends it; nothing of it is kept.');
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  } finally {
    await app.close();
  }
}

/** A policy that reviews nothing still has its doubtful runs shown here. */
async function openDemoCase(
  { parts }: Service,
  { task, verdictId }: Pick<Graded, 'task' | 'verdictId'>,
): Promise<void> {
  const { database } = parts;
  const verdict = await findVerdict(database, verdictId);
  const decision = await findDecision(database, verdictId);
  if (decision === null || (await findCasesOf(database, verdict.artifactId)).length > 0) return;
  const opened = describeCase({
    verdict,
    decision: { ...decision, body: { ...decision.body, review: 'always' } },
    task,
  });
  if (opened !== null) await database.transaction((transaction) => saveCase(transaction, opened));
}
