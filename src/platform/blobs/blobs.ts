import type { Digest } from '../base/digest.ts';

/** Bytes by digest. What is written once is never changed. */
export interface Blobs {
  /** Stores bytes and gives their digest; storing the same bytes again is fine. `disk-full`, `storage-failed`. */
  put(bytes: Uint8Array): Promise<Digest>;
  /** Gives the bytes back after checking them against the digest. `not-found`, `digest-mismatch`. */
  get(digest: Digest): Promise<Buffer>;
  has(digest: Digest): Promise<boolean>;
}
