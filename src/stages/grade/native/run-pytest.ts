import { z } from 'zod';
import { ProctorError } from '../../../platform/base/errors.ts';
import { parseHostileJson } from '../../../platform/base/safe-json.ts';
import { describeEnding } from '../candidate.ts';
import { type FileNames, type FileNaming, layFiles } from './file-layout.ts';
import { runFramed } from './framed-run.ts';
import type { PlacedTwin } from './layout.ts';
import type { LayoutRequest, NativeRunner } from './native-runner.ts';

const PYTHON = ['/usr/bin/python3', '-I', '-B'] as const;
const TWINS_MS = 30_000;
const BOUNDS = { maxBytes: 16 * 1024 * 1024, maxDepth: 10, maxNodes: 500_000 };

const NAMING: FileNaming = {
  separator: '::',
  isTest: (path) => /(^|\/)(test_[^/]*|[^/]*_test)\.py$/.test(path),
  rename: (_name, words) => `test_${words.join('_')}.py`,
};

const twinnedSchema = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      /** Names in this run, and what they are in the task's file. */
      tests: z.record(z.string(), z.string()),
      twins: z.record(z.string(), z.object({ of: z.string(), row: z.int().min(0).nullable() })),
    }),
  ),
});
type Twinned = z.infer<typeof twinnedSchema>['files'][string];

/** pytest in the candidate's own process, with twins derived from the tests' text. */
export const PYTEST: NativeRunner = {
  probes: () => [[...PYTHON, '-c', 'import pytest']],
  async lay(request) {
    const twinned = await makeTwins(request);
    const tests = request.hidden.tests.map((file) => {
      const source = twinned[file.path]?.source;
      return source === undefined ? file : { ...file, bytes: Buffer.from(source) };
    });
    const names = new Map(Object.entries(twinned).map(([path, file]) => [path, namesOf(path, file)]));
    return layFiles({ ...request.hidden, tests }, NAMING, names);
  },
  test: (native) => {
    const { folder, testFiles } = native.layout;
    const roots = native.settings.roots.map((root) => (root === '.' ? '/work' : `/work/${root}`));
    return runFramed(native, {
      argv: [...PYTHON, '/proctor/native/run_pytest.py'],
      settings: { tests: `/work/${folder}`, files: testFiles, roots },
    });
  },
};

/** Made in the examiner's sandbox: the tests' text is the task's, and the candidate's code was never there. */
async function makeTwins({ run, hidden, required }: LayoutRequest): Promise<Readonly<Record<string, Twinned>>> {
  const sources = hidden.tests.filter(({ path }) => NAMING.isTest(path));
  const request = {
    seed: `twins/${run.hiddenSeed}`,
    files: Object.fromEntries(sources.map(({ path, bytes }) => [path, bytes.toString('utf8')])),
    without: Object.fromEntries(sources.map(({ path }) => [path, namesIn(path, required.withoutTwins)])),
  };
  const { ending, stdout, stderr } = await run.examinerBox.exec({
    argv: [...PYTHON, '/proctor/native/make_twins.py'],
    stdin: Buffer.from(JSON.stringify(request)),
    wallMs: TWINS_MS,
  });
  if (ending.kind === 'exited' && ending.code === 0) {
    return twinnedSchema.parse(parseHostileJson(stdout.toString('utf8'), BOUNDS)).files;
  }
  const said = stderr.toString('utf8').trim().slice(-500);
  throw new ProctorError(
    'oracle-failed',
    `no twins can be made of the hidden tests: it ${describeEnding(ending)}: ${said}`,
  );
}

/** Names of tests in a file, without parameters. */
function namesIn(path: string, ids: readonly string[]): readonly string[] {
  const prefix = `${path}::`;
  return ids.filter((id) => id.startsWith(prefix)).map((id) => base(id.slice(prefix.length)));
}

function base(name: string): string {
  const at = name.indexOf('[');
  return at === -1 ? name : name.slice(0, at);
}

function namesOf(path: string, { tests, twins }: Twinned): FileNames {
  const originals = new Map(Object.entries(tests));
  const placed = new Map<string, PlacedTwin>(
    Object.entries(twins).map(([name, { of, row }]) => [name, { of: `${path}::${of}`, row }]),
  );
  return {
    twins: [...placed.values()],
    meaningOf(name) {
      const bare = base(name);
      const twin = placed.get(bare);
      if (twin !== undefined) return { twin };
      const original = originals.get(bare);
      return original === undefined ? null : { of: `${original}${name.slice(bare.length)}` };
    },
  };
}
