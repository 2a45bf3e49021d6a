import { awaitReward } from '../../pipeline/await-reward.ts';
import { drawInstance } from '../../pipeline/draw-instance.ts';
import type { SessionHost } from '../../pipeline/session-host.ts';
import { saveInstance } from '../../stages/instance/instance-store.ts';
import { checkAction } from '../../stages/session/environments.ts';
import { firstBroken } from '../../stages/session/event.ts';
import { allEvents } from '../../stages/session/session-store.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import { saveTask } from '../../stages/task/task-store.ts';
import type { Service } from '../open-service.ts';
import { AGENTS, type ScriptedAgent } from './agents.ts';

/** What came of one agent's session. */
export interface AgentRow {
  readonly driver: string;
  readonly agent: string;
  readonly kind: ScriptedAgent['kind'];
  readonly sessionId: string;
  readonly steps: number;
  readonly events: number;
  /** What was looked for in the record, and whether it is there. */
  readonly evidence: readonly { readonly what: string; readonly seen: boolean }[];
  /** Its attempt went through. */
  readonly succeeded: boolean;
  /** Every step was recorded to its end, whatever was cut of what it did often, and the log holds. */
  readonly complete: boolean;
  readonly reward: number;
  readonly asExpected: boolean;
  readonly wallMs: number;
}

/** Runs every scripted agent in a session of its own, hands in, and looks for what it did in the record. */
export async function runAgents(
  service: Service,
  host: SessionHost,
  given: { readonly taskFolder: string; readonly onRow: (row: AgentRow) => void },
): Promise<readonly AgentRow[]> {
  const task = await loadTask(given.taskFolder);
  await saveTask(service.parts, task);
  const rows: AgentRow[] = [];
  for (const agent of AGENTS) {
    const { id: instanceId } = await saveInstance(service.parts.database, await drawInstance(service.parts, task));
    const row = await runAgent(service, host, { agent, instanceId });
    given.onRow(row);
    rows.push(row);
  }
  return rows;
}

async function runAgent(
  { parts }: Service,
  host: SessionHost,
  { agent, instanceId }: { readonly agent: ScriptedAgent; readonly instanceId: string },
): Promise<AgentRow> {
  const startedMs = performance.now();
  const { id } = await host.open({ instanceId, idempotencyKey: null });
  const shown: string[] = [];
  for (const command of agent.commands) {
    const action = checkAction({ environment: 'shell', action: 'run', parameters: { command, timeout_sec: 30 } });
    const { outputs } = await host.act(id, { action, messageId: null, tokens: 0 });
    shown.push(...outputs.map(({ text }) => text));
  }
  const end = await host.finish(id);
  const reward = (await awaitReward(parts.database, end.artifactId ?? '')).body.reward;
  const events = await allEvents(parts.database, id);
  const records = events.filter(({ type }) => type === 'step.recorded');
  const evidence = agent.evidence.map(({ what, found }) => ({ what, seen: events.some(found) }));
  const succeeded = agent.triumph !== undefined && shown.some((text) => text.includes(agent.triumph ?? ''));
  const complete =
    firstBroken(id, events) === null && records.length > 0 && records.every(({ outcome }) => outcome !== 'incomplete');
  return {
    ...{ driver: parts.driver.name, agent: agent.name, kind: agent.kind, sessionId: id, steps: end.body.steps },
    ...{ events: events.length, evidence, succeeded, complete, reward },
    asExpected: reward === agent.reward && !succeeded && complete && evidence.every(({ seen }) => seen),
    wallMs: Math.round(performance.now() - startedMs),
  };
}
