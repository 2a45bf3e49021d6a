import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Client, type ProctorError, type StreamItem, textOf } from '../../clients/typescript/src/client.ts';
import { testApi } from '../support/api-client.ts';
import { scratchFolder } from '../support/test-service.ts';
import { RIGHT, writeTinyTask } from '../support/tiny-task.ts';

const PYTHON = 'clients/python';
const opened = {} as { api: Awaited<ReturnType<typeof testApi>>; url: string; dispose: () => Promise<void> };
beforeAll(async () => {
  const scratch = await scratchFolder();
  opened.api = await testApi({ tasks: [await writeTinyTask(scratch.path), 'fixtures/tap-shell'], sessions: true });
  opened.url = await opened.api.app.listen({ port: 0, host: '127.0.0.1' });
  opened.dispose = scratch.dispose;
});
afterAll(async () => {
  await opened.api.dispose();
  await opened.dispose();
});
const servers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of servers.splice(0)) await close();
});

/** Runs a program to its end, with nothing in its environment but what is said here. */
async function run(argv: readonly [string, ...string[]], more: { env?: Record<string, string>; stdin?: string } = {}) {
  const [program, ...rest] = argv;
  const env = { PATH: process.env.PATH ?? '', PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: PYTHON };
  const own = { PROCTOR_URL: opened.url, PROCTOR_KEY: opened.api.keys.harness };
  const child = spawn(program, rest, { env: { ...env, ...own, ...more.env } });
  const out = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    out.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    out.stderr += chunk;
  });
  child.stdin.end(more.stdin ?? '');
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...out };
}
/** Runs Python text that prints one JSON document, and gives that. */
async function python(text: string, env: Record<string, string> = {}) {
  const script = `import json, proctor_client\nfrom proctor_client import *\n${text}`;
  const ran = await run(['python3', '-'], { stdin: script, env });
  if (ran.code !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}

/** A server that answers what it is told, and keeps what it was asked. */
async function fake(answer: (nth: number, body: never) => { status: number; body: unknown; after?: string } | null) {
  const asked: { method: string; url: string; body: Record<string, unknown>; authorization: string }[] = [];
  const server = createServer(async (request, reply) => {
    const text = await textOfRequest(request);
    const body = text === '' ? {} : JSON.parse(text);
    const { method = '', url = '', headers } = request;
    asked.push({ method, url, body, authorization: headers.authorization ?? '' });
    const said = answer(asked.length, body as never);
    if (said === null) return void request.socket.destroy();
    const retry = said.after === undefined ? {} : { 'retry-after': said.after };
    reply.writeHead(said.status, { 'content-type': 'application/json', ...retry }).end(JSON.stringify(said.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(() => new Promise((resolve) => void server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
async function textOfRequest(request: IncomingMessage) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
const errorBody = (code: string) => ({
  error: { code, fault: 'platform', message: 'm', mend: 'n', details: { a: 1 }, request_id: 'r' },
});
const END = {
  ...{ session_id: 'sess_1', submission_id: null, outcome: 'finished', fault: 'none', reason: null, retry: false },
  ...{ steps: 0, events: 1, log: 'l', archive: 'a', told_by_a_newer_service: 1 },
};
const client = (key = opened.api.keys.harness, baseUrl = opened.url) => new Client({ baseUrl, key });
const failed = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (thrown: ProctorError) => ({ name: thrown.name, code: thrown.code, fault: thrown.fault, status: thrown.status }),
  );
const outcomeOf = async (id: string) => (await opened.api.call('harness', { url: `/v1/sessions/${id}/observe` })).body;

/** Calls of both clients against the same server, which must come to the same. */
const BOTH = [
  [
    'python',
    async (url: string, what: 'finish' | 'act') =>
      python(`
client = Client(${JSON.stringify(url)}, "k")
try:
    end = client.finish("sess_1") if ${what === 'finish' ? 'True' : 'False'} else client.session("sess_1").shell("ls")
    print(json.dumps({"outcome": end.outcome}))
except ProctorError as error:
    print(json.dumps({"code": error.code, "status": error.status, "after": error.retry_after, "details": error.details}))
`),
  ],
  [
    'typescript',
    async (url: string, what: 'finish' | 'act') => {
      const by = client('k', url);
      const call: Promise<{ outcome?: string }> =
        what === 'finish'
          ? by.finish('sess_1')
          : by
              .session('sess_1')
              .shell('ls')
              .then(() => ({}));
      return call.then(
        ({ outcome }) => ({ outcome }),
        ({ code, status, retryAfter, details }: ProctorError) => ({ code, status, after: retryAfter, details }),
      );
    },
  ],
] as const;

describe('the examples', () => {
  test.each([
    ['python', ['python3', `${PYTHON}/examples/scripted_agent.py`]],
    ['typescript', ['node', '--import', 'tsx', 'clients/typescript/examples/scripted-agent.ts']],
  ] as const)('the scripted agent in %s earns the whole reward', async (...[, argv]) => {
    const ran = await run([...argv]);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toMatch(/^a b\ntwo[-_.+=]words?\n2\n/m); // an instance may cut slugs at eight characters
    expect(ran.stdout).toMatch(/scored: reward 1, learn from it: true/i);
  });

  test('the loop over chat completions runs what the model says, and notes its messages and tokens', async () => {
    const call = (name: string, given: unknown) => ({ id: `call_${name}`, function: { name, arguments: given } });
    const says = [
      [call('shell', '{"command": "echo one; false"}'), call('shell', 'not json')],
      [],
      [call('guess', '{}'), call('shell', JSON.stringify({ command: `cat > double.py <<'E'\n${RIGHT}E` }))],
      [call('finish', '{}')],
    ];
    const model = await fake((nth) => {
      if (nth === 1) return { status: 503, after: '0', body: {} };
      const message = { role: 'assistant', content: 'x', tool_calls: says[nth - 2] };
      return { status: 200, body: { id: `msg-${nth - 1}`, choices: [{ message }], usage: { total_tokens: 10 * nth } } };
    });
    const env = { OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'sk-model', MODEL: 'tiny' };
    const ran = await run(['python3', `${PYTHON}/examples/openai_agent.py`, 'test/double'], { env });
    expect([ran.stderr, ran.stdout]).toEqual(['', expect.stringContaining('scored: reward 1, learn from it: True')]);
    expect(model.asked.map(({ url, authorization }) => `${url} ${authorization}`)).toEqual(
      Array(5).fill('/v1/chat/completions Bearer sk-model'),
    );
    const messages = model.asked[4]?.body.messages as { role: string; content: string }[];
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'system user assistant tool tool assistant user assistant tool tool',
    );
    expect(messages[3]?.content).toMatch(/^exit code: 1\nstdout:\none\n\nthe command ended/);
    expect(messages[8]?.content).toContain("there is no tool 'guess'");
    const id = /sess_\w+/.exec(ran.stdout)?.[0] ?? '';
    const steps = (await outcomeOf(id)).events.filter(({ type }: { type: string }) => type === 'step.began');
    expect(steps.map(({ message_id }: { message_id: string }) => message_id)).toEqual(['msg-1', 'msg-3']);
  });

  test('the loop ends after as many answers as were allowed, and hands in', async () => {
    const arguments_ = '{"command": "true"}';
    const message = { tool_calls: [{ id: 'c', function: { name: 'shell', arguments: arguments_ } }] };
    const model = await fake(() => ({ status: 200, body: { choices: [{ message }] } }));
    const env = { OPENAI_BASE_URL: model.url, MODEL: 'tiny' };
    const script = `${PYTHON}/examples/openai_agent.py`;
    const ran = await run(['python3', script, 'test/double', '--steps', '3'], { env });
    expect([ran.code, model.asked.length, ran.stdout.match(/^step/gm)?.length]).toEqual([0, 3, 3]);
    expect(ran.stdout).toContain('scored: reward 0,');
  });
});

describe('the python client', () => {
  test('has all actions, events, instances and imports', async () => {
    const told = await python(`
client = Client()
with client.open_session("test/double") as session:
    wrote = session.write_file("a/b.bin", b"one\\xff", executable=True, message_id="m1", tokens=3)
    patched = session.patch_file("double.py", "raise NotImplementedError", "return x + x")
    read = session.read_file("double.py")
    names = [entry["name"] for entry in session.list_files().data["entries"]]
    gone = session.remove_file("a/b.bin")
    ran = session.shell("cat; exit 3", stdin="in", timeout_sec=5)
    slow = session.shell("sleep 60", timeout_sec=0.3)
events = list(session.observe(follow=True))
instance = client.new_instance("test/double")
end = client.import_session(instance.instance_id, {"double.py": "def double(x):\\n    return 2 * x\\n"},
    [{"action": {"tool": "bash"}, "observation": {"output": "x"}}], idempotency_key="brought")
again = client.import_session(instance.instance_id, {}, [], idempotency_key="brought")
print(json.dumps({
    "instruction": session.instruction, "ok": [wrote.ok, patched.ok, gone.ok], "content": read.content,
    "names": sorted(names), "ran": [ran.stdout, ran.exit_code, ran.status, ran.error.code], "slow": slow.status,
    "seqs": [event.seq for event in events] == list(range(1, session.end.events + 1)), "last": events[-1].type,
    "rest": [event.type for event in session.observe(after=len(events) - 1)],
    "rewards": [session.wait_for_reward().reward, client.wait_for_reward(end.submission_id).usable],
    "same": end == again, "environments": [one["name"] for one in client.environments()],
    "submission": client.submission(end.submission_id)["status"], "shown": repr([client, session]),
}))`);
    expect(told).toMatchObject({
      ...{ instruction: 'Write double(x) in double.py.\n', ok: [true, true, true] },
      content: 'def double(x):\n    return x + x\n',
      names: expect.arrayContaining(['a', 'double.py']),
      ...{ ran: ['in', 3, 'failed', 'exit-status'], slow: 'timed-out', seqs: true, last: 'session.finished' },
      ...{ rest: ['session.finished'], rewards: [1, true], same: true, submission: 'scored' },
      environments: expect.arrayContaining(['shell', 'files']),
    });
    expect(told.shown).not.toContain(opened.api.keys.harness);
  });

  test('abandons its session when an exception leaves it, and tells that exception', async () => {
    const told = await python(`
try:
    with Client().open_session("test/double") as session:
        raise KeyError("mine")
except KeyError as error:
    print(json.dumps([session.id, str(error), session.end.outcome]))`);
    expect(told).toEqual([expect.stringMatching(/^sess_/), "'mine'", 'abandoned']);
    expect((await outcomeOf(told[0])).end).toMatchObject({ outcome: 'abandoned', submission_id: null });
  });

  test('rewards come as a batch and as a stream, each item with what a trainer may learn from', async () => {
    const told = await python(`
client = Client()
instance = client.new_instance("test/double")
right = {"files": [{"path": "double.py", "content": "def double(x):\\n    return 2 * x\\n"}]}
brought = {"instance_id": instance.instance_id, "group_id": "g"}
items = [{**brought, "artifact": right}, {**brought, "artifact": {"files": []}}, {"id": "gone", "submission_id": "sub_none"}]
made = client.rewards(items, request_id="once", run_id="run-1", step=7, policy_version="v1")
again = {one.id: one for one in client.stream_rewards(items, request_id="once", run_id="run-1", step=7, policy_version="v1")}
print(json.dumps({
    "values": [one.value for one in made], "valid": [one.n_valid for one in made[:2]], "why": made[2].failure_kind,
    "same": [again[one.id].verdict_id == one.verdict_id for one in made], "more": [one.more for one in made],
}))`);
    const same = [true, true, true];
    expect(told).toMatchObject({ values: [1, 0, null], valid: [2, 2], why: 'proctor:not-found', same });
  });

  test('a trajectory of another tool is taken as it was read, whatever is in it', async () => {
    const told = await python(`
from proctor_client.formats import read
odd = "x" + chr(0) + chr(0xd800)
call = {"id": odd, "function": {"name": odd, "arguments": '{"a": NaN}'}}
messages = [{"role": "user", "content": odd}, {"role": "assistant", "id": odd, "content": odd, "tool_calls": [call]},
    {"role": "tool", "tool_call_id": odd, "content": odd * 40_000}]
steps = read(messages)[0].steps
client = Client()
end = client.import_session(client.new_instance("test/double").instance_id, {}, steps, run_id="run-1", policy_version="v1")
print(json.dumps([end.outcome, end.steps, len(steps)]))`);
    expect(told).toEqual(['finished', 2, 2]);
  });

  test('errors are typed and say what to do', async () => {
    const told = await python(`
def error_of(work):
    try:
        work()
    except ProctorError as error:
        return [error.code, error.fault, error.status, error.request_id is not None, error.mend != "", error.retry_after]
client = Client()
session = client.open_session("test/double")
session.abandon()
print(json.dumps([
    error_of(lambda: Client(key="proctor_wrong").environments()),
    error_of(lambda: client.open_session("none")),
    error_of(lambda: session.shell("ls")),
    error_of(lambda: client.act("sess_none", "shell", "fly", {})),
    error_of(session.wait_for_reward),
]))`);
    expect(told).toEqual([
      ['unauthenticated', 'caller', 401, true, true, null],
      ['not-found', 'caller', 404, true, true, null],
      ['conflict', 'caller', 409, true, true, null],
      ['bad-request', 'caller', 400, true, true, null],
      ['no-reward', 'none', null, false, false, null],
    ]);
  });

  test('a key that cannot be one is refused without showing it', async () => {
    const told = await python(`
def word(**given):
    try:
        Client(**given)
    except ValueError as error:
        return str(error)
print(json.dumps([word(key="two\\nlines-secret"), word(base_url="http://a:secret@b"), word(base_url="file:///etc/passwd")]))`);
    expect(told).toEqual([expect.stringMatching(/key/), expect.stringMatching(/password/), expect.any(String)]);
    expect(JSON.stringify(told)).not.toContain('secret');
  });

  test('the async client runs sessions side by side, and abandons one whose task is cancelled', async () => {
    const told = await python(`
import asyncio, time
async def one(client, number):
    async with await client.open_session("test/double") as session:
        seen = await session.shell(f"sleep 2; echo {number}")
    return [seen.stdout, session.end.outcome, [event.type async for event in session.observe()][-1]]
async def cut_off(client):
    sessions = []
    async def work():
        async with await client.open_session("test/double") as session:
            sessions.append(session)
            await session.shell("sleep 600", timeout_sec=600)
    task = asyncio.ensure_future(work())
    while not sessions:
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.3)
    task.cancel()
    await asyncio.wait([task])
    return [task.cancelled(), sessions[0].end.outcome]
async def main():
    async with AsyncClient() as client:
        began = time.monotonic()
        made = await asyncio.gather(*(one(client, number) for number in range(4)))
        return [made, time.monotonic() - began, await cut_off(client)]
print(json.dumps(asyncio.run(main())))`);
    const one = (number: number) => [`${number}\n`, 'finished', 'session.finished'];
    expect(told[0]).toEqual([one(0), one(1), one(2), one(3)]);
    expect(told[1]).toBeLessThan(8); // one after the other they would take that long
    expect(told[2]).toEqual([true, 'abandoned']);
  });
});

describe('the typescript client', () => {
  test('has all actions, events, instances and imports', async () => {
    const by = client();
    const { made, session, end } = await by.withSession({ task: 'test/double' }, async (session) => [
      await session.writeFile('a.bin', new Uint8Array([255]), { executable: true, messageId: 'm1', tokens: 2 }),
      await session.patchFile('double.py', { replace: 'raise NotImplementedError', with: 'return x + x' }),
      await session.readFile('double.py'),
      await session.listFiles(),
      await session.removeFile('a.bin'),
      await session.shell('cat', { stdin: 'in', timeoutSec: 5 }),
    ]);
    expect(made.map(({ status }) => status)).toEqual(Array(6).fill('ok'));
    expect([made[2] && textOf(made[2], 'content'), made[5] && textOf(made[5])]).toEqual([RIGHT, 'in']);
    expect(await session.waitForReward()).toMatchObject({ status: 'scored', reward: 1, mask_sample: false });
    const seqs: number[] = [];
    for await (const { seq } of session.observe({ follow: true })) seqs.push(seq);
    expect(seqs).toEqual(Array.from({ length: end.events }, (_, index) => index + 1));
    const { instance_id: instanceId } = await by.newInstance('test/double');
    const bring = { instanceId, files: { 'double.py': RIGHT }, steps: [], idempotencyKey: 'brought-ts' };
    const brought = await by.importSession(bring);
    expect(await by.importSession(bring)).toEqual(brought);
    expect((await by.waitForReward(String(brought.submission_id))).reward).toBe(1);
    expect((await by.submission(String(brought.submission_id))).status).toBe('scored');
    expect((await by.environments()).map(({ name }) => name)).toEqual(expect.arrayContaining(['shell', 'files']));
    expect(inspect([by, session], { depth: 9, showHidden: true })).not.toContain(opened.api.keys.harness);
  });

  test('abandons its session when the work in it rejects; errors are typed', async () => {
    const by = client();
    const ids: string[] = [];
    const broken = by.withSession({ task: 'test/double' }, async ({ id }) => {
      ids.push(id);
      throw new RangeError('mine');
    });
    await expect(broken).rejects.toThrow(RangeError);
    const [id = ''] = ids;
    expect((await outcomeOf(id)).end).toMatchObject({ outcome: 'abandoned' });
    const name = 'ProctorError';
    const caller = { name, fault: 'caller' };
    expect(await failed(by.session(id).shell('ls'))).toEqual({ ...caller, code: 'conflict', status: 409 });
    expect(await failed(by.openSession({ task: 'none' }))).toEqual({ ...caller, code: 'not-found', status: 404 });
    const wrong = client('proctor_wrong').environments();
    expect(await failed(wrong)).toEqual({ ...caller, code: 'unauthenticated', status: 401 });
    expect(() => client('two\nlines-secret')).toThrow(/^no key that could be one/);
  });

  test('a stream without a WebSocket is asked for: events and the end', async () => {
    const session = await client().openSession({ task: 'test/double' });
    const items: StreamItem[] = [];
    const reading = (async () => {
      for await (const item of session.stream()) items.push(item);
    })();
    await session.shell('echo one');
    const end = await session.abandon();
    await reading;
    expect(items.filter(({ kind }) => kind === 'event')).toHaveLength(end.events);
    expect(items.at(-1)).toEqual({ kind: 'end', end });
  });

  test('a stream over a WebSocket has what programs write too', async () => {
    const script = `
import { Client } from './clients/typescript/src/client.ts';
const session = await new Client().openSession({ task: 'test/double' });
const items = [];
const reading = (async () => { for await (const item of session.stream()) items.push(item); })();
while (items.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
await session.shell('echo one');
await session.abandon();
await reading;
const written = items.filter(({ kind }) => kind === 'output').map(({ base64 }) => atob(base64));
console.log(JSON.stringify([written, items.at(-1).kind]));`;
    const argv = [
      'node',
      '--no-warnings',
      '--experimental-websocket',
      '--import',
      'tsx',
      '--input-type=module',
    ] as const;
    const ran = await run([...argv, '-e', script]);
    expect([ran.stderr, ran.stdout]).toEqual(['', '[["one\\n"],"end"]\n']);
  });
});

describe.each(BOTH)('what the %s client tries again', (_name, call) => {
  test('a call that is safe to repeat, when the service says so, after the time it says', async () => {
    const server = await fake((nth) =>
      nth === 1 ? { status: 503, after: '1', body: errorBody('sandbox-failed') } : { status: 200, body: END },
    );
    const began = performance.now();
    expect(await call(server.url, 'finish')).toEqual({ outcome: 'finished' });
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(server.asked.map(({ method, url, authorization }) => [method, url, authorization])).toEqual(
      Array(2).fill(['POST', '/v1/sessions/sess_1/finish', 'Bearer k']),
    );
  });

  test('such a call whose answer was lost', async () => {
    const server = await fake((nth) => (nth === 1 ? null : { status: 200, body: END }));
    expect(await call(server.url, 'finish')).toEqual({ outcome: 'finished' });
  });

  test('only so often, and then the error has all that was told', async () => {
    const server = await fake(() => ({ status: 429, after: '0', body: errorBody('queue-full') }));
    const error = { code: 'queue-full', status: 429, after: 0, details: { a: 1 } };
    expect([await call(server.url, 'finish'), server.asked.length]).toEqual([error, 5]);
  });

  test.each([
    [
      'a step that is void: it may have done something',
      'act',
      { status: 503, after: '0', body: errorBody('sandbox-failed') },
    ],
    ['what no later try mends', 'finish', { status: 503, after: '0', body: errorBody('capability-missing') }],
    ['what would take too long', 'finish', { status: 503, after: '3600', body: errorBody('disk-full') }],
    ['another service', 'finish', { status: 200, body: [] }],
    ['a redirect', 'finish', { status: 307, body: {} }],
  ] as const)('never %s', async (...[, what, answer]) => {
    const server = await fake(() => answer);
    const { code } = answer.status === 503 ? answer.body.error : { code: 'bad-reply' };
    expect([await call(server.url, what), server.asked.length]).toEqual([expect.objectContaining({ code }), 1]);
  });

  test('a step whose answer was lost, under the same id, so that it is made once', async () => {
    const server = await fake(() => null);
    expect(await call(server.url, 'act')).toMatchObject({ code: 'no-answer', status: null });
    const ids = server.asked.map(({ body }) => body.step_id);
    expect([ids.length, new Set(ids).size, typeof ids[0]]).toEqual([5, 1, 'string']);
  });

  test('even a step, while nothing listens: nothing was sent', async () => {
    const server = await fake(() => ({ status: 200, body: {} }));
    await servers.splice(0)[0]?.();
    const began = performance.now();
    expect(await call(server.url, 'act')).toMatchObject({ code: 'unreachable', status: null });
    expect(performance.now() - began).toBeGreaterThan(2_000);
  });
});
