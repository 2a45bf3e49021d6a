import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scratchFolder } from '../support/test-service.ts';

const CLIENT = resolve('clients/python');
const run = promisify(execFile);
const env = { PATH: process.env.PATH ?? '', PYTHONDONTWRITEBYTECODE: '1' };

test("the Python client's own tests pass, and are as many as before or more", { timeout: 120_000 }, async () => {
  const argv = ['-m', 'unittest', 'discover', '-s', '.', '-t', '.'];
  const { stderr } = await run('python3', argv, { cwd: CLIENT, env });
  expect(stderr).toMatch(/^OK/m);
  expect(Number(/^Ran (\d+) tests/m.exec(stderr)?.[1])).toBeGreaterThanOrEqual(80);
});

test('a wheel is made without anything but Python, has all modules, and the version of the service', async () => {
  const scratch = await scratchFolder();
  const build = 'import sys, wheel_of_this; print(wheel_of_this.build_wheel(sys.argv[1]))';
  const made = await run('python3', ['-c', build, scratch.path], {
    env: { ...env, PYTHONPATH: join(CLIENT, 'build_backend') },
  });
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(made.stdout.trim()).toBe(`proctor_client-${version}-py3-none-any.whl`);
  const wheel = join(scratch.path, made.stdout.trim());
  const look = `import pkgutil, proctor_client
print(proctor_client.__version__, sorted(one.name for one in pkgutil.walk_packages(proctor_client.__path__, 'proctor_client.')))`;
  const asked = async (path: string) =>
    (await run('python3', ['-c', look], { cwd: scratch.path, env: { ...env, PYTHONPATH: path } })).stdout;
  const fromWheel = await asked(wheel);
  expect(fromWheel).toContain(`${version} [`);
  expect(fromWheel).toBe(await asked(CLIENT));
  await scratch.dispose();
});
