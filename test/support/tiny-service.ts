import { afterEach } from 'vitest';
import type { Service } from '../../src/bin/open-service.ts';
import { awaitReward } from '../../src/pipeline/await-reward.ts';
import { type HandIn, submit } from '../../src/pipeline/submit.ts';
import { findLatestGrade } from '../../src/stages/grade/grade-store.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { scratchFolder, testService } from './test-service.ts';
import { writeTinyTask } from './tiny-task.ts';

/** Things to give back after each test, last first. */
export const disposals: (() => Promise<unknown>)[] = [];

/** Call once in a test file that uses this. */
export function disposeAfterEach(): void {
  afterEach(async () => {
    for (const dispose of disposals.splice(0).reverse()) await dispose();
  });
}

/** Files as a harness sends them. */
export function sent(source: string): HandIn {
  return { files: [{ path: 'double.py', bytes: Buffer.from(source), executable: false }] };
}

export async function tinyTask(replaced: Record<string, string | null> = {}): Promise<string> {
  const scratch = await scratchFolder();
  disposals.push(scratch.dispose);
  return writeTinyTask(scratch.path, replaced);
}

export async function openTestService(): Promise<Service> {
  const { service, dispose } = await testService();
  disposals.push(dispose);
  return service;
}

export async function handIn(service: Service, taskFolder: string, what: HandIn): Promise<string> {
  const task = await loadTask(taskFolder);
  await saveTask(service.parts, task);
  const { id: instanceId } = await saveInstance(service.parts.database, makeInstance(task, { seed: 'faults' }));
  return (await submit(service.parts, service.pipeline, { instanceId, handIn: what })).id;
}

export async function graded(service: Service, taskFolder: string, what: HandIn) {
  const id = await handIn(service, taskFolder, what);
  const reward = await awaitReward(service.parts.database, id);
  const grade = await findLatestGrade(service.parts.database, id);
  return { reward: reward.body, grade: grade?.body };
}
