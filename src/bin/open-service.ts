import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type Pipeline, startPipeline } from '../pipeline/pipeline.ts';
import type { PipelineParts } from '../pipeline/pipeline-parts.ts';
import { newId } from '../platform/base/ids.ts';
import type { Log } from '../platform/base/log.ts';
import { openFileBlobs } from '../platform/blobs/file-blobs.ts';
import { openDatabase } from '../platform/db/open-database.ts';
import { createInProcessQueue } from '../platform/queue/in-process-queue.ts';
import { openSnapshots } from '../platform/snapshots/snapshot-store.ts';
import { openSigningKey } from '../stages/evidence/signing-key.ts';
import { openGraderTools } from '../stages/grade/grader-tools.ts';
import { openPolicies } from '../stages/policy/load-policy.ts';
import { BUNDLED } from './bundled.ts';
import { openDriver } from './open-driver.ts';
import { programVersion } from './program-version.ts';

/** Everything that a program of ours needs, built once. */
export interface Service {
  readonly parts: PipelineParts;
  readonly pipeline: Pipeline;
  /** Finishes what runs, gives everything back. */
  close(): Promise<void>;
}

/** What may differ from the configured program: tests grade with broken graders, the API counts steps. */
export interface ServiceOptions {
  readonly observe?: NonNullable<PipelineParts['observe']>;
  readonly graderFolder?: string;
}

/** Builds all parts from the configuration and starts the pipeline. */
export async function openService(config: Config, log: Log, options: ServiceOptions = {}): Promise<Service> {
  await mkdir(config.dataFolder, { recursive: true });
  const key = await openSigningKey(config.signingKey, log);
  const database = await openDatabase(config.database);
  const { driver, remark } = openDriver(config);
  if (remark !== null) log.info({ driver: driver.name }, remark);
  try {
    const parts: PipelineParts = {
      database,
      driver,
      log,
      blobs: await openFileBlobs(join(config.dataFolder, 'blobs')),
      queue: createInProcessQueue(),
      snapshots: openSnapshots(config.snapshotFolder),
      policies: openPolicies(config.policyFolder),
      sealer: {
        key,
        service: { name: 'proctor', version: programVersion(), driver: driver.name, worker: newId('wrk') },
      },
      tools: await openGraderTools(options.graderFolder ?? BUNDLED.graderFolder),
      ...(options.observe === undefined ? {} : { observe: options.observe }),
    };
    const pipeline = await startPipeline(parts, { concurrency: config.gradeConcurrency });
    return {
      parts,
      pipeline,
      async close() {
        await pipeline.stop();
        await driver.close();
        await database.close();
      },
    };
  } catch (thrown) {
    await driver.close();
    await database.close();
    throw thrown;
  }
}
