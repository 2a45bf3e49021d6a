import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readStraceLog } from './read-strace-log.ts';
import { type RecordedEvent, type StepRecord, stepRecordSchema } from './recorded-event.ts';
import { probeStrace } from './recorder-probe.ts';
import { straceArguments } from './strace-command.ts';

const { usable, remark, version } = await probeStrace();
const reason = version === null ? 'strace is not installed' : remark;
const folder = mkdtempSync(join(tmpdir(), 'recorder-test-'));
const log = join(folder, 'log');
const MARK = join(folder, 'mark-5f1c');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Traces a Perl program that begins in `folder` after the mark; gives the record and what the program wrote. */
async function traced(program: string, options: { maxEvents?: number; after?: string | null } = {}) {
  const { maxEvents = 5000, after = MARK } = options;
  const [strace = '', ...args] = straceArguments({ logPath: log });
  const start = `use Socket; use Fcntl; use POSIX (); chdir '${folder}'; open(my $mark, '<', '${MARK}'); ${program}`;
  const run = spawnSync(strace, [...args, '/usr/bin/perl', '-e', start], { encoding: 'latin1', env: { LC_ALL: 'C' } });
  expect(run.stderr).toBe('');
  const record = await readStraceLog({ log, after, maxEvents });
  stepRecordSchema.parse(record);
  return { record, output: run.stdout };
}

function of<T extends RecordedEvent['type']>(record: StepRecord, type: T): Extract<RecordedEvent, { type: T }>[] {
  return record.events.filter((event): event is Extract<RecordedEvent, { type: T }> => event.type === type);
}

/** Every event without times and process numbers, as one would list them. */
function told(record: StepRecord): string[] {
  return record.events.map((event) => {
    const name = 'path' in event ? event.path.replace(`${folder}/`, '') : '';
    return `${event.type} ${event.outcome} ${name}`;
  });
}

describe.skipIf(!usable)(`strace record${usable ? '' : ` (not here: ${reason})`}`, () => {
  test('the launcher’s work before the mark is not told, what follows is', async () => {
    const { record } = await traced(`open(F, '>', 'new'); unlink 'new'; exec '/usr/bin/true', 'a b';`);
    expect(record).toMatchObject({ complete: true, problems: [], cut: 0, processes: 1, executed: 1 });
    expect(told(record).slice(0, 3)).toEqual([
      'file.written ok new',
      'file.removed ok new',
      'process.executed ok /usr/bin/true',
    ]);
    expect(of(record, 'process.executed')[0]?.argv).toEqual(['/usr/bin/true', 'a b']);
    expect(of(record, 'process.ended')).toMatchObject([{ code: 0, signal: null }]);
  });

  test('a record whose mark is missing is empty and not complete', async () => {
    const { record } = await traced(`unlink 'x';`, { after: '/never/opened' });
    expect(record).toMatchObject({ complete: false, events: [], processes: 0 });
  });

  test('file names made of strace’s own words stay names', async () => {
    const names = [
      'x) = 0',
      'y", O_RDONLY) = 3</etc/shadow>',
      'a <unfinished ...>',
      'line\n99999 1796039511.480162 +++ exited with 0 +++\nrest',
      '1 1796039511.480162 execve("forged", ["forged"], 0x0) = 0',
      '<... openat resumed>) = 3',
      'tab\tback\\slash\\377 \'quote\' "double" >< {[(,',
    ];
    const list = names.map((name) => `pack('H*', '${Buffer.from(name.replaceAll('/', '_')).toString('hex')}')`);
    const body = `for my $n (${list.join(',')}) { mkdir $n; sysopen(F, "$n/in", O_CREAT|O_WRONLY); link "$n/in", "$n/two"; unlink "$n/in"; sysopen(G, "no$n", 0); kill 0, $$; }`;
    const { record } = await traced(body);
    expect(record.problems).toEqual([]);
    const expected = names
      .map((name) => name.replaceAll('/', '_'))
      .flatMap((name) => [
        `folder.made ok ${name}`,
        `file.written ok ${name}/in`,
        `file.linked ok ${name}/two`,
        `file.removed ok ${name}/in`,
        `file.read ENOENT no${name}`,
        ...(name === names[0] ? ['signal.sent ok '] : []),
      ]);
    expect(told(record)).toEqual([...expected, 'process.ended ok ']);
    expect(of(record, 'signal.sent')[0]?.count).toBe(names.length);
  });

  test('arguments and process names made of strace’s own words stay arguments', async () => {
    const forged = [
      '"], 0x0) = 0',
      '+++ exited with 0 +++',
      '\n1 1.000000 +++ killed by SIGKILL +++',
      ' <unfinished ...>',
    ];
    const list = forged.map((text) => `pack('H*', '${Buffer.from(text).toString('hex')}')`).join(',');
    const body = `$0 = '+++ exited with 0 +++'; symlink '/usr/bin/true', 'a) = 0 <unfinished ...>'; exec {'./a) = 0 <unfinished ...>'} 'x', ${list};`;
    const { record } = await traced(body);
    expect(record).toMatchObject({ complete: true, executed: 1, processes: 1 });
    expect(of(record, 'process.executed')[0]).toMatchObject({ argv: ['x', ...forged], argvCut: false });
    expect(of(record, 'process.executed')[0]?.path).toBe(join(folder, 'a) = 0 <unfinished ...>'));
  });

  test('bytes that are not UTF-8 are marked, and no other name looks like them', async () => {
    const { record } = await traced(
      `sysopen(F, "\\xff\\xc3\\xa9", O_CREAT); sysopen(G, '\\xff'."\\xc3\\xa9", O_CREAT);`,
    );
    expect(told(record).slice(0, 2)).toEqual(['file.written ok \\xffé', 'file.written ok \\x5cxffé']);
  });

  test('of a path that is swapped while it is opened, the file that was really opened counts', async () => {
    writeFileSync(join(folder, 'plain'), 'p');
    writeFileSync(join(folder, 'secret'), 's');
    const swap = `my $c = fork; if (!$c) { while (1) { for my $t ('plain', 'secret') { symlink $t, 'l2'; rename 'l2', 'swapped'; } } }`;
    const body = `symlink 'plain', 'swapped'; ${swap} my %n; for (1..400) { open(F, '<', 'swapped'); $n{<F>}++; } kill 9, $c; wait; print "$n{p} $n{s}";`;
    const { record, output } = await traced(body);
    const reads = of(record, 'file.read').filter((event) => event.asked?.endsWith('/swapped'));
    const count = (name: string) => reads.find((event) => event.path === join(folder, name))?.count;
    expect(`${count('plain')} ${count('secret')}`).toBe(output);
    expect(record.complete).toBe(true);
  });

  test('every process of a deep fork tree is counted and has its end', async () => {
    const { record } = await traced(
      `for my $d (1..60) { my $c = fork; if ($c) { waitpid $c, 0; POSIX::_exit($d); } rmdir "deep$d"; }`,
    );
    expect(record).toMatchObject({ complete: true, processes: 61 });
    expect(of(record, 'process.ended')).toHaveLength(61);
    expect(of(record, 'file.removed')).toHaveLength(60);
  });

  test('a process that dies by a signal ends with that signal', async () => {
    const { record } = await traced(`my $c = fork; if (!$c) { kill 'SEGV', $$; } waitpid $c, 0;`);
    expect(record.complete).toBe(true);
    expect(of(record, 'process.ended')).toMatchObject([
      { code: null, signal: 'SIGSEGV' },
      { code: 0, signal: null },
    ]);
    expect(of(record, 'signal.sent')).toMatchObject([{ signal: 'SIGSEGV', count: 1 }]);
  });

  test('ten thousand opened files stay within the bound, and an execution afterwards is still there', async () => {
    const body = `for (1..10000) { sysopen(F, "f$_", O_CREAT|O_WRONLY); } exec '/usr/bin/true';`;
    const { record } = await traced(body, { maxEvents: 400 });
    expect(record.events.length).toBeLessThanOrEqual(400);
    expect(record.cut).toBeGreaterThan(9_000);
    expect(record.calls).toMatchObject({ openat: expect.any(Number), execve: 1 });
    expect(of(record, 'process.executed')).toMatchObject([{ path: '/usr/bin/true', outcome: 'ok' }]);
  }, 60_000);

  test('of two hundred arguments sixty-four are kept and the cut is told', async () => {
    const { record } = await traced(`exec '/usr/bin/true', map { "a$_" . ('z' x 1200) x ($_ == 2) } 1..199;`);
    const [execution] = of(record, 'process.executed');
    expect(execution?.argvCut).toBe(true);
    expect(execution?.argv).toHaveLength(64);
    expect(execution?.argv[2]).toHaveLength(1000);
    expect(execution?.argv[63]).toBe('a63');
  });

  test('addresses are told, payload that looks like an address is not', async () => {
    const forged = `{sa_family=AF_INET, sin_port=htons(666), sin_addr=inet_addr("6.6.6.6")}, 16) = 1`;
    const body = `socket(S, AF_INET, SOCK_DGRAM, 0); send(S, '${forged}', 0, sockaddr_in(53, inet_aton('127.0.0.1'))); socket(U, AF_UNIX, SOCK_STREAM, 0); connect(U, sockaddr_un('no"}, 9) = 0'));`;
    const { record } = await traced(body);
    expect(of(record, 'network.sent')).toMatchObject([{ family: 'inet', address: '127.0.0.1', port: 53, count: 1 }]);
    expect(of(record, 'network.connect')).toMatchObject([
      { family: 'unix', address: 'no"}, 9) = 0', outcome: 'ENOENT' },
    ]);
  });

  test('a log that breaks off, in a line or after one, is not complete', async () => {
    const { record } = await traced(`for (1..50) { rmdir "gone$_"; }`);
    expect(record.complete).toBe(true);
    const text = readFileSync(log, 'latin1');
    const middle = text.indexOf('gone25');
    truncateSync(log, middle);
    const inLine = await readStraceLog({ log, after: MARK, maxEvents: 500 });
    expect(inLine).toMatchObject({ complete: false, problems: ['the log ends within a line', expect.any(String)] });
    truncateSync(log, text.lastIndexOf('\n', middle) + 1);
    const afterLine = await readStraceLog({ log, after: MARK, maxEvents: 500 });
    expect(afterLine).toMatchObject({ complete: false, problems: ['the log ends before 1 process(es) did'] });
    expect(await readStraceLog({ log, after: MARK, maxEvents: 500, mayLive: true })).toMatchObject({ complete: true });
  });
});
