import type { LiveDriver, LiveSandbox } from '../../platform/sandbox/live-sandbox.ts';
import type { SandboxLimits } from '../../platform/sandbox/sandbox.ts';
import type { Snapshot, Snapshots } from '../../platform/snapshots/snapshots.ts';
import type { Instance } from '../instance/instance.ts';
import type { Task, TaskDefinition } from '../task/task.ts';
import { budgetsOf, lifeMsOf } from './session.ts';

const MEBIBYTE = 1024 ** 2;

/** Where workspaces come from. */
export interface WorkspaceParts {
  readonly driver: LiveDriver;
  readonly snapshots: Snapshots;
}

/** Folders of the host that are copied and shown read-only beneath `/proctor/`, by name. */
export type Tools = Readonly<Record<string, string>>;

/** A workspace sandbox with an instance's files in it, in which nothing has run. */
export interface Workspace {
  readonly sandbox: LiveSandbox;
  readonly snapshot: Snapshot;
}

/** Makes a workspace for an instance from its task's snapshot. Nothing is left when it rejects. */
export async function openWorkspace(
  { driver, snapshots }: WorkspaceParts,
  { task, instance, tools }: { readonly task: Task; readonly instance: Instance; readonly tools: Tools },
): Promise<Workspace> {
  const { definition } = task;
  const snapshot = await snapshots.resolve(definition.proctor.snapshot);
  const lifeMs = lifeMsOf(budgetsOf(definition));
  const limits = workspaceLimits(definition, lifeMs);
  const sandbox = await driver.open({
    root: snapshot.root,
    isolation: definition.proctor.isolation,
    limits,
    lifeMs,
    tools,
  });
  try {
    for (const { path, bytes, mode } of instance.files) await sandbox.writeFile(path, bytes, mode);
    return { sandbox, snapshot };
  } catch (thrown) {
    await sandbox.destroy();
    throw thrown;
  }
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
