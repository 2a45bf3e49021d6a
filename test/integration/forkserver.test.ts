import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { processMark } from '../../src/platform/sandbox/commands/process-mark.ts';
import { whyNoForkServer } from '../../src/platform/sandbox/forkserver/fork-driver.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { facts, grade, notesOf, onBothDrivers, open, prepare } from '../support/direct-grade.ts';
import { disposals, disposeAfterEach, tinyTask } from '../support/tiny-service.ts';

const fault = whyNoForkServer(BUNDLED.forkFolder);
const SUITE = fileURLToPath(new URL('../../scripts/bench/suite', import.meta.url));

/** Pids of zygotes and launchers below this process. */
function ownProcesses(part: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return line.includes(part) && isBelow(pid);
      } catch {
        return false;
      }
    });
}

function isBelow(pid: number): boolean {
  for (let at = pid; at > 1; ) {
    if (at === process.pid) return true;
    const stat = readFileSync(`/proc/${at}/stat`, 'latin1');
    at = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  }
  return false;
}

/** A pytest task whose one test fails with what the artifact's `tell()` gives, so that it can be read here. */
function tellingTask(more: Record<string, string | null> = {}): Promise<string> {
  return tinyTask({
    'task.toml': `schema_version = "1.0"
[task]
name = "test/telling"
[proctor]
grader = "pytest"
[proctor.artifact]
include = ["*.py"]
[proctor.pytest]
modules = ["told"]
`,
    ...{ 'tests/oracle.py': null, 'environment/double.py': null, 'solution/double.py': null },
    'environment/told.py': '',
    'tests/test_told.py': 'import told\n\n\ndef test_told():\n    raise ValueError(told.tell())\n',
    ...more,
  });
}

describe.skipIf(fault !== null)('grades by the fork server', () => {
  disposeAfterEach();
  const on = onBothDrivers();

  const solution = () => readFile(join(SUITE, 'solution', 'textkit.py'), 'utf8');

  test.each([
    ['right', (source: string) => source],
    ['wrong', (source: string) => source.replace('lower()', 'upper()')],
    ['broken', (source: string) => `${source}\n  syntax error\n`],
    ['missing', () => 'nothing = 1\n'],
    ['raising', () => 'raise OSError("no")\n'],
    ['exiting', () => 'import os\nos._exit(0)\n'],
    ['endless', (source: string) => source.replace('ordered = sorted(numbers)', 'while True:\n        pass')],
    ['too deep', (source: string) => source.replace('ordered = sorted(numbers)', 'return median(numbers)')],
  ])('what is %s is graded as it is one-shot, to the notes, prepared or not', async (_, change) => {
    const task = await loadTask(SUITE);
    const files = { 'textkit.py': change(await solution()) };
    const expected = facts(await grade(on.oneShot, task, files));
    const early = facts(await grade(on.fork, task, files));
    await prepare(on.fork, task, { 'textkit.py': await solution() });
    expect(early).toEqual(expected);
    expect(facts(await grade(on.fork, task, files))).toEqual(expected);
  });

  test.each([
    ['imports the artifact', 'import told\n\nREADY = told\n'],
    ['draws from a seed', 'import random\n\nrandom.seed(7)\n'],
    ['sets the environment', 'import os\n\nos.environ["LEVEL"] = "3"\n'],
    ['leaves a file behind', 'open("/tmp/mark", "w").write("x")\n'],
    [
      'starts a thread',
      'import threading, time\n\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n',
    ],
  ])('a suite whose conftest %s is run from the start, and graded the same', async (_, conftest) => {
    const source =
      'import os, random\n\n\ndef tell():\n    return [os.environ.get("LEVEL"), os.path.exists("/tmp/mark"), random.random() if random.getstate()[1][0] == 3895 else "any"]\n';
    const task = await loadTask(await tellingTask({ 'tests/conftest.py': conftest }));
    const expected = facts(await grade(on.oneShot, task, { 'told.py': source }));
    await prepare(on.fork, task, { 'told.py': source });
    expect(facts(await grade(on.fork, task, { 'told.py': source }))).toEqual(expected);
  });

  test('each clone draws anew: random numbers, names of temporary files, ids', async () => {
    const source =
      'import random, tempfile, uuid\n\n\ndef tell():\n    return "%r %s %s" % (random.random(), tempfile.mktemp(), uuid.uuid4())\n';
    const task = await loadTask(await tellingTask());
    await prepare(on.fork, task, { 'told.py': source });
    const notes = await Promise.all([1, 2, 3, 4].map(() => grade(on.fork, task, { 'told.py': source }).then(notesOf)));
    expect(new Set(notes.flat()).size).toBe(4);
  });

  test('a clone sees no process, file or descriptor but its own', async () => {
    const source = `import os


def tell():
    pids = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
    seen = []
    for path in ("/proc/1/mem", "/proc/1/environ", "/proc/1/root/etc/passwd", "/proctor/forkserver", "/proctor/pytest", "/work/tests", "/run/proctor"):
        try:
            seen.append(path) if os.path.isdir(path) else open(path, "rb").read(1) and seen.append(path)
        except OSError:
            pass
    kinds = sorted(os.readlink("/proc/self/fd/" + name).split(":")[0] for name in os.listdir("/proc/self/fd") if os.path.islink("/proc/self/fd/" + name))
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return repr([len(pids), seen, kinds, [status[name].strip() for name in ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp")], os.getuid(), sorted(os.listdir("/work")), os.listdir("/tmp")])
`;
    const task = await loadTask(await tellingTask());
    await prepare(on.fork, task, { 'told.py': source });
    const [note] = notesOf(await grade(on.fork, task, { 'told.py': source }));
    expect(note).toContain(
      "[2, [], ['/dev/null', 'pipe', 'pipe', 'pipe', 'pipe'], ['0000000000000000', '0000000000000000', '1', '2'], 1000, ['told.py'], []]",
    );
  });

  test('modules of the artifact are found before those that a prepared process uses itself', async () => {
    const source = `import sys\n\n\ndef tell():\n    return repr([name for name in ("array", "ctypes", "resource") if name in sys.modules])\n`;
    const task = await loadTask(await tellingTask());
    const expected = facts(await grade(on.oneShot, task, { 'told.py': source }));
    await prepare(on.fork, task, { 'told.py': source });
    expect(facts(await grade(on.fork, task, { 'told.py': source }))).toEqual(expected);
  });

  test('what a clone leaves to nobody is reaped, and it can make no child of its parent’s', async () => {
    const source = `import ctypes, os


def tell():
    refused = ctypes.CDLL(None, use_errno=True).syscall(56, 0x8011, 0, 0, 0, 0)
    if refused == 0:
        os._exit(0)
    for _ in range(120):
        child = os.fork()
        if child == 0:
            if os.fork() == 0:
                os._exit(0)
            os._exit(0)
        os.waitpid(child, 0)
    return "refused %d, all made" % refused
`;
    const task = await loadTask(await tellingTask());
    const note = 'refused -1, all made';
    expect(notesOf(await grade(on.oneShot, task, { 'told.py': source }))[0]).toContain(note);
    await prepare(on.fork, task, { 'told.py': source });
    expect(notesOf(await grade(on.fork, task, { 'told.py': source }))[0]).toContain(note);
  });

  test('nothing of earlier hand-ins is in the memory of a later clone', async () => {
    const marker = (index: number) => `MARK${'er'.repeat(20)}${index}`;
    const leaving = (index: number) =>
      `KEPT = ["${marker(index)}" * 1000]\n# ${marker(index)}\n\n\ndef tell():\n    return "${marker(index)}"\n`;
    const looking = `import re


def tell():
    found = set()
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            if not rights.startswith("rw"):
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            try:
                memory.seek(start)
                found |= set(re.findall(rb"MARK(?:er){20}\\d", memory.read(end - start)))
            except (OSError, ValueError, OverflowError):
                continue
    return "found %d" % len(found)
`;
    const task = await loadTask(await tellingTask());
    await prepare(on.fork, task, { 'told.py': leaving(0) });
    for (const index of [1, 2, 3]) await grade(on.fork, task, { 'told.py': leaving(index) });
    expect(notesOf(await grade(on.fork, task, { 'told.py': looking }))[0]).toContain('found 0');
  });

  test.each([
    [
      'a fork bomb',
      'import os\n\n\ndef tell():\n    while True:\n        try:\n            os.fork()\n        except OSError:\n            pass\n',
    ],
    ['too much memory', 'def tell():\n    held = []\n    while True:\n        held.append(bytearray(64 << 20))\n'],
    [
      'daemons',
      'import os, time\n\n\ndef tell():\n    for _ in range(20):\n        if os.fork() == 0:\n            os.setsid()\n            time.sleep(600)\n    return "left"\n',
    ],
    ['its own end', 'import os, signal\n\n\ndef tell():\n    os.kill(os.getpid(), signal.SIGKILL)\n'],
    ['a flood', 'import os\n\n\ndef tell():\n    while True:\n        os.write(2, b"x" * 65536)\n'],
  ])('%s costs its own test, and the next grade is as it was', async (_, source) => {
    const task = await loadTask(
      await tellingTask({
        'task.toml': `schema_version = "1.0"
[task]
name = "test/telling"
[environment]
memory_mb = 256
[proctor]
grader = "pytest"
case_timeout_sec = 2.0
[proctor.artifact]
include = ["*.py"]
[proctor.pytest]
modules = ["told"]
`,
      }),
    );
    const body = await grade(on.fork, task, { 'told.py': source });
    expect(body).toMatchObject({ kind: 'measured', passed: false });
    const next = await grade(on.fork, task, { 'told.py': 'def tell():\n    return "still here"\n' });
    expect(notesOf(next)[0]).toContain('still here');
  });

  test.each(['forkserver/zygote.py', 'bin/launcher'])(
    'when %s is killed, the next grade finds another',
    async (part) => {
      const task = await loadTask(SUITE);
      const files = { 'textkit.py': await solution() };
      await grade(on.fork, task, files);
      const pids = ownProcesses(part);
      expect(pids.length).toBeGreaterThan(0);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await grade(on.fork, task, files)).toMatchObject({ kind: 'measured', passed: true });
    },
  );

  test('after many grades nothing is left but what serves the next one', async () => {
    const own = await open('forkserver');
    disposals.push(own.dispose);
    const task = await loadTask(SUITE);
    const files = { 'textkit.py': await solution() };
    const count = () => ({
      descriptors: readdirSync('/proc/self/fd').length,
      mounts: readFileSync('/proc/mounts', 'utf8').split('\n').filter(isOwnMount).length,
    });
    const round = (grades: number) => Promise.all(Array.from({ length: grades }, () => grade(own, task, files)));
    await round(4);
    await prepare(own, task, files);
    await round(4);
    const before = count();
    for (let rounds = 0; rounds < 8; rounds++) await round(4);
    const after = count();
    const sandbox = await own.service.parts.driver.create({ root: { kind: 'host' }, limits: LIMITS });
    expect(count().mounts).toBe(after.mounts + 1); // so that a count which sees none would be noticed
    await sandbox.destroy();
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 2);
    expect(after.mounts).toBe(before.mounts);
  });
});

test.runIf(fault !== null)('there is no fork server here, and why is told', () => {
  expect(fault).toMatch(/root|compiled|tried/);
});

const LIMITS = {
  ...{ wallMs: 5_000, cpuMs: 5_000, memoryBytes: 64 * 1024 ** 2, processes: 8 },
  ...{ outputBytes: 1_024, fileBytes: 1_024, diskBytes: 1024 ** 2 },
};

/** Whether a line of /proc/mounts is of a slot that this process has: other test files have theirs at the same time. */
function isOwnMount(line: string): boolean {
  const slot = line.match(/^proctor (\S+\/slots\/\d+)\//)?.[1];
  if (slot === undefined) return false;
  try {
    return readFileSync(`${slot}/owner`, 'utf8') === processMark(process.pid);
  } catch {
    return false; // another process's, which has given it back just now
  }
}
