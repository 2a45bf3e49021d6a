// npm run clients [-- NAME ... --json --cache DIR]
// Runs the trainers' own client code, installed from PyPI, against a service on loopback. Exit code: 0 when every case that was run went as
// docs/trainers.md says, 1 when one did not, 2 when nothing could be run. What cannot be installed is listed with the reason.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { onScreen, printJson, table } from '../../src/bin/output.ts';
import { type ClientPackage, installClient, readClients } from './install.ts';
import { type Case, runClient } from './run-client.ts';
import { type Surroundings, withSurroundings } from './surroundings.ts';

const CACHE = fileURLToPath(new URL('../../.cache/clients', import.meta.url));

interface Outcome {
  readonly name: string;
  readonly what: string;
  readonly versions: readonly string[];
  /** Why it was not run; null when it was. */
  readonly notRun: string | null;
  readonly cases: readonly Case[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    cache: { type: 'string', default: CACHE },
    help: { type: 'boolean' },
  },
});

if (values.help) {
  console.error('usage: npm run clients [-- NAME ... --json --cache DIR]');
} else {
  const outcomes = await withSurroundings((surroundings) => runAll(positionals, surroundings));
  const cases = outcomes.flatMap((outcome) => outcome.cases);
  const report = {
    clients: outcomes,
    clients_run: outcomes.filter(({ notRun }) => notRun === null).length,
    clients_not_run: outcomes.filter(({ notRun }) => notRun !== null).length,
    cases: cases.length,
    cases_failed: cases.filter(({ ok }) => !ok).length,
  };
  if (values.json) printJson(report);
  else printTable(report);
  process.exitCode = report.clients_run === 0 ? 2 : report.cases_failed === 0 ? 0 : 1;
}

async function runAll(names: readonly string[], surroundings: Surroundings): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const entry of await readClients(names)) outcomes.push(await runOne(entry, surroundings)); // cores are few
  return outcomes;
}

async function runOne(entry: ClientPackage, surroundings: Surroundings): Promise<Outcome> {
  const { name, what, install: versions } = entry;
  const { script, cannot } = entry;
  if (script === undefined) return { name, what, versions, notRun: cannot ?? 'it has no script', cases: [] };
  console.error(`clients: ${name}`);
  try {
    const installed = await installClient(entry, resolve(values.cache));
    return { name, what, versions, notRun: null, cases: await runClient(script, installed, surroundings) };
  } catch (thrown) {
    const notRun = `could not be installed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return { name, what, versions, notRun: notRun.slice(0, 500), cases: [] };
  }
}

function printTable(report: {
  readonly clients: readonly Outcome[];
  readonly clients_run: number;
  readonly clients_not_run: number;
  readonly cases: number;
  readonly cases_failed: number;
}): void {
  const rows = report.clients.flatMap(({ name, versions, notRun, cases }) =>
    notRun === null
      ? cases.map((one) => [versions[0] ?? name, one.case, one.ok ? 'as documented' : 'NOT', onScreen(one.got)])
      : [[name, '-', 'not run', onScreen(notRun)]],
  );
  console.log(table([['client', 'case', 'result', 'what it saw'], ...rows]));
  const { clients_run, clients_not_run, cases, cases_failed } = report;
  console.log(
    `\n${clients_run} clients run, ${clients_not_run} not; ${cases} cases, ${cases_failed} not as documented`,
  );
}
