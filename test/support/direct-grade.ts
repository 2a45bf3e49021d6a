import { afterAll, beforeAll } from 'vitest';
import { unstoredArtifact } from '../../src/bin/unstored-artifact.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { acceptFiles } from '../../src/stages/artifact/accept-files.ts';
import type { GradeBody } from '../../src/stages/grade/grade.ts';
import { gradeArtifact } from '../../src/stages/grade/grade-artifact.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import type { Task } from '../../src/stages/task/task.ts';
import { testService } from './test-service.ts';

/** A service on one driver. */
export type Opened = Awaited<ReturnType<typeof testService>>;
/** An artifact's files by path. */
export type Files = Readonly<Record<string, string>>;

/** Grades files for a task by one service's driver. */
export async function grade({ service }: Opened, task: Task, files: Files): Promise<GradeBody> {
  const instance = { id: newId('inst'), ...makeInstance(task, { seed: 'fork' }), createdAt: new Date(0) };
  const sent = Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text), executable: false }));
  const manifest = await acceptFiles(sent, task.definition.proctor.artifact, service.parts.blobs);
  const artifact = unstoredArtifact(instance.id, manifest);
  return gradeArtifact(service.parts, { task, instance, artifact });
}

/** What is the same whenever the same is graded. */
export function facts(body: GradeBody) {
  if (body.kind !== 'measured') throw new Error(JSON.stringify(body));
  const cases = body.cases.map(({ id, status, note }) => ({ id, status, note: note.replace(/0x[0-9a-f]+/g, '0x') }));
  const { passed, score, refusal, assurance, inputs } = body;
  return { passed, score, refusal, assurance, inputs, cases };
}

/** What was told of each case. */
export function notesOf(body: GradeBody): readonly string[] {
  if (body.kind !== 'measured') throw new Error(JSON.stringify(body));
  return body.cases.map(({ note }) => note);
}

/** A service whose sandboxes one driver makes. */
export const open = (driver: 'forkserver' | 'bubblewrap') => testService({ PROCTOR_SANDBOX_DRIVER: driver });

/** Grades files until the suite waits in a process of its own. */
export async function prepare(fork: Opened, task: Task, files: Files): Promise<void> {
  for (let round = 0; round < 3; round++) await grade(fork, task, files);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
}

/** A service on each driver for the tests of one block, once they run. */
export function onBothDrivers(): { readonly fork: Opened; readonly oneShot: Opened } {
  const opened = {} as { fork: Opened; oneShot: Opened };
  beforeAll(async () => {
    opened.fork = await open('forkserver');
    opened.oneShot = await open('bubblewrap');
  });
  afterAll(async () => {
    await opened.fork.dispose();
    await opened.oneShot.dispose();
  });
  return opened;
}
