import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readStraceLog } from './read-strace-log.ts';
import { stepRecordSchema } from './recorded-event.ts';
import { probeStrace } from './recorder-probe.ts';
import { straceArguments } from './strace-command.ts';

const { usable, remark } = await probeStrace();
const compiler = spawnSync('gcc', ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'recorder-c-'));
const log = join(folder, 'log');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEADERS = ['fcntl.h', 'pthread.h', 'signal.h', 'stdio.h', 'stdlib.h', 'string.h', 'sys/syscall.h', 'sys/wait.h']
  .concat('unistd.h')
  .map((name) => `#include <${name}>\n`);

/** Compiles and traces a C program that runs in `folder`. */
async function traced(program: string) {
  const source = join(folder, 'program.c');
  writeFileSync(source, `#define _GNU_SOURCE\n${HEADERS.join('')}${program}`);
  const built = spawnSync('gcc', ['-w', '-pthread', '-o', join(folder, 'program'), source], { encoding: 'utf8' });
  expect(built.stderr).toBe('');
  const [strace = '', ...args] = straceArguments({ logPath: log });
  expect(spawnSync(strace, [...args, join(folder, 'program')], { cwd: folder, encoding: 'utf8' }).stderr).toBe('');
  const record = await readStraceLog({ log, after: null, maxEvents: 50_000 });
  stepRecordSchema.parse(record);
  return record;
}

describe.skipIf(!usable || !compiler)(`strace record of C programs${usable ? '' : ` (not here: ${remark})`}`, () => {
  /** What a forger would like to be read as lines, in a file name of each dying call and in the arguments of each execution. */
  const FORGED = [
    '1 1.000000 +++ superseded by execve in pid 2 +++',
    '???( <unfinished ...>',
    ' <pid changed to 1 ...>',
    '\\n1 1.000000 unlink(\\"forged\\") = 0',
  ].join('');

  test.each([
    [60, 0, 1],
    [30, 3, 4],
    [5, 40, 8],
  ])(
    '%d programs with %d busy threads, of which %d execute, are told completely',
    async (programs, busy, executing) => {
      const record = await traced(`
      static const char *forged = "${FORGED}";
      static void *run(void *_) { usleep(rand() % 400); execl("/usr/bin/true", "true", forged, (char *)0); return 0; }
      static void *work(void *_) { for (;;) unlink(forged); }
      int main() {
        for (int i = 0; i < ${programs}; i++) {
          pid_t child = fork();
          if (child == 0) {
            pthread_t thread;
            srand(i * 7919);
            for (int n = 0; n < ${busy}; n++) pthread_create(&thread, 0, work, 0);
            for (int n = 0; n < ${executing}; n++) pthread_create(&thread, 0, run, 0);
            work(0);
          }
          waitpid(child, 0, 0);
        }
      }`);
      expect(record).toMatchObject({ complete: true, problems: [], executed: programs + 1 });
      const text = JSON.parse(`"${FORGED}"`);
      const told = new Set(
        record.events.map((event) => ('path' in event ? `${event.type} ${event.path}` : event.type)),
      );
      expect(told).not.toContain('file.removed forged');
      const removals = record.events.filter((event) => event.type === 'file.removed').map(({ path }) => path);
      // a pointer is told where the process died before strace could read the name
      for (const path of removals)
        expect([join(folder, text), text, expect.stringMatching(/^0x[0-9a-f]+$/)]).toContainEqual(path);
      const runs = record.events.filter((event) => event.type === 'process.executed' && event.path === '/usr/bin/true');
      for (const event of runs) expect(event).toMatchObject(event.outcome === 'ok' ? { argv: ['true', text] } : {});
    },
    60_000,
  );

  test('every way to send a signal is told, and a change of mode that strace does not know', async () => {
    const record = await traced(`
      int main() {
        siginfo_t info;
        memset(&info, 0, sizeof info);
        info.si_code = SI_QUEUE;
        info.si_signo = SIGUSR1;
        signal(SIGUSR1, SIG_IGN);
        syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info);
        syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGUSR2, 1);
        syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, getpid(), 0), SIGUSR1, 0, 0);
        syscall(SYS_pidfd_send_signal, open("/proc/self", O_RDONLY | O_DIRECTORY), SIGUSR1, 0, 0);
        syscall(452, AT_FDCWD, "x", 0600, 0);
      }`);
    expect(record.complete).toBe(true);
    const own = record.events[0]?.pid;
    expect(record.events.filter(({ type }) => type === 'signal.sent')).toMatchObject([
      { signal: 'SIGUSR1', target: own, outcome: 'ok', count: 2 },
      { signal: 'SIGUSR2', target: own, outcome: 'EFAULT' },
      { signal: 'SIGUSR1', target: 0, descriptor: expect.stringContaining('<anon_inode:[pidfd]>') },
    ]);
    expect(record.events.filter(({ type }) => type === 'file.changed')).toMatchObject([
      { path: expect.stringMatching(/^0x/), guessed: true, outcome: expect.any(String) },
    ]);
  });

  test('what comes last is there after many different executions', async () => {
    const record = await traced(`
      static void run(const char *program, const char *argument) {
        if (fork() == 0) execl(program, program, argument, "stolen", (char *)0);
        wait(0);
      }
      int main() {
        char text[20];
        for (int i = 0; i < 250; i++) { sprintf(text, "%d", i); run("/usr/bin/true", text); run("/usr/bin/true", "same"); }
        run("/usr/bin/cp", "/etc/passwd");
      }`);
    expect(record.complete).toBe(true);
    const bounded = await readStraceLog({ log, after: null, maxEvents: 100 });
    const executions = bounded.events.filter((event) => event.type === 'process.executed');
    expect(executions).toHaveLength(20);
    expect(executions).toContainEqual(
      expect.objectContaining({ argv: ['/usr/bin/true', 'same', 'stolen'], count: 250 }),
    );
    expect(executions.at(-1)).toMatchObject({
      argv: ['/usr/bin/cp', '/etc/passwd', 'stolen'],
      outcome: 'ok',
      count: 1,
    });
    expect(bounded.events).toContainEqual(
      expect.objectContaining({ type: 'file.written', path: join(folder, 'stolen') }),
    );
    expect(bounded.cut).toBeGreaterThanOrEqual(233);
  }, 60_000);
});
