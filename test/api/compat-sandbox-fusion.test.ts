import { describe, expect, test } from 'vitest';
import { answer, compatForFile } from '../support/compat-kit.ts';
import { code } from '../support/http.ts';
import { RIGHT, WRONG } from '../support/tiny-task.ts';

const { api, post, newInstance } = compatForFile({ environment: { PROCTOR_GRADE_CONCURRENCY: '1' } });

const run = (program: string, more: object = {}) =>
  post('/compat/sandbox-fusion/run_code', { code: program, language: 'python', ...more });

describe('run_code', () => {
  test('runs a program with its input and files, and gives back what it wrote', async () => {
    const { status, body } = await run('print(input() + open("a.txt").read())\nopen("b.txt", "w").write("b")', {
      stdin: 'typed ',
      files: { 'a.txt': Buffer.from('from a file').toString('base64') },
      fetch_files: ['b.txt', 'missing.txt'],
    });
    expect([status, body.status, body.run_result.stdout, body.compile_result]).toEqual([
      ...[200, 'Success', 'typed from a file\n', null],
    ]);
    expect(body.files).toEqual({ 'b.txt': Buffer.from('b').toString('base64') });
  });

  test('a program that fails, dies or takes too long is an answer, not an error', async () => {
    expect((await run('raise SystemExit(3)')).body).toMatchObject({ status: 'Failed', run_result: { return_code: 3 } });
    const killed = 'import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)';
    expect((await run(killed)).body.run_result).toMatchObject({ status: 'Finished', return_code: -11 });
    const late = (await run('while True: pass', { run_timeout: 0.5 })).body;
    expect([late.status, late.run_result.status]).toEqual(['Failed', 'TimeLimitExceeded']);
  });

  test('a program that does not compile is told apart from one that fails', async () => {
    const cpp = (source: string) => run(source, { language: 'cpp' });
    expect((await cpp('int main() { return 0; }')).body.status).toBe('Success');
    const { body } = await cpp('int main( {');
    expect([body.status, body.run_result, body.compile_result.return_code]).toEqual(['Failed', null, 1]);
  });

  test('a program reaches neither the network nor what others left', async () => {
    const program = `import os, socket
print(os.path.exists('left'))
open('left', 'w').close()
try:
    socket.create_connection(('127.0.0.1', 8787), 1)
except OSError as error:
    print(type(error).__name__)`;
    await run(program);
    expect((await run(program)).body.run_result.stdout).toMatch(/^False\n\w*Error\n$/);
  });

  test('when all places are taken for longer than a client waits, it is told to come again', async () => {
    const long = run('import time\ntime.sleep(1)');
    const impatient = { code: 'print(1)', language: 'python' };
    const other = await post('/compat/sandbox-fusion/run_code?deadline_ms=100', impatient);
    expect(code(other)).toEqual([504, 'busy']);
    expect((await long).body.status).toBe('Success');
  });

  test('odd bodies and languages are the caller’s fault', async () => {
    expect(code(await run('x', { language: 'cobol' }))).toEqual([400, 'bad-request']);
    expect(code(await run('x', { language: 'constructor' }))).toEqual([400, 'bad-request']);
    expect(code(await run('x', { files: { 'a.txt': '%%%' } }))).toEqual([400, 'bad-request']);
    expect(code(await run('x', { files: { '../a.txt': '' } }))).toEqual([400, 'bad-request']);
    expect(code(await run('x', { fetch_files: ['/etc/passwd'] }))).toEqual([400, 'bad-request']);
    expect(code(await run('x', { fetch_files: ['../../etc/passwd'] }))).toEqual([400, 'bad-request']);
  });
});

describe('submit', () => {
  const submit = (source: string, id: unknown, query = '') =>
    post(`/compat/sandbox-fusion/submit${query}`, { dataset: 'proctor', id, completion: answer(source), config: {} });

  test('grades an answer against the hidden tests, and does not tell which failed', async () => {
    const id = await newInstance();
    const right = (await submit(RIGHT, id)).body;
    expect([right.id, right.accepted, right.extracted_code, right.tests]).toEqual([id, true, RIGHT, []]);
    const wrong = (await submit(WRONG, id)).body;
    expect([wrong.accepted, wrong.tests, wrong.extra.reward, wrong.extra.cases_total]).toEqual([false, [], 0, 5]);
  });

  test('what is not there yet is 504; what is not for learning is an error that is not tried again', async () => {
    const id = await newInstance('test/doubtful');
    const slow = `import time\n${RIGHT.replace('return', 'time.sleep(0.4); return')}`;
    expect(code(await submit(slow, id, '?deadline_ms=50'))).toEqual([504, 'busy']);
    expect((await submit(slow, id)).body.accepted).toBe(true);
    expect(code(await submit(WRONG, id))).toEqual([422, 'masked']);
  });

  test('a trainer’s key is enough, a reviewer’s is not', async () => {
    const request = {
      method: 'POST',
      url: '/compat/sandbox-fusion/submit',
      payload: { id: '', completion: '' },
    } as const;
    expect(code(await api().call('reviewer', request))).toEqual([403, 'forbidden']);
  });
});
