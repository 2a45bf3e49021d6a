import { z } from 'zod';
import { type Digest, digestOfJson } from '../../platform/base/digest.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';

/** What a caller said of an item that it brought; nothing of it is believed. */
export interface SaidItem {
  readonly keyId: string;
  /** Null: it cannot be collected again by the id of its request. */
  readonly requestId: string | null;
  readonly itemId: string;
  /** Its place in the request, from 0. */
  readonly place: number;
  readonly artifactId: string;
  /** What is short and safe to store as it is. */
  readonly said: Readonly<Record<string, unknown>>;
  /** What is long: prompt, response, label, metadata and trajectory as one JSON document; null: nothing. */
  readonly blob: Digest | null;
}

/** Appends it; what was said first under a request id stays. */
export async function saveSaidItem(database: Queryable, item: SaidItem): Promise<void> {
  const said = asStored(item.said);
  const { keyId, requestId, itemId, place, artifactId, blob } = item;
  await database.query(
    `INSERT INTO reward_items (key_id, request_id, item_id, place, artifact_id, said, blob, digest)
     VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8) ON CONFLICT (key_id, request_id, item_id) DO NOTHING`,
    [keyId, requestId, itemId, place, artifactId, jsonParameter(said), blob, digestOfJson({ said, blob })],
  );
}

const handedInSchema = z.object({ itemId: z.string(), artifactId: z.string() });

/** What was handed in under a request id of a key, in the order of the request; at most `limit`. */
export async function listRequested(
  database: Queryable,
  request: { readonly keyId: string; readonly requestId: string; readonly limit: number },
): Promise<readonly z.infer<typeof handedInSchema>[]> {
  const rows = await database.query(
    `SELECT item_id AS "itemId", artifact_id AS "artifactId" FROM reward_items
     WHERE key_id = $1 AND request_id = $2 ORDER BY place, id LIMIT $3`,
    [request.keyId, request.requestId, request.limit],
  );
  return rows.map((row) => handedInSchema.parse(row));
}
