import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecipe } from '../../stages/dataset/recipe.ts';
import { printBuilt } from '../commands/dataset.ts';
import { EXIT } from '../exit-codes.ts';
import { green, printJson, progress, red, table } from '../output.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import { withScratchService } from '../scratch-service.ts';
import { writeDemoTask } from '../sessions-demo/demo-task.ts';
import { sessionsOf } from '../with-service.ts';
import { LOOP_AGENTS } from './loop-agents.ts';
import { buildTwice, type LoopEpisode, runEpisodes } from './run-loop.ts';

const EPISODES = 300;
/** The rest of three minutes is for what comes before and after the sessions. */
const SESSIONS_MS = 140_000;

const RECIPE = `name: loop-demo
about: Scripted agents of several skills and vices on one small task.
seed: demo
licence: Apache-2.0
from: {runs: [loop]}
held_out: 0.2
files: [jsonl, parquet]
on_secret: leave-out
human_check: 5
`;

/** What the demonstration shows. */
interface LoopReport {
  readonly episodes: readonly LoopEpisode[];
  /** Ids that are in the set. */
  readonly kept: ReadonlySet<string>;
  /** Cheats that are in the set: there must be none. */
  readonly cheatsKept: number;
  /** Of the episodes that a person is to look at, those that the scripted reviewer calls honest. */
  readonly reviewedHonest: number;
}

/** `proctor demo --loop`: sessions are graded, profiled, looked through and exported, and no cheat comes through. */
export async function demoLoop(options: { readonly json?: true }): Promise<void> {
  const out = join(
    process.cwd(),
    'data',
    `loop-demo-${new Date()
      .toISOString()
      .replace(/[^0-9]/g, '')
      .slice(0, 14)}`,
  );
  await withScratchFolder('loop', (folder) =>
    withScratchService(
      async (service) => {
        const taskFolder = await writeDemoTask(join(folder, 'task'));
        const untilMs = performance.now() + SESSIONS_MS;
        const episodes = await runEpisodes(service, sessionsOf(service), {
          ...{ taskFolder, episodes: EPISODES, untilMs },
          onEpisode: (done) => progress(`sessions: ${done} of ${EPISODES}`),
        });
        progress('');
        const again = join(folder, 'again');
        const { built, isSame } = await buildTwice(service, { recipe: parseRecipe(RECIPE), out, again });
        const report = await reportOf(episodes, out, built.sheet.human_check);
        if (options.json)
          printJson({ sheet: built.sheet, folder: built.folder, isSame, cheatsKept: report.cheatsKept });
        else {
          printEpisodes(report);
          printBuilt(built);
          console.log(isSame ? green('built again: the same bytes') : red('built again: OTHER BYTES'));
        }
        process.exitCode = isSame && report.cheatsKept === 0 && report.kept.size > 0 ? EXIT.ok : EXIT.differs;
      },
      {},
      { sessions: true },
    ),
  );
}

async function reportOf(
  episodes: readonly LoopEpisode[],
  folder: string,
  humanCheck: readonly string[],
): Promise<LoopReport> {
  const kept = new Set<string>();
  for (const side of ['train', 'test']) {
    const lines = (await readFile(join(folder, side, 'openai.jsonl'), 'utf8')).split('\n');
    for (const line of lines) if (line !== '') kept.add(JSON.parse(line).metadata.episode);
  }
  const cheats = new Set(episodes.filter(({ agent }) => agent.kind === 'cheat').map(({ id }) => id));
  return {
    ...{ episodes, kept, cheatsKept: [...kept].filter((id) => cheats.has(id)).length },
    reviewedHonest: humanCheck.filter((id) => !cheats.has(id)).length,
  };
}

function printEpisodes({ episodes, kept, cheatsKept, reviewedHonest }: LoopReport): void {
  const rows = LOOP_AGENTS.map((agent) => {
    const own = episodes.filter((each) => each.agent === agent);
    const count = (is: (each: LoopEpisode) => boolean) => String(own.filter(is).length);
    const passed = count(({ outcome }) => outcome === 'passed');
    return [
      agent.name,
      agent.kind,
      String(own.length),
      passed,
      count((each) => each.isAccused),
      count(({ id }) => kept.has(id)),
    ];
  });
  console.log(table([['agent', 'kind', 'sessions', 'passed', 'accused', 'in the set'], ...rows]));
  const line = `${episodes.length} sessions; cheats in the set ${cheatsKept}; looked at by the scripted reviewer and called honest ${reviewedHonest}`;
  console.log(`\n${cheatsKept === 0 ? green(line) : red(line)}\n`);
}
