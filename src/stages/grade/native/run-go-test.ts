import { randomBytes } from 'node:crypto';
import { ProctorError } from '../../../platform/base/errors.ts';
import type { TaskFile } from '../../task/task.ts';
import { describeEnding } from '../candidate.ts';
import { layFlat } from './flat-layout.ts';
import { identifierNaming } from './identifier-naming.ts';
import type { NativeReport } from './native-report.ts';
import type { NativeRun, NativeRunner } from './native-runner.ts';
import { parseGo } from './parse-go.ts';

const GO = '/usr/bin/go';
/** Nothing of the artifact's or of a user's settings; no C, so that compiling runs nothing of the candidate's. */
const ENVIRONMENT = {
  ...{ GOENV: 'off', GOFLAGS: '-mod=readonly', GOWORK: 'off', GOTOOLCHAIN: 'local', GOPROXY: 'off', CGO_ENABLED: '0' },
  ...{ GOCACHE: '/tmp/go-build', GOPATH: '/tmp/go' },
};

const NAMING = identifierNaming({
  ending: '_test.go',
  alias: (original, words) => original + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(''),
  whole: (id) => id.split('/')[0] ?? id,
});

/** Go tests of a package of their own, compiled beside the artifact and run without the go command. */
export const GO_TEST: NativeRunner = {
  probes: () => [[GO, 'version']],
  async lay({ hidden, required }) {
    const layout = layFlat(hidden, NAMING, required.ids);
    return { ...layout, files: [...layout.files, witnessFile(layout.files)] };
  },
  async test(native) {
    const { run, layout, deadlineMs } = native;
    const binary = `/work/${layout.folder}.tests`;
    const built = await run.candidate.exec({
      argv: [GO, 'test', '-c', '-vet=off', '-o', binary, `./${layout.folder}`],
      env: ENVIRONMENT,
      wallMs: Math.max(1, deadlineMs - performance.now()),
    });
    run.keepStderr(built.stderr);
    if (built.ending.kind === 'exited' && built.ending.code === 0) return runBinary(native, binary);
    const why = `compiling ${describeEnding(built.ending)}: ${built.stderr.toString('utf8').trim().slice(0, 300)}`;
    return { observed: [], complete: false, why, ending: built.ending, broken: false, exitRule: 'both' };
  },
};

async function runBinary({ run, layout, deadlineMs }: NativeRun, binary: string): Promise<NativeReport> {
  const nonce = randomBytes(18).toString('base64url');
  const { ending, stdout, stderr } = await run.candidate.exec({
    argv: [binary, '-test.v', '-test.paniconexit0', '-test.shuffle=on'],
    cwd: `/work/${layout.folder}`,
    stdin: Buffer.from(nonce),
    wallMs: Math.max(1, deadlineMs - performance.now()),
  });
  run.keepStderr(stderr);
  const text = stdout.toString('utf8');
  const complete = ending.kind === 'exited' && text.endsWith(`\nwitness ${nonce}\n`);
  const why = complete ? '' : `it ${describeEnding(ending)} without the completion witness`;
  return { observed: parseGo(text), complete, why, ending, broken: false, exitRule: 'both' };
}

/** Runs the tests and then, by system calls that no variable of the candidate's can turn elsewhere, writes the witness. */
function witnessFile(files: readonly TaskFile[]): TaskFile {
  const tests = files.filter(({ path }) => path.endsWith('_test.go')).map(({ bytes }) => bytes.toString('utf8'));
  const name = tests.map((text) => /^package\s+(\w+)/m.exec(text)?.[1]).find((found) => found !== undefined);
  if (name === undefined) throw new ProctorError('task-invalid', 'there is no *_test.go in tests/');
  if (tests.some((text) => /^func\s+TestMain\b/m.test(text))) {
    throw new ProctorError(
      'task-invalid',
      'TestMain is needed for the completion witness; move what it does into the tests',
    );
  }
  const source = `package ${name}

import (
	"os"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) {
	code := m.Run()
	nonce := make([]byte, 64)
	count, _ := syscall.Read(0, nonce)
	if count > 0 {
		syscall.Write(1, append(append([]byte("\\nwitness "), nonce[:count]...), '\\n'))
	}
	os.Exit(code)
}
`;
  return { path: 'main_witness_test.go', mode: 0o444, bytes: Buffer.from(source) };
}
