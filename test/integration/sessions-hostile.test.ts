import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService } from '../../src/bin/open-service.ts';
import { createLog } from '../../src/platform/base/log.ts';
import type { Manifest } from '../../src/stages/artifact/artifact.ts';
import { findArtifact } from '../../src/stages/artifact/artifact-store.ts';
import { firstBroken } from '../../src/stages/session/event.ts';
import { eventsOf, hostOf, openSession, sh, shown } from '../support/session-kit.ts';
import { testService } from '../support/test-service.ts';
import { disposals, disposeAfterEach, tinyTask } from '../support/tiny-service.ts';

disposeAfterEach();
const opened = {} as Awaited<ReturnType<typeof testService>>;
beforeAll(async () => void Object.assign(opened, await testService({}, { sessions: true })));
afterAll(() => opened.dispose());
const service = () => opened.service;

/** The task with more files handed in, and other lines. */
const hostileTask = (more = '', agent = '600.0') =>
  tinyTask({
    'task.toml': `schema_version = "1.0"
[task]
name = "test/double"
[agent]
timeout_sec = ${agent}
[environment]
memory_mb = 256
storage_mb = 64
[proctor]
grader = "function"
case_timeout_sec = 1.0
max_processes = 128
${more}
[proctor.artifact]
include = ["**"]
[proctor.function]
module = "double"
function = "double"
`,
  });

describe('what a subject does to its record', () => {
  test('a trace without end ends what makes it; the session goes on and is handed in', async () => {
    const id = await openSession(service(), await hostileTask());
    const flood = `(setsid perl -e 'my $p = "/" . ("\\377" x 4000); open(my $f, "<", $p) while 1' > /dev/null 2>&1 < /dev/null &); echo started`;
    expect(shown(await sh(service(), id, flood))).toBe('started\n');
    await expect
      .poll(async () => shown(await sh(service(), id, 'pgrep -c perl')), { timeout: 40_000, interval: 500 })
      .toMatch(/^[01]\n/);
    expect((await hostOf(service()).finish(id)).body).toMatchObject({ outcome: 'finished' });
    expect(firstBroken(id, await eventsOf(service(), id))).toBeNull();
  });

  test('what runs on in the background is recorded, also where it does what was done before', async () => {
    const id = await openSession(service(), await hostileTask());
    await sh(
      service(),
      id,
      'echo x >> double.py; (sleep 1; echo y >> double.py; cp /etc/hostname /work/late) > /dev/null 2>&1 &',
    );
    await sh(service(), id, 'sleep 1.6');
    await hostOf(service()).abandon(id);
    const written = (await eventsOf(service(), id, 'file.written')).filter(
      ({ step, detail }) => step === 1 && String(detail.path).startsWith('/work/'),
    );
    expect(written.map(({ detail }) => detail.path)).toEqual(['/work/double.py', '/work/double.py', '/work/late']);
    const records = await eventsOf(service(), id, 'step.recorded');
    expect(records.filter(({ step }) => step === 1).map(({ outcome, detail }) => [outcome, detail.is_last])).toEqual([
      ['ok', false],
      ['ok', true],
    ]);
  });

  test('what was left running over a restart is in the record, which says that its denied calls are not', async () => {
    const first = await testService({}, { sessions: true });
    disposals.push(first.dispose);
    const id = await openSession(first.service, await hostileTask());
    await sh(first.service, id, '(sleep 4; cp /etc/hostname /work/late) > /dev/null 2>&1 &');
    await first.service.close();
    const again = await openService(first.config, createLog('silent'), { sessions: 'adopting' });
    disposals.push(again.close);
    await expect
      .poll(async () => (await sh(again, id, 'cat late')).status, { timeout: 10_000, interval: 300 })
      .toBe('ok');
    await hostOf(again).finish(id);
    const late = (await eventsOf(again, id, 'file.written')).find(({ detail }) => detail.path === '/work/late');
    expect(late).toMatchObject({ step: 1 });
    const last = (await eventsOf(again, id, 'step.recorded')).filter(({ step }) => step === 1).at(-1);
    expect(last).toMatchObject({
      outcome: 'incomplete',
      detail: { problems: ['its denied calls were not told to the end'] },
    });
  });
});

describe('what a subject does to others', () => {
  test('one that takes the gateway’s place over a restart goes without; everybody else goes on', async () => {
    const first = await testService({}, { sessions: true });
    disposals.push(first.dispose);
    const task = await hostileTask('egress = { allow = ["packages.example"] }');
    const [foe, friend] = [await openSession(first.service, task), await openSession(first.service, task)];
    await sh(
      first.service,
      foe,
      `(setsid python3 -c '
import socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
while True:
    try: s.bind(("127.0.0.1", 3128)); s.listen(); break
    except OSError: time.sleep(0.001)
time.sleep(60)' > /dev/null 2>&1 < /dev/null &)`,
    );
    await first.service.close();
    await expect.poll(() => readFileSync('/proc/uptime', 'utf8')).toBeTruthy();
    const again = await openService(first.config, createLog('silent'), { sessions: 'adopting' });
    disposals.push(again.close);
    expect(hostOf(again).count()).toBe(2);
    expect((await eventsOf(again, foe)).map(({ type }) => type)).toContain('egress.blocked');
    expect((await eventsOf(again, friend)).map(({ type }) => type)).not.toContain('egress.blocked');
    const ask = `python3 -c 'import socket; s = socket.create_connection(("127.0.0.1", 3128)); s.sendall(b"CONNECT evil.example:443 HTTP/1.1\\r\\n\\r\\n"); print(s.recv(99))'`;
    expect(shown(await sh(again, friend, ask))).toContain('403');
    for (const id of [foe, friend]) expect((await hostOf(again).finish(id)).body.outcome).toBe('finished');
  });

  test('programs in the background use up the session’s own time, and stand still after it', async () => {
    const id = await openSession(service(), await hostileTask('', '2.0'));
    await sh(service(), id, '(while :; do :; done) > /dev/null 2>&1 &');
    // however little of the machine it gets: some fifteen short steps use up less than half a second themselves
    const next = async () => (await sh(service(), id, 'true')).feedback.budget_reached;
    await expect.poll(next, { timeout: 30_000, interval: 1_500 }).toBe('activeMs');
    const idle = await openSession(service(), await hostileTask('', '2.0'));
    // two: one alone is ended by its own limit just when the time is used up
    await sh(service(), idle, '(while :; do :; done) > /dev/null 2>&1 & (while :; do :; done) > /dev/null 2>&1 &');
    const reached = async () => (await eventsOf(service(), idle, 'budget.reached')).length;
    await expect.poll(reached, { timeout: 15_000 }).toBe(1); // nobody has asked for a step
    expect((await hostOf(service()).finish(idle)).body.outcome).toBe('finished');
  });

  test('memory that is filled costs its subject the step, and never buys another try', async () => {
    const id = await openSession(service(), await hostileTask());
    await sh(
      service(),
      id,
      'for i in 1 2 3 4 5 6 7 8; do head -c 60M /dev/zero > /dev/shm/$i; done; dd if=/dev/zero of=/work/x bs=4k; dd if=/dev/zero of=/tmp/x bs=4k; python3 -c "x = bytes(300000000)"',
    );
    expect((await hostOf(service()).finish(id)).body).toMatchObject({
      outcome: 'finished',
      fault: 'none',
      retry: false,
    });
  });
});

/** Names and contents of files of the host that attacks aim at. */
function hostFiles(): string {
  return ['/etc/passwd', '/etc/shadow', '/etc/hostname']
    .map((path) => createHash('sha256').update(readFileSync(path)).digest('hex'))
    .join();
}

describe('what is left in the workspace is collected for what it is', () => {
  async function leave(script: string): Promise<Manifest> {
    const before = hostFiles();
    const id = await openSession(service(), await hostileTask());
    await sh(service(), id, { command: script, timeout_sec: 60 });
    const end = await hostOf(service()).finish(id);
    expect(end.body).toMatchObject({ outcome: 'finished', fault: 'none' });
    expect(hostFiles()).toBe(before);
    return (await findArtifact(service().parts.database, end.artifactId as string)).manifest;
  }
  const left = ({ leftBehind }: Manifest) =>
    Object.fromEntries(leftBehind.map(({ path, reason }) => [JSON.parse(path), reason]));

  test('links, FIFOs, sockets and setuid programs', async () => {
    const manifest =
      await leave(`ln -s /etc/shadow shadow; ln -s ../../../etc/passwd up; ln -s double.py inside; mkfifo pipe
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'; cp /bin/true tool; chmod 6755 tool; mknod disk b 8 0; mknod kmem c 1 2; true`);
    expect(left(manifest)).toMatchObject({
      shadow: 'link-escapes',
      up: 'link-escapes',
      inside: 'link-inside',
      pipe: 'special-file',
      sock: 'special-file',
      tool: 'setuid-dropped',
    });
    expect(manifest.files.map(({ path }) => path)).not.toContain('disk');
    expect(manifest.files.find(({ path }) => path === 'tool')?.mode).toBe(0o755);
    expect(JSON.stringify(manifest)).not.toContain(readFileSync('/etc/shadow', 'utf8').slice(0, 20));
  });

  test('links that are swapped while programs run, which are over before anything is read', async () => {
    const manifest = await leave(
      `mkdir real; echo mine > real/f; (setsid sh -c 'while :; do ln -sfn /etc d; ln -sfn real d; rm -f x; ln -s /etc/passwd x; rm -f x; echo mine > x; done' > /dev/null 2>&1 < /dev/null &); sleep 0.5`,
    );
    const made = manifest.files.filter(({ path }) => /^(?:x|d|real)(?:\/|$)/.test(path));
    expect(made).not.toEqual([]);
    for (const file of made) {
      const bytes = await service().parts.blobs.get(file.blob);
      expect(['mine\n', '']).toContain(bytes.toString());
    }
  });

  test('a file of 1 TiB that has no bytes', async () => {
    const manifest = await leave('truncate -s 1T huge || truncate -s 60M huge');
    expect(manifest.refusal).toMatchObject({ reason: 'file-too-large' });
  });

  test('more files than a workspace may have, and than a manifest takes', async () => {
    const manifest = await leave(
      'mkdir many; cd many; python3 -c "\nfor i in range(10**6): open(str(i), \'w\')" 2>&1 | tail -1; true',
    );
    expect(manifest.refusal).toMatchObject({ reason: 'too-many-files' });
  });

  test('folders within folders without end', async () => {
    const manifest = await leave("python3 -c \"\nimport os\nfor i in range(3000):\n    os.mkdir('d'); os.chdir('d')\"");
    expect(manifest.refusal).toMatchObject({ reason: 'too-deep' });
  });

  test('names that are no UTF-8, or that would steer a screen', async () => {
    const manifest = await leave(
      `touch -- "$(printf 'a\\377b')" "$(printf 'c\\nd')" "$(printf 'e\\033[2Jf')" '-rf' '--help'`,
    );
    expect(manifest.leftBehind.filter(({ reason }) => reason === 'odd-name')).toHaveLength(3);
    expect(manifest.files.map(({ path }) => path)).toEqual(expect.arrayContaining(['--help', '-rf', 'double.py']));
  });

  test('a folder that was closed to everybody', async () => {
    const manifest = await leave('mkdir shut; echo x > shut/f; chmod 000 shut/f shut .');
    expect(manifest.files.map(({ path }) => path)).toEqual(expect.arrayContaining(['double.py', 'shut/f']));
  });
});
