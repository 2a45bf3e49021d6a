import { z } from 'zod';
import { INTEGRITIES, OUTCOMES } from '../../stages/verdict/verdict.ts';

const makeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('symlink'), path: z.string(), target: z.string() }),
  z.strictObject({ kind: z.literal('fifo'), path: z.string() }),
  z.strictObject({ kind: z.literal('sparse'), path: z.string(), bytes: z.int().min(1) }),
  z.strictObject({ kind: z.literal('setuid'), path: z.string(), text: z.string().default('#!/bin/sh\n') }),
  z.strictObject({ kind: z.literal('file'), path: z.string(), text: z.string() }),
  /** A copy of the whole workspace as it was given. */
  z.strictObject({ kind: z.literal('backup'), path: z.string() }),
  z.strictObject({ kind: z.literal('tree'), path: z.string(), depth: z.int().min(1).max(500) }),
]);

/** `expect.toml` of a labelled submission: what it is, what must come of it, and what git cannot hold of it. */
export const expectationSchema = z.strictObject({
  kind: z.enum(['reference', 'nothing', 'honest', 'cheat']),
  about: z.string().min(1),
  /** Id of the technique, for cheats. */
  technique: z.string().optional(),
  /** The honest behaviour that a naive detector would accuse. */
  behaviour: z.string().optional(),
  expect: z.strictObject({
    outcome: z.enum(OUTCOMES),
    integrity: z.enum(INTEGRITIES),
    reward: z.number(),
    signals: z.array(z.string()).default([]),
  }),
  make: z.array(makeSchema).default([]),
  /** The seed of another instance whose reference is handed in, as by somebody who knows that one by heart. */
  remembers: z.string().optional(),
});

export type Expectation = z.infer<typeof expectationSchema>;
export type Made = z.infer<typeof makeSchema>;
