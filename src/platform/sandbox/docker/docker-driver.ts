import { setTimeout as pause } from 'node:timers/promises';
import { ProctorError } from '../../base/errors.ts';
import { createCommandsDriver } from '../commands/commands-driver.ts';
import type { CommandHome, Entrance, Held, HoldHome, Launcher } from '../commands/launcher.ts';
import { processMark } from '../commands/process-mark.ts';
import type { ServiceFolder } from '../commands/service-folder.ts';
import type { LiveDriver } from '../live-sandbox.ts';
import { openContainer, removeContainer, type WaitingContainer } from './container.ts';
import { LABELS } from './container-plan.ts';
import { type Engine, type EngineFacts, openEngine, statusOf } from './engine.ts';
import { openFifoLink } from './fifo-link.ts';
import { holdInContainer } from './hold.ts';
import { type Images, openImages } from './images.ts';
import { probeDocker } from './probe.ts';

/** How a driver of containers is made. */
export interface DockerDriverOptions {
  readonly stateFolder: string;
  /** Of an engine on this machine: containers are shown folders of it. */
  readonly socketPath: string;
  /** By its name in `docker info`. */
  readonly runtime: string;
}

/** Sandboxes by a Docker engine: one container for each command, over the sandbox's own /work. Needs root. */
export function createDockerDriver({ stateFolder, ...options }: DockerDriverOptions): LiveDriver {
  return createCommandsDriver({ stateFolder, launcher: (service) => dockerLauncher(service, options) });
}

interface Parts {
  readonly engine: Engine;
  readonly images: Images;
  readonly service: ServiceFolder;
  readonly owner: string;
  readonly runtime: string;
  readonly facts: () => Promise<EngineFacts>;
  /** Ids of containers that this process knows. */
  readonly containers: Set<string>;
  /** Removes a container, or with a later reaping what could not be removed now. */
  readonly discard: (container: Pick<WaitingContainer, 'remove'>) => Promise<void>;
}

function dockerLauncher(service: ServiceFolder, options: { socketPath: string; runtime: string }): Launcher {
  const engine = openEngine(options.socketPath);
  const images = openImages(engine, service.etcFolder);
  const owner = processMark(process.pid) ?? '';
  const removals = openRemovals();
  const containers = new Set<string>();
  const parts: Parts = {
    ...{ engine, images, service, owner, containers, runtime: options.runtime, discard: removals.discard },
    facts: onceItWorks(() => engine.facts()),
  };
  return {
    name: 'docker',
    takesFiles: false,
    probe: (cgroups) => probeDocker({ engine, images, cgroups, runtime: options.runtime }),
    enter: (home) => enter(parts, home),
    hold: (home) => hold(parts, home),
    release: async (id) => void (id !== null && (await removeEnded(engine, id))),
    link: (helper) => openFifoLink(helper, service.folder),
    prepareRoot: images.of,
    async reap() {
      await removals.again();
      await removeOrphans(engine, { owner, containers });
    },
    close: () => removals.all(),
  };
}

/** The value of the first call that did not fail. */
function onceItWorks<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null;
  return () => {
    asked ??= ask().catch((thrown) => {
      asked = null;
      throw thrown;
    });
    return asked;
  };
}

/** A sandbox's first container is brought up to its gate while files are written; each further command gets a new one. */
function enter(parts: Parts, home: CommandHome): Entrance {
  /** Containers that no command has yet; whoever takes one out of here uses it or discards it. */
  const unused = new Set<Promise<WaitingContainer>>();
  const bring = () => {
    const opening = bringContainer(parts, home);
    unused.add(opening);
    opening.catch(() => unused.delete(opening));
    return opening;
  };
  let ahead: Promise<WaitingContainer> | null = bring();
  let isClosed = false;
  const take = async (opening: Promise<WaitingContainer>) => {
    const container = await opening;
    if (unused.delete(opening)) return container;
    throw new ProctorError('sandbox-failed', 'the sandbox is destroyed');
  };
  /** The one that was made ahead, unless it could not be or its engine was stopped since: then there may be another by now. */
  const next = async () => {
    const early = ahead;
    ahead = null;
    const waited = early && (await early.catch(() => null));
    if (early !== null && waited !== null) {
      await take(early);
      if (!waited.isLost()) return waited;
      parts.discard(waited);
    }
    if (isClosed) throw new ProctorError('sandbox-failed', 'the sandbox is destroyed');
    return take(bring());
  };
  return {
    async launch(command) {
      const container = await next();
      try {
        const launched = container.run(command);
        launched.gone.catch(() => undefined).finally(() => parts.discard(container));
        return launched;
      } catch (thrown) {
        parts.discard(container);
        throw thrown;
      }
    },
    async close() {
      isClosed = true;
      const left = [...unused];
      unused.clear();
      await Promise.all(left.map((opening) => opening.then(parts.discard, () => undefined)));
    },
  };
}

async function bringContainer(parts: Parts, home: CommandHome): Promise<WaitingContainer> {
  const { engine, owner, service, runtime, images, discard, containers } = parts;
  const [{ remapsUsers }, imageId] = await Promise.all([parts.facts(), images.of(home.root)]);
  const settings = { engine, home, imageId, runtime, remapsUsers, owner, folder: service.folder, containers, discard };
  return openContainer(settings).catch((thrown) => {
    if (statusOf(thrown) === 404) images.forget(home.root); // somebody has removed it
    throw thrown;
  });
}

async function hold({ engine, images, owner, runtime, facts }: Parts, home: HoldHome): Promise<Held> {
  const [{ remapsUsers }, imageId] = await Promise.all([facts(), images.of(home.root)]);
  return holdInContainer({ engine, home, imageId, runtime, remapsUsers, owner });
}

/** How often, and how soon again, a container is removed whose end the engine is still taking note of. */
const REMOVAL = { tries: 40, pauseMs: 50 };

/** Removes a container whose first process has just been ended: the engine answers with a conflict until it knows. */
async function removeEnded(engine: Engine, id: string): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await removeContainer(engine, id);
    } catch (thrown) {
      if (![409, 500].includes(statusOf(thrown) ?? 0) || tried === REMOVAL.tries) throw thrown;
      await pause(REMOVAL.pauseMs);
    }
  }
}

type Removable = Pick<WaitingContainer, 'remove'>;

/** Containers that are being removed, and those that could not be. */
function openRemovals() {
  const running = new Set<Promise<void>>();
  const failed = new Set<Removable>();
  const discard = (container: Removable) => {
    const removing = container.remove().then(
      () => void failed.delete(container),
      () => void failed.add(container),
    );
    running.add(removing);
    return removing.finally(() => running.delete(removing));
  };
  const all = async () => void (await Promise.all(running));
  return {
    discard,
    all,
    async again() {
      for (const container of failed) void discard(container);
      await all();
    },
  };
}

/** What an engine was asked for and answered too late is old by now. */
const LATE_MS = 120_000;

/** Removes containers whose service is dead, or whose pid is another's by now; of this one, those that it never knew. */
async function removeOrphans(
  engine: Engine,
  own: { readonly owner: string; readonly containers: ReadonlySet<string> },
): Promise<void> {
  const filters = { label: [LABELS.owner] };
  const found = await engine.ask('list containers', (docker) => docker.listContainers({ all: true, filters }));
  const orphans = found.filter(({ Id, Labels, Created, State }) => {
    // whoever clears its slot ends it, and then it is nobody's
    if (LABELS.outlives in Labels && State !== 'created') return State !== 'running';
    const owner = Labels[LABELS.owner] ?? '';
    if (owner === own.owner) return !own.containers.has(Id) && Created * 1_000 < Date.now() - LATE_MS;
    return processMark(Number(owner.split(':')[0])) !== owner;
  });
  for (const { Id } of orphans) await removeContainer(engine, Id).catch(() => undefined); // it stays for the next time
}
