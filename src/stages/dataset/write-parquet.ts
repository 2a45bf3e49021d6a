import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileWriter, parquetWriteRows } from 'hyparquet-writer';

/** Rows that are held at once. */
const ROWS_AT_ONCE = 500;
/** What stands beside the texts and is worth a column of its own. */
const METADATA = ['episode', 'task', 'prompt_group', 'policy', 'outcome', 'integrity', 'label', 'technique'] as const;
const NUMBERS = ['reward', 'weight', 'quality', 'steps'] as const;

/**
 * Writes the records of a JSON Lines file as Parquet, row group by row group. `record` holds each one whole as JSON text, so that nothing
 * is lost; what one filters by stands in columns beside it, null where a record has it not.
 */
export async function writeParquet(jsonLines: string, path: string): Promise<void> {
  const columns = [
    ...METADATA.map((name) => ({ name, type: 'STRING' as const, nullable: true })),
    ...NUMBERS.map((name) => ({ name, type: 'DOUBLE' as const, nullable: true })),
    { name: 'record', type: 'STRING' as const, nullable: false },
  ];
  await parquetWriteRows({ writer: fileWriter(path), rows: rowsOf(jsonLines), columns, rowGroupSize: ROWS_AT_ONCE });
}

async function* rowsOf(jsonLines: string): AsyncGenerator<Record<string, unknown>> {
  const lines = createInterface({ input: createReadStream(jsonLines), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const record of lines) {
    const { metadata = {}, extra = metadata } = JSON.parse(record);
    const texts = METADATA.map((name) => [name, typeof extra[name] === 'string' ? extra[name] : null]);
    const numbers = NUMBERS.map((name) => [name, typeof extra[name] === 'number' ? extra[name] : null]);
    yield { ...Object.fromEntries([...texts, ...numbers]), record };
  }
}
