// Compares files that are made from the code with the code: .env.example, docs/errors.md, the tables of
// docs/task-format.md and docs/policy.md, and the techniques in docs/threat-model.md with the last run (docs/techniques.json), and the figures in docs/performance.md with theirs (docs/performance.jsonl). `--write` brings them up to date.
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { readRecord } from '../src/bin/corpus/table-corpus.ts';
import { techniqueMarkdown } from '../src/bin/corpus/technique-table.ts';
import { SETTINGS } from '../src/config-settings.ts';
import { ERRORS } from '../src/platform/base/errors.ts';
import { type FieldShape, VARIABLES } from '../src/stages/policy/condition-types.ts';
import { parameterSchema } from '../src/stages/task/parameters.ts';
import { proctorSchema } from '../src/stages/task/task.ts';
import { performanceMarkdown } from './bench/render.ts';

interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

const write = process.argv.includes('--write');
const drifted: string[] = [];

await keep('.env.example', async () => envExample());
await keep('docs/errors.md', (old) => section(old, 'errors', errorTable()));
await keep('docs/task-format.md', async (old) => {
  const fields = await section(old, 'proctor-fields', fieldTable(jsonSchema(proctorSchema), 'proctor'));
  return section(fields, 'parameters', parameterTable());
});

await keep('docs/policy.md', (old) => section(old, 'conditions', conditionTable()));

await keep('docs/threat-model.md', async (old) =>
  section(old, 'techniques', techniqueMarkdown(await readRecord('docs/techniques.json'))),
);

await keep('docs/performance.md', async (old) =>
  section(old, 'figures', performanceMarkdown(await readFile('docs/performance.jsonl', 'utf8'))),
);

if (drifted.length > 0) {
  console.error(`not as the code says: ${drifted.join(', ')}; run: npx tsx scripts/drift.ts --write`);
  process.exitCode = 1;
} else {
  console.log('generated files are as the code says');
}

async function keep(path: string, make: (old: string) => Promise<string>): Promise<void> {
  const old = await readFile(path, 'utf8').catch(() => '');
  const wanted = await make(old);
  if (old === wanted) return;
  if (write) await writeFile(path, wanted);
  else drifted.push(path);
}

/** Puts a generated part between its two marks. */
async function section(text: string, name: string, content: string): Promise<string> {
  const [begin, end] = [`<!-- made from the code: ${name} -->`, `<!-- end: ${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`no marks for "${name}"`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}

function envExample(): string {
  const lines = Object.entries(SETTINGS).flatMap(([name, { shape, about }]) => {
    const fallback = shape.safeParse(undefined).data;
    return ['', `# ${about}`, fallback === undefined ? `# ${name}=` : `${name}=${fallback}`];
  });
  return `${['# Settings of Proctor. Copy to .env and change what you need; every line that is set shows the default.', ...lines].join('\n')}\n`;
}

function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { fault, httpStatus, retry, effect, mend }]) =>
      `| \`${code}\` | ${fault} | ${httpStatus} | ${retry} | ${effect} | ${mend} |`,
  );
  return [
    '| code | fault | HTTP | retry | what happens to the work | what to do |',
    '|---|---|--:|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Every field that a condition of a policy may name. */
function conditionTable(): string {
  const rows = Object.entries(VARIABLES).flatMap(([name, shape]) => conditionRows(name, shape));
  return ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n');
}

function conditionRows(path: string, shape: FieldShape): readonly string[] {
  const { kind, fields: inner, item, values, type, about } = shape;
  if (kind === 'object')
    return Object.entries(inner).flatMap(([name, field]) => conditionRows(`${path}.${name}`, field));
  if (item?.kind === 'object')
    return Object.entries(item.fields).flatMap(([name, field]) => conditionRows(`${path}[].${name}`, field));
  const possible = values === null ? type : values.map((value) => `\`"${value}"\``).join(' ');
  return [`| \`${path}\` | ${possible} | ${about} |`];
}

function jsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
}

function fieldTable(schema: JsonSchema, prefix: string): string {
  const rows = fields(schema, prefix).map(([name, field, needed]) => {
    const fallback = field.default === undefined ? (needed ? 'required' : '–') : `\`${JSON.stringify(field.default)}\``;
    return `| \`${name}\` | ${typeOf(field)} | ${fallback} | ${field.description ?? ''} |`;
  });
  return ['| field | value | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function fields(schema: JsonSchema, prefix: string): readonly (readonly [string, JsonSchema, boolean])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}.${name}`;
    if (field.properties !== undefined) return fields(field, path);
    return [[path, field, schema.required?.includes(name) ?? false] as const];
  });
}

function parameterTable(): string {
  const { oneOf = [] } = jsonSchema(parameterSchema);
  const rows = oneOf.map(({ properties = {}, required = [] }) => {
    // every type has `late` and `at`: the text says so once
    const { type, late: _late, at: _at, ...others } = properties;
    const settings = settingsOf(others, required);
    return `| \`${type?.const}\` | ${settings || '–'} | ${type?.description ?? ''} |`;
  });
  return ['| type | settings | gives |', '|---|---|---|', ...rows].join('\n');
}

function settingsOf(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): string {
  return Object.entries(properties)
    .map(([name, field]) => `\`${name}\` (${typeOf(field)}${ending(field, required.includes(name))})`)
    .join(', ');
}

function ending(field: JsonSchema, needed: boolean): string {
  if (field.default !== undefined) return `, else \`${JSON.stringify(field.default)}\``;
  return needed ? '' : ', optional';
}

function typeOf(field: JsonSchema): string {
  if (field.properties !== undefined) return `table of ${settingsOf(field.properties, field.required ?? [])}`;
  if (field.enum !== undefined) return field.enum.map((value) => `\`${value}\``).join(' or ');
  if (field.type === 'array')
    return field.prefixItems ? 'list of texts, at least one' : `list of ${plural(field.items)}`;
  if (field.anyOf !== undefined) return field.anyOf.map(typeOf).join(' or ');
  const from = field.minimum ?? field.exclusiveMinimum;
  const bounded = from !== undefined && from > -1e15 && field.maximum !== undefined && field.maximum < 1e15;
  return bounded
    ? `${simple(field)} ${field.exclusiveMinimum === undefined ? 'from' : 'above'} ${from} to ${field.maximum}`
    : simple(field);
}

function plural(field: JsonSchema | undefined): string {
  if (field?.enum !== undefined) return typeOf(field);
  return field?.anyOf === undefined
    ? `${simple(field ?? {})}s`
    : field.anyOf.map((one) => `${simple(one)}s`).join(' or ');
}

function simple(field: JsonSchema): string {
  return (
    { string: 'text', integer: 'whole number', number: 'number', boolean: 'true or false', object: 'table' }[
      field.type ?? ''
    ] ?? 'value'
  );
}
