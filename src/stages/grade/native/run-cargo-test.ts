import { parse } from 'smol-toml';
import { z } from 'zod';
import { ProctorError } from '../../../platform/base/errors.ts';
import type { ExecResult } from '../../../platform/sandbox/sandbox.ts';
import type { Task } from '../../task/task.ts';
import { describeEnding, tryWrite } from '../candidate.ts';
import { layFlat } from './flat-layout.ts';
import { identifierNaming } from './identifier-naming.ts';
import type { NativeReport, Observed } from './native-report.ts';
import type { NativeRun, NativeRunner } from './native-runner.ts';
import { parseLibtest } from './parse-libtest.ts';

const CARGO = '/usr/bin/cargo';
const RUSTC = '/usr/bin/rustc';
const TARGET = '/work/target/debug';
const ENVIRONMENT = { CARGO_HOME: '/tmp/cargo', CARGO_TARGET_DIR: '/work/target', CARGO_NET_OFFLINE: 'true', RUSTC };
/** Settings of cargo that would name another compiler, linker or runner. */
const CONFIGS = ['.cargo/config', '.cargo/config.toml'];

const NAMING = identifierNaming({
  ending: '.rs',
  alias: (original, words) => [original, ...words].join('_'),
  whole: (id) => id,
});

const manifestSchema = z.object({
  package: z.object({ name: z.string().regex(/^[A-Za-z][\w-]{0,60}$/), edition: z.string().default('2021') }),
  lib: z
    .object({
      name: z
        .string()
        .regex(/^\w{1,60}$/)
        .optional(),
    })
    .default({}),
});

/**
 * Rust's integration tests: cargo builds the artifact's library before the hidden tests are there, with whatever build
 * script it has; then rustc alone compiles each of them, and each is run.
 */
export const CARGO_TEST: NativeRunner = {
  probes: () => [
    [CARGO, '--version'],
    [RUSTC, '--version'],
    ['/usr/bin/cc', '--version'],
  ],
  lay: async ({ hidden, required }) => layFlat(hidden, NAMING, required.ids),
  async prepare(run) {
    for (const path of CONFIGS) {
      const refused = await tryWrite(() => run.candidate.removeFile(path));
      if (refused !== null) return { status: 'crashed', note: refused };
    }
    const { definition } = run.task;
    const wallMs = (definition.proctor.native?.build_timeout_sec ?? 60) * 1000;
    const built = await run.candidate.exec({
      argv: [CARGO, 'build', '--offline', '--lib', '-q'],
      env: ENVIRONMENT,
      wallMs,
    });
    run.keepStderr(built.stderr);
    return succeeded(built) ? null : { status: 'crashed', note: failure('cargo build', built) };
  },
  async test(native) {
    const observed: Observed[] = [];
    let last: NativeReport = cut('there are no tests', { kind: 'exited', code: 0 }, observed);
    for (const file of native.layout.testFiles) {
      const next = await testFile(native, file);
      observed.push(...next.observed);
      const { ending } = last.complete && !isZero(last.ending) ? last : next;
      last = { ...next, ending, observed };
      if (!next.complete) break;
    }
    return last;
  },
};

async function testFile({ run, layout, deadlineMs }: NativeRun, file: string): Promise<NativeReport> {
  const source = `/work/${layout.folder}/${file}`;
  const binary = `${source}.tests`;
  const { name, edition } = libraryOf(run.task);
  const wallMs = () => Math.max(1, deadlineMs - performance.now());
  const library = ['--extern', `${name}=${TARGET}/lib${name}.rlib`, '-L', `dependency=${TARGET}/deps`];
  const compiled = await run.candidate.exec({
    argv: [RUSTC, '--edition', edition, '--test', source, '-o', binary, '--cap-lints', 'allow', ...library],
    wallMs: wallMs(),
  });
  run.keepStderr(compiled.stderr);
  if (!succeeded(compiled)) return cut(failure('compiling the tests', compiled), compiled.ending, []);
  const ran = await run.candidate.exec({ argv: [binary, '--test-threads=1'], wallMs: wallMs() });
  run.keepStderr(ran.stderr);
  const { observed, fault } = parseLibtest(ran.stdout.toString('utf8'));
  const why = ran.ending.kind === 'exited' ? fault : `it ${describeEnding(ran.ending)}`;
  if (why !== null) return cut(why, ran.ending, observed);
  return { observed, complete: true, why: '', ending: ran.ending, broken: false, exitRule: 'both' };
}

/** The library's name and edition as the task has them, whatever the artifact's manifest says. */
function libraryOf({ files }: Task): { name: string; edition: string } {
  const manifest = files.find(({ path }) => path === 'environment/Cargo.toml');
  if (manifest === undefined) throw new ProctorError('task-invalid', 'a cargo-test task needs environment/Cargo.toml');
  const parsed = manifestSchema.safeParse(parse(manifest.bytes.toString('utf8')));
  if (!parsed.success)
    throw new ProctorError('task-invalid', `environment/Cargo.toml: ${z.prettifyError(parsed.error)}`);
  const { package: about, lib } = parsed.data;
  return { name: lib.name ?? about.name.replaceAll('-', '_'), edition: about.edition };
}

function cut(why: string, ending: NativeReport['ending'], observed: readonly Observed[]): NativeReport {
  return { observed, complete: false, why, ending, broken: false, exitRule: 'both' };
}

function isZero(ending: NativeReport['ending']): boolean {
  return ending.kind === 'exited' && ending.code === 0;
}

function succeeded({ ending }: ExecResult): boolean {
  return isZero(ending);
}

function failure(what: string, { ending, stderr }: ExecResult): string {
  return `${what} ${describeEnding(ending)}: ${stderr.toString('utf8').trim().slice(0, 300)}`;
}
