import type { ExecResult } from '../../../platform/sandbox/sandbox.ts';
import type { NativeSettings } from '../../task/native.ts';
import type { FlatNaming } from './flat-layout.ts';
import type { NativeRun } from './native-runner.ts';

/** Names of tests that are any text. */
export const FREE_NAMING: FlatNaming = {
  isTest: (path, twins) => twins.some((twin) => endingOf(twin) === endingOf(path)),
  rename: (name, words) => `${words.join('-')}${endingOf(name)}`,
  alias: (_original, words) => words.join(' '),
  renamesOriginals: false,
  whole: (id) => id,
};

/** Everything from the first dot of a file's name on. */
function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const at = name.indexOf('.', 1);
  return at === -1 ? '' : name.slice(at);
}

/** Whether the program of a command of the author's is there. */
export function probeOf({ command }: NativeSettings): readonly (readonly [string, ...string[]])[] {
  const [program] = command ?? ['sh'];
  return [['/bin/sh', '-c', 'command -v -- "$1" >/dev/null', 'sh', program]];
}

/** Runs the author's command; `{tests}` in it stands for the folder of the hidden tests. */
export async function commandIn({ run, settings, layout, deadlineMs }: NativeRun): Promise<ExecResult> {
  const [program = 'false', ...rest] = settings.command ?? [];
  const filled = (text: string) => text.replaceAll('{tests}', `/work/${layout.folder}`);
  const result = await run.candidate.exec({
    argv: [filled(program), ...rest.map(filled)],
    wallMs: Math.max(1, deadlineMs - performance.now()),
  });
  run.keepStderr(result.stderr);
  return result;
}
