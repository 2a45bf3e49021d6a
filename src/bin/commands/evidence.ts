import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { Command } from 'commander';
import { errnoOf, ProctorError } from '../../platform/base/errors.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EvidenceRecord } from '../../stages/evidence/evidence.ts';
import { findEvidence, listEvidence } from '../../stages/evidence/evidence-store.ts';
import { withDatabase } from '../with-service.ts';

const PAGE = 200;

interface EvidenceOptions {
  readonly all?: true;
  readonly out?: string;
}

/** `proctor evidence`: exports records, for `proctor verify` or anybody else. For a database that no `serve` holds. */
export function evidenceCommand(): Command {
  return new Command('evidence')
    .argument('[verdict]', 'the id of a verdict (ver_…)')
    .description('export the signed evidence record of a verdict as JSON')
    .option('--all', 'instead of one: the whole chain, one record on each line')
    .option('--out <file>', 'write there instead of to standard output; it must not exist')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor evidence ver_0mabc1234… --out evidence.json\n  $ proctor evidence --all --out chain.jsonl\n  $ proctor verify chain.jsonl',
    )
    .action(async (verdict: string | undefined, options: EvidenceOptions) => {
      if ((verdict === undefined) === (options.all === undefined)) {
        throw new ProctorError('bad-request', 'give either the id of a verdict or --all');
      }
      await withDatabase((database) => write(textOf(database, verdict), options.out));
    });
}

async function* textOf(database: Database, verdict: string | undefined): AsyncGenerator<string> {
  if (verdict !== undefined) yield `${JSON.stringify(await findEvidence(database, verdict), null, 2)}\n`;
  else for await (const record of chain(database)) yield `${JSON.stringify(record)}\n`;
}

async function* chain(database: Database): AsyncGenerator<EvidenceRecord> {
  let after = 0;
  for (;;) {
    const records = await listEvidence(database, { after, limit: PAGE });
    yield* records;
    const last = records.at(-1);
    if (last === undefined && after === 0) throw new ProctorError('not-found', 'there is no evidence yet');
    if (last === undefined) return;
    after = last.content.position;
  }
}

async function write(pieces: AsyncGenerator<string>, path: string | undefined): Promise<void> {
  let file: WriteStream | null = null;
  for await (const piece of pieces) {
    file ??= path === undefined ? null : await create(path);
    const out = file ?? process.stdout;
    if (!out.write(piece)) await once(out, 'drain');
  }
  if (file === null) return;
  file.end();
  await once(file, 'close');
  console.log(`written to ${path}`);
}

async function create(path: string): Promise<WriteStream> {
  const file = createWriteStream(path, { flags: 'wx' });
  try {
    await once(file, 'open');
    return file;
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') throw new ProctorError('conflict', `${path} exists already; it is left as it is`);
    throw thrown;
  }
}
