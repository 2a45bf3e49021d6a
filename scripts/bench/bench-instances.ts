import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { overlay, placeFiles } from '../../src/bin/corpus/build-workspace.ts';
import { readFixtures } from '../../src/bin/corpus/read-fixtures.ts';
import { gradeFolder } from '../../src/bin/grade-folder.ts';
import type { Service } from '../../src/bin/open-service.ts';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { withScratchService } from '../../src/bin/scratch-service.ts';
import { digestOf } from '../../src/platform/base/digest.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import type { Task } from '../../src/stages/task/task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { type Aim, aimOf, type Candidate, cpuMs, measure, percentiles, type Row, round2 } from './measure.ts';

/** The instance that the simulated policy has learned by heart. */
const CANONICAL = 'canonical';
/** In one round; five rounds are the 200 seeds that the references are held to. */
const REFERENCES = 40;
const REMEMBERED = 10;
const IN_FLIGHT = 3;

interface Fixture {
  readonly task: Task;
  readonly folder: string;
}

/**
 * What a remembered solution earns on fresh instances, whether references are right on all of them, and how fast instances are made. The bare
 * rows read and hash the bytes of the task's files, which a rendered instance cannot do without.
 */
export async function benchInstances(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  const fixtures = await readAll();
  const rendering = await measure(fixtures.flatMap(renderingOf), { rounds, itemsPerRound: 100, inFlight: [1] });
  const graded: GradedRow[] = [];
  await withScratchFolder('instances', (scratch) =>
    withScratchService(async (service) => {
      for (const fixture of fixtures) {
        await saveTask(service.parts, fixture.task);
        for (const kind of ['reference', 'remembered'] as const) {
          graded.push(await gradeMany(service, fixture, { kind, rounds, scratch }));
        }
      }
    }),
  );
  const slowest = Math.min(
    ...rendering.filter(({ ratioToBare }) => ratioToBare !== null).map(({ perSecond }) => perSecond),
  );
  return {
    rows: [...rendering, ...graded.map(({ row }) => row)],
    aims: [
      aimOf('instances made per second, slowest task', { value: slowest, unit: '1/s' }, { least: 200 }),
      ...graded.map(({ kind, task, right, of }) => {
        const share = { value: (right / of) * 100, unit: '%' };
        return kind === 'reference'
          ? aimOf(`reference of ${task} right, ${of} seeds`, share, { least: 100 })
          : aimOf(`remembered solution of ${task} rewarded, ${of} fresh instances`, share, { most: 5 });
      }),
    ],
  };
}

async function readAll(): Promise<readonly Fixture[]> {
  const references = (await readFixtures(BUNDLED.fixtureFolder, [])).filter(({ name }) => name === 'reference');
  return Promise.all(
    references.map(async ({ taskFolder }) => ({ task: await loadTask(taskFolder), folder: taskFolder })),
  );
}

function renderingOf({ task }: Fixture): readonly Candidate[] {
  let seed = 0;
  const files = task.files.filter(({ path }) => path === 'instruction.md' || path.startsWith('environment/'));
  return [
    {
      ...{ name: `bare: files of ${task.name} hashed`, bare: true, kind: task.name },
      run: async () => void files.map(({ bytes }) => digestOf(bytes)),
    },
    {
      ...{ name: `instance of ${task.name}`, bare: false, kind: task.name },
      run: async () => void makeInstance(task, { seed: `bench-${seed++}` }),
    },
  ];
}

interface GradedRow {
  readonly kind: 'reference' | 'remembered';
  readonly task: string;
  readonly right: number;
  readonly of: number;
  readonly row: Row;
}

/** Hands in, for one fresh instance after the other, the reference made for it, or the one that was made for the canonical one. */
async function gradeMany(
  service: Service,
  { task, folder }: Fixture,
  { kind, rounds, scratch }: { kind: GradedRow['kind']; rounds: number; scratch: string },
): Promise<GradedRow> {
  const of = (kind === 'reference' ? REFERENCES : REMEMBERED) * rounds;
  const seeds = Array.from({ length: of }, (_, index) => `${kind}-${index}`);
  const wallsMs: number[] = [];
  let right = 0;
  const [startedMs, startedCpuMs] = [performance.now(), cpuMs()];
  const work = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const instance = makeInstance(task, { seed });
      const known = kind === 'reference' ? instance : makeInstance(task, { seed: CANONICAL });
      const workspace = join(scratch, `${task.digest.slice(7, 19)}-${seed}`);
      await placeFiles(workspace, instance.files);
      await overlay(workspace, join(folder, 'solution'), known.parameters);
      const beganMs = performance.now();
      const { reward } = await gradeFolder(service, instance, workspace);
      wallsMs.push(performance.now() - beganMs);
      if (reward.body.reward > (kind === 'reference' ? 0.999 : 0)) right++;
      await rm(workspace, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  process.stderr.write(`${kind} of ${task.name}: ${right} of ${of}\n`);
  const row = {
    ...{ name: `${kind} of ${task.name}, graded`, inFlight: IN_FLIGHT, n: of },
    ...percentiles(wallsMs.toSorted((one, other) => one - other)),
    perSecond: round2((of / (performance.now() - startedMs)) * 1000),
    cpuMs: round2((cpuMs() - startedCpuMs) / of),
    ratioToBare: null,
  };
  return { kind, task: task.name, right, of, row };
}
