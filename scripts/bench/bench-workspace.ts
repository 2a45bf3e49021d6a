import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '../../src/bin/open-service.ts';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { withScratchService } from '../../src/bin/scratch-service.ts';
import { writeDemoTask } from '../../src/bin/sessions-demo/demo-task.ts';
import { sessionsOf } from '../../src/bin/with-service.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { checkAction } from '../../src/stages/session/environments.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { startDocker, whyNoDocker } from '../../test/support/docker-engine.ts';
import { type Aim, aimOf, type Candidate, cpuMs, measure, percentiles, type Row, round2 } from './measure.ts';

const IDLE_SESSIONS = 200;
const OPENED_EACH_ROUND = 8;
/** In which the next workspaces are made: sessions come with gaps. */
const REFILL_MS = 800;

/** Work that is recorded: one that starts programs, one that runs in one program, one that is all files. */
const JOBS = {
  compile: `printf 'int main(void) { return 0; }\\n' > /tmp/a.c; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do gcc -O1 -o /tmp/a /tmp/a.c || exit 1; done`,
  pytest: `mkdir -p /tmp/t; for i in $(seq 260); do echo "def test_$i(): assert sum(range($i)) == $i * ($i - 1) // 2"; done > /tmp/t/test_sums.py; python3 -m pytest -q -p no:cacheprovider /tmp/t > /dev/null`,
  files: `python3 -I -c '
import os
os.makedirs("/tmp/f", exist_ok=True)
for i in range(1600):
    p = "/tmp/f/%d" % i
    open(p, "w").write("x"); open(p).read(); os.unlink(p)'`,
} as const;

interface Kind {
  readonly name: string;
  readonly settings: NodeJS.ProcessEnv;
}

/** Sessions in bubblewrap and in Docker: opening one, a step that does nothing, what recording costs, and many that are idle. */
export async function benchWorkspace(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  const engine = whyNoDocker() === null ? await startDocker() : null;
  if (engine === null) process.stderr.write(`Docker is not measured: ${whyNoDocker()}\n`);
  const bubblewrap = { PROCTOR_SANDBOX_DRIVER: 'bubblewrap' };
  const kinds: readonly Kind[] = [
    { name: 'bubblewrap', settings: bubblewrap },
    { name: 'bubblewrap, not recorded', settings: { ...bubblewrap, PROCTOR_SESSION_RECORDER: 'none' } },
    ...(engine === null
      ? []
      : [{ name: 'Docker', settings: { PROCTOR_SANDBOX_DRIVER: 'docker', PROCTOR_DOCKER_SOCKET: engine.socketPath } }]),
  ];
  try {
    return await withScratchFolder('bench', async (scratch) => {
      const taskFolder = await writeDemoTask(scratch);
      return withServices(kinds, (services) => measureAll({ kinds, services, taskFolder, rounds }));
    });
  } finally {
    await engine?.dispose();
  }
}

function withServices<T>(
  [first, ...others]: readonly Kind[],
  use: (services: readonly Service[]) => Promise<T>,
): Promise<T> {
  if (first === undefined) return use([]);
  return withScratchService((service) => withServices(others, (rest) => use([service, ...rest])), first.settings, {
    sessions: true,
  });
}

interface Measured {
  readonly kinds: readonly Kind[];
  readonly services: readonly Service[];
  readonly taskFolder: string;
  readonly rounds: number;
}

async function measureAll({ kinds, services, taskFolder, rounds }: Measured) {
  const instances = await Promise.all(services.map((service) => newInstance(service, taskFolder)));
  const opened = await Promise.all(
    services.map((service, index) =>
      sessionsOf(service).open({ instanceId: instances[index] as string, idempotencyKey: null }),
    ),
  );
  const step = (index: number, command: string) => async () => {
    const action = checkAction({ environment: 'shell', action: 'run', parameters: { command } });
    const id = opened[index]?.id as string;
    const { status, outputs } = await sessionsOf(services[index] as Service).act(id, {
      action,
      messageId: null,
      tokens: 0,
    });
    if (status !== 'ok') throw new Error(`${command}: ${status}: ${outputs.map(({ text }) => text).join('')}`);
  };
  const steps: readonly Candidate[] = [
    { name: 'bash -c true, on the host', kind: 'true', bare: true, run: bareTrue },
    ...kinds.map(({ name }, index) => ({
      name: `step true, ${name}`,
      kind: 'true',
      bare: false,
      run: step(index, 'true'),
    })),
  ];
  const jobs: readonly Candidate[] = Object.entries(JOBS).flatMap(([job, command]) => [
    { name: `${job}, not recorded`, kind: job, bare: true, run: step(1, command) },
    { name: `${job}, recorded`, kind: job, bare: false, run: step(0, command) },
  ]);
  const stepRows = await measure(steps, { rounds, itemsPerRound: 20, inFlight: [1] });
  const jobRows = await measure(jobs, { rounds, itemsPerRound: 2, inFlight: [1] });
  const openRows: Row[] = [];
  for (const [index, { name }] of kinds.entries()) {
    if (name !== 'bubblewrap, not recorded')
      openRows.push(
        await timeOpening(services[index] as Service, { name, instanceId: instances[index] as string, rounds }),
      );
  }
  const idle = await idleSessions(services[0] as Service, instances[0] as string);
  return { rows: [...openRows, ...stepRows, ...jobRows], aims: aimsOf([...openRows, ...stepRows, ...jobRows], idle) };
}

async function newInstance({ parts }: Service, taskFolder: string): Promise<string> {
  const task = await loadTask(taskFolder);
  // a budget that no bench reaches
  const agent = { ...task.definition.agent, timeout_sec: 86_400 };
  const patient = { ...task, definition: { ...task.definition, agent } };
  await saveTask(parts, patient);
  return (await saveInstance(parts.database, makeInstance(patient, { seed: 'bench' }))).id;
}

async function bareTrue(): Promise<void> {
  await once(spawn('/bin/bash', ['--noprofile', '--norc', '-c', 'true'], { stdio: ['pipe', 'pipe', 'pipe'] }), 'close');
}

/** Opening alone is timed; giving up, and what is made for the next, is not. */
async function timeOpening(
  service: Service,
  { name, instanceId, rounds }: { readonly name: string; readonly instanceId: string; readonly rounds: number },
): Promise<Row> {
  const host = sessionsOf(service);
  const wallsMs: number[] = [];
  let usedMs = 0;
  for (let opened = 0; opened < rounds * OPENED_EACH_ROUND; opened++) {
    await pause(REFILL_MS);
    const cpuBefore = cpuMs();
    const startedMs = performance.now();
    const { id } = await host.open({ instanceId, idempotencyKey: null });
    wallsMs.push(performance.now() - startedMs);
    usedMs += cpuMs() - cpuBefore;
    await host.abandon(id);
  }
  const totalMs = wallsMs.reduce((sum, wallMs) => sum + wallMs, 0);
  const perSecond = round2((wallsMs.length / totalMs) * 1000);
  const n = wallsMs.length;
  return {
    name: `open, made ahead, ${name}`,
    inFlight: 1,
    n,
    ...percentiles(wallsMs.toSorted((a, b) => a - b)),
    perSecond,
    cpuMs: round2(usedMs / n),
    ratioToBare: null,
  };
}

/** Memory of one session among many that do nothing: of its processes. What the kernel and the service have for it is too little to be told from what else they do. */
async function idleSessions(service: Service, instanceId: string): Promise<number> {
  const host = sessionsOf(service);
  const before = heldMiB();
  const ids: string[] = [];
  for (let opened = 0; opened < IDLE_SESSIONS; opened++) {
    ids.push((await host.open({ instanceId, idempotencyKey: null })).id);
  }
  const each = (heldMiB() - before) / IDLE_SESSIONS;
  if (host.count() < IDLE_SESSIONS) throw new Error(`only ${host.count()} sessions are open`);
  for (const id of ids) await host.abandon(id);
  return each;
}

/** Of all processes that hold sandboxes: their proportional set size (proc_pid_smaps(5)). */
function heldMiB(): number {
  const shares = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        if (!['bwrap', 'proctor-held'].includes(readFileSync(`/proc/${pid}/comm`, 'latin1').trim())) return 0;
        return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0);
      } catch {
        return 0; // it is gone
      }
    });
  return shares.reduce((sum, kib) => sum + kib, 0) / 1024;
}

function aimsOf(rows: readonly Row[], idleMiB: number): readonly Aim[] {
  const row = (name: string) => rows.find((one) => one.name === name);
  const over = (name: string) =>
    (row(name)?.p50Ms ?? Number.NaN) - (row('bash -c true, on the host')?.p50Ms ?? Number.NaN);
  const cpuRatio = (job: string) =>
    (row(`${job}, recorded`)?.cpuMs ?? Number.NaN) / (row(`${job}, not recorded`)?.cpuMs ?? Number.NaN);
  const hasDocker = row('step true, Docker') !== undefined;
  return [
    aimOf(
      'step over the command itself, bubblewrap, strace',
      { value: over('step true, bubblewrap'), unit: 'ms' },
      { most: 45 },
    ),
    ...(hasDocker
      ? [
          aimOf(
            'step over the command itself, Docker, strace',
            { value: over('step true, Docker'), unit: 'ms' },
            { most: 150 },
          ),
        ]
      : []),
    aimOf('CPU of compiling, recorded over not', { value: cpuRatio('compile'), unit: '×' }, { most: 1.35 }),
    aimOf('CPU of pytest, recorded over not', { value: cpuRatio('pytest'), unit: '×' }, { most: 1.35 }),
    aimOf('CPU of file-heavy work, recorded over not', { value: cpuRatio('files'), unit: '×' }, { most: 2.6 }),
    aimOf(
      'open, p50, made ahead',
      { value: row('open, made ahead, bubblewrap')?.p50Ms ?? Number.NaN, unit: 'ms' },
      { most: 50 },
    ),
    aimOf(`processes of one of ${IDLE_SESSIONS} idle sessions`, { value: idleMiB, unit: 'MiB' }, { most: 16 }),
  ];
}
