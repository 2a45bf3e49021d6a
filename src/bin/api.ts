import { once } from 'node:events';
import { buildApp } from '../api/app.ts';
import { listKeys } from '../api/key-store.ts';
import { createKey } from '../api/keys.ts';
import { createMetrics, type Metrics } from '../api/metrics.ts';
import type { Config } from '../config.ts';
import { findStuck } from '../pipeline/await-reward.ts';
import { refuseRetiredInstance, serveInstance } from '../pipeline/draw-instance.ts';
import { importSession } from '../pipeline/import-session.ts';
import { createSlots } from '../pipeline/slots.ts';
import { submit } from '../pipeline/submit.ts';
import { findAddressOf, findIdleAddress } from '../pipeline/worker-store.ts';
import { asProctorError } from '../platform/base/errors.ts';
import { createLog } from '../platform/base/log.ts';
import { runOnce } from '../platform/sandbox/run-once.ts';
import { createRewardWatch } from '../stages/reward/reward-watch.ts';
import { findAdmission } from '../stages/task/admission-store.ts';
import { loadTask } from '../stages/task/load-task.ts';
import type { Task } from '../stages/task/task.ts';
import { webRoutes } from '../web/web-routes.tsx';
import { explainListen, keepGauges } from './gauges.ts';
import { openService, type Service } from './open-service.ts';
import { registerTask } from './register-task.ts';
import { rulingsOf } from './rulings.ts';
import { trySandbox } from './try-sandbox.ts';
import { webParts } from './web-parts.ts';

/** The HTTP service over an open service, the reviewers' pages among it, listening nowhere yet. */
export async function appOver(service: Service, config: Config, metrics: Metrics) {
  const app = await apiOver(service, config, metrics);
  await app.register(webRoutes, webParts(service, config));
  return app;
}

function apiOver(service: Service, config: Config, metrics: Metrics) {
  const { parts, pipeline } = service;
  const rewards = createRewardWatch(parts.database, { told: true });
  pipeline.onReward(rewards.tell);
  const drawing = createSlots(config.gradeConcurrency);
  return buildApp({
    database: parts.database,
    blobs: parts.blobs,
    log: parts.log,
    metrics,
    rewards,
    stuck: (artifactId) => findStuck(parts.database, artifactId),
    submit: ({ files, ...request }) =>
      submit(parts, pipeline, { ...request, handIn: { files }, mostAttempts: config.maxAttempts }),
    regrade: pipeline.regrade,
    sessions: service.sessions,
    elsewhere: {
      ofSession: (id) => findAddressOf(parts.database, id),
      forNew: () => findIdleAddress(parts.database),
    },
    instances: {
      // a generator runs in a sandbox: no more at once than there may be grades
      serve: (task, request) => {
        const serve = () => serveInstance(parts, task, request);
        return task.definition.proctor.generator === undefined ? serve() : drawing.run(serve);
      },
      refuseRetired: (instanceId, phase) => refuseRetiredInstance(parts, instanceId, phase),
    },
    importSession: (session) => importSession(parts, pipeline, session),
    reviews: rulingsOf(parts),
    programs: service.grades
      ? { run: (request) => runOnce(parts.driver, request), places: config.gradeConcurrency }
      : null,
    notReady: () => reasonsNotReady(service),
    callsPerSecond: config.callsPerSecond,
    trainerDetail: config.trainerDetail,
    webhookAllow: config.webhookAllow,
    maxUploadBytes: config.maxUploadBytes,
    metricsOpen: config.metricsOpen,
  });
}

/** Serves until SIGINT or SIGTERM, then finishes what runs. Prints an admin key when there is no key yet. */
export async function runApi(
  config: Config,
  { taskFolders, grades }: { taskFolders: readonly string[]; grades: boolean },
): Promise<void> {
  const metrics = createMetrics();
  const log = createLog(config.logLevel);
  const service = await openService(config, log, {
    observe: metrics.countStep,
    alarm: metrics.countRunAlarm,
    alarmed: () => metrics.countRunAlarm({ what: 'masked-share', paused: false }),
    meter: metrics.sandboxes,
    grades,
    sessions: grades && 'adopting',
  });
  try {
    for (const folder of taskFolders) {
      const task = await loadTask(folder);
      await service.parts.policies.find(task.definition.proctor.policy); // better refused here than at its first decision
      await registerTask(service.parts, task);
      log.info({ task: task.name, digest: task.digest }, 'task registered');
      await warnUnadmitted(service, task);
    }
    await tellFirstKey(service);
    const app = await appOver(service, config, metrics);
    const stopGauges = keepGauges(service, metrics);
    try {
      const address = await app
        .listen({ host: config.host, port: config.port })
        .catch(explainListen(config.host, { PROCTOR_PORT: config.port }));
      console.log(
        `Proctor listens on ${address}; the API is described at ${address}/docs, the review queue is at ${address}/review`,
      );
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
      log.info('stopping: running grades are finished first');
    } finally {
      stopGauges();
      await app.close();
    }
  } finally {
    await service.close();
  }
}

async function warnUnadmitted({ parts }: Service, { name, digest, definition }: Task): Promise<void> {
  const { rules } = await parts.policies.find(definition.proctor.policy);
  if (rules.unadmitted === 'pay' || (await findAdmission(parts.database, digest))?.gate === 'admitted') return;
  parts.log.warn(
    { task: name },
    'no audit has admitted this task: its rewards are refused until proctor audit --record',
  );
}

async function tellFirstKey({ parts }: Service): Promise<void> {
  const keys = await listKeys(parts.database);
  if (keys.some(({ role, revokedAt }) => role === 'admin' && revokedAt === null)) return;
  const { text } = await createKey(parts.database, { name: 'first', role: 'admin' });
  console.log(`There was no admin key. This one is told once:\n  ${text}`);
}

async function reasonsNotReady({ parts, grades }: Service): Promise<readonly string[]> {
  const reasons: string[] = [];
  await parts.database.query('SELECT 1').catch((thrown) => reasons.push(asProctorError(thrown).message));
  if (!grades) return reasons;
  const { usable, remarks } = await parts.driver.capabilities();
  if (!usable) return [...reasons, ...remarks];
  await trySandbox(parts.driver).catch((thrown) => reasons.push(asProctorError(thrown).message));
  return reasons;
}
