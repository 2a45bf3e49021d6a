// Runs hidden vitest files, each in a process of its own, and tells their results. Frames as in run_node.mjs:
//
//     <- {"nonce": text, "vitest": module of Vitest's node interface, "root": folder, "tests": folder, "files": [...], "timeoutMs": n}
//
// No configuration file is read, neither of the artifact's nor of any other.
import { join } from 'node:path';
import { readSettings, tell, tellResult } from './frames.mjs';

const SEPARATOR = ' > ';
const STATUS = { passed: 'passed', failed: 'failed', skipped: 'skipped', pending: 'skipped' };

const settings = readSettings();
const files = new Map(settings.files.map((file) => [join(settings.tests, file), file]));
let failed = false;

const reporter = {
  onTestCaseResult(test) {
    const result = test.result();
    failed ||= result.state === 'failed';
    const file = files.get(test.module.moduleId) ?? '?';
    const note = (result.errors ?? []).map((error) => String(error.message)).join('\n');
    const status = STATUS[result.state] ?? 'failed';
    tellResult({ id: `${file}${SEPARATOR}${test.fullName}`, status, note, wallMs: test.diagnostic()?.duration });
  },
  onTestModuleEnd(module) {
    const errors = module.errors();
    if (errors.length === 0) return;
    failed = true;
    const note = errors.map((error) => String(error.message)).join('\n');
    tellResult({ id: `${files.get(module.moduleId) ?? '?'}${SEPARATOR}`, status: 'failed', note, wallMs: 0 });
  },
};

process.stdout.write = process.stderr.write.bind(process.stderr); // what tests print must not get between the frames
const { startVitest } = await import(settings.vitest);
const vitest = await startVitest(
  'test',
  [],
  {
    ...{ config: false, root: settings.root, include: [...files.keys()], exclude: [], watch: false, pool: 'forks' },
    ...{ fileParallelism: false, isolate: true, reporters: [reporter], testTimeout: settings.timeoutMs, cache: false },
    ...{ globals: true, setupFiles: [], globalSetup: [], typecheck: { enabled: false }, coverage: { enabled: false } },
  },
  { configFile: false, envFile: false, cacheDir: '/tmp/vite', logLevel: 'silent' },
);
if (vitest.state.getUnhandledErrors().length > 0) failed = true;
const exit = failed ? 1 : 0;
tell({ kind: 'done', exit, nonce: settings.nonce });
process.exit(exit);
