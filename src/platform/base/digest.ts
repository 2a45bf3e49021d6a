import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from './canonical-json.ts';

/** `sha256:` and 64 hexadecimal digits. */
export type Digest = `sha256:${string}`;

/** What a digest looks like, for schemas. */
export const DIGEST_PATTERN = /^sha256:[0-9a-f]{64}$/;

/** A digest where a shape enters the program. */
export const digestSchema = z
  .string()
  .regex(DIGEST_PATTERN)
  .transform((text) => text as Digest);

/** Digest of bytes, or of a text's UTF-8 bytes. */
export function digestOf(bytes: Uint8Array | string): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Digest of a JSON value through its canonical form. */
export function digestOfJson(value: unknown): Digest {
  return digestOf(canonicalJson(value));
}
