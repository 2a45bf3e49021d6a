import type {
  IsolationTier,
  Sandbox,
  SandboxDriver,
  SandboxLimits,
  SandboxRoot,
} from '../../platform/sandbox/sandbox.ts';
import type { GraderTools } from './grader-tools.ts';

/** Where the two sandboxes of a grade are made, from what, and what each may use. */
export interface FreshSandboxes {
  readonly driver: SandboxDriver;
  readonly tools: GraderTools;
  readonly root: SandboxRoot;
  /** What both stand behind at least: where tests cannot be kept apart, the artifact's programs run in either. */
  readonly isolation: IsolationTier;
  readonly limits: { readonly examiner: SandboxLimits; readonly candidate: SandboxLimits };
}

/** Makes a fresh examiner and a fresh candidate sandbox for `use`, and destroys both, whatever came of it. */
export async function inFreshSandboxes<T>(
  { driver, tools, root, isolation, limits }: FreshSandboxes,
  use: (examinerBox: Sandbox, candidate: Sandbox) => Promise<T>,
): Promise<T> {
  const opened: Sandbox[] = [];
  try {
    for (const side of ['examiner', 'candidate'] as const) {
      opened.push(await driver.create({ root, isolation, limits: limits[side], tools: tools[side] }));
    }
    const [examinerBox, candidate] = opened as [Sandbox, Sandbox];
    return await use(examinerBox, candidate);
  } finally {
    await Promise.all(opened.map((sandbox) => sandbox.destroy()));
  }
}
