import { z } from 'zod';
import { DIGEST_PATTERN } from '../../platform/base/digest.ts';
import { idPattern } from '../../platform/base/ids.ts';
import { LEFT_BEHIND_REASONS, REFUSAL_REASONS } from '../artifact/artifact.ts';
import { INTEGRITIES, OUTCOMES, VERDICT_FAULTS } from '../verdict/verdict.ts';

/** The only format that this version writes and reads. */
export const EVIDENCE_FORMAT = 'proctor/evidence/1';

const digest = z.string().regex(DIGEST_PATTERN, 'must be "sha256:" and 64 hexadecimal digits');
/** One spelling for the same bytes, so that no digit of a record can be changed without being noticed. */
const base64 = z
  .string()
  .max(1_000)
  .refine((text) => Buffer.from(text, 'base64').toString('base64') === text, 'must be base64 in its canonical form');
const word = z.string().regex(/^[\w.+-]{1,100}$/, 'must be letters, digits, dots, dashes, underscores and plus signs');
const milliseconds = z.number().min(0);

/** As in the artifact stage, but nothing unknown is let through: its digest is computed again from what stands here. */
const manifestSchema = z.strictObject({
  format: z.literal('proctor/artifact/1'),
  files: z.array(z.strictObject({ path: z.string(), mode: z.int(), size: z.int().min(0), blob: digest })),
  leftBehind: z.array(z.strictObject({ path: z.string(), reason: z.enum(LEFT_BEHIND_REASONS), detail: z.string() })),
  counts: z.partialRecord(z.enum(LEFT_BEHIND_REASONS), z.int()),
  refusal: z.strictObject({ reason: z.enum(REFUSAL_REASONS), detail: z.string() }).nullable(),
});

const inputsSchema = z.strictObject({
  task: digest,
  instance: digest,
  snapshot: z.strictObject({ name: z.string(), digest, pinned: z.boolean() }).nullable(),
  grader: z.strictObject({ name: z.string(), digest }),
});

export const evidenceContentSchema = z.strictObject({
  position: z.int().min(1).describe('place in the chain of this service, from 1, without gaps'),
  previous: digest.nullable().describe('digest of the record before; null for the first'),
  createdAt: z.iso.datetime({ precision: 3 }),
  verdict: z.strictObject({
    id: z.string().regex(idPattern('ver')),
    digest,
    outcome: z.enum(OUTCOMES),
    integrity: z.enum(INTEGRITIES),
    fault: z.enum(VERDICT_FAULTS),
    score: z.number().min(0).max(1),
  }),
  ruling: z
    .strictObject({
      id: z.string().regex(idPattern('rul')),
      digest,
      amends: z.strictObject({ id: z.string().regex(idPattern('ver')), digest }),
    })
    .optional()
    .describe('of a verdict that a person amended: the ruling, and the verdict before'),
  submission: z.strictObject({
    id: z.string().regex(idPattern('sub')),
    instanceId: z.string().regex(idPattern('inst')),
  }),
  artifact: z.strictObject({
    stored: digest.describe('digest of the manifest as it was stored, before grading'),
    graded: digest
      .nullable()
      .describe('digest of the manifest that the grader was given; null when nothing was graded'),
    files: z.int().min(0),
    bytes: z.int().min(0),
    manifest: manifestSchema,
  }),
  inputs: inputsSchema.nullable().describe('what it was graded against; null when nothing was graded'),
  grade: z.strictObject({
    id: z.string().regex(idPattern('grade')),
    digest,
    phases: z
      .record(z.string(), milliseconds)
      .nullable()
      .describe('milliseconds by phase; null when nothing was graded'),
  }),
  screening: digest.nullable(),
  service: z
    .strictObject({ name: word, version: word, driver: word, worker: z.string().regex(idPattern('wrk')) })
    .describe('the program that judged and sealed; worker is a random id of its process'),
});

export const evidenceRecordSchema = z.strictObject({
  format: z.literal(EVIDENCE_FORMAT),
  content: evidenceContentSchema,
  digest: digest.describe('of the canonical JSON (RFC 8785) of {content, format}'),
  signature: z.strictObject({
    algorithm: z.literal('ed25519'),
    keyId: digest.describe('of the bytes of publicKey'),
    publicKey: base64.describe('SubjectPublicKeyInfo (DER)'),
    value: base64.describe('over the ASCII text of digest'),
  }),
});

/** What a record says: what was copied, what it was graded against and by whom, and which record stands before it. */
export type EvidenceContent = z.infer<typeof evidenceContentSchema>;

/** Content, its digest, and a signature over the digest. One for each verdict; never changed. */
export type EvidenceRecord = z.infer<typeof evidenceRecordSchema>;

/** Where the next record of a chain stands. */
export type ChainPlace = Pick<EvidenceContent, 'position' | 'previous'>;
