import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { newId } from '../platform/base/ids.ts';
import type { Queryable } from '../platform/db/database.ts';
import { findKey, insertKey } from './key-store.ts';
import type { Role } from './roles.ts';

/** Who called. */
export interface Caller {
  readonly keyId: string;
  readonly name: string;
  readonly role: Role;
}

const keySchema = z.string().regex(/^proctor_[0-9a-z]{29}_[0-9a-f]{48}$/);

/**
 * Makes a key and gives its text, which is told once: only its SHA-256 is stored. That is enough for a secret of 192
 * random bits, which nobody can guess from a digest; slow hashes are for passwords.
 */
export async function createKey(
  database: Queryable,
  key: { name: string; role: Role },
): Promise<{ id: string; text: string }> {
  const id = newId('key');
  const secret = randomBytes(24).toString('hex');
  await insertKey(database, { id, ...key, secretDigest: digestOfSecret(secret) });
  return { id, text: `proctor_${id.slice('key_'.length)}_${secret}` };
}

/** Who a key belongs to, or null. Takes as long for an unknown id as for a wrong secret. */
export async function identify(database: Queryable, text: string): Promise<Caller | null> {
  if (!keySchema.safeParse(text).success) return null;
  const [, idPart = '', secret = ''] = text.split('_');
  const stored = await findKey(database, `key_${idPart}`);
  const given = Buffer.from(digestOfSecret(secret), 'hex');
  const right = Buffer.from(stored?.secretDigest ?? digestOfSecret(''), 'hex');
  const same = timingSafeEqual(given, right);
  return stored !== null && same ? { keyId: stored.id, name: stored.name, role: stored.role } : null;
}

function digestOfSecret(secret: string): string {
  return createHash('sha256').update(`proctor/key/1\0${secret}`).digest('hex');
}
