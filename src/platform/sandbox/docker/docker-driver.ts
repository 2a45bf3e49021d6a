import { ProctorError } from '../../base/errors.ts';
import { createCommandsDriver } from '../commands/commands-driver.ts';
import type { CommandHome, Entrance, Launcher } from '../commands/launcher.ts';
import { processMark } from '../commands/process-mark.ts';
import type { ServiceFolder } from '../commands/service-folder.ts';
import type { SandboxDriver } from '../sandbox.ts';
import { openContainer, removeContainer, type WaitingContainer } from './container.ts';
import { LABELS } from './container-plan.ts';
import { type Engine, type EngineFacts, openEngine } from './engine.ts';
import { openFifoLink } from './fifo-link.ts';
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
export function createDockerDriver({ stateFolder, ...options }: DockerDriverOptions): SandboxDriver {
  return createCommandsDriver({ stateFolder, launcher: (service) => dockerLauncher(service, options) });
}

interface Parts {
  readonly engine: Engine;
  readonly images: Images;
  readonly service: ServiceFolder;
  readonly owner: string;
  readonly runtime: string;
  readonly facts: () => Promise<EngineFacts>;
  /** Removes a container in the background, now or with a later reaping. */
  readonly discard: (container: WaitingContainer) => void;
}

function dockerLauncher(service: ServiceFolder, options: { socketPath: string; runtime: string }): Launcher {
  const engine = openEngine(options.socketPath);
  const images = openImages(engine, service.etcFolder);
  const owner = processMark(process.pid) ?? '';
  const removals = openRemovals();
  const parts: Parts = {
    ...{ engine, images, service, owner, runtime: options.runtime, discard: removals.discard },
    facts: onceItWorks(() => engine.facts()),
  };
  return {
    name: 'docker',
    takesFiles: false,
    probe: (cgroups) => probeDocker({ engine, images, cgroups, runtime: options.runtime }),
    enter: (home) => enter(parts, home),
    link: (helper) => openFifoLink(helper, service.folder),
    prepareRoot: images.of,
    async reap() {
      await removals.again();
      await removeOrphans(engine);
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
  const bring = async () => {
    const [facts, imageId] = await Promise.all([parts.facts(), parts.images.of(home.root)]);
    const { engine, owner, service, runtime } = parts;
    const { remapsUsers } = facts;
    return openContainer({ engine, home, imageId, runtime, remapsUsers, owner, folder: service.folder });
  };
  /** Containers that no command has yet; whoever takes one out of here uses it or discards it. */
  const unused = new Set<Promise<WaitingContainer>>();
  const keep = (opening: Promise<WaitingContainer>) => {
    unused.add(opening);
    opening.catch(() => unused.delete(opening));
    return opening;
  };
  let ahead: Promise<WaitingContainer> | null = keep(bring());
  const take = async () => {
    const opening = ahead ?? keep(bring());
    ahead = null;
    const container = await opening;
    if (!unused.delete(opening)) throw new ProctorError('sandbox-failed', 'the sandbox is destroyed');
    return container;
  };
  return {
    async launch(command) {
      let container = await take();
      if (container.isLost()) {
        parts.discard(container);
        container = await take();
      }
      const used = container;
      try {
        const launched = used.run(command);
        launched.gone.catch(() => undefined).finally(() => parts.discard(used));
        return launched;
      } catch (thrown) {
        parts.discard(used);
        throw thrown;
      }
    },
    async close() {
      const left = [...unused];
      unused.clear();
      for (const opening of left) await opening.then((container) => container.remove()).catch(() => undefined);
    },
  };
}

/** Containers that are being removed, and those that could not be. */
function openRemovals() {
  const running = new Set<Promise<void>>();
  const failed = new Set<WaitingContainer>();
  const discard = (container: WaitingContainer) => {
    const removing = container.remove().then(
      () => void failed.delete(container),
      () => void failed.add(container),
    );
    running.add(removing);
    removing.finally(() => running.delete(removing));
  };
  const all = async () => void (await Promise.all(running));
  return {
    discard,
    all,
    async again() {
      for (const container of failed) discard(container);
      await all();
    },
  };
}

/** Removes containers whose service is dead, or whose pid is another's by now. */
async function removeOrphans(engine: Engine): Promise<void> {
  const filters = { label: [LABELS.owner] };
  const found = await engine.ask('list containers', (docker) => docker.listContainers({ all: true, filters }));
  for (const { Id, Labels } of found) {
    const owner = Labels[LABELS.owner] ?? '';
    if (processMark(Number(owner.split(':')[0])) === owner) continue;
    await removeContainer(engine, Id).catch(() => undefined); // it stays for the next time
  }
}
