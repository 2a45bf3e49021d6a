import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Service } from '../../src/bin/open-service.ts';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { unstoredArtifact } from '../../src/bin/unstored-artifact.ts';
import { withService } from '../../src/bin/with-service.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { collectFolder } from '../../src/stages/artifact/collect-folder.ts';
import { gradeArtifact } from '../../src/stages/grade/grade-artifact.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import type { Task } from '../../src/stages/task/task.ts';
import { type Aim, aimOf, type Candidate, measure, type Row, residentMiB } from './measure.ts';

const SUITE = fileURLToPath(new URL('suite', import.meta.url));
const FILE = 'textkit.py';
const IN_FLIGHT = [1, 2, 8, 32];
const ITEMS = 32;
/** A suite that is graded for the third time is prepared within this time. */
const PREPARING_MS = 3_000;

/** What is handed in, and how many of the suite's ten tests it passes. */
const ARTIFACTS = {
  passing: { change: (source: string) => source, passes: 10 },
  failing: { change: (source: string) => source.replaceAll('return ', 'return None and '), passes: 2 },
  broken: { change: (source: string) => `${source}\n  not python\n`, passes: 0 },
} as const;
type Kind = keyof typeof ARTIFACTS;
/** Kinds of artifacts that are handed in. */
export type Artifact = Kind;

/**
 * Complete grades of a hidden suite of ten tests, each in fresh sandboxes, beside plain pytest on the same files without any
 * sandbox and in one made by bubblewrap. The service's own work (database, evidence, HTTP) is not in it: see bench http.
 */
export function benchSuite(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  return withScratchFolder('bench', (scratch) =>
    withDriver(scratch, 'bubblewrap', (oneShot) =>
      withDriver(scratch, 'forkserver', async (fork) => {
        const candidates = await candidatesOf(scratch, { oneShot, fork });
        for (const candidate of candidates) for (let time = 0; time < 3; time++) await candidate.run();
        await new Promise((resolve) => setTimeout(resolve, PREPARING_MS));
        const rows = await measure(candidates, { rounds, itemsPerRound: ITEMS, inFlight: IN_FLIGHT });
        return { rows, aims: aimsOf(rows) };
      }),
    ),
  );
}

async function candidatesOf(
  scratch: string,
  { oneShot, fork }: { oneShot: Service; fork: Service },
): Promise<readonly Candidate[]> {
  const task = await loadTask(SUITE);
  const candidates: Candidate[] = [];
  for (const kind of Object.keys(ARTIFACTS) as Kind[]) {
    const folder = await makeWorkspace(join(scratch, kind), kind);
    const what = { task, folder, kind };
    candidates.push(barePytest(folder, kind));
    if (kind === 'passing') {
      candidates.push(pytestInBubblewrap(folder, kind), await graded('Proctor one-shot, oracle', oneShot, what));
    }
    candidates.push(await graded('Proctor fork server, oracle', fork, what));
  }
  return candidates;
}

/** One kind of artifact, graded by a service. */
export async function candidateOf(
  scratch: string,
  { service, kind }: { service: Service; kind: Kind },
): Promise<Candidate> {
  const folder = await makeWorkspace(join(scratch, kind), kind);
  return graded('fork server', service, { task: await loadTask(SUITE), folder, kind });
}

/** Runs `use` with a service of its own on one driver. */
export function withDriver<T>(scratch: string, driver: string, use: (service: Service) => Promise<T>): Promise<T> {
  const settings = { PROCTOR_DATABASE_URL: '', PROCTOR_SIGNING_KEY_FILE: '', PROCTOR_SANDBOX_DRIVER: driver };
  return withService(use, { ...settings, PROCTOR_DATA_DIR: join(scratch, driver) });
}

async function makeWorkspace(folder: string, kind: Kind): Promise<string> {
  await mkdir(folder);
  const source = await readFile(join(SUITE, 'solution', FILE), 'utf8');
  await writeFile(join(folder, FILE), ARTIFACTS[kind].change(source));
  await cp(join(SUITE, 'tests', 'test_textkit.py'), join(folder, 'test_textkit.py'));
  return folder;
}

const PYTEST = ['/usr/bin/python3', '-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'];

function barePytest(folder: string, kind: Kind): Candidate {
  return {
    name: `bare pytest, no sandbox, ${kind}`,
    bare: true,
    kind,
    run: () => runPytest([...PYTEST, folder], kind),
  };
}

function pytestInBubblewrap(folder: string, kind: Kind): Candidate {
  const links = ['lib', 'lib64', 'bin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
  const walls = [
    '--unshare-all',
    '--ro-bind',
    '/usr',
    '/usr',
    ...links,
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
  ];
  const argv = ['bwrap', ...walls, '--bind', folder, '/work', '--chdir', '/work', ...PYTEST, '/work'];
  return { name: `bubblewrap, plain pytest inside, ${kind}`, bare: false, kind, run: () => runPytest(argv, kind) };
}

function runPytest([file = '', ...args]: readonly string[], kind: Kind): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { env: { PATH: '/usr/bin:/bin' } }, (_, stdout) => {
      const passed = Number(/(\d+) passed/.exec(stdout)?.[1] ?? 0);
      if (passed === ARTIFACTS[kind].passes) resolve();
      else reject(new Error(`pytest passed ${passed} of ${kind}: ${stdout.slice(-2_000)}`));
    });
  });
}

async function graded(
  name: string,
  { parts }: Service,
  { task, folder, kind }: { task: Task; folder: string; kind: Kind },
): Promise<Candidate> {
  const instance = { id: newId('inst'), ...makeInstance(task, { seed: 'bench' }), createdAt: new Date(0) };
  const manifest = await collectFolder(folder, task.definition.proctor.artifact, parts.blobs);
  const artifact = unstoredArtifact(instance.id, manifest);
  return {
    name: `${name}, ${kind}`,
    bare: false,
    kind,
    async run() {
      const grade = await gradeArtifact(parts, { task, instance, artifact });
      const passed = grade.kind === 'measured' ? grade.cases.filter(({ status }) => status === 'passed').length : -1;
      if (passed !== ARTIFACTS[kind].passes) throw new Error(`${name} passed ${passed} of ${kind}`);
    },
  };
}

/** The best throughput of each, and the CPU at it; see the aims of the issue. */
function aimsOf(rows: readonly Row[]): readonly Aim[] {
  const best = (part: string) =>
    rows.filter(({ name }) => name.includes(part)).sort((a, b) => b.perSecond - a.perSecond)[0] as Row;
  const [bare, fork, failing, broken] = ['bare pytest, no sandbox, passing', 'fork server, oracle, passing']
    .concat('fork server, oracle, failing', 'fork server, oracle, broken')
    .map(best) as [Row, Row, Row, Row];
  return [
    aimOf('fork server: oracle grades', { value: fork.perSecond, unit: '1/s' }, { least: 60 }),
    aimOf(
      'throughput, as a multiple of bare pytest',
      { value: fork.perSecond / bare.perSecond, unit: 'x' },
      { least: 8 },
    ),
    aimOf('CPU, as a part of bare pytest', { value: fork.cpuMs / bare.cpuMs, unit: 'x' }, { most: 0.13 }),
    aimOf(
      'CPU of a failing artifact over a passing one',
      { value: failing.cpuMs / fork.cpuMs, unit: 'x' },
      { most: 2.5 },
    ),
    aimOf('CPU of a broken artifact over a passing one', { value: broken.cpuMs / fork.cpuMs, unit: 'x' }, { most: 2 }),
    aimOf('memory of this process', { value: residentMiB(process.pid), unit: 'MiB' }, { most: 400 }),
  ];
}
