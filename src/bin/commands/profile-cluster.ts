import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { clusterCohort } from '../../pipeline/cluster-cohort.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { CLUSTER_STATES, type Clustering, type ClusterState } from '../../stages/profile/cluster.ts';
import { clusterStates, ruleCluster } from '../../stages/profile/cluster-store.ts';
import { drawMap } from '../../stages/profile/map-draw.ts';
import { moment } from '../option-values.ts';
import { onScreen, printJson, progress, table, yellow } from '../output.ts';
import { withDatabase, withService } from '../with-service.ts';

const RULED = CLUSTER_STATES.filter((state) => state !== 'unknown');
const HELP = `
Examples:
  $ proctor profile cluster proctor/wordtool
  $ proctor profile cluster proctor/wordtool --svg map.svg --mark sess_…
  $ proctor profile cluster proctor/wordtool --rule c3 --as reviewed-cheat --by ada --note "reads the history"`;

interface ClusterOptions {
  readonly since?: Date;
  readonly until?: Date;
  readonly svg?: string;
  readonly mark?: string;
  readonly rule?: string;
  readonly as?: Exclude<ClusterState, 'unknown'>;
  readonly by?: string;
  readonly note: string;
  readonly json?: true;
}

/** `proctor profile cluster`: what ways of working a task's sessions show, and what a person says of one. */
export function clusterCommand(): Command {
  return new Command('cluster')
    .argument('<task>', 'name of a registered task')
    .description('group the newest 2,000 ended sessions of a task by their behaviour, or rule on one group')
    .option('--since <time>', 'only sessions opened from then on (ISO 8601)', moment)
    .option('--until <time>', 'only sessions opened before then', moment)
    .option('--svg <file>', 'draw the sessions on a map')
    .option('--mark <session>', 'mark this one on the map')
    .option('--rule <cluster>', 'say of a cluster what a person found in it; nothing is grouped anew', labelOf)
    .addOption(new Option('--as <state>', 'what it is').choices(RULED))
    .option('--by <name>', 'who says so')
    .option('--note <text>', 'why', '')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action((task: string, options: ClusterOptions) =>
      options.rule === undefined ? group(task, options) : rule(task, options.rule, options),
    );
}

function labelOf(text: string): string {
  if (/^c\d{1,9}$/.test(text)) return text;
  throw new InvalidArgumentError('a cluster is named as in c3');
}

async function rule(task: string, label: string, { as: state, by: reviewer, note }: ClusterOptions): Promise<void> {
  if (state === undefined || reviewer === undefined || reviewer.trim() === '') {
    throw new ProctorError('bad-request', 'a ruling needs --as and --by');
  }
  await withDatabase((database) => ruleCluster(database, { cohort: task, label, state, reviewer, note }));
  console.log(`${label} of ${task} is ${state}`);
}

function group(task: string, options: ClusterOptions): Promise<void> {
  return withService(async ({ parts }) => {
    const tell = (done: number, of: number) => progress(`${done} of ${of} sessions`);
    const { digest, clustering, unreadable } = await clusterCohort(parts, { task, ...options }, tell);
    progress('');
    const states = await clusterStates(parts.database, task);
    if (options.svg !== undefined) await writeFile(options.svg, `${drawn(clustering, options.mark)}\n`);
    if (options.json) {
      const clusters = clustering.clusters.map((cluster) => ({
        ...cluster,
        state: states.get(cluster.label) ?? 'unknown',
      }));
      return printJson({ digest, sessions: clustering.sessions, alone: clustering.alone, unreadable, clusters });
    }
    print(clustering, states);
    console.log(`\n${digest}${unreadable > 0 ? `; ${unreadable} sessions could not be read` : ''}`);
  });
}

function drawn({ cohort, points, clusters }: Clustering, mark: string | undefined): string {
  const marked = points.find(({ session }) => session === mark) ?? null;
  if (mark !== undefined && marked === null)
    throw new ProctorError('not-found', `${onScreen(mark)} is not among the sessions of the map`);
  const names = new Map(clusters.map(({ label, name }) => [label, name]));
  return drawMap(points, { marked, names, title: `Sessions of ${cohort} by their behaviour` });
}

function print({ sessions, alone, clusters }: Clustering, states: ReadonlyMap<string, ClusterState>): void {
  const rows = clusters.map(({ label, name, sessions: members, medoid }) => {
    const state = states.get(label) ?? 'unknown';
    const shown = state === 'reviewed-cheat' || state === 'harness-bug' ? yellow(state) : state;
    return [label, String(members), shown, name, medoid.session];
  });
  console.log(table([['cluster', 'sessions', 'state', 'what sets it apart', 'most central session'], ...rows]));
  console.log(`${sessions} sessions, ${alone} in no cluster`);
}
