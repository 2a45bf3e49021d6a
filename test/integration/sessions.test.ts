import { hostname } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService } from '../../src/bin/open-service.ts';
import { awaitReward } from '../../src/pipeline/await-reward.ts';
import type { Digest } from '../../src/platform/base/digest.ts';
import { createLog } from '../../src/platform/base/log.ts';
import { processMark } from '../../src/platform/sandbox/commands/process-mark.ts';
import { findArtifact } from '../../src/stages/artifact/artifact-store.ts';
import { checkAction } from '../../src/stages/session/environments.ts';
import { firstBroken } from '../../src/stages/session/event.ts';
import { findSessionEnd } from '../../src/stages/session/session-store.ts';
import { act, eventsOf, firstPid, hostOf, newInstance, openSession, sh, shown } from '../support/session-kit.ts';
import { testService } from '../support/test-service.ts';
import { disposals, disposeAfterEach, tinyTask } from '../support/tiny-service.ts';
import { RIGHT } from '../support/tiny-task.ts';

disposeAfterEach();
const opened = {} as Awaited<ReturnType<typeof testService>>;
beforeAll(async () => void Object.assign(opened, await testService({}, { sessions: true })));
afterAll(() => opened.dispose());
const service = () => opened.service;

/** The task with other lines in its table `[proctor]`, or other tables. */
const changed = (lines: string, tables = '') => ({
  'task.toml': `schema_version = "1.0"
[task]
name = "test/double"
[environment]
memory_mb = 128
storage_mb = 16
${tables}
[proctor]
grader = "function"
case_timeout_sec = 1.0
${lines}
[proctor.artifact]
include = ["double.py"]
[proctor.function]
module = "double"
function = "double"
`,
});

describe('a session', () => {
  test('is worked in step by step, handed in, graded, and its whole log is bound together', async () => {
    const id = await openSession(service(), await tinyTask());
    expect(shown(await sh(service(), id, 'cat double.py'))).toContain('raise NotImplementedError');
    const wrote = await act(service(), id, ['files', 'write', { path: 'double.py', content: RIGHT }]);
    expect(wrote).toMatchObject({ step: 2, status: 'ok', error: null, data: { path: '/work/double.py' } });
    const tried = await sh(service(), id, 'python3 -c "import double; print(double.double(21))"');
    expect([tried.status, shown(tried)]).toEqual(['ok', '42\n']);
    const end = await hostOf(service()).finish(id);
    expect(end.body).toMatchObject({ outcome: 'finished', fault: 'none', steps: 3, retry: false });
    const reward = await awaitReward(service().parts.database, end.artifactId as string);
    expect(reward.body).toMatchObject({ reward: 1, status: 'scored' });
    const artifact = await findArtifact(service().parts.database, end.artifactId as string);
    expect(artifact.manifest.files.map(({ path }) => path)).toEqual(['double.py']);

    const events = await eventsOf(service(), id);
    expect(firstBroken(id, events)).toBeNull();
    expect(events.at(-1)?.digest).toBe(end.body.log);
    const touched = events.map((event, index) => (index === 4 ? { ...event, outcome: 'other' } : event));
    expect(firstBroken(id, touched)).toBe(5);
    expect(
      firstBroken(
        id,
        events.filter((_, index) => index !== 4),
      ),
    ).toBe(6);
    const archive = gunzipSync(await service().parts.blobs.get(end.body.archive as Digest));
    const lines = archive
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ digest }) => digest)).toEqual(events.map(({ digest }) => digest));
    expect(await hostOf(service()).finish(id)).toEqual(end);
    await expect(sh(service(), id, 'true')).rejects.toMatchObject({ code: 'conflict' });
  });

  test('carries folder and variables from one command to the next, and nothing that was not said', async () => {
    const id = await openSession(service(), await tinyTask());
    await sh(service(), id, 'mkdir -p a/b && cd a/b && export TOKEN="x y" LINES2=$\'1\\n2\'; unset LANG; local=1');
    const next = await sh(service(), id, 'pwd; echo "$TOKEN|$LINES2|$LANG|$local"');
    expect(shown(next)).toBe('/work/a/b\nx y|1\n2||\n');
    expect((await sh(service(), id, 'cd /; exec true')).data).toMatchObject({ cwd: '/work/a/b' }); // it said nothing
    expect(shown(await sh(service(), id, 'printf "/tmp\\0A=1\\0" >&9; trap - EXIT; exit 3'))).toBe('');
    expect(shown(await sh(service(), id, 'pwd; echo $A$TOKEN'))).toBe('/tmp\n1\n'); // its own word, for its own commands
  });

  test('lets servers live on, and ends commands that take too long with all that they started', async () => {
    const id = await openSession(service(), await tinyTask());
    await sh(service(), id, 'python3 -m http.server 8080 --bind 127.0.0.1 > /tmp/log 2>&1 &');
    const late = await sh(service(), id, { command: 'sleep 71 & sleep 72', timeout_sec: 0.5 });
    expect([late.status, late.error?.code]).toEqual(['timed-out', 'limit']);
    const ask = `for i in 1 2 3 4 5 6 7 8 9; do python3 -c 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:8080/double.py").status)' 2> /dev/null && break; sleep 0.2; done`;
    expect(shown(await sh(service(), id, ask))).toBe('200\n');
    expect(shown(await sh(service(), id, 'ps ax | grep -c "[s]leep 7"'))).toBe('0\n');
    await hostOf(service()).abandon(id);
    const records = await eventsOf(service(), id, 'step.recorded');
    expect(records.filter(({ detail }) => detail.is_last === false)).toHaveLength(1);
    expect(records.at(-1)).toMatchObject({ step: 1, outcome: 'ok', detail: { is_last: true } }); // the server's, once it was ended
  });

  test('shows large output in part and keeps all of it', async () => {
    const id = await openSession(service(), await tinyTask());
    const large = await sh(service(), id, 'seq 100000');
    const [out] = large.outputs;
    expect(out).toMatchObject({ bytes: 588_895, left_out: 588_895 - 16_384 });
    expect(out?.text).toMatch(/^1\n2\n.*\[… 572511 bytes are not shown …\].*99999\n100000\n$/s);
    const whole = await service().parts.blobs.get(out?.sha256 as Digest);
    expect(whole.length).toBe(588_895);
    expect(shown(await sh(service(), id, 'printf "\\377\\0ok"'))).toBe('\ufffd\ufffdok');
  });

  test('refuses what is no action, in words that help, before anything is made', async () => {
    const id = await openSession(service(), await tinyTask());
    await expect(act(service(), id, ['shel', 'run', {}])).rejects.toThrow(
      /no environment "shel"; there are: shell, files, sql/,
    );
    await expect(act(service(), id, ['shell', 'go', {}])).rejects.toThrow(/shell has no action "go"; it has: run/);
    await expect(sh(service(), id, '')).rejects.toThrow(/shell.run: command: /);
    await expect(sh(service(), id, { command: 'true', timeout: 5 })).rejects.toThrow(/shell.run: .*timeout/);
    await expect(act(service(), id, ['__proto__', 'run', {}])).rejects.toMatchObject({ code: 'bad-request' });
    expect(await eventsOf(service(), id, 'step.began')).toEqual([]);
    await expect(sh(service(), id, 'a\0b')).rejects.toMatchObject({ code: 'bad-request' });
  });

  test('makes one step at a time', async () => {
    const id = await openSession(service(), await tinyTask());
    const first = sh(service(), id, 'sleep 0.3; echo done');
    await expect(sh(service(), id, 'true')).rejects.toMatchObject({ code: 'conflict' });
    expect(shown(await first)).toBe('done\n');
  });

  test('is opened once for one idempotency key', async () => {
    const instanceId = await newInstance(service(), await tinyTask());
    const request = { instanceId, idempotencyKey: 'once' };
    const before = hostOf(service()).count();
    const ids = await Promise.all([1, 2, 3].map(() => hostOf(service()).open(request)));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
    expect(hostOf(service()).count()).toBe(before + 1);
    const other = await newInstance(service(), await tinyTask(), 'other');
    await expect(hostOf(service()).open({ instanceId: other, idempotencyKey: 'once' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

describe('budgets', () => {
  test('steps: reaching one is an outcome, and no further step is made', async () => {
    const id = await openSession(service(), await tinyTask(changed('budgets = { steps = 2 }')));
    expect((await sh(service(), id, 'true')).feedback).toMatchObject({ steps_left: 1, budget_reached: null });
    expect((await sh(service(), id, 'true')).feedback).toMatchObject({ steps_left: 0, budget_reached: 'steps' });
    expect(await sh(service(), id, 'touch more')).toMatchObject({
      step: null,
      status: 'budget-reached',
      error: { code: 'budget' },
    });
    expect((await hostOf(service()).finish(id)).body).toMatchObject({ outcome: 'finished', steps: 2 });
    expect(await eventsOf(service(), id, 'budget.reached')).toMatchObject([{ step: 2, outcome: 'steps' }]);
  });

  test('time: what is left of it ends a step', async () => {
    const id = await openSession(service(), await tinyTask(changed('', '[agent]\ntimeout_sec = 1.0')));
    const late = await sh(service(), id, 'sleep 30');
    expect(late).toMatchObject({ status: 'timed-out', feedback: { active_ms_left: 0, budget_reached: 'activeMs' } });
  });

  test('tokens, as the harness tells them', async () => {
    const id = await openSession(service(), await tinyTask(changed('budgets = { tokens = 100 }')));
    const action = checkAction({ environment: 'shell', action: 'run', parameters: { command: 'true' } });
    const use = (tokens: number) => hostOf(service()).act(id, { action, messageId: 'm', tokens });
    expect((await use(60)).status).toBe('ok');
    expect((await use(60)).status).toBe('budget-reached');
    expect((await use(0)).status).toBe('budget-reached');
  });
});

describe('files without a program', () => {
  test('are read, written, patched, listed and removed, in /work and through no link', async () => {
    const id = await openSession(service(), await tinyTask());
    const files = (action: string, parameters: Record<string, unknown>) =>
      act(service(), id, ['files', action, parameters]);
    await sh(service(), id, 'ln -s /etc/passwd link; mkdir d; ln -s / d/root; mkfifo pipe; printf "a b a" > two');
    expect(shown(await files('read', { path: '/work/double.py' }), 'content')).toContain('def double');
    expect((await files('read', { path: 'link' })).error?.code).toBe('not-a-file');
    expect((await files('read', { path: 'd/root/etc/passwd' })).error?.code).toBe('not-a-file');
    expect((await files('read', { path: 'pipe' })).error?.code).toBe('not-a-file');
    expect((await files('read', { path: 'none' })).error?.code).toBe('not-found');
    expect((await files('read', { path: '../etc/passwd' })).error?.code).toBe('refused');
    expect((await files('write', { path: '/etc/x', content: '' })).error?.code).toBe('refused');
    expect((await files('write', { path: 'd/root/tmp/x', content: '' })).error?.code).toBe('not-a-file');
    expect((await files('write', { path: 'double.py/x', content: '' })).error?.code).toBe('not-a-file');
    expect((await files('write', { path: 'new/deep/tool', content_base64: 'AP8=', executable: true })).status).toBe(
      'ok',
    );
    expect(shown(await sh(service(), id, 'stat -c "%a %U" new/deep/tool; od -An -tx1 new/deep/tool; cat two'))).toMatch(
      /^755 .*\n 00 ff\na b a$/,
    );
    expect((await files('patch', { path: 'two', replace: 'a', with: 'c' })).error?.code).toBe('many-matches');
    expect((await files('patch', { path: 'two', replace: 'z', with: 'c' })).error?.code).toBe('no-match');
    expect((await files('patch', { path: 'two', replace: 'b a', with: '$&' })).status).toBe('ok');
    expect(shown(await files('read', { path: 'two' }), 'content')).toBe('a $&');
    const { data } = await files('list', { path: '.' });
    expect(data.entries).toEqual(
      expect.arrayContaining([
        { name: 'link', kind: 'link', size: null },
        { name: 'd', kind: 'folder', size: null },
        { name: 'two', kind: 'file', size: 4 },
      ]),
    );
    expect((await files('remove', { path: 'link' })).status).toBe('ok');
    const noted = await eventsOf(service(), id, 'file.accessed');
    expect(noted.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['ok', 'refused', 'not-a-file']));
    expect(noted[0]).toMatchObject({ step: 2, detail: { path: '/work/double.py', access: 'read' } });
  });
});

describe('a database of the workspace', () => {
  test('is asked by statements with values, and what it refuses is told', async () => {
    const id = await openSession(service(), await tinyTask());
    const query = (statement: string, values: unknown[] = []) =>
      act(service(), id, ['sql', 'query', { database: 'shop.db', statement, values, timeout_sec: 2 }]);
    expect((await query('CREATE TABLE goods (name TEXT, price REAL, picture BLOB)')).status).toBe('ok');
    expect((await query("INSERT INTO goods VALUES (?, ?, x'00ff')", ["O'Neill; --", 2.5])).data).toMatchObject({
      changed: 1,
    });
    const found = await query('SELECT * FROM goods WHERE price > ?', [1]);
    expect(found.data).toEqual({
      columns: ['name', 'price', 'picture'],
      rows: [["O'Neill; --", 2.5, "x'00ff'"]],
      more: false,
      changed: -1,
    });
    expect((await query('SELECT 9007199254740993, 9e999, 1')).data).toMatchObject({
      rows: [['9007199254740993', 'inf', 1]],
    });
    const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n';
    expect((await query(many)).data).toMatchObject({ more: true, rows: expect.objectContaining({ length: 200 }) });
    expect((await query('SELECT * FROM none')).error).toEqual({ code: 'refused', message: 'no such table: none' });
    expect((await query('SELECT 1; SELECT 2')).error?.code).toBe('refused');
    expect(
      (await query('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n', [])).error,
    ).toBeTruthy();
  }, 60_000);
});

describe('what was done is in the record, by nobody’s word', () => {
  test('executions, files, signals, network and refused calls', async () => {
    const id = await openSession(service(), await tinyTask());
    const script = `cat /etc/passwd > stolen; rm stolen; kill -0 1
python3 -c '
import ctypes, socket
s = socket.socket(); s.settimeout(3)
try: s.connect(("203.0.113.9", 443))
except OSError: pass
ctypes.CDLL(None).syscall(165, 0, 0, 0, 0, 0)
'`;
    await sh(service(), id, script);
    await hostOf(service()).abandon(id);
    const events = await eventsOf(service(), id);
    const of = (type: string) => events.filter((event) => event.type === type && event.step === 1);
    expect(of('process.executed').map(({ detail }) => detail.path)).toEqual(
      expect.arrayContaining(['/usr/bin/cat', '/usr/bin/rm', '/usr/bin/python3']),
    );
    expect(of('file.read').map(({ detail }) => detail.path)).toContain('/etc/passwd');
    expect(of('file.written').map(({ detail }) => detail.path)).toContain('/work/stolen');
    expect(of('file.removed').map(({ detail }) => detail.path)).toContain('/work/stolen');
    expect(of('signal.sent')[0]).toMatchObject({ detail: { target: 1 } });
    expect(of('network.connect')[0]).toMatchObject({ detail: { family: 'inet', address: '203.0.113.9', port: 443 } });
    expect(of('call.refused')).toMatchObject([{ outcome: 'refused', detail: { call: 'mount', count: 1 } }]);
    expect(of('step.recorded')[0]).toMatchObject({
      outcome: 'ok',
      detail: { backend: 'strace', complete: true, cut: 0 },
    });
    // the second log: what its own network counted
    expect(events.filter(({ type }) => type === 'egress.direct')).toMatchObject([
      { outcome: 'refused', detail: { protocol: 'tcp', address: '203.0.113.9', port: 443 } },
    ]);
  });
});

describe('what goes wrong on the way to the end', () => {
  test('a finish that had to wait is done later, and what was left is handed in', async () => {
    const first = await testService({ PROCTOR_MAX_OPEN_SUBMISSIONS: '1' }, { sessions: true });
    disposals.push(first.dispose);
    const task = await tinyTask();
    const [one, other] = [await openSession(first.service, task), await openSession(first.service, task)];
    await act(first.service, other, ['files', 'write', { path: 'double.py', content: RIGHT }]);
    // a hand-in that nobody grades is in the way
    await first.service.parts.database.query(
      "INSERT INTO artifacts (id, instance_id, manifest, digest) SELECT 'sub_0', instance_id, '{}', 'x' FROM sessions LIMIT 1",
    );
    await first.service.parts.database.query(
      "INSERT INTO work (artifact_id, worker_id, claimed_at) VALUES ('sub_0', $1, now())",
      [first.service.parts.sealer.service.worker],
    );
    await hostOf(first.service).abandon(one);
    await expect(hostOf(first.service).finish(other)).rejects.toMatchObject({ code: 'queue-full' });
    await new Promise((resolve) => setTimeout(resolve, 6_000)); // the look has come by
    await first.service.parts.database.query("DELETE FROM work WHERE artifact_id = 'sub_0'");
    const end = async () =>
      (await findSessionEnd(first.service.parts.database, other)) ??
      (await hostOf(first.service)
        .finish(other)
        .catch(() => null));
    await expect
      .poll(end, { timeout: 20_000, interval: 500 })
      .toMatchObject({ body: { outcome: 'finished', fault: 'none' }, artifactId: expect.stringMatching(/^sub_/) });
    expect(firstBroken(other, await eventsOf(first.service, other))).toBeNull();
    expect(await eventsOf(first.service, other, 'session.finished')).toHaveLength(1);
  });

  test('a service that died right after the hand-in has finished the session, and nothing is done twice', async () => {
    const first = await testService({}, { sessions: true });
    disposals.push(first.dispose);
    const id = await openSession(first.service, await tinyTask());
    const end = await hostOf(first.service).finish(id);
    await first.service.parts.database.query('DELETE FROM session_ends WHERE session_id = $1', [id]);
    await first.service.parts.database.query(
      "INSERT INTO live_sessions (session_id, worker_id, node, place, state) SELECT $1, 'wrk-x', $2, $3::jsonb, $4::jsonb",
      [id, hostname(), GONE_PLACE, STATE],
    );
    await first.service.close();
    const again = await openService(first.config, createLog('silent'), { sessions: 'adopting' });
    disposals.push(again.close);
    expect(await findSessionEnd(again.parts.database, id)).toMatchObject({
      artifactId: end.artifactId,
      body: { outcome: 'finished', log: end.body.log },
    });
  });

  test('another process’s session is let go, with all that runs in it', async () => {
    const id = await openSession(service(), await tinyTask());
    await sh(service(), id, 'sleep 300 > /dev/null 2>&1 &');
    const pid = await firstPid(service(), id);
    await service().parts.database.query(
      "UPDATE live_sessions SET worker_id = 'wrk-other', node = 'other' WHERE session_id = $1",
      [id],
    );
    await expect(sh(service(), id, 'true')).rejects.toMatchObject({ code: 'lease-lost' });
    await expect.poll(() => hostOf(service()).has(id), { timeout: 15_000 }).toBe(false);
    expect(processMark(pid)).toBeNull();
  });

  test('a step under a caller’s id is answered again after a restart, and was made once', async () => {
    const first = await testService({}, { sessions: true });
    disposals.push(first.dispose);
    const id = await openSession(first.service, await tinyTask());
    const action = checkAction({
      environment: 'shell',
      action: 'run',
      parameters: { command: 'echo x >> log; wc -l < log' },
    });
    const request = { action, stepId: 'a', messageId: null, tokens: 0 };
    const made = await hostOf(first.service).act(id, request);
    await first.service.close();
    const again = await openService(first.config, createLog('silent'), { sessions: 'adopting' });
    disposals.push(again.close);
    expect(await hostOf(again).act(id, request)).toEqual(made);
    expect(shown(await sh(again, id, 'wc -l < log'))).toBe('1\n');
  });
});

/** A place of which nothing is left. */
const GONE_PLACE = JSON.stringify({
  slot: { name: 'slot-0', uid: 0, folder: '/nowhere', note: null },
  first: { pid: 1, mark: '1:0' },
  namespaces: 0,
  uidInside: 0,
  cpus: null,
  handle: null,
  limits: {},
});
const STATE = JSON.stringify({
  shell: { cwd: '/', env: {} },
  used: { steps: 0, activeMs: 0, outputBytes: 0, tokens: 0 },
  lastStep: 0,
  chargedCpuMs: 0,
  living: [],
  last: null,
});

describe('what outlives a process', () => {
  test('a session goes on after its service was stopped and started again', async () => {
    const first = await testService({}, { sessions: true });
    disposals.push(first.dispose);
    const id = await openSession(first.service, await tinyTask());
    await sh(
      first.service,
      id,
      'cd /tmp; export A=kept; (while true; do date +%N > /work/clock; sleep 0.05; done) > /dev/null 2>&1 &',
    );
    await first.service.close();
    const again = await openService(first.config, createLog('silent'), { sessions: 'adopting' });
    disposals.push(again.close);
    const after = await sh(
      again,
      id,
      'pwd; echo $A; a=$(cat /work/clock); sleep 0.3; [ "$a" != "$(cat /work/clock)" ] && echo ticking',
    );
    expect([after.step, shown(after)]).toEqual([2, '/tmp\nkept\nticking\n']);
    const end = await hostOf(again).finish(id);
    expect(end.body).toMatchObject({ outcome: 'finished', steps: 2 });
    const events = await eventsOf(again, id);
    expect(firstBroken(id, events)).toBeNull();
    expect(events.map(({ type }) => type)).toContain('session.adopted');
  });

  test('a session whose sandbox is lost ends as the platform’s fault, with advice to try again, and hands nothing in', async () => {
    const first = await testService({}, { sessions: true });
    disposals.push(first.dispose);
    const id = await openSession(first.service, await tinyTask());
    await sh(first.service, id, 'true');
    const pid = await firstPid(first.service, id);
    await first.service.close();
    process.kill(pid, 'SIGKILL');
    const again = await openService(first.config, createLog('silent'), { sessions: 'adopting' });
    disposals.push(again.close);
    const end = await findSessionEnd(again.parts.database, id);
    expect(end).toMatchObject({
      artifactId: null,
      body: { outcome: 'failed', fault: 'platform', retry: true, steps: 1 },
    });
    await expect(sh(again, id, 'true')).rejects.toMatchObject({ code: 'conflict' });
    expect(firstBroken(id, await eventsOf(again, id))).toBeNull();
  });

  test('a sandbox that dies under a running service ends its session the same way', async () => {
    const id = await openSession(service(), await tinyTask());
    const pid = await firstPid(service(), id);
    const running = sh(service(), id, 'sleep 30');
    setTimeout(() => process.kill(pid, 'SIGKILL'), 200);
    const outcome = await running.then(
      ({ status }) => status,
      (thrown) => thrown.code,
    );
    expect(outcome).toMatch(/sandbox-failed|failed/);
    await expect
      .poll(async () => (await findSessionEnd(service().parts.database, id))?.body, { timeout: 15_000 })
      .toMatchObject({ outcome: 'failed', fault: 'platform', retry: true });
  });
});
