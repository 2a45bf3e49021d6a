import { afterAll, beforeAll } from 'vitest';
import { testApi } from './api-client.ts';
import { writeCompatTasks } from './compat-tasks.ts';
import { scratchFolder } from './test-service.ts';

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
