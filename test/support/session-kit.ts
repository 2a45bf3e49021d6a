import { z } from 'zod';
import type { Service } from '../../src/bin/open-service.ts';
import type { SessionHost } from '../../src/pipeline/session-host.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { checkAction } from '../../src/stages/session/environments.ts';
import type { SessionEvent } from '../../src/stages/session/event.ts';
import type { Observation } from '../../src/stages/session/observation.ts';
import { allEvents, findLive } from '../../src/stages/session/session-store.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';

/** The sessions of a service that has some. */
export function hostOf({ sessions }: Service): SessionHost {
  if (sessions === null) throw new Error('this service has no sessions');
  return sessions;
}

/** An instance of a task folder. */
export async function newInstance({ parts }: Service, taskFolder: string, seed = 'sessions'): Promise<string> {
  const task = await loadTask(taskFolder);
  await saveTask(parts, task);
  return (await saveInstance(parts.database, makeInstance(task, { seed }))).id;
}

/** Opens a session on a fresh instance of a task. */
export async function openSession(service: Service, taskFolder: string): Promise<string> {
  const instanceId = await newInstance(service, taskFolder);
  return (await hostOf(service).open({ instanceId, idempotencyKey: null })).id;
}

/** Makes one action. */
export async function act(
  service: Service,
  id: string,
  [environment, action, parameters]: ActionText,
): Promise<Observation> {
  const checked = checkAction({ environment, action, parameters });
  return hostOf(service).act(id, { action: checked, messageId: null, tokens: 0 });
}

type ActionText = readonly [environment: string, action: string, parameters: Record<string, unknown>];

/** Runs a shell command. */
export function sh(service: Service, id: string, command: string | Record<string, unknown>): Promise<Observation> {
  return act(service, id, ['shell', 'run', typeof command === 'string' ? { command } : command]);
}

/** What an observation shows of one of its outputs. */
export function shown(observation: Observation, name: 'stdout' | 'stderr' | 'content' = 'stdout'): string {
  return observation.outputs.find((output) => output.name === name)?.text ?? '';
}

/** Events of a session, those of one type or all. */
export async function eventsOf({ parts }: Service, id: string, type?: string): Promise<readonly SessionEvent[]> {
  const events = await allEvents(parts.database, id);
  return type === undefined ? events : events.filter((event) => event.type === type);
}

/** The first process of a session's sandbox. */
export async function firstPid({ parts }: Service, id: string): Promise<number> {
  const live = await findLive(parts.database, id);
  return z.object({ first: z.object({ pid: z.number() }) }).parse(live?.place).first.pid;
}
