import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { candidateOf } from './candidate.ts';
import type { Choice, Chosen, LeftOut } from './chosen.ts';
import type { EpisodeSource } from './episode-source.ts';
import type { Guard, Leaking } from './guard.ts';
import { pairEpisodes } from './pair-episodes.ts';
import type { Side } from './prompt-groups.ts';
import type { Format, Recipe } from './recipe.ts';
import { RecordFile, type WrittenFile } from './record-file.ts';
import {
  atifRecord,
  openaiRecord,
  type PairSide,
  pairSideOf,
  preferenceRecord,
  promptRecord,
  sftRecord,
  type Taken,
} from './records.ts';
import { writeParquet } from './write-parquet.ts';

const SIDES: readonly Side[] = ['train', 'test'];
/** Episodes that are asked for at once. */
const AT_ONCE = 200;

/** Records of one episode alone, by format. */
const OF_ONE = { openai: openaiRecord, atif: atifRecord, sft: sftRecord } as const;

/** What came of writing. */
interface Written {
  readonly taken: readonly Chosen[];
  readonly leftOut: Readonly<Partial<Record<LeftOut, number>>>;
}

/** Opens the files of every format and side in a folder. */
export async function openRecords(folder: string, recipe: Recipe): Promise<RecordWriter> {
  const files = new Map<string, RecordFile>();
  for (const side of SIDES) {
    await mkdir(join(folder, side));
    for (const format of recipe.formats) {
      const name = nameOf(side, format);
      files.set(name, await RecordFile.create(join(folder, name)));
    }
  }
  return new RecordWriter(folder, recipe, files);
}

const nameOf = (side: Side, format: Format) => `${side}/${format}.jsonl`;

/** Writes chosen episodes, one after the other, each searched before it goes out. */
export class RecordWriter {
  readonly #folder: string;
  readonly #recipe: Recipe;
  readonly #files: ReadonlyMap<string, RecordFile>;
  /** Sides of pairs whose other side has not come yet, of the instance that is being written. */
  readonly #waiting = new Map<string, PairSide>();
  #instance = '';

  constructor(folder: string, recipe: Recipe, files: ReadonlyMap<string, RecordFile>) {
    this.#folder = folder;
    this.#recipe = recipe;
    this.#files = files;
  }

  /** Writes all that was chosen, in order. Rejects with `would-leak` unless the recipe says that such episodes are left out. */
  async write(source: EpisodeSource, choice: Choice, onDone: (done: number) => void): Promise<Written> {
    try {
      return await this.#write(source, choice, onDone);
    } catch (thrown) {
      for (const file of this.#files.values()) await file.abandon();
      throw thrown;
    }
  }

  async #write(source: EpisodeSource, { chosen, leftOut: before }: Choice, onDone: (done: number) => void) {
    const leftOut: Partial<Record<LeftOut, number>> = { ...before };
    const taken: Chosen[] = [];
    const pairs = pairsOf(chosen, this.#recipe.formats.includes('preferences'));
    for (let from = 0; from < chosen.length; from += AT_ONCE) {
      const part = new Map(chosen.slice(from, from + AT_ONCE).map((each) => [each.candidate.id, each]));
      for await (const episode of source.some([...part.keys()])) {
        const each = part.get(episode.id);
        if (each === undefined) continue;
        const { instruction, guard } = await source.given(episode);
        const why = this.#unfit({ episode, chosen: each, instruction }, guard);
        if (why === null) {
          await this.#add({ episode, chosen: each, instruction }, guard, pairs);
          taken.push(each);
        } else leftOut[why] = (leftOut[why] ?? 0) + 1;
        onDone(taken.length);
      }
    }
    return { taken, leftOut };
  }

  /** Why an episode is not written after all: it was judged anew since it was chosen, or something stands in it that must not leave. */
  #unfit({ episode, chosen }: Taken, guard: Guard): LeftOut | null {
    const { candidate } = chosen;
    const now = candidateOf(episode, this.#recipe.from.phase !== 'train');
    const isSame =
      now.barred === null && now.labels.isAccused === candidate.labels.isAccused && now.reward === candidate.reward;
    if (!isSame) return 'changed';
    const leaking = guard.inEpisode(episode);
    if (leaking === null) return null;
    if (this.#recipe.on_secret === 'leave-out') return 'secret-inside';
    throw leakError(episode.id, leaking);
  }

  async #add(taken: Taken, guard: Guard, pairs: ReadonlyMap<string, string>): Promise<void> {
    const { formats } = this.#recipe;
    const { side } = taken.chosen.group;
    const isFirst = taken.chosen.candidate.instance !== this.#instance;
    if (isFirst) this.#waiting.clear();
    this.#instance = taken.chosen.candidate.instance;
    const put = async (format: Format, record: unknown) => {
      if (record === null) return;
      const line = JSON.stringify(record);
      const kind = guard.inLine(line);
      if (kind !== null) throw leakError(taken.episode.id, { step: 0, kind });
      await this.#files.get(nameOf(side, format))?.add(line);
    };
    for (const format of ['openai', 'atif', 'sft'] as const) {
      if (formats.includes(format)) await put(format, OF_ONE[format](taken));
    }
    if (isFirst && formats.includes('rl-prompts')) await put('rl-prompts', promptRecord(taken));
    const pair = this.#pair(taken, pairs);
    if (pair !== null) await put('preferences', pair);
  }

  /** The pair that this episode completes, if it does. */
  #pair(taken: Taken, pairs: ReadonlyMap<string, string>): unknown {
    const { id } = taken.episode;
    const other = pairs.get(id);
    if (other === undefined) return null;
    const known = this.#waiting.get(other);
    if (known === undefined) {
      this.#waiting.set(id, pairSideOf(taken));
      return null;
    }
    this.#waiting.delete(other);
    const own = pairSideOf(taken);
    const isBetter = own.metadata.outcome === 'passed' && own.metadata.label === 'positive';
    return preferenceRecord(taken.instruction, isBetter ? own : known, isBetter ? known : own);
  }

  /** Closes all files, and makes Parquet of them where that is asked for. */
  async finish(): Promise<Readonly<Record<string, WrittenFile>>> {
    const written: Record<string, WrittenFile> = {};
    for (const [name, file] of this.#files) written[name] = await file.finish();
    if (this.#recipe.files.includes('parquet')) {
      for (const [name, { records }] of Object.entries(written)) {
        const parquet = name.replace(/\.jsonl$/, '.parquet');
        await writeParquet(join(this.#folder, name), join(this.#folder, parquet));
        const bytes = await readFile(join(this.#folder, parquet));
        written[parquet] = { records, bytes: bytes.length, sha256: digestOf(bytes) };
      }
    }
    return written;
  }
}

/** With whom each episode is paired; both of a pair are of one instance and so come close to each other. */
function pairsOf(chosen: readonly Chosen[], isWanted: boolean): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (let from = 0; isWanted && from < chosen.length; ) {
    let to = from + 1;
    while (chosen[to]?.candidate.instance === chosen[from]?.candidate.instance) to++;
    for (const { better, worse } of pairEpisodes(chosen.slice(from, to))) pairs.set(better, worse).set(worse, better);
    from = to;
  }
  return pairs;
}

function leakError(episode: string, { step, kind }: Leaking): ProctorError {
  const where = step === 0 ? 'beside its steps' : `at step ${step}`;
  return new ProctorError('would-leak', `episode ${episode} holds something that must not leave (${kind}) ${where}`, {
    ...{ episode, step, kind },
  });
}
