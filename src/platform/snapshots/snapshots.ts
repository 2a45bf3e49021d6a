import type { Digest } from '../base/digest.ts';

/** The pristine state that a sandbox starts from. */
export interface Snapshot {
  readonly name: string;
  /** Digest of the whole tree; for `host`, of the list of installed packages, which pins nothing. */
  readonly digest: Digest;
  /** Whether the digest names every byte. `host` does not, and every verdict says so. */
  readonly pinned: boolean;
  readonly root:
    | { readonly kind: 'host' }
    | { readonly kind: 'directory'; readonly path: string; readonly digest: Digest };
}

/** Snapshots by name or digest. */
export interface Snapshots {
  /** Gives a snapshot whose tree was compared with its digest. `snapshot-missing`, `digest-mismatch`. */
  resolve(nameOrDigest: string): Promise<Snapshot>;
  list(): Promise<readonly Snapshot[]>;
}
