import type { Command } from '../../platform/sandbox/sandbox.ts';

interface Language {
  /** What the program is written to. */
  readonly file: string;
  readonly compile: Command['argv'] | null;
  readonly run: Command['argv'];
}

/** Languages of SandboxFusion that are offered, under its names; what the machine has not installed fails as its shell would say. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  python: { file: 'main.py', compile: null, run: ['/usr/bin/env', 'python3', 'main.py'] },
  pytest: {
    file: 'test_main.py',
    compile: null,
    run: ['/usr/bin/env', 'python3', '-m', 'pytest', '-q', 'test_main.py'],
  },
  bash: { file: 'main.sh', compile: null, run: ['/bin/bash', 'main.sh'] },
  nodejs: { file: 'main.js', compile: null, run: ['/usr/bin/env', 'node', 'main.js'] },
  cpp: {
    file: 'main.cpp',
    compile: ['/usr/bin/env', 'g++', '-std=c++17', '-O1', '-o', 'main', 'main.cpp'],
    run: ['./main'],
  },
};
