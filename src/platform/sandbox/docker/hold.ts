import type { Held, HoldHome } from '../commands/launcher.ts';
import { holdArguments, untilHeld } from '../live/hold-script.ts';
import { confirmFirst, removeContainer, startContainer } from './container.ts';
import { containerOf } from './container-plan.ts';
import type { Engine } from './engine.ts';

/** NEWNS NEWUTS NEWIPC NEWPID NEWNET (linux/sched.h): what a container has of its own. */
const NAMESPACES = 0x6c020000;

/** What held containers are made with. */
export interface HoldParts {
  readonly engine: Engine;
  readonly home: HoldHome;
  readonly imageId: string;
  readonly runtime: string;
  readonly remapsUsers: boolean;
  /** The mark of this process. */
  readonly owner: string;
}

/** Starts a container whose first process only holds it, and that outlives this process. */
export async function holdInContainer(parts: HoldParts): Promise<Held> {
  const { engine, home } = parts;
  const given = { ...home, hasFilter: true };
  const plan = containerOf({ ...parts, home: given, linkFolder: null, program: holdArguments(), outlives: true });
  const { id } = await engine.ask('make a container', (docker) => docker.createContainer(plan));
  try {
    const { pid } = await startContainer({ engine, id });
    const first = confirmFirst(pid, home.uid);
    home.cgroup.join(first.pid);
    await untilHeld(first);
    return { first, namespaces: NAMESPACES, uidInside: home.uid, handle: id };
  } catch (thrown) {
    await removeContainer(engine, id).catch(() => undefined); // with its first process it goes by itself
    throw thrown;
  }
}
