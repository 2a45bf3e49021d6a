import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';
import { techniqueSchema } from './technique.ts';

/** Why a case is open: a rule asks always, a draw of what a rule samples, a draw among the clean, somebody objects. */
export const CAUSES = ['always', 'sampled', 'control', 'appeal'] as const;
export type Cause = (typeof CAUSES)[number];

/** What a person may say of a hand-in. All but `unsure` close the case and amend the verdict. */
export const RULINGS = ['cheat', 'honest', 'task-defect', 'environment-fault', 'unsure'] as const;
export type Ruling = (typeof RULINGS)[number];

/** How long a case is somebody's without a sign of work on it. */
export const CLAIM_MINUTES = 15;
/** How long a ruling can be undone by who gave it; afterwards it can be appealed. */
export const UNDO_MINUTES = 60;
/** Appeals of one hand-in, at most. */
export const MAX_APPEALS = 3;
/** Of a note or the words of an appeal, in UTF-16 units. */
export const MAX_NOTE_LENGTH = 4_000;
/** How far back a dashboard looks. */
export const MAX_DASHBOARD_DAYS = 90;
/** Of the names of reviewers. */
export const MAX_NAME_LENGTH = 200;

const share = z.number().min(0).max(1);

export const caseRowSchema = z.object({
  id: z.string().regex(idPattern('case')),
  artifactId: z.string().regex(idPattern('sub')),
  /** The verdict that it was opened on; rulings amend the one that stands by then. */
  verdictId: z.string().regex(idPattern('ver')),
  decisionId: z.string().regex(idPattern('dec')),
  runId: z.string().nullable(),
  /** Name of its task. */
  task: z.string(),
  cause: z.enum(CAUSES),
  /** One sentence for people; may quote a caller. */
  why: z.string(),
  severity: share,
  uncertainty: share,
  /** Key of what is alike: one ruling may serve all that share it. */
  group: z.string(),
  openedAt: z.date(),
  /** The ruling that stands; `unsure` on an open case: a second person is asked. Null: none. */
  ruling: z.enum(RULINGS).nullable(),
  closedAt: z.date().nullable(),
  /** Null when nobody has it, or the claim has run out. */
  claimedBy: z.string().nullable(),
  claimedUntil: z.date().nullable(),
  /** Open cases of its group, this one included while it is open. */
  waiting: z.int().min(0),
  /** See `priority.ts`. */
  priority: z.number().min(0),
});
/** A case for a person, as it stands. */
export type CaseRow = Readonly<z.infer<typeof caseRowSchema>>;

/** What a new case says of itself. */
export type NewCase = Readonly<
  Pick<
    CaseRow,
    'artifactId' | 'verdictId' | 'decisionId' | 'cause' | 'why' | 'severity' | 'uncertainty' | 'group' | 'task'
  >
>;

export const rulingRowSchema = z.object({
  id: z.string().regex(idPattern('rul')),
  caseId: z.string().regex(idPattern('case')),
  ruling: z.enum(RULINGS),
  /** Of the catalogue; for a cheat, null otherwise. */
  technique: z.string().nullable(),
  note: z.string(),
  /** Name of the API key or the login. */
  reviewer: z.string(),
  /** One of many that were ruled together. */
  bulk: z.boolean(),
  /** The ruling that this one takes back; it then repeats what was ruled. Null for a ruling proper. */
  undoes: z.string().regex(idPattern('rul')).nullable(),
  at: z.date(),
  digest: digestSchema,
});
/** One ruling, as stored. */
export type RulingRow = Readonly<z.infer<typeof rulingRowSchema>>;

/** What a reviewer says. */
export const rulingRequestSchema = z
  .object({
    ruling: z.enum(RULINGS),
    technique: techniqueSchema.nullable().default(null),
    note: z.string().max(MAX_NOTE_LENGTH).default(''),
  })
  .refine(({ ruling, technique }) => (ruling === 'cheat') === (technique !== null), {
    message: 'a cheat needs its technique, and nothing else has one',
    path: ['technique'],
  });
/** What a reviewer says of one case or of many. */
export type RulingRequest = Readonly<z.infer<typeof rulingRequestSchema>>;

/** What a ruling changed; null where it changed nothing. For whoever tells trainers. */
export interface Amended {
  readonly verdictId: string;
  readonly rewardId: string;
  readonly artifactId: string;
  readonly runId: string | null;
}
