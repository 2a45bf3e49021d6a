/** A piece of due work: the name of a step and the id that it works on. Never more: the database holds the rest. */
export interface Job {
  readonly step: string;
  readonly id: string;
  /** Jobs of one group do not keep those of another waiting: groups take turns. */
  readonly group?: string;
}

/** Carries ids to workers. It may lose or repeat them: the sweep finds what is due, and every step can be repeated. */
export interface Queue {
  /** Whether other processes take what is enqueued here. */
  readonly shared: boolean;
  enqueue(job: Job): Promise<void>;
  /** Starts handing jobs to `handle`, at most `concurrency` at once. A handler must not throw. */
  process(handle: (job: Job) => Promise<void>, options: { concurrency: number }): void;
  /** While held no further job is handed to this process's handler; those of others are. */
  hold(isHeld: boolean): void;
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>;
  /** Jobs waiting and running. */
  depth(): Promise<{ waiting: number; running: number }>;
  /** Takes no more jobs and waits for those that run. */
  close(): Promise<void>;
}
