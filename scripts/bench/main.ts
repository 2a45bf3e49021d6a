// npm run bench -- sandbox grade split [--rounds N] [--out FILE]
// Prints one JSON object for each bench: bench, machine, rows[], aims[].
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { benchGrade } from './bench-grade.ts';
import { benchSandbox } from './bench-sandbox.ts';
import { benchSplit, splitAims } from './bench-split.ts';
import { describeMachine } from './measure.ts';

const BENCHES = { sandbox: benchSandbox, grade: benchGrade, split: benchSplit } as const;
const DEFAULT_ROUNDS = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
    out: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const unknown = names.find((name) => !(name in BENCHES));
const rounds = Number(values.rounds);

if (values.help || unknown !== undefined || !Number.isInteger(rounds) || rounds < 1) {
  console.error(`usage: npm run bench -- [${Object.keys(BENCHES).join(' ')}] [--rounds N] [--out FILE]`);
  process.exitCode = values.help ? 0 : 2;
} else {
  for (const name of names) {
    const before = describeMachine();
    const rows = await BENCHES[name as keyof typeof BENCHES](rounds);
    // no figure is promised yet for the one-shot path; the fork server's are in docs/performance.md once it is there
    const aims = name === 'split' ? splitAims(rows) : [];
    const report = { bench: name, machine: before, rows, aims };
    console.log(JSON.stringify(report, null, 2));
    if (values.out !== undefined) await writeFile(values.out, `${JSON.stringify(report)}\n`, { flag: 'a' });
  }
}
