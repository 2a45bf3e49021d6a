import type { Sandbox, SandboxDriver } from '../../platform/sandbox/sandbox.ts';
import type { InstanceRow } from '../instance/instance.ts';
import type { Task } from '../task/task.ts';
import type { ASSURANCES, CaseResult, Siblings, Witness } from './grade.ts';

/** Two fresh sandboxes, the artifact in one of them, and the hidden tests still outside of both. */
export interface HiddenRun {
  readonly task: Task;
  /** With the parameters that were drawn for this artifact. */
  readonly instance: InstanceRow;
  /** Draws the hidden cases. */
  readonly hiddenSeed: string;
  readonly driver: SandboxDriver;
  readonly examinerBox: Sandbox;
  readonly candidate: Sandbox;
  /** Keeps the end of what the candidate wrote to standard error. */
  readonly keepStderr: (bytes: Buffer) => void;
  /** Ends a phase of the grade, by name. */
  readonly endPhase: (name: string) => void;
}

/** What came of the hidden tests. */
export interface HiddenResult {
  /** Every required test, in order. */
  readonly required: readonly string[];
  readonly results: readonly CaseResult[];
  readonly assurance: (typeof ASSURANCES)[number];
  /** Where tests and candidate shared a sandbox: how it was watched. */
  readonly witness?: Witness;
  /** Runs examples like those that its subject was shown; to be called once all else was measured, and counts for no score. */
  readonly siblings?: () => Promise<Siblings | null>;
}

/**
 * Runs a task's hidden tests. Whatever the candidate does is in the results; it rejects only for faults of the task and the
 * platform, with `details.phase` `candidate` once the candidate's code had begun to run.
 */
export type RunHidden = (run: HiddenRun) => Promise<HiddenResult>;
