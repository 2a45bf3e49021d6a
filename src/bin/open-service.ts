import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { startDelivery } from '../pipeline/deliver-webhooks.ts';
import { keyOfSession } from '../pipeline/hand-in-key.ts';
import { houseRulesFor } from '../pipeline/house-rules.ts';
import { createOpenBound } from '../pipeline/open-bound.ts';
import { type Pipeline, startPipeline } from '../pipeline/pipeline.ts';
import type { PipelineParts } from '../pipeline/pipeline-parts.ts';
import { openSessionHost, type SessionHost } from '../pipeline/session-host.ts';
import { submit } from '../pipeline/submit.ts';
import { startRunGuard } from '../pipeline/watch-masked.ts';
import { openWorker } from '../pipeline/worker-store.ts';
import { newId } from '../platform/base/ids.ts';
import type { Log } from '../platform/base/log.ts';
import { openFileBlobs } from '../platform/blobs/file-blobs.ts';
import { openHttpChat } from '../platform/chat/http-chat.ts';
import { openDatabase } from '../platform/db/open-database.ts';
import { createInProcessQueue } from '../platform/queue/in-process-queue.ts';
import { openRedisQueue } from '../platform/queue/redis-queue.ts';
import { openRecorder } from '../platform/recorder/recorder.ts';
import type { LiveDriver } from '../platform/sandbox/live-sandbox.ts';
import { meteredDriver, type SandboxMeter } from '../platform/sandbox/metered-driver.ts';
import { openSnapshots } from '../platform/snapshots/snapshot-store.ts';
import { findHandedIn } from '../stages/artifact/artifact-store.ts';
import { openSigningKey } from '../stages/evidence/signing-key.ts';
import { openGraderTools } from '../stages/grade/grader-tools.ts';
import { openPolicies } from '../stages/policy/load-policy.ts';
import { openCohorts } from '../stages/profile/open-cohorts.ts';
import type { NetworkOptions } from '../stages/session/network.ts';
import { BUNDLED } from './bundled.ts';
import { openDriver } from './open-driver.ts';
import { programVersion } from './program-version.ts';
import { trySandbox } from './try-sandbox.ts';

/** Everything that a program of ours needs, built once. */
export interface Service {
  readonly parts: PipelineParts;
  readonly pipeline: Pipeline;
  /** Workspaces of this process; null where it has none. */
  readonly sessions: SessionHost | null;
  /** Whether this process grades, or leaves that to workers. */
  readonly grades: boolean;
  /** Finishes what runs, gives everything back. */
  close(): Promise<void>;
}

/** What may differ from the configured program: tests grade with broken graders, the API counts steps. */
export interface ServiceOptions {
  readonly observe?: NonNullable<PipelineParts['observe']>;
  readonly alarm?: NonNullable<PipelineParts['alarm']>;
  /** Is told what sandboxes are made. */
  readonly meter?: SandboxMeter;
  /** Is told of every alarm about a run that this process raises. */
  readonly alarmed?: () => void;
  readonly graderFolder?: string;
  /** Whether this process grades; by default it does. */
  readonly grades?: boolean;
  /** Whether this process has workspaces (by default none), and takes over those that others have left. */
  readonly sessions?: boolean | 'adopting';
  /** Where names lead for workspaces that may reach something, in tests. */
  readonly network?: NetworkOptions;
}

/** Builds all parts from the configuration and starts the pipeline. What was opened is closed again when it cannot be started. */
export async function openService(config: Config, log: Log, options: ServiceOptions = {}): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const grades = options.grades ?? true;
    const { parts, takesWork, driver } = await openParts(config, { log, options, closers });
    const pipeline = await startPipeline(parts, {
      concurrency: config.gradeConcurrency,
      grades: takesWork,
      tryNode: () => trySandbox(parts.driver),
    });
    closers.push(startDelivery({ database: parts.database, log, allow: config.webhookAllow }));
    const guard = startRunGuard({ database: parts.database, log, bound: config.maskedShare, alarmed: options.alarmed });
    pipeline.onReward(guard.note);
    closers.push(guard.stop, pipeline.stop);
    const sessions =
      options.sessions && takesWork ? await openSessions({ config, parts, pipeline, driver, options }) : null;
    if (sessions !== null) closers.push(sessions.close);
    return { grades, parts, pipeline, sessions, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Workspaces for sessions; null, with a word in the log, where steps could not be recorded. */
async function openSessions(given: {
  readonly config: Config;
  readonly parts: PipelineParts;
  readonly pipeline: Pipeline;
  readonly driver: LiveDriver;
  readonly options: ServiceOptions;
}): Promise<SessionHost | null> {
  const { config, parts, pipeline, driver, options } = given;
  const { database, blobs, log, snapshots } = parts;
  const recorder = await openRecorder(config.sessionRecorder).catch((thrown) => {
    log.warn({ err: thrown }, 'this machine has no sessions: install strace, or set PROCTOR_SESSION_RECORDER=none');
    return null;
  });
  if (recorder === null) return null;
  return openSessionHost({
    ...{ database, blobs, log, snapshots, driver, recorder, node: hostname(), network: options.network ?? {} },
    warm: config.warmSessions,
    adopts: options.sessions === 'adopting',
    workerId: parts.sealer.service.worker,
    handIn: ({ id, instanceId, labels }, folder) =>
      submit(parts, pipeline, { instanceId, handIn: { folder }, idempotencyKey: keyOfSession(id), labels }),
    houseRules: (instanceId) => houseRulesFor(parts, instanceId),
    handedIn: (sessionId) => findHandedIn(database, keyOfSession(sessionId)),
  });
}

/** A machine without sandboxes takes no work: what it cannot grade, another one may. */
async function canGrade({ driver, log }: Pick<PipelineParts, 'driver' | 'log'>): Promise<boolean> {
  const { usable, remarks } = await driver.capabilities();
  if (!usable) log.error({ remarks }, 'this machine cannot grade, so it takes no work; run proctor doctor');
  return usable;
}

interface Opening {
  readonly log: Log;
  readonly options: ServiceOptions;
  /** Takes what closes each part, in the order in which they were opened. */
  readonly closers: (() => Promise<unknown>)[];
}

async function openParts(
  config: Config,
  { log, options, closers }: Opening,
): Promise<{ parts: PipelineParts; takesWork: boolean; driver: LiveDriver }> {
  await mkdir(config.dataFolder, { recursive: true });
  const key = await openSigningKey(config.signingKey, log);
  const database = await openDatabase(config.database);
  closers.push(database.close);
  const { driver: plain, remark } = openDriver(config);
  const driver = options.meter === undefined ? plain : meteredDriver(plain, options.meter);
  closers.push(driver.close);
  if (remark !== null) log.info({ driver: driver.name }, remark);
  const queue = config.redisUrl === null ? createInProcessQueue() : await openRedisQueue(config.redisUrl);
  closers.push(queue.close);
  const takesWork = (options.grades ?? true) && (await canGrade({ driver, log }));
  const workerId = newId('wrk');
  const name = `${hostname()}:${process.pid}`;
  const worker = await openWorker(database, {
    ...{
      id: workerId,
      name,
      grades: takesWork,
      address: takesWork && options.sessions ? config.advertiseUrl : null,
      sole: database.kind === 'embedded',
      log,
    },
  });
  closers.push(worker.end);
  const parts: PipelineParts = {
    ...{ database, driver, log, queue, worker },
    openBound: createOpenBound(database, config.maxOpenSubmissions),
    blobs: await openFileBlobs(join(config.dataFolder, 'blobs')),
    snapshots: openSnapshots(config.snapshotFolder),
    policies: openPolicies(config.policyFolder),
    cohorts: openCohorts(database),
    judge: config.judge === null ? null : { ...config.judge, chat: openHttpChat(config.judge) },
    shadowPolicy: config.shadowPolicy,
    sealer: { key, service: { name: 'proctor', version: programVersion(), driver: driver.name, worker: workerId } },
    tools: await openGraderTools(options.graderFolder ?? BUNDLED.graderFolder),
    ...(options.observe === undefined ? {} : { observe: options.observe }),
    ...(options.alarm === undefined ? {} : { alarm: options.alarm }),
  };
  return { parts, takesWork, driver };
}
