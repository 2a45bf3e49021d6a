import { spawnSync } from 'node:child_process';
import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { Command } from 'commander';
import type { Config } from '../../config.ts';
import { asProctorError } from '../../platform/base/errors.ts';
import { openServerDatabase } from '../../platform/db/server-database.ts';
import type { LiveDriver } from '../../platform/sandbox/live-sandbox.ts';
import type { Capabilities, SandboxDriver } from '../../platform/sandbox/sandbox.ts';
import { EXIT } from '../exit-codes.ts';
import { openDriver } from '../open-driver.ts';
import { green, printJson, red, table, yellow } from '../output.ts';
import { trySandbox } from '../try-sandbox.ts';
import { trySession } from '../try-session.ts';
import { loadConfig } from '../with-service.ts';

interface Finding {
  readonly what: string;
  /** `limited`: works, with less isolation or fewer limits. */
  readonly state: 'ok' | 'limited' | 'missing';
  readonly detail: string;
  readonly fix: string;
}

const FIX_CGROUP = 'run as root on a machine with a writable cgroup tree';
const FIX_FORK = 'run as root after: bash scripts/setup.sh --fork-server';
const NEEDED_DISK_BYTES = 512 * 1024 ** 2;

/** `proctor doctor`: what this machine can and cannot do, with the fix for each. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('tell what this machine can and cannot do, with the fix for each')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ proctor doctor\n  $ proctor doctor --json | jq .findings')
    .action(async (options: { json?: true }) => {
      const findings = await examine(loadConfig());
      const usable = findings.every(({ state }) => state !== 'missing');
      if (options.json) printJson({ usable, findings });
      else printFindings(findings, usable);
      process.exitCode = usable ? EXIT.ok : EXIT.differs;
    });
}

async function examine(config: Config): Promise<readonly Finding[]> {
  const { driver, remark } = openDriver(config);
  try {
    return [
      ...program('python3', '/usr/bin/python3', 'apt-get install python3'),
      ...program('flock', '/usr/bin/flock', 'apt-get install util-linux'),
      ...program('perl', '/usr/bin/perl', 'apt-get install perl-base'),
      ...sandboxFindings(await driver.capabilities()),
      ...(remark === null ? [] : [{ what: 'fork server', state: 'limited' as const, detail: remark, fix: FIX_FORK }]),
      await trialFinding(driver),
      await sessionFinding(driver, config),
      await folderFinding(config.dataFolder),
      await databaseFinding(config),
      {
        what: 'KVM',
        ...(await optional('/dev/kvm', 'virtual machines as sandboxes are not possible; none of this needs them')),
      },
    ];
  } finally {
    await driver.close();
  }
}

function program(what: string, path: string, fix: string): readonly Finding[] {
  const ran = spawnSync(path, ['--version']);
  const version = ran.stdout?.toString().trim().split('\n')[0]?.slice(0, 80) ?? '';
  return [
    ran.error === undefined
      ? { what, state: 'ok', detail: version, fix: '' }
      : { what, state: 'missing', detail: `${path} does not run`, fix },
  ];
}

function sandboxFindings(can: Capabilities): readonly Finding[] {
  if (!can.usable)
    return [{ what: `sandbox: ${can.driver}`, state: 'missing', detail: can.remarks.join('; '), fix: 'see above' }];
  const limits = Object.entries(can.limits).map(([name, how]) =>
    hold(`limit: ${name}`, { good: how === 'total', detail: how, fix: FIX_CGROUP }),
  );
  return [
    { what: `sandbox: ${can.driver}`, state: 'ok', detail: 'runs a program in fresh namespaces', fix: '' },
    hold('own uid for each sandbox', { good: can.ownUid, detail: String(can.ownUid), fix: 'run as root or with sudo' }),
    hold('system call filter', { good: can.seccomp, detail: String(can.seccomp), fix: 'use an x86-64 machine' }),
    hold('cgroup', { good: can.cgroup !== 'none', detail: can.cgroup, fix: FIX_CGROUP }),
    hold('freeze', { good: can.freeze, detail: String(can.freeze), fix: FIX_CGROUP }),
    ...limits,
  ];
}

/** Something that a sandbox does without where it must. */
function hold(what: string, how: { good: boolean; detail: string; fix: string }): Finding {
  return { what, state: how.good ? 'ok' : 'limited', detail: how.detail, fix: how.good ? '' : how.fix };
}

async function trialFinding(driver: SandboxDriver): Promise<Finding> {
  const what = 'a sandbox from end to end';
  return trySandbox(driver).then(
    () => ({ what, state: 'ok' as const, detail: 'made, used and removed', fix: '' }),
    (thrown) => ({ what, state: 'missing' as const, detail: asProctorError(thrown).message, fix: 'see above' }),
  );
}

/** Grading does without workspaces. */
async function sessionFinding(driver: LiveDriver, config: Config): Promise<Finding> {
  const what = 'a workspace for sessions';
  const fix = 'run as root, on x86-64 with cgroups, after: bash scripts/setup.sh';
  return trySession(driver, config.sessionRecorder).then(
    () => ({ what, state: 'ok' as const, detail: 'made, shown to be offline, a step recorded, removed', fix: '' }),
    (thrown) => ({ what, state: 'limited' as const, detail: asProctorError(thrown).message, fix }),
  );
}

async function folderFinding(folder: string): Promise<Finding> {
  const what = 'data folder';
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    const facts = await statfs(folder);
    const freeBytes = facts.bavail * facts.bsize;
    const detail = `${folder}, ${Math.floor(freeBytes / 1024 ** 2)} MiB free`;
    return freeBytes >= NEEDED_DISK_BYTES
      ? { what, state: 'ok', detail, fix: '' }
      : { what, state: 'limited', detail, fix: 'free disk space or set PROCTOR_DATA_DIR' };
  } catch (thrown) {
    return {
      what,
      state: 'missing',
      detail: `${folder}: ${asProctorError(thrown).message}`,
      fix: 'set PROCTOR_DATA_DIR',
    };
  }
}

async function databaseFinding(config: Config): Promise<Finding> {
  const what = 'database';
  if ('folder' in config.database)
    return { what, state: 'ok', detail: `embedded, in ${config.database.folder}`, fix: '' };
  try {
    await (await openServerDatabase(config.database.url)).close();
    return { what, state: 'ok', detail: 'PostgreSQL answers', fix: '' };
  } catch (thrown) {
    return { what, state: 'missing', detail: asProctorError(thrown).message, fix: 'check PROCTOR_DATABASE_URL' };
  }
}

async function optional(path: string, detail: string): Promise<Omit<Finding, 'what'>> {
  return access(path).then(
    () => ({ state: 'ok' as const, detail: path, fix: '' }),
    () => ({ state: 'limited' as const, detail, fix: '' }),
  );
}

function printFindings(findings: readonly Finding[], usable: boolean): void {
  const marks = { ok: green('ok'), limited: yellow('limited'), missing: red('missing') };
  console.log(
    table(findings.map(({ what, state, detail, fix }) => [marks[state], what, detail, fix && `fix: ${fix}`])),
  );
  console.log(usable ? '\nThis machine can grade.' : '\nThis machine cannot grade yet: mend what is missing.');
}
