import { Command } from 'commander';
import { profileSession } from '../../pipeline/profile-session.ts';
import { type Place, placeSession } from '../../stages/profile/cluster-place.ts';
import { clusterStates, findClustering } from '../../stages/profile/cluster-store.ts';
import { shapeOf } from '../../stages/profile/measure-rarity.ts';
import { actionShingles, printOf } from '../../stages/profile/near-duplicate.ts';
import { type Alike, findAlike } from '../../stages/profile/near-duplicate-store.ts';
import { noveltyOf } from '../../stages/profile/novelty.ts';
import { qualityOf, type Validity, validityOf } from '../../stages/profile/quality.ts';
import { movesOf } from '../../stages/profile/quality-moves.ts';
import { allEvents } from '../../stages/session/session-store.ts';
import type { Service } from '../open-service.ts';
import { dim, printJson } from '../output.ts';
import { printReasons, type ShownProfile } from '../print-profile.ts';
import { profileOf } from '../profile-of.ts';
import { withService } from '../with-service.ts';

const MOST_ALIKE = 5;

interface Explained {
  readonly profile: Omit<ShownProfile, 'features'>;
  /** Null: the task's sessions were never grouped. */
  readonly place: {
    readonly label: string | null;
    readonly name: string | null;
    readonly state: Place['state'];
  } | null;
  readonly alike: readonly Alike[];
  readonly novelty: number | null;
  readonly validity: Validity;
  readonly completion: number | null;
  readonly quality: number | null;
}

/** `proctor profile explain`: why a session is odd, what it is like, and what it is worth. */
export function explainCommand(): Command {
  return new Command('explain')
    .argument('<session>', 'its id; it must have ended')
    .description('say why a session is odd, in which group it is, what sessions are like it, and what its quality is')
    .option('--window <name>', 'of the reference; by default the newest one of the task')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor profile explain sess_…')
    .action((id: string, options: { window?: string; json?: true }) =>
      withService(async ({ parts }) => {
        const explained = await explain(parts, id, options.window);
        if (options.json) printJson(explained);
        else print(id, explained);
      }),
    );
}

async function explain(parts: Service['parts'], id: string, window: string | undefined): Promise<Explained> {
  const { database } = parts;
  const { session, task, behaviour, verdict, isRecorded } = await profileSession(parts, id);
  const isCorroborated = (verdict?.signals ?? []).some(({ severity }) => severity !== 'note');
  const shown = { session: session.id, task, behaviour, isRecorded, isCorroborated };
  const { features: _, ...profile } = await profileOf(database, shown, window);
  const fit = await findClustering(database, task);
  const placed =
    fit === null ? null : placeSession(fit.clustering, shapeOf(behaviour), await clusterStates(database, task));
  const print = printOf(actionShingles(behaviour));
  const asked = { sessionId: id, cohort: task, kind: 'actions' } as const;
  const alike = print === null ? [] : await findAlike(database, { ...asked, print }, MOST_ALIKE);
  const novelty = print === null ? null : noveltyOf(alike);
  const validity = validityOf(movesOf(await allEvents(database, id)));
  const completion = verdict === null || verdict.outcome === 'ungraded' ? null : verdict.outcome === 'passed' ? 1 : 0;
  return {
    ...{ profile, alike, novelty, validity, completion },
    quality: qualityOf({ completion, validity: validity.validity, novelty }),
    place:
      placed === null
        ? null
        : { label: placed.cluster?.label ?? null, name: placed.cluster?.name ?? null, state: placed.state },
  };
}

function print(id: string, { profile, place, alike, novelty, validity, completion, quality }: Explained): void {
  console.log(`${id} of ${profile.task}`);
  if (profile.score === null)
    console.log(dim('no reference: proctor profile fit TASK --window NAME --reviewed makes one'));
  else printReasons(profile.score);
  if (place !== null)
    console.log(place.label === null ? 'in no cluster' : `cluster ${place.label} (${place.name}), ${place.state}`);
  const likest = alike.map(({ sessionId, likeness }) => `${sessionId} (${share(likeness)})`);
  console.log(
    likest.length === 0 ? 'no session is known that did much the same' : `did much the same: ${likest.join(', ')}`,
  );
  const { steps, repeated, looping, idle } = validity;
  console.log(`of ${steps} steps ${repeated} repeated an answer, ${looping} went round in a loop, ${idle} did nothing`);
  const parts = [
    `completion ${share(completion)}`,
    `validity ${share(validity.validity)}`,
    `novelty ${share(novelty)}`,
  ];
  console.log(`quality ${share(quality)}: ${parts.join(', ')}`);
}

function share(value: number | null): string {
  return value === null ? 'unknown' : value.toFixed(2);
}
