import { z } from 'zod';

/** Text that a caller chose and that goes into a statement: PostgreSQL takes neither U+0000 nor lone surrogates. */
export function safeText(maxLength: number) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be well-formed text without NUL');
}
