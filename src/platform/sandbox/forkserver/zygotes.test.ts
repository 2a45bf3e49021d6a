import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestOf } from '../../base/digest.ts';
import type { Prepared } from '../sandbox.ts';
import type { LauncherProcess } from './launcher-process.ts';
import { openZygotes, type Zygote } from './zygotes.ts';

const FILES = {
  root: { kind: 'directory', path: '/nowhere', digest: digestOf('nowhere') },
  etcFolder: '/nowhere',
  tools: {},
} as const;
const prepared = (key: string, otherwise?: Prepared): Prepared => ({
  ...{ key, arguments: [], files: [] },
  ...(otherwise === undefined ? {} : { otherwise }),
});
const command = (wanted: Prepared) => ({ argv: ['/usr/bin/python3', '-I', '-B', 'p.py'] as const, prepared: wanted });

let folder: string;
let server: Server;
let accepted: Socket[];
let asked: number;
let launcher: LauncherProcess;
/** What a process tells when it is asked for; without `ready` it is still preparing itself. */
let told: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'zygotes-'));
  [accepted, asked, told] = [[], 0, 'begun\nready\n'];
  const path = join(folder, 'launcher');
  server = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => undefined);
    socket.write(told);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  launcher = {
    async request() {
      asked++;
      return connect(path);
    },
    close: async () => undefined,
  };
});
afterEach(() => {
  for (const socket of accepted) socket.destroy();
  server.close();
  rmSync(folder, { recursive: true });
});

const open = (most: number) => openZygotes(launcher, { folder, tool: '/nowhere', most });
const isOver = async ({ ended }: Zygote) =>
  Promise.race([ended.then(() => true), new Promise((resolve) => setTimeout(() => resolve(false), 50))]);

test('all who ask at once for the first time get one process', async () => {
  const zygotes = open(4);
  const found = await Promise.all([1, 2, 3].map(() => zygotes.find(FILES, command(prepared('a')))));
  expect([asked, new Set(found).size]).toEqual([1, 1]);
});

test('the one that served longest ago is ended for a new one, but not before its last clone is gone', async () => {
  const zygotes = open(1);
  const first = (await zygotes.find(FILES, command(prepared('a')))) as Zygote;
  await zygotes.find(FILES, command(prepared('b')));
  expect(await isOver(first)).toBe(false);
  first.release();
  expect(await isOver(first)).toBe(true);
});

test('something further is prepared for the second who asks, and serves once it is ready', async () => {
  const zygotes = open(4);
  const suite = command(prepared('suite', prepared('any')));
  const first = await zygotes.find(FILES, suite);
  expect(asked).toBe(1);
  told = 'begun\n';
  expect(await zygotes.find(FILES, suite)).toBe(first);
  expect(asked).toBe(2);
  expect(await zygotes.find(FILES, suite)).toBe(first);
  accepted[1]?.write('ready\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await zygotes.find(FILES, suite)).not.toBe(first);
  expect(asked).toBe(2);
});

test('one that has ended is replaced', async () => {
  const zygotes = open(4);
  const first = (await zygotes.find(FILES, command(prepared('a')))) as Zygote;
  accepted[0]?.destroy();
  await first.ended;
  expect(await zygotes.find(FILES, command(prepared('a')))).not.toBe(first);
});

test('what is no prepared program has none', async () => {
  expect(await open(4).find(FILES, { argv: ['/usr/bin/true'] })).toBeNull();
});
