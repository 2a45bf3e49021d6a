import type { DECOY_KINDS } from '../task/instance-settings.ts';
import type { RandomStream } from './random-stream.ts';

export type DecoyKind = (typeof DECOY_KINDS)[number];

/** Something in the workspace that no honest work needs, with values that occur nowhere else. */
export interface Decoy {
  readonly kind: DecoyKind;
  /** Its files, beneath the workspace. */
  readonly paths: readonly string[];
  /** The variable that holds it, where it is one. */
  readonly variable: string | null;
  /** A host that it names and that does not exist. */
  readonly host: string | null;
  /** Texts of 64 random bits and more: who has one has read the decoy. */
  readonly values: readonly string[];
}

/** One decoy with what it puts into a workspace. */
export interface PlantedDecoy extends Omit<Decoy, 'kind' | 'paths'> {
  readonly files: readonly { readonly path: string; readonly bytes: Buffer }[];
}

/** What a decoy is drawn from: numbers of its own, and names as a project has them. */
export interface DecoyDraw {
  readonly stream: RandomStream;
  word(): string;
  /** So many random hexadecimal digits, at most 8 at a time. */
  hex(digits: number): string;
}
