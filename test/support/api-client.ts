import { createKey } from '../../src/api/keys.ts';
import { createMetrics } from '../../src/api/metrics.ts';
import type { Role } from '../../src/api/roles.ts';
import { appOver } from '../../src/bin/api.ts';
import { type AuditReport, ruleOn } from '../../src/stages/task/admission.ts';
import { saveAdmission } from '../../src/stages/task/admission-store.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import type { Task } from '../../src/stages/task/task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { testService } from './test-service.ts';

/** What a call gave. */
export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies that they then compare
  readonly body: any;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The audit of a task of which only the reference is paid. */
export function soundAudit({ name, digest, definition }: Task): AuditReport {
  const run = (kind: 'reference' | 'nothing', reward: number) => ({
    ...{ kind, name: kind, technique: null, outcome: reward > 0 ? 'passed' : 'failed', reward, passed: [], total: 1 },
  });
  return ruleOn({
    ...{ task: name, digest, grader: definition.proctor.grader, tests: [], hidden: [], problems: [] },
    runs: [run('nothing', 0), run('reference', 1)],
  });
}

/** A whole service with its API, called without a socket. */
export async function testApi(
  options: {
    tasks?: readonly string[];
    unaudited?: readonly string[];
    environment?: NodeJS.ProcessEnv;
    sessions?: boolean;
  } = {},
) {
  const { service, config, dispose } = await testService(options.environment, { sessions: options.sessions ?? false });
  for (const folder of options.unaudited ?? []) await saveTask(service.parts, await loadTask(folder));
  for (const folder of options.tasks ?? []) {
    const task = await loadTask(folder);
    await saveTask(service.parts, task);
    await saveAdmission(service.parts.database, soundAudit(task));
  }
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
    return { status: reply.statusCode, body, text: reply.body, headers: reply.headers };
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
