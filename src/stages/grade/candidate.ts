import { codeByContent } from '../../platform/base/beneath.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Ending, Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { Manifest } from '../artifact/artifact.ts';
import type { TaskDefinition } from '../task/task.ts';
import type { Examiner } from './examiner.ts';
import type { CaseResult } from './grade.ts';

/** What a grader gets to work with. */
export interface GraderRun {
  readonly candidate: Sandbox;
  readonly examiner: Examiner;
  readonly definition: TaskDefinition;
  /** `performance.now()` after which no further case is started. */
  readonly deadlineMs: number;
  /** Keeps the end of what the candidate wrote to standard error. */
  readonly keepStderr: (bytes: Buffer) => void;
}

/** Runs all cases of one kind of task. Whatever the candidate does is in the results; errors are the platform's. */
export type Grader = (run: GraderRun) => Promise<readonly CaseResult[]>;

/** Writes into the candidate's sandbox; gives what its folder refused, in words, or null. */
export async function tryWrite(write: () => Promise<void>): Promise<string | null> {
  try {
    await write();
    return null;
  } catch (thrown) {
    return `the work folder refused a file (${codeByContent(thrown)})`;
  }
}

/** Places the artifact's files in a fresh sandbox; gives why they do not fit, or null. */
export async function placeArtifact(sandbox: Sandbox, manifest: Manifest, blobs: Blobs): Promise<string | null> {
  for (const file of manifest.files) {
    const bytes = await blobs.get(file.blob);
    const refused = await tryWrite(() => sandbox.writeFile(file.path, bytes, file.mode));
    if (refused !== null) return `${refused}: the artifact does not fit into the task's storage`;
  }
  return null;
}

/** How a case ended in which the candidate gave no answer. */
export function statusOf(ending: Ending): CaseResult['status'] {
  return ending.kind === 'timed-out' ? 'timed-out' : 'crashed';
}

/** An ending in words, for notes. */
export function describeEnding(ending: Ending): string {
  switch (ending.kind) {
    case 'exited':
      return `ended with exit code ${ending.code}`;
    case 'signalled':
      return `was ended by signal ${ending.signal}`;
    case 'timed-out':
      return `ran out of ${ending.clock} time`;
    case 'out-of-memory':
      return 'ran out of memory';
    case 'too-much-output':
      return 'wrote more output than is allowed';
    case 'stopped':
      return 'was stopped';
  }
}
