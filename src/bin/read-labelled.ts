import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { ProctorError } from '../platform/base/errors.ts';
import type { EvaluatedRun } from '../stages/profile/evaluate.ts';
import { labelledSessionSchema, openLabelled } from '../stages/profile/labelled-session.ts';

/** Sessions and characters of a line that are read. */
const MOST_SESSIONS = 100_000;
const LONGEST_LINE = 8_388_608;

/** Reads a labelled set: JSON, one session a line, packed by gzip or not. `bad-request` names the line that is no session. */
export async function readLabelled(path: string): Promise<readonly EvaluatedRun[]> {
  const runs: EvaluatedRun[] = [];
  let number = 0;
  try {
    for await (const line of linesOf(path)) {
      number++;
      if (line.trim() === '') continue;
      if (runs.length >= MOST_SESSIONS)
        throw new ProctorError('too-large', `${path} has more than ${MOST_SESSIONS} sessions`);
      runs.push(opened(line, number));
    }
  } catch (thrown) {
    if (thrown instanceof ProctorError) throw thrown;
    const { code = '', message } = thrown as NodeJS.ErrnoException;
    throw new ProctorError(
      'bad-request',
      `${path} cannot be read after line ${number}: ${code || message}`,
      {},
      { cause: thrown },
    );
  }
  return runs;
}

function linesOf(path: string): AsyncIterable<string> {
  const bytes = createReadStream(path);
  if (!path.endsWith('.gz')) return createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY });
  const unpacked = createGunzip();
  bytes.on('error', (thrown) => unpacked.destroy(thrown)).pipe(unpacked);
  const lines = createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY });
  return guarded(lines, unpacked);
}

/** Lines, and then what went wrong with what they came from. */
async function* guarded(lines: AsyncIterable<string>, source: NodeJS.ReadableStream): AsyncIterable<string> {
  const failure = new Promise<never>((_, reject) => source.once('error', reject));
  failure.catch(() => undefined);
  const iterator = lines[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), failure]);
    if (next.done === true) return;
    yield next.value;
  }
}

function opened(line: string, number: number): EvaluatedRun {
  if (line.length > LONGEST_LINE)
    throw new ProctorError('too-large', `line ${number} is longer than ${LONGEST_LINE} characters`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ProctorError('bad-request', `line ${number} is no JSON`);
  }
  const parsed = labelledSessionSchema.safeParse(value);
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    throw new ProctorError('bad-request', `line ${number}: ${first?.path.join('.') ?? ''}: ${first?.message ?? ''}`);
  }
  const run = openLabelled(parsed.data);
  if (run === null) throw new ProctorError('bad-request', `line ${number} has neither a behaviour nor a trajectory`);
  return run;
}
