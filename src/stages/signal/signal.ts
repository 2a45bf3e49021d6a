import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';

/**
 * How much a signal weighs: `note` is for the record (honest work does this too), `suspect` makes integrity suspect,
 * `violation` is proof of tampering.
 */
export const SEVERITIES = ['note', 'suspect', 'violation'] as const;

export const signalSchema = z.object({
  /** What was seen, as the detector's file is named. */
  kind: z.string(),
  severity: z.enum(SEVERITIES),
  /** One sentence for people. */
  summary: z.string(),
  /** Where a person can see it: places in the manifest or in the artifact. */
  evidence: z.array(z.object({ path: z.string(), detail: z.string() })).min(1),
});

/** One piece of evidence about integrity. */
export type Signal = z.infer<typeof signalSchema>;

export const screeningSchema = z.object({
  artifactId: z.string(),
  /** Every detector, and whether it could run; one that could not makes integrity unknown. */
  detectors: z.array(z.object({ name: z.string(), ran: z.boolean(), error: z.string() })),
  signals: z.array(signalSchema),
  digest: digestSchema,
});

/** What all detectors said of one artifact. */
export type Screening = z.infer<typeof screeningSchema>;
