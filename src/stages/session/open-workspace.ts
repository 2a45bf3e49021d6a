import type { LiveDriver, LiveSandbox, LiveSpec } from '../../platform/sandbox/live-sandbox.ts';
import type { SandboxLimits } from '../../platform/sandbox/sandbox.ts';
import type { Snapshot, Snapshots } from '../../platform/snapshots/snapshots.ts';
import type { TaskDefinition } from '../task/task.ts';
import { type PreparedNetwork, prepareNetwork } from './network.ts';
import { budgetsOf, lifeMsOf } from './session.ts';
import { verifyOffline } from './verify-offline.ts';

const MEBIBYTE = 1024 ** 2;

/** Where workspaces come from. */
export interface WorkspaceParts {
  readonly driver: LiveDriver;
  readonly snapshots: Snapshots;
}

/** Folders of the host that are copied and shown read-only beneath `/proctor/`, by name. */
export type Tools = Readonly<Record<string, string>>;

/** What a workspace is made of, apart from the files of its instance. */
export interface WorkspacePlan {
  readonly definition: TaskDefinition;
  readonly tools: Tools;
  readonly hasGateway: boolean;
}

/** A workspace sandbox in which nothing has run and that was shown to reach nothing. */
export interface Workspace {
  readonly sandbox: LiveSandbox;
  readonly snapshot: Snapshot;
  readonly network: PreparedNetwork;
  destroy(): Promise<void>;
}

/** Makes a workspace from its task's snapshot. Nothing is left when it rejects. */
export async function openWorkspace({ driver, snapshots }: WorkspaceParts, plan: WorkspacePlan): Promise<Workspace> {
  const { definition, tools, hasGateway } = plan;
  const snapshot = await snapshots.resolve(definition.proctor.snapshot);
  const sandbox = await driver.open({ root: snapshot.root, tools, ...liveSpecOf(definition) });
  try {
    const network = await prepareNetwork({ pid: sandbox.place.first.pid, hasGateway, isWatched: false });
    const destroy = async () => {
      network.close();
      await sandbox.destroy();
    };
    await verifyOffline(sandbox).catch((thrown) => {
      network.close();
      throw thrown;
    });
    return { sandbox, snapshot, network, destroy };
  } catch (thrown) {
    await sandbox.destroy();
    throw thrown;
  }
}

/** What is the same for workspaces that can stand for each other. */
export function liveSpecOf(definition: TaskDefinition): Omit<LiveSpec, 'root' | 'tools'> {
  const lifeMs = lifeMsOf(budgetsOf(definition));
  const { isolation } = definition.proctor;
  return { isolation, limits: workspaceLimits(definition, lifeMs), lifeMs, cpus: definition.environment.cpus };
}

/** What the task allows a workspace; time and output are the session's budgets. */
function workspaceLimits({ environment, proctor, agent }: TaskDefinition, lifeMs: number): SandboxLimits {
  return {
    wallMs: lifeMs,
    cpuMs: agent.timeout_sec * 1000 * environment.cpus,
    memoryBytes: environment.memory_mb * MEBIBYTE,
    processes: proctor.max_processes,
    outputBytes: proctor.max_output_bytes,
    fileBytes: environment.storage_mb * MEBIBYTE,
    diskBytes: environment.storage_mb * MEBIBYTE,
  };
}
