import { z } from 'zod';

const count = z.int().min(1);
const when = {
  /** Start of the (first) call, epoch milliseconds, with a fraction where the backend knows it. */
  atMs: z.number(),
  /** The process (thread) as the host numbers it. */
  pid: z.int(),
  /** `ok`, the errno name such as `ENOENT`, or `unfinished` for a call that was still running at the end. */
  outcome: z.string().max(40),
};
const file = {
  ...when,
  /** Where it happened: the path of the returned descriptor if there is one, else the asked path made absolute (links not followed). */
  path: z.string(),
  /** The path that was asked for, where that is another one (a link, or a path that was swapped meanwhile). */
  asked: z.string().optional(),
  /** The path was relative and its folder had to be inferred, or could not be read at all. */
  guessed: z.literal(true).optional(),
  /** The file had no name any more when it was opened. */
  deleted: z.literal(true).optional(),
  /** How many equal events (type, path, outcome) this one stands for. */
  count,
};
const network = {
  ...when,
  /** `inet`, `inet6`, `unix`, `netlink`, or another family by its name. */
  family: z.string().max(40),
  address: z.string(),
  port: z.int().nullable(),
  count,
};

/** One thing that a recorder saw, whatever its backend. Text in it is the agent's: material, never trusted. */
export const recordedEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('process.executed'),
    ...when,
    path: z.string(),
    asked: z.string().optional(),
    guessed: z.literal(true).optional(),
    argv: z.array(z.string().max(1000)).max(64),
    /** Arguments were left off, or one was shortened. */
    argvCut: z.boolean(),
    /** How many equal executions (path, arguments, outcome) this one stands for; `atMs` and `pid` are the first one's. */
    count,
  }),
  z.object({ type: z.literal('process.ended'), ...when, code: z.int().nullable(), signal: z.string().nullable() }),
  z.object({ type: z.literal('file.read'), ...file }),
  z.object({ type: z.literal('file.written'), ...file }),
  z.object({ type: z.literal('file.removed'), ...file }),
  z.object({ type: z.literal('file.renamed'), ...file, to: z.string() }),
  /** `path` is the new name, `to` what it names (of a symbolic link: its text as given). */
  z.object({ type: z.literal('file.linked'), ...file, to: z.string() }),
  z.object({ type: z.literal('folder.made'), ...file }),
  /** Mode, owner, size or times by name. */
  z.object({ type: z.literal('file.changed'), ...file }),
  z.object({ type: z.literal('network.connect'), ...network }),
  z.object({ type: z.literal('network.bind'), ...network }),
  z.object({ type: z.literal('network.sent'), ...network }),
  z.object({
    type: z.literal('signal.sent'),
    ...when,
    /** As the sender numbers it: inside a pid namespace that is not a host pid. 0 also where only a descriptor names it. */
    target: z.int(),
    /** The descriptor that names the target, where no number does. */
    descriptor: z.string().max(100).optional(),
    signal: z.string().max(40),
    count,
  }),
  z.object({ type: z.literal('call.refused'), ...when, call: z.string().max(60), args: z.array(z.string()), count }),
]);

/** One recorded event; see {@link recordedEventSchema}. */
export type RecordedEvent = Readonly<z.infer<typeof recordedEventSchema>>;

/** What a recorder tells of one step. */
export const stepRecordSchema = z.object({
  backend: z.enum(['strace', 'ebpf', 'none']),
  /** Nothing that the backend records is missing, apart from `cut` and `misses`. */
  complete: z.boolean(),
  /** Why it is not complete, and what else a reader must know; for people. */
  problems: z.array(z.string()),
  /** In the order of their start. */
  events: z.array(recordedEventSchema),
  /** Events that were not kept because of the bound. */
  cut: z.int(),
  /** Failed look-ups (`ENOENT`) beyond the few that are kept: the noise of library and PATH searches. */
  misses: z.int(),
  /** How often each system call was seen, by name. */
  calls: z.record(z.string(), z.int()),
  /** Distinct processes and threads. */
  processes: z.int(),
  /** Successful executions. */
  executed: z.int(),
});

/** What a recorder tells of one step. */
export type StepRecord = Readonly<z.infer<typeof stepRecordSchema>>;
