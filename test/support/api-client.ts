import { createKey } from '../../src/api/keys.ts';
import { createMetrics } from '../../src/api/metrics.ts';
import type { Role } from '../../src/api/roles.ts';
import { appOver } from '../../src/bin/api.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { testService } from './test-service.ts';

/** What a call gave. */
export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies that they then compare
  readonly body: any;
  readonly text: string;
}

/** A whole service with its API, called without a socket. */
export async function testApi(options: { tasks?: readonly string[]; environment?: NodeJS.ProcessEnv } = {}) {
  const { service, config, dispose } = await testService(options.environment);
  for (const folder of options.tasks ?? []) await saveTask(service.parts, await loadTask(folder));
  const app = await appOver(service, config, createMetrics());
  const keys = Object.fromEntries(
    await Promise.all(
      (['trainer', 'harness', 'reviewer', 'admin'] as const).map(async (role) => {
        const { text } = await createKey(service.parts.database, { name: `test ${role}`, role });
        return [role, text] as const;
      }),
    ),
  ) as Record<Role, string>;
  const call = async (
    role: Role | null,
    request: {
      method?: 'GET' | 'POST' | 'DELETE';
      url: string;
      payload?: string | Buffer | object;
      headers?: Record<string, string>;
    },
  ): Promise<Reply> => {
    const authorization: Record<string, string> = role === null ? {} : { authorization: `Bearer ${keys[role]}` };
    const reply = await app.inject({ method: 'GET', ...request, headers: { ...authorization, ...request.headers } });
    let body: unknown = null;
    try {
      body = reply.json();
    } catch {
      body = null;
    }
    return { status: reply.statusCode, body, text: reply.body };
  };
  return {
    service,
    app,
    keys,
    call,
    async dispose() {
      await app.close();
      await dispose();
    },
  };
}
