import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { testApi } from './api-client.ts';
import { scratchFolder } from './test-service.ts';
import { TINY_TOML, writeTinyTask } from './tiny-task.ts';
import { writeTree } from './write-tree.ts';

/** A policy that quarantines wrong work, so that tests have something to quarantine. */
const DOUBTFUL = `id: doubtful
version: 1
about: Quarantines what failed.
rules:
  - id: failed-is-kept-back
    about: For tests.
    when: { outcome: failed }
    decide: { action: quarantine, weight: 0 }
cases:
  - name: wrong is kept back
    given: { outcome: failed, integrity: clean, fault: subject }
    expect: { action: quarantine, weight: 0, rules: [failed-is-kept-back] }
`;

/** Writes two tasks (`test/double`, and `test/doubtful` whose wrong work is quarantined) and their policies. */
export async function writeCompatTasks(folder: string) {
  await cp(BUNDLED.policyFolder, join(folder, 'policies'), { recursive: true });
  await writeTree(join(folder, 'policies'), { 'doubtful.yaml': DOUBTFUL });
  const doubtful = TINY_TOML.replace('test/double', 'test/doubtful').replace(
    'grader = "function"',
    'grader = "function"\npolicy = "doubtful"',
  );
  const tasks = [
    await writeTinyTask(join(folder, 'double')),
    await writeTinyTask(join(folder, 'doubtful'), { 'task.toml': doubtful }),
  ];
  return { tasks, policyFolder: join(folder, 'policies') };
}

/** A service with these tasks for all tests of a file. */
export function compatForFile(options: { sessions?: boolean; environment?: NodeJS.ProcessEnv } = {}) {
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let api: Awaited<ReturnType<typeof testApi>>;
  beforeAll(async () => {
    scratch = await scratchFolder();
    const { tasks, policyFolder } = await writeCompatTasks(scratch.path);
    const environment = { PROCTOR_POLICY_DIR: policyFolder, ...options.environment };
    api = await testApi({ tasks, environment, sessions: options.sessions ?? false });
  });
  afterAll(async () => {
    await api.dispose();
    await scratch.dispose();
  });
  const post = (url: string, payload: object | string, headers: Record<string, string> = {}) =>
    api.call('trainer', { method: 'POST', url, payload, headers: { 'content-type': 'application/json', ...headers } });
  return {
    api: () => api,
    post,
    newInstance: async (task = 'test/double') => (await post('/v1/instances', { task })).body.instance_id as string,
  };
}

/** A model’s answer with a program in it. */
export function answer(source: string): string {
  return `Let me think.\n\`\`\`python\n${source}\`\`\`\nThat is it.`;
}
