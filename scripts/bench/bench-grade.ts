import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { buildWorkspace } from '../../src/bin/corpus/build-workspace.ts';
import { readFixtures } from '../../src/bin/corpus/read-fixtures.ts';
import type { Service } from '../../src/bin/open-service.ts';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { withScratchService } from '../../src/bin/scratch-service.ts';
import { submit } from '../../src/pipeline/submit.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { waitForReward } from '../../src/stages/reward/reward-watch.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { type Candidate, measure, type Row } from './measure.ts';

const BARE = fileURLToPath(new URL('bare_grade.py', import.meta.url));
const SEED = 'bench';
const MAX_IN_FLIGHT = 8;

/** A whole grade, from hand-in to stored reward; beside one python3 process that draws the same cases, calls
 * the same functions or spawns the same programs, and compares. */
export function benchGrade(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly [] }> {
  process.env.PROCTOR_GRADE_CONCURRENCY ??= String(MAX_IN_FLIGHT);
  return withScratchFolder('bench', (scratch) =>
    withScratchService(async (service) => {
      const slugify = await prepareGrade(service, 'implement-slugify', join(scratch, 'function'));
      const wordtool = await prepareGrade(service, 'wordtool', join(scratch, 'stdio'));
      const rows = await measure(
        [slugify.bare, slugify.graded('function grade'), wordtool.bare, wordtool.graded('stdio grade')],
        {
          rounds,
          itemsPerRound: 8,
          inFlight: [1, 2, MAX_IN_FLIGHT],
        },
      );
      return { rows, aims: [] };
    }),
  );
}

/** Grades of one fixture's reference, beside a bare process that does the same work. */
export async function prepareGrade(service: Service, name: string, workspace: string) {
  const { parts, pipeline } = service;
  const [reference] = await readFixtures(BUNDLED.fixtureFolder, [`${name}/reference`]);
  if (reference === undefined) throw new Error(`no reference for ${name}`);
  const task = await loadTask(reference.taskFolder);
  await saveTask(parts, task);
  const instance = makeInstance(task, { seed: SEED });
  const { id: instanceId } = await saveInstance(parts.database, instance);
  await buildWorkspace(workspace, { task, instance }, reference);
  const graded = (label: string): Candidate => ({
    name: `${label} of ${name}`,
    bare: false,
    kind: name,
    async run() {
      const { id } = await submit(parts, pipeline, { instanceId, handIn: { folder: workspace } });
      const reward = await waitForReward(parts.database, id, performance.now() + 60_000);
      if (reward?.body.reward !== 1) throw new Error(`${name} was not rewarded: ${JSON.stringify(reward?.body)}`);
    },
  });
  const { grader, function: called, stdio } = task.definition.proctor;
  const target = grader === 'function' ? [called?.module, called?.function] : [JSON.stringify(stdio?.command), '-'];
  const bareArguments = [
    ...['-I', '-B', BARE, BUNDLED.graderFolder, join(reference.taskFolder, 'tests'), workspace, grader],
    ...[...target.map(String), JSON.stringify(instance.parameters), `hidden/${SEED}`],
  ];
  const bare: Candidate = {
    name: `bare python3, cases of ${name}`,
    bare: true,
    kind: name,
    // the same interpreter that the sandboxes find, whatever else this machine has
    run: async () =>
      void (await promisify(execFile)('/usr/bin/python3', bareArguments, { env: { PATH: '/usr/bin:/bin' } })),
  };
  return { graded, bare };
}
