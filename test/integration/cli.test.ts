import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scratchDataFolder } from '../support/test-service.ts';
import { RIGHT, WRONG, writeTinyTask } from '../support/tiny-task.ts';

const CLI = fileURLToPath(new URL('../../src/bin/proctor.ts', import.meta.url));
let folder = '';
let task = '';
let dispose: () => Promise<void>;

beforeAll(async () => {
  ({ path: folder, dispose } = await scratchDataFolder());
  task = await writeTinyTask(join(folder, 'task'));
  for (const [name, source] of Object.entries({ right: RIGHT, wrong: WRONG })) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'double.py'), source);
  }
});
afterAll(() => dispose());

function start(args: readonly string[]): ChildProcess {
  const env = { ...process.env, PROCTOR_DATA_DIR: folder, NO_COLOR: '1' };
  return spawn(process.execPath, ['--import', 'tsx', CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function proctor(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const child = start(args);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

describe('proctor on the command line', () => {
  test('--help shows examples and exit codes; no arguments shows help; every command has help with an example', async () => {
    const help = await proctor('--help');
    expect(help.code).toBe(0);
    expect(help.out).toMatch(/Exit codes:[\s\S]*Examples:/);
    for (const command of [
      ['grade'],
      ['task', 'check'],
      ['instance'],
      ['serve'],
      ['demo'],
      ['regrade'],
      ['snapshot', 'build'],
    ]) {
      expect((await proctor(...command, '--help')).out).toMatch(/Examples?:\n {2}\$ proctor/);
    }
  });

  test('an unknown command and a missing option are the caller’s mistake: exit code 2', async () => {
    expect((await proctor('frobnicate')).code).toBe(2);
    const missing = await proctor('grade', task);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('--artifact')]);
  });

  test('grade: right is 0, wrong is 1, and the JSON is one document', async () => {
    const right = await proctor('grade', task, '--artifact', join(folder, 'right'), '--json');
    expect(right.code).toBe(0);
    expect(JSON.parse(right.out)).toMatchObject({
      verdict: { outcome: 'passed', assurance: 'oracle' },
      reward: { reward: 1 },
    });
    const wrong = await proctor('grade', task, '--artifact', join(folder, 'wrong'));
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('outcome    failed (0 of 5 cases right)')]);
  });

  test('regrade proves a stored verdict again', async () => {
    const graded = JSON.parse((await proctor('grade', task, '--artifact', join(folder, 'right'), '--json')).out);
    const again = await proctor('regrade', graded.verdictId, '--json');
    expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { same: true, differences: [] }]);
    expect((await proctor('regrade', 'ver_none')).code).toBe(2);
  });

  test('task new makes a task that passes task check', async () => {
    const made = join(folder, 'made');
    expect((await proctor('task', 'new', made)).code).toBe(0);
    expect((await proctor('task', 'new', made)).code).toBe(2);
    const checked = await proctor('task', 'check', made);
    expect([checked.code, checked.out]).toEqual([0, expect.stringContaining('no errors')]);
  });

  test('task check says everything that is wrong at once, with file, line and field', async () => {
    const broken = join(folder, 'broken');
    await cp(task, broken, { recursive: true });
    const toml = await readFile(join(broken, 'task.toml'), 'utf8');
    await writeFile(
      join(broken, 'task.toml'),
      toml
        .replace('case_timeout_sec = 1.0', 'case_timeout_sec = -1\ncolour = "red"')
        .replace('[environment]', '[environment]\nspeed = 3'),
    );
    await writeFile(join(broken, 'instruction.md'), 'one {{missing|shout}}\n');
    const { code, out } = await proctor('task', 'check', '--json', broken);
    const report = JSON.parse(out);
    expect([code, report.errors]).toEqual([2, 3]);
    expect(report.problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ severity: 'error', file: 'task.toml', line: 10, field: 'proctor.case_timeout_sec' }),
        expect.objectContaining({ severity: 'error', file: 'task.toml', line: 11, field: 'proctor.colour' }),
        expect.objectContaining({ severity: 'warning', file: 'task.toml', line: 5, field: 'environment.speed' }),
        expect.objectContaining({ severity: 'error', file: 'instruction.md', line: 1 }),
      ]),
    );
  });

  test('task check finds a task that pays for nothing, and a reference that does not pass', async () => {
    const generous = await writeTinyTask(join(folder, 'generous'), {
      'tests/oracle.py':
        'def cases(p, random):\n    yield {"args": [1]}\n\ndef expected(p, c):\n    return None\n\ndef check(p, c, answer):\n    return True\n',
      'environment/double.py': 'def double(x):\n    return x\n',
      'solution/double.py': 'def double(x):\n    raise ValueError("broken")\n',
    });
    const { code, out } = await proctor('task', 'check', generous);
    expect(code).toBe(2);
    expect(out).toContain('the task pays for nothing');
    expect(out).toContain('solution: does not pass (seed trial-1)');
  });

  test('instance: the same seed gives the same bytes in two processes', async () => {
    const fixture = fileURLToPath(new URL('../../fixtures/clean-orders', import.meta.url));
    const [one, two] = [
      await proctor('instance', fixture, '--seed', 's', '--json'),
      await proctor('instance', fixture, '--seed', 's', '--json'),
    ];
    expect(one.code).toBe(0);
    expect(one.out).toBe(two.out);
  });

  test('doctor tells in JSON what this machine can do', async () => {
    const { code, out } = await proctor('doctor', '--json');
    const { usable, findings } = JSON.parse(out);
    expect([code, usable]).toEqual([0, true]);
    expect(findings.map(({ what }: { what: string }) => what)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^sandbox: (forkserver|bubblewrap)$/),
        'database',
        'limit: memory',
      ]),
    );
  });

  test('paths that are not there, folders that are files and bad numbers are the caller’s mistakes, not defects', async () => {
    for (const args of [
      ['instance', join(task, 'task.toml')],
      ['task', 'new', '/no/such/folder/x'],
      ['corpus', '--fixtures', '/no/such'],
      ['corpus', '--in-flight', '0'],
      ['key', 'create', '--name', 'x', '--role', 'king'],
    ]) {
      expect([args, (await proctor(...args)).code]).toEqual([args, 2]);
    }
  });

  test('a reader that has seen enough, as `| head` does, is no error', async () => {
    const child = start(['--help']);
    let err = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.stdout?.destroy();
    expect([(await once(child, 'close'))[0], err]).toEqual([0, '']);
  });

  test('an oracle that does not come back is told with its limit, and is not tried again and again', async () => {
    const toml = await readFile(join(task, 'task.toml'), 'utf8');
    const endless = await writeTinyTask(join(folder, 'endless'), {
      'task.toml': toml.replace('[environment]', '[verifier]\ntimeout_sec = 1.5\n[environment]'),
      'tests/oracle.py': 'def cases(p, random):\n    while True: pass\n\ndef expected(p, c):\n    return 1\n',
    });
    const { code, out } = await proctor('task', 'check', endless);
    expect([code, out]).toEqual([2, expect.stringContaining('did not return in time')]);
  });

  test('an oracle that raises is told with the line of the author’s own file', async () => {
    const raising = await writeTinyTask(join(folder, 'raising'), {
      'tests/oracle.py':
        'def cases(p, random):\n    yield {"args": [1]}\n\ndef expected(p, c):\n    return undefined_name\n',
    });
    const { out } = await proctor('task', 'check', raising);
    expect(out).toContain("tests/oracle.py:5: expected() for case-1: NameError: name 'undefined_name' is not defined");
  });

  test('wrong settings are reported together', async () => {
    process.env.PROCTOR_PORT = 'many';
    process.env.PROCTOR_COLOUR = 'red';
    const { code, err } = await proctor('doctor');
    delete process.env.PROCTOR_PORT;
    delete process.env.PROCTOR_COLOUR;
    expect(code).toBe(2);
    expect(err).toMatch(/PROCTOR_COLOUR[\s\S]*PROCTOR_PORT|PROCTOR_PORT[\s\S]*PROCTOR_COLOUR/);
  });

  test('serve: tells its address and a first key, answers over a socket, and stops when asked', async () => {
    const audited = await proctor('audit', '--record', '--repeats', '1', task);
    expect([audited.code, audited.out]).toEqual([0, expect.stringMatching(/test\/double: score \d+ of 100, admitted/)]);
    const child = start(['serve', '--port', '0', '--tasks', task]);
    let [printed, logged] = ['', ''];
    child.stderr?.on('data', (chunk: Buffer) => {
      logged += chunk.toString();
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await expect.poll(() => printed, { timeout: 20_000 }).toMatch(/listens on http/);
    const [address, key] = [printed.match(/http:\/\/[^\s;]+/)?.[0], printed.match(/proctor_\w+/)?.[0]];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const post = async (path: string, body: object) =>
      (await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<
        Record<string, never>
      >;
    const { instance_id } = await post('/v1/instances', { task: 'test/double' });
    const files = [{ path: 'double.py', content: RIGHT }];
    const { items } = (await post('/v1/rewards', {
      items: [{ id: '1', instance_id, artifact: { files } }],
    })) as unknown as { items: { reward: number }[] };
    expect(items[0]?.reward).toBe(1);
    const locked = await proctor('key', 'list');
    expect([locked.code, locked.err]).toEqual([3, expect.stringContaining('database-locked')]);
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    expect(logged).toContain('/v1/rewards');
    expect(logged).not.toContain(key);
  });

  test('serve on a port that is in use ends at once with what to do', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const { code, err } = await proctor('serve', '--port', String(port));
    taken.close();
    expect([code, err]).toEqual([2, expect.stringMatching(/cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)/)]);
  });

  test('a task whose policy does not load is refused with the reason, and nobody waits for it', async () => {
    const toml = await readFile(join(task, 'task.toml'), 'utf8');
    const odd = await writeTinyTask(join(folder, 'odd-policy'), {
      'task.toml': toml.replace('grader =', 'policy = "no-such"\ngrader ='),
    });
    const { code, err } = await proctor('grade', odd, '--artifact', join(folder, 'right'));
    expect([code, err]).toEqual([2, expect.stringContaining('no-such.yaml')]);
  });
});
