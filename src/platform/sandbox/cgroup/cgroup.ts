/** Limits that a cgroup holds for all processes in it together. */
export interface CgroupLimits {
  readonly memoryBytes: number;
  readonly processes: number;
}

/** One cgroup (v2), or the same name under each controller (v1). */
export interface Cgroup {
  /** Moves a process in; its later children follow. */
  join(pid: number): void;
  /** Files to which a process writes its own pid to move in. */
  readonly joinPaths: readonly string[];
  cpuMs(): number;
  memoryPeakBytes(): number | null;
  /** How many processes the kernel has killed for lack of memory. */
  outOfMemoryKills(): number;
  freeze(): Promise<void>;
  thaw(): void;
  /** Pids now in it and below it, as this process sees them. */
  pids(): readonly number[];
  /** Sets its counters back for another sandbox with the same limits; false where they cannot be, or where it is in use. */
  renew(): boolean;
  /** Removes it with those below it; the processes must be gone. */
  remove(): void;
  /** Most processes that were in it at once; null where this kernel does not say. */
  processPeak(): number | null;
  /** One below it, whose processes are held to its limits too and are counted by themselves. */
  child(name: string): Cgroup;
  /**
   * A place for one process of ours that must not be ended for what the others use: it is frozen, ended and removed with
   * them, but memory that they fill is not its own.
   */
  exempt(): Cgroup;
  /** Ends all in it and below it, also what is frozen or forks meanwhile; resolves when none is left. */
  endAll(): Promise<void>;
}

/** Where sandboxes' cgroups are made on this machine. */
export interface CgroupHome {
  readonly version: 'v1' | 'v2';
  make(name: string, limits: CgroupLimits): Cgroup;
  /** Where this process makes them, for who clears away after it: another process's place may be another one. */
  readonly place: string;
  /** A cgroup made earlier, by this process or by one that died, at the place that was told of it. */
  reopen(name: string, place?: string): Cgroup;
}
