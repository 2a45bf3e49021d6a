/** Something that a subject must never have, or never use. */
export interface Secret {
  readonly kind: 'seed' | 'draw-secret' | 'decoy' | 'hidden-value';
  readonly name: string;
  /**
   * Its text. Too short (fewer than 10 characters, or fewer than 5 different ones, after normalising) and it is not
   * looked for: it would stand somewhere by chance.
   */
  readonly value: string;
}

/** Where secrets are looked for: a file that was handed in, a message, a request that was sent. */
export interface Haystack {
  readonly name: string;
  readonly bytes: Buffer;
}

/** A secret that stands in a haystack. */
export interface Leak {
  readonly secret: Secret;
  /** The haystack's name. */
  readonly haystack: string;
  /**
   * From 1: the line on which it begins, or on which the encoded text begins that holds it. 0 where it is inside
   * something packed. Of many very short lines in a row it may be one before.
   */
  readonly line: number;
  /** The way to it: `plain`, `normalised`, `base64`, `base64 > gzip > reversed`. */
  readonly as: string;
}

/** What a search found. */
export interface LeakSearch {
  /** By haystack and secret, in the order given; one for each pair, found in the plainest way. */
  readonly leaks: readonly Leak[];
  /** Whether a bound was met, so that not all was looked at: nothing found is then not good news. */
  readonly cut: boolean;
  /** Bytes of all views that were searched, the haystacks themselves among them. */
  readonly searchedBytes: number;
}

/** How much one search does at most. Time is no bound: the same input gives the same answer on every machine. */
export interface LeakBounds {
  /** How often what was decoded is decoded again. */
  readonly maxDepth: number;
  /** Bytes of all views together. What was tried in vain counts too. */
  readonly maxBytes: number;
  /** Decoded views; the haystacks themselves do not count. */
  readonly maxViews: number;
  /** What one packed member gives at most, so that a bomb does not eat everybody's share. */
  readonly maxMemberBytes: number;
  readonly maxSecrets: number;
  /** Bytes of all normalised secrets together: the table that finds them takes about a kilobyte for each. */
  readonly maxSecretBytes: number;
}

/** The bounds where none are given. */
export const LEAK_BOUNDS: LeakBounds = {
  maxDepth: 3,
  maxBytes: 32 * 1024 * 1024,
  maxViews: 2_000,
  maxMemberBytes: 8 * 1024 * 1024,
  maxSecrets: 200,
  maxSecretBytes: 32 * 1024,
};

/** Decoded bytes that are too few to hold a secret. */
export const FEWEST_BYTES = 10;
