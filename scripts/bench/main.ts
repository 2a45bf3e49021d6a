// npm run bench -- sandbox suite grade http soak split queue docker workspace instances profile policy rewards data
// [--rounds N] [--out FILE]
// Prints one JSON object for each bench: bench, machine, rows[], aims[].
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { benchData } from './bench-data.ts';
import { benchDocker } from './bench-docker.ts';
import { benchGrade } from './bench-grade.ts';
import { benchHttp } from './bench-http.ts';
import { benchInstances } from './bench-instances.ts';
import { benchPolicy } from './bench-policy.ts';
import { benchProfile } from './bench-profile.ts';
import { benchQueue } from './bench-queue.ts';
import { benchRewards } from './bench-rewards.ts';
import { benchSandbox } from './bench-sandbox.ts';
import { benchSoak } from './bench-soak.ts';
import { benchSplit } from './bench-split.ts';
import { benchSuite } from './bench-suite.ts';
import { benchWorkspace } from './bench-workspace.ts';
import { describeMachine } from './measure.ts';

const BENCHES = {
  sandbox: benchSandbox,
  suite: benchSuite,
  grade: benchGrade,
  http: benchHttp,
  soak: benchSoak,
  split: benchSplit,
  queue: benchQueue,
  docker: benchDocker,
  workspace: benchWorkspace,
  instances: benchInstances,
  profile: benchProfile,
  rewards: benchRewards,
  policy: benchPolicy,
  data: benchData,
} as const;
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
    const { rows, aims } = await BENCHES[name as keyof typeof BENCHES](rounds);
    const report = { bench: name, machine: before, rows, aims };
    console.log(JSON.stringify(report, null, 2));
    if (values.out !== undefined) await writeFile(values.out, `${JSON.stringify(report)}\n`, { flag: 'a' });
  }
}
