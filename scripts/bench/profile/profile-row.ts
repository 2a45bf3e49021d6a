/** A line of this bench that is a share, a count or a time, and no work item that was timed. */
export interface ProfileRow {
  readonly name: string;
  readonly value: number | null;
  /** Of how many. */
  readonly n: number;
  readonly hits?: number;
  /** The exact binomial interval at 95 %. */
  readonly low?: number;
  readonly high?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly note?: string;
}
