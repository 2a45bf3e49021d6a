/** What is carried along a log. */
export interface LogSums {
  /** When programs that still run were started, by process. */
  readonly startsMs: Map<number, number>;
  /** Programs that were started when no step was being made; those before another step are background work. */
  readonly lateAt: { readonly seq: number; readonly atMs: number }[];
  steps: number;
  lastStepEndMs: number;
  longestProcessMs: number;
  isRecorded: boolean;
  isWhole: boolean;
}
