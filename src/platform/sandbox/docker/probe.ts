import { messageOf, ProctorError } from '../../base/errors.ts';
import type { CgroupHome } from '../cgroup/cgroup.ts';
import { heldLimits } from '../commands/launcher.ts';
import type { Capabilities, IsolationTier } from '../sandbox.ts';
import { removeContainer } from './container.ts';
import { type Engine, tierOf } from './engine.ts';
import type { Images } from './images.ts';

/** Why a runtime of a stronger tier is not used, though it isolates better; docs/decisions/0013-docker.md says what was tried. */
const UNUSED: Partial<Record<IsolationTier, string>> = {
  'user-space-kernel':
    'its kernel counts among the processes and the memory of the sandbox, and lets a program end the first process of its container',
  'micro-vm': 'folders and FIFOs of this machine do not reach a virtual machine as they are',
};

interface Probed {
  readonly engine: Engine;
  readonly images: Images;
  readonly cgroups: CgroupHome | null;
  readonly runtime: string;
}

/** Finds out by trying what the engine can do here; `remarks` say what to do about what it cannot. */
export async function probeDocker(probed: Probed): Promise<Capabilities> {
  const { faults, remarks } = await examine(probed).catch((thrown) => ({
    ...{ faults: [messageOf(thrown)], remarks: [] },
  }));
  const { cgroups } = probed;
  return {
    driver: 'docker',
    usable: faults.length === 0,
    remarks: faults.length > 0 ? faults : remarks,
    cgroup: cgroups?.version ?? 'none',
    limits: heldLimits(cgroups, true),
    isolation: 'container',
    freeze: cgroups !== null,
    ownUid: true,
    seccomp: process.arch === 'x64',
  };
}

interface Found {
  readonly faults: readonly string[];
  readonly remarks: readonly string[];
}

async function examine({ engine, images, cgroups, runtime }: Probed): Promise<Found> {
  if (process.getuid?.() !== 0) return refused('the docker driver needs root: run as root or with sudo');
  if (cgroups === null) return refused('the docker driver needs a writable cgroup tree, which this machine has not');
  const { runtimes, remapsUsers } = await engine.facts();
  if (!runtimes.includes(runtime)) {
    return refused(
      `the Docker engine has no runtime ${JSON.stringify(runtime)} (it has: ${runtimes.join(', ')}); add it to daemon.json, or set PROCTOR_DOCKER_RUNTIME`,
    );
  }
  const reason = UNUSED[tierOf(runtime)];
  if (reason !== undefined) {
    return refused(`the docker driver does not use ${runtime}: ${reason}; set PROCTOR_DOCKER_RUNTIME to runc`);
  }
  await tryRuntime(engine, { runtime, imageId: await images.of({ kind: 'host' }) });
  const remarks = [
    ...(remapsUsers ? ['userns-remap is left aside: every sandbox has a uid of its own already'] : []),
    ...(process.arch === 'x64' ? [] : [`no system call filter for ${process.arch}: only x64 has one`]),
  ];
  return { faults: [], remarks };
}

function refused(fault: string): Found {
  return { faults: [fault], remarks: [] };
}

/** Runs one program to its end; rejects with what the engine said. */
async function tryRuntime(engine: Engine, { runtime, imageId }: { runtime: string; imageId: string }): Promise<void> {
  const made = await engine.ask('make a container', (docker) =>
    docker.createContainer({
      Image: imageId,
      Cmd: ['/usr/bin/true'],
      HostConfig: {
        Runtime: runtime,
        NetworkMode: 'none',
        Binds: ['/usr:/usr:ro'],
        LogConfig: { Type: 'none', Config: {} },
      },
    }),
  );
  try {
    await engine.ask(`start a container with ${runtime}`, (docker) => docker.getContainer(made.id).start());
    const { StatusCode } = await engine.ask('wait for a container', (docker) => docker.getContainer(made.id).wait());
    if (StatusCode !== 0)
      throw new ProctorError('sandbox-failed', `/usr/bin/true ended with ${StatusCode} in ${runtime}`);
  } finally {
    await removeContainer(engine, made.id);
  }
}
