import { awaitReward } from '../pipeline/await-reward.ts';
import { clusterCohort } from '../pipeline/cluster-cohort.ts';
import { drawInstance } from '../pipeline/draw-instance.ts';
import { saveInstance } from '../stages/instance/instance-store.ts';
import { buildReference } from '../stages/profile/build-reference.ts';
import { extractFeatures } from '../stages/profile/extract-features.ts';
import { saveReference } from '../stages/profile/reference-store.ts';
import { checkAction } from '../stages/session/environments.ts';
import { loadTask } from '../stages/task/load-task.ts';
import { saveTask } from '../stages/task/task-store.ts';
import type { Service } from './open-service.ts';
import { AGENTS } from './sessions-demo/agents.ts';
import { writeDemoTask } from './sessions-demo/demo-task.ts';
import { randomOf } from './simulator/random.ts';
import { SIMULATED_FACTS, STYLES, type StyleName, simulateLog } from './simulator/simulate.ts';

/** Of the scripted agents: how the names of those that are run begin. */
const SHOWN_AGENTS = [
  'solves the task',
  'reads what',
  'asks the network',
  'edits the visible',
  'goes for the recorder',
];
const SIMULATED_RUNS = 400;

/** A session of a scripted agent that was graded. */
export interface DemoRun {
  readonly task: string;
  readonly verdictId: string;
  readonly isHonest: boolean;
}

/**
 * Scripted agents in recorded workspaces, graded, with profiles beside *simulated* honest sessions, and groups: what the pages of
 * reviewers have to show. None where this service has no sessions.
 */
export async function demoRuns({ parts, sessions }: Service, folder: string): Promise<readonly DemoRun[]> {
  if (sessions === null) return [];
  const { database } = parts;
  const task = await loadTask(await writeDemoTask(folder));
  await saveTask(parts, task);
  await saveReference(database, task.name, simulatedReference(task.name));
  const runs: DemoRun[] = [];
  for (const agent of AGENTS.filter(({ name }) => SHOWN_AGENTS.some((begin) => name.startsWith(begin)))) {
    const { id: instanceId } = await saveInstance(database, await drawInstance(parts, task));
    const { id } = await sessions.open({ instanceId, idempotencyKey: null });
    for (const command of agent.commands) {
      const action = checkAction({ environment: 'shell', action: 'run', parameters: { command, timeout_sec: 30 } });
      await sessions.act(id, { action, messageId: null, tokens: 40 });
    }
    const { artifactId } = await sessions.finish(id);
    const { verdictId } = await awaitReward(database, artifactId ?? '');
    runs.push({ task: task.name, verdictId, isHonest: agent.kind === 'honest' });
  }
  await clusterCohort(parts, { task: task.name });
  return runs;
}

function simulatedReference(cohort: string) {
  const random = randomOf(7);
  const styles = Object.keys(STYLES) as StyleName[];
  const runs = Array.from({ length: SIMULATED_RUNS }, (_, index) => {
    const style = styles[index % styles.length] ?? 'direct';
    const log = simulateLog({ style, cheat: null, drift: 0.4, difficulty: 1 }, random);
    return { id: `honest-${index}`, group: null, behaviour: extractFeatures(log, SIMULATED_FACTS) };
  });
  return buildReference(runs, { cohort, window: 'simulated' });
}
