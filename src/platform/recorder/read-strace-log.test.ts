import { expect, test } from 'vitest';
import { readStraceLog } from './read-strace-log.ts';

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.trim().split('\n');
}

const read = (text: string, maxEvents = 100, sinceMs?: number) =>
  readStraceLog({ log: linesOf(text), after: null, maxEvents, ...(sinceMs === undefined ? {} : { sinceMs }) });

test('a thread that executes becomes its process, and the execution has succeeded whatever number strace shows', async () => {
  const record = await read(`
716   1796039749.411533 chdir("/")      = 0
717   1796039749.412305 openat(AT_FDCWD</>, "/fifo", O_RDONLY|O_CLOEXEC <unfinished ...>
718   1796039749.613895 execve("/bin/true", ["true"], 0x7fffc1a4d1a8 /* 35 vars */ <unfinished ...>
717   1796039749.614267 <... openat resumed>) = ?
717   1796039749.614346 +++ exited with 0 +++
716   1796039749.615100 +++ superseded by execve in pid 718 +++
716   1796039749.616138 <... execve resumed>) = -1 (errno 18446744073709551359)
716   1796039749.616627 +++ exited with 0 +++`);
  expect(record).toMatchObject({ complete: true, executed: 1, processes: 3 });
  expect(record.events).toMatchObject([
    { type: 'file.read', path: '/fifo', outcome: 'unfinished' },
    { type: 'process.executed', path: '/bin/true', outcome: 'ok', pid: 716 },
    { type: 'process.ended', pid: 717 },
    { type: 'process.ended', pid: 716 },
  ]);
});

test('halves of calls are joined per process', async () => {
  const record = await read(`
1 1.000000 openat(AT_FDCWD</w>, "one", O_RDONLY <unfinished ...>
2 1.000001 openat(AT_FDCWD</w>, "two", O_WRONLY <unfinished ...>
1 1.000002 <... openat resumed>) = 3</w/one>
2 1.000003 <... openat resumed>) = -1 EACCES (Permission denied)
1 1.000004 +++ exited with 0 +++
2 1.000005 +++ killed by SIGSEGV (core dumped) +++`);
  expect(record.complete).toBe(true);
  expect(record.events.slice(0, 2)).toMatchObject([
    { type: 'file.read', path: '/w/one', outcome: 'ok', pid: 1, atMs: 1000 },
    { type: 'file.written', path: '/w/two', outcome: 'EACCES', pid: 2 },
  ]);
});

test('lines that are none of strace, and halves without their other half, make the record incomplete', async () => {
  const record = await read(`
1 1.000000 <... openat resumed>) = 3</w/one>
something else
1 1.000001 unlink("x" = 0
1 1.000002 +++ exited with 0 +++`);
  expect(record.complete).toBe(false);
  expect(record.problems).toEqual([
    'a call of openat ends that never began',
    'a line is none of strace',
    'a call of unlink could not be read',
  ]);
});

test('a relative path is certain only while all processes have had one working folder', async () => {
  const record = await read(`
1 1.000000 openat(AT_FDCWD</w>, "/a", O_RDONLY) = 3</a>
2 1.000001 unlink("x") = 0
1 1.000002 chdir("sub") = 0
2 1.000003 unlink("y") = 0
1 1.000004 unlink("z") = 0
1 1.000005 mkdirat(3</d\\76>, "../m", 0777) = 0
1 1.000006 +++ exited with 0 +++
2 1.000006 +++ exited with 0 +++`);
  expect(record.events.slice(1, 5)).toMatchObject([
    { path: '/w/x' },
    { path: 'y', guessed: true },
    { path: '/w/sub/z', guessed: true },
    { path: '/m' },
  ]);
  expect(record.events[1]).not.toHaveProperty('guessed');
});

test('calls that strace refuses are told with their arguments', async () => {
  const record = await read(`
1 1.000000 ptrace(PTRACE_ATTACH, 77) = -1 EPERM (Operation not permitted) (INJECTED)
1 1.000001 +++ exited with 0 +++`);
  expect(record.events[0]).toMatchObject({ type: 'call.refused', call: 'ptrace', args: ['PTRACE_ATTACH', '77'] });
});

test('denied accesses have places of their own, and look-ups that fail are kept few and are no cut', async () => {
  const opens = (count: number, name: string, result: string) =>
    Array.from({ length: count }, (_, n) => `1 1.000000 openat(AT_FDCWD</w>, "/${name}${n}", O_RDONLY) = ${result}`);
  const lines = [
    ...opens(500, 'read', '3'),
    ...opens(500, 'miss', '-1 ENOENT (No such file or directory)'),
    ...opens(1, 'denied', '-1 EACCES (Permission denied)'),
    '1 1.000009 +++ exited with 0 +++',
  ];
  const record = await read(lines.join('\n'), 1000);
  expect(record).toMatchObject({ cut: 300, misses: 375, complete: true });
  expect(record.events).toContainEqual(expect.objectContaining({ path: '/denied0', outcome: 'EACCES' }));
});

test('an unreadable log file is an incomplete record', async () => {
  const record = await readStraceLog({ log: '/nonexistent/log', after: null, maxEvents: 10 });
  expect(record).toMatchObject({ complete: false, problems: ['the log cannot be read: ENOENT', expect.any(String)] });
});

test('what was told before takes no place, hides no equal event, and is still counted', async () => {
  const old = Array.from({ length: 50 }, (_, n) => `1 1.${String(n).padStart(6, '0')} unlink("/old${n}") = 0`);
  const record = await read(
    `
1 0.900000 execve("/bin/a", ["a"], 0x0 /* 1 var */) = 0
${old.join('\n')}
1 1.000100 unlink("/same") = 0
2 1.000200 openat(AT_FDCWD</w>, "slow", O_RDONLY <unfinished ...>
3 1.000300 +++ exited with 0 +++
1 2.000000 unlink("/same") = 0
2 2.000100 <... openat resumed>) = 3</w/slow>
1 2.000200 unlink("/same") = 0
1 2.000300 +++ exited with 0 +++
2 2.000300 +++ exited with 0 +++`,
    40,
    1000.3,
  );
  expect(record).toMatchObject({ complete: true, cut: 0, processes: 3, executed: 1 });
  expect(record.calls).toEqual({ execve: 1, unlink: 53, openat: 1 });
  expect(record.events).toMatchObject([
    { type: 'file.read', path: '/w/slow', atMs: 1000.2 },
    { type: 'file.removed', path: '/same', atMs: 2000, count: 2 },
    { type: 'process.ended', pid: 1 },
    { type: 'process.ended', pid: 2 },
  ]);
});

test('lines of dying threads that strace runs together are taken apart', async () => {
  const record = await read(`
21 1.000000 execve("/bin/a", ["a"], 0x0 /* 1 var */) = 0
22 1.000001 execve("/bin/true", ["true"], 0x7f /* 35 vars */ <unfinished ...>
21 1.000002 unlink("/nix"21 1.000003 +++ superseded by execve in pid 22 +++
21 1.000004 <... execve resumed>) = 0
23 1.000005 execve("/bin/true", ["x"], 0x7f /* 35 vars */ <pid changed to 21 ...>
21 1.000006 +++ superseded by execve in pid 23 +++
21 1.000007 <... execve resumed>) = 0
24 1.000008 execve("/bin/true", ["y"], 0x7f /* 35 vars */ <unfinished ...>
21 1.000009 syscall_0xfffe(0x56, 0, 0x7ffccd59f67721 1.000010 +++ superseded by execve in pid 24 +++
21 1.000011 <... execve resumed>) = 0
25 1.000012 ???( <unfinished ...>
26 1.000013 openat( <unfinished ...>
25 1.000014 <... ??? resumed>) = ?
26 1.000015 <... openat resumed>) = ? <unavailable>
27 1.000016 ???()           = ?
25 1.000017 +++ exited with 0 +++
26 1.000017 +++ exited with 0 +++
27 1.000017 +++ exited with 0 +++
21 1.000018 +++ exited with 0 +++`);
  expect(record).toMatchObject({ complete: true, problems: [], executed: 4, processes: 7 });
  expect(record.events.filter(({ type }) => type !== 'process.ended')).toMatchObject([
    { type: 'process.executed', path: '/bin/a' },
    { type: 'process.executed', argv: ['true'], pid: 21, outcome: 'ok' },
    { type: 'file.removed', path: '/nix', outcome: 'unfinished' },
    { type: 'process.executed', argv: ['x'], pid: 21, outcome: 'ok' },
    { type: 'process.executed', argv: ['y'], pid: 21, outcome: 'ok' },
  ]);
});

test('text that looks like run-together lines is text, and numbers of another process part nothing', async () => {
  const record = await read(`
1 1.000000 unlink("x1 1.000000 +++ superseded by execve in pid 2 +++") = 0
1 1.000001 unlink(0x12 1.000000 +++ superseded by execve in pid 2 +++
1 1.000002 unlink("x1 1.000000 +++ superseded by execve in pid 2 +++
1 1.000003 +++ exited with 0 +++`);
  expect(record.problems).toEqual(['a call of unlink could not be read']);
  expect(record.events).toMatchObject([
    { type: 'file.removed', path: expect.stringContaining('superseded') },
    { type: 'process.ended' },
  ]);
});

test('a program that calls every number there is fills no histogram', async () => {
  const lines = Array.from(
    { length: 900 },
    (_, n) => `1 1.000000 syscall_0x${(n + 9999).toString(16)}(0) = -1 ENOSYS (x)`,
  );
  const { calls } = await read(lines.join('\n'));
  expect(Object.keys(calls)).toHaveLength(201);
  expect(calls.other).toBe(700);
});
