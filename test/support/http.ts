import { afterAll, beforeAll } from 'vitest';
import { type Reply, testApi } from './api-client.ts';
import { scratchFolder } from './test-service.ts';
import { writeTinyTask } from './tiny-task.ts';

/** A service with the tiny task, for all tests of a file. */
export function apiForFile(environment: NodeJS.ProcessEnv = {}) {
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let api: Awaited<ReturnType<typeof testApi>>;
  beforeAll(async () => {
    scratch = await scratchFolder();
    const tasks = [await writeTinyTask(scratch.path)];
    api = await testApi({ tasks, environment: { PROCTOR_MAX_UPLOAD_BYTES: '2000000', ...environment } });
  });
  afterAll(async () => {
    await api.dispose();
    await scratch.dispose();
  });
  const post = (
    url: string,
    payload: string | object,
    role: 'harness' | 'trainer' | 'admin' | 'reviewer' = 'harness',
  ) => api.call(role, { method: 'POST', url, payload, headers: { 'content-type': 'application/json' } });
  return {
    api: () => api,
    post,
    newInstance: async () => (await post('/v1/instances', { task: 'test/double' })).body.instance_id as string,
    settled: (submissionId: string) =>
      post('/v1/rewards', { items: [{ id: 'x', submission_id: submissionId }] }, 'trainer'),
  };
}

export function file(content: string) {
  return { path: 'double.py', content };
}

export function code(reply: Reply): [number, string] {
  return [reply.status, reply.body?.error?.code];
}
