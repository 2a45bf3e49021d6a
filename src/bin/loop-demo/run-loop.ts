import { awaitReward } from '../../pipeline/await-reward.ts';
import { buildDataset } from '../../pipeline/build-dataset.ts';
import { drawInstance } from '../../pipeline/draw-instance.ts';
import { loadEpisode } from '../../pipeline/load-episode.ts';
import type { SessionHost } from '../../pipeline/session-host.ts';
import { isAccused } from '../../stages/dataset/episode.ts';
import type { Recipe } from '../../stages/dataset/recipe.ts';
import type { BuiltDataset } from '../../stages/dataset/write-dataset.ts';
import { saveInstance } from '../../stages/instance/instance-store.ts';
import { NO_LABELS } from '../../stages/run/run.ts';
import { checkAction } from '../../stages/session/environments.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import { saveTask } from '../../stages/task/task-store.ts';
import type { Service } from '../open-service.ts';
import { type LoopAgent, loopAgentOf } from './loop-agents.ts';

/** What came of one scripted session. */
export interface LoopEpisode {
  readonly id: string;
  readonly agent: LoopAgent;
  readonly outcome: string;
  readonly isAccused: boolean;
}

/** Rollouts of one prompt. */
const ROLLOUTS = 8;
const AT_ONCE = 2;

export interface LoopRequest {
  readonly taskFolder: string;
  readonly episodes: number;
  /** When no further session is begun, on the clock of `performance.now()`. */
  readonly untilMs: number;
  readonly onEpisode: (done: number) => void;
}

/** Lets the agents work, one prompt after the other, until there are enough sessions or the time is over. */
export async function runEpisodes(
  service: Service,
  host: SessionHost,
  { taskFolder, episodes, untilMs, onEpisode }: LoopRequest,
): Promise<readonly LoopEpisode[]> {
  const task = await loadTask(taskFolder);
  await saveTask(service.parts, task);
  const done: LoopEpisode[] = [];
  for (let prompt = 0; prompt * ROLLOUTS < episodes && performance.now() < untilMs; prompt++) {
    const { id: instanceId } = await saveInstance(service.parts.database, await drawInstance(service.parts, task));
    const numbers = Array.from(
      { length: Math.min(ROLLOUTS, episodes - prompt * ROLLOUTS) },
      (_, n) => prompt * ROLLOUTS + n,
    );
    const work = async () => {
      for (let n = numbers.shift(); n !== undefined && performance.now() < untilMs; n = numbers.shift()) {
        done.push(await runOne(service, host, { n, instanceId, group: `prompt-${prompt}` }));
        onEpisode(done.length);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
  return done;
}

async function runOne(
  { parts }: Service,
  host: SessionHost,
  { n, instanceId, group }: { readonly n: number; readonly instanceId: string; readonly group: string },
): Promise<LoopEpisode> {
  const agent = loopAgentOf(n);
  const labels = { ...NO_LABELS, run: 'loop', policyVersion: 'scripted-1', group, step: 0 };
  const { id } = await host.open({ instanceId, idempotencyKey: null, labels });
  for (const [index, command] of agent.commands(n).entries()) {
    const action = checkAction({ environment: 'shell', action: 'run', parameters: { command, timeout_sec: 30 } });
    await host.act(id, { action, messageId: `message-${index}`, tokens: command.length });
  }
  const end = await host.finish(id);
  await awaitReward(parts.database, end.artifactId ?? '');
  const episode = await loadEpisode(parts, id);
  return { id, agent, outcome: episode.verdict?.body.outcome ?? 'none', isAccused: isAccused(episode) };
}

/** Builds the same data set twice, into `out` and into a folder beside it, and says whether both are the same. */
export async function buildTwice(
  { parts }: Service,
  { recipe, out, again }: { readonly recipe: Recipe; readonly out: string; readonly again: string },
): Promise<{ readonly built: BuiltDataset; readonly isSame: boolean }> {
  const built = await buildDataset(parts, { recipe, out });
  const other = await buildDataset(parts, { recipe, out: again });
  return { built, isSame: other.sheet.digest === built.sheet.digest };
}
