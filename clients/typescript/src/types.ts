/** One output of an action: whole, or its beginning and its end around a marker. */
export interface Output {
  readonly name: 'stdout' | 'stderr' | 'content';
  readonly text: string;
  readonly bytes: number;
  /** Bytes that are not shown; look here before a file's content is written back. */
  readonly left_out: number;
  readonly sha256: string | null;
}

/** What an action came to. */
export interface Observation {
  /** Null where the action was not made, because a budget was used up. */
  readonly step: number | null;
  readonly environment: string;
  readonly action: string;
  readonly status: 'ok' | 'failed' | 'timed-out' | 'out-of-memory' | 'too-much-output' | 'stopped' | 'budget-reached';
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly outputs: readonly Output[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly feedback: {
    readonly wall_ms: number;
    readonly steps_left: number | null;
    readonly active_ms_left: number;
    readonly budget_reached: string | null;
  };
}

/** The text of one output of an observation; empty when there is none. */
export function textOf({ outputs }: Pick<Observation, 'outputs'>, name: Output['name'] = 'stdout'): string {
  return outputs.find((output) => output.name === name)?.text ?? '';
}

/** A session as it was opened. */
export interface SessionInfo {
  readonly session_id: string;
  readonly instance_id: string;
  readonly origin: 'workspace' | 'self-reported';
  /** Null where it was told already. */
  readonly instruction: string | null;
  readonly driver: string | null;
  readonly snapshot: { readonly name: string; readonly digest: string; readonly pinned: boolean } | null;
  readonly recorder: { readonly backend: string; readonly version: string | null };
  readonly budgets: {
    readonly steps: number | null;
    readonly active_ms: number;
    readonly output_bytes: number;
    readonly tokens: number | null;
  };
  readonly created_at: string;
}

/** How a session ended. */
export interface End {
  readonly session_id: string;
  /** What was handed in; null: nothing. */
  readonly submission_id: string | null;
  readonly outcome: 'finished' | 'abandoned' | 'failed';
  readonly fault: string;
  readonly reason: string | null;
  readonly retry: boolean;
  readonly steps: number;
  readonly events: number;
  readonly log: string;
  readonly archive: string;
}

/** One event of a session's log. */
export interface SessionEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly step: number | null;
  readonly message_id: string | null;
  readonly outcome: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly digest: string;
}

/** What a stream tells. Output comes only while the stream is a WebSocket. */
export type StreamItem =
  | { readonly kind: 'event'; readonly event: SessionEvent }
  | { readonly kind: 'output'; readonly stream: 'stdout' | 'stderr'; readonly base64: string }
  | { readonly kind: 'end'; readonly end: End };

/** An instance of a task: for sessions that run in a sandbox of your own. */
export interface Instance {
  readonly instance_id: string;
  readonly task_digest: string;
  readonly digest: string;
  readonly difficulty: string | null;
  readonly instruction: string;
  /** Variables for the shell in which the agent works. */
  readonly environment: Readonly<Record<string, string>>;
  readonly files: readonly { readonly path: string; readonly executable: boolean; readonly content_base64: string }[];
}

/** What was handed in, and how far the work on it is. */
export interface Submission {
  readonly submission_id: string;
  readonly instance_id: string;
  readonly artifact_digest: string;
  readonly files: number;
  readonly left_behind: readonly { readonly path: string; readonly reason: string }[];
  readonly refusal: { readonly reason: string; readonly detail: string } | null;
  readonly status: 'pending' | 'scored' | 'quarantined' | 'unscored';
  readonly verdict_id: string | null;
}

/** A reward item. Learn from it only when its status is `scored` and `mask_sample` is false: an outage is never a zero. */
export interface Reward {
  readonly id: string;
  readonly status: 'scored' | 'quarantined' | 'unscored' | 'pending';
  readonly reward: number;
  readonly score: number;
  readonly reward_components: Readonly<Record<string, number>>;
  readonly train_weight: number;
  readonly mask_sample: boolean;
  readonly failure_kind: string;
  readonly failure_reason: string;
  readonly fault: string;
  readonly outcome: string;
  readonly integrity: string;
  readonly assurance: string;
  readonly flags: readonly string[];
  readonly metrics: { readonly cases_passed: number; readonly cases_total: number };
  readonly group: { readonly n_valid: number; readonly advice: string; readonly neutral_reward: number };
  readonly verdict_id: string;
  readonly evidence_uri: string;
  readonly cached: boolean;
  readonly latency_ms: number;
}

/** A way to act, with a JSON Schema of each action's parameters. */
export interface Environment {
  readonly name: string;
  readonly actions: readonly { readonly name: string; readonly about: string; readonly parameters: unknown }[];
}

/** One step. */
export interface Action {
  readonly environment: string;
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a harness notes beside a step. */
export interface Note {
  /** Of the agent's message that asked for it; stands in the log. */
  readonly messageId?: string;
  /** Used since the last step. */
  readonly tokens?: number;
}

/** How an instance is drawn. */
export interface DrawOptions {
  readonly seed?: string;
  /** A level of the task's; without it one is drawn. */
  readonly difficulty?: string;
  /** To learn from (the default; retired seeds are refused), or only to be measured by. */
  readonly phase?: 'train' | 'eval';
}

/** What a session is opened on: a new instance of a task, or an instance that is there. */
export type OpenRequest = (
  | ({ readonly task: string } & DrawOptions)
  | ({ readonly instanceId: string; readonly task?: never } & Pick<DrawOptions, 'phase'>)
) & { readonly idempotencyKey?: string };

/** A session that ran elsewhere. */
export interface ImportRequest {
  readonly instanceId: string;
  /** Content by path: the workspace as the agent left it. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly executable?: readonly string[];
  readonly steps: readonly {
    readonly at?: string;
    readonly message_id?: string;
    readonly action: Readonly<Record<string, unknown>>;
    readonly observation: Readonly<Record<string, unknown>>;
  }[];
  readonly idempotencyKey?: string;
}
