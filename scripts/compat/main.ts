// npm run compat [-- NAME ... --json --notes --cache DIR]
// Runs the suites of real packages in one process and through the split, and compares test by test. Exit code: 0 when the
// aims hold, 1 when one does not, 2 when it could not be measured.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { openDriver } from '../../src/bin/open-driver.ts';
import { printJson } from '../../src/bin/output.ts';
import { loadConfig } from '../../src/bin/with-service.ts';
import { openGraderTools } from '../../src/stages/grade/grader-tools.ts';
import { type Comparison, comparePackage } from './compare.ts';
import { CannotCompare, fetchPackages, readPackages, refuseMissingDebian } from './packages.ts';
import { reportOf, tableOf } from './report.ts';

const CACHE = fileURLToPath(new URL('../../.cache/compat', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    notes: { type: 'boolean' },
    cache: { type: 'string', default: CACHE },
    help: { type: 'boolean' },
  },
});

if (values.help) {
  console.error('usage: npm run compat [-- NAME ... --json --notes --cache DIR]');
} else {
  try {
    const report = reportOf(await compareAll(positionals, resolve(values.cache)));
    if (values.json) printJson(values.notes ? report : withoutNotes(report));
    else console.log(tableOf(report));
    process.exitCode = report.aims.every(({ met }) => met) ? 0 : 1;
  } catch (thrown) {
    if (!(thrown instanceof CannotCompare)) throw thrown;
    console.error(`compat: ${thrown.message}`);
    process.exitCode = 2;
  }
}

async function compareAll(names: readonly string[], cache: string): Promise<readonly Comparison[]> {
  const packages = await readPackages(names);
  await refuseMissingDebian(packages);
  await fetchPackages(packages, cache);
  const { driver } = openDriver(loadConfig());
  try {
    const tools = await openGraderTools(BUNDLED.graderFolder);
    const comparing = { driver, tools, cache, tell: (text: string) => console.error(text) };
    const found: Comparison[] = [];
    for (const entry of packages) found.push(await comparePackage(comparing, entry)); // one after the other: cores are few
    return found;
  } finally {
    await driver.close();
  }
}

/** What pytest said in full is long. */
function withoutNotes(report: object): unknown {
  return JSON.parse(JSON.stringify(report, (key, value) => (key === 'note' ? undefined : value)));
}
