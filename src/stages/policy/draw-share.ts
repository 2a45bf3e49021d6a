import { createHash } from 'node:crypto';

/** Hexadecimal digits of a digest that are used: 48 bits are a whole number that a double holds. */
const DIGITS = 12;

/**
 * Whether a hand-in is drawn: true for about this share of them. The same policy, rule and hand-in are always drawn alike, so that a
 * decision can be derived again, and nobody can choose an id beforehand that is not drawn: ids are made by the service.
 */
export function isDrawn(share: number, of: { policy: string; rule: string; artifactId: string }): boolean {
  if (share <= 0) return false;
  if (share >= 1) return true;
  const digest = createHash('sha256').update(`${of.policy}\n${of.rule}\n${of.artifactId}`).digest('hex');
  return Number.parseInt(digest.slice(0, DIGITS), 16) / 16 ** DIGITS < share;
}
