import { expect, test } from 'vitest';
import { drawOne, type RawParameter } from '../../../../test/support/draw-one.ts';

const LOG = { type: 'log' as const, lines: 200, services: 3, from: '2024-02-29' };
const LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (DEBUG|INFO|WARN|ERROR|FATAL) ([a-z]+_[a-z]+): (.+)$/;
const linesOf = (raw: RawParameter, seed: string) =>
  (drawOne(raw, seed).x as string[]).map((line) => LINE.exec(line)?.slice(1) ?? []);

test('every line has a time, a level, a service and a message with a key', () => {
  for (let seed = 0; seed < 20; seed++) {
    const lines = linesOf(LOG, `seed-${seed}`);
    expect(lines).toHaveLength(200);
    expect(lines.filter(([, , , message = '']) => !/^[a-z][a-z0-9 ]+ key=\d{1,2}$/.test(message))).toEqual([]);
    expect(new Set(lines.map(([, , service]) => service)).size).toBe(3);
    expect(new Set(lines.map(([, level]) => level))).toEqual(new Set(['DEBUG', 'INFO', 'WARN', 'ERROR']));
  }
});

test('a log begins on its day, and its times never go back', () => {
  for (let seed = 0; seed < 20; seed++) {
    const times = linesOf(LOG, `seed-${seed}`).map(([time = '']) => time);
    expect(times[0]).toMatch(/^2024-02-29T/);
    expect(times).toEqual([...times].sort());
  }
});

test('planted lines stand where they are told, and no other line has their level and text', () => {
  for (const text of ['disk is full', 'key=1', 'a']) {
    for (let seed = 0; seed < 20; seed++) {
      const { x, x_planted: places } = drawOne({ ...LOG, planted: { count: 7, text } }, `seed-${seed}`);
      const told = (x as string[]).map((line) => LINE.exec(line)?.slice(1) ?? []);
      const found = [...told.keys()].filter((at) => told[at]?.[1] === 'ERROR' && told[at]?.[3]?.includes(text));
      expect(found).toEqual(places);
      expect(found.map((at) => told[at]?.[3])).toEqual(Array(7).fill(text));
    }
  }
});

test.each(['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const)('lines can be planted with the level %s', (level) => {
  const { x, x_planted: places } = drawOne({ ...LOG, planted: { count: 200, level, text: 'user' } });
  expect(places).toEqual(Array.from({ length: 200 }, (_, at) => at));
  expect((x as string[]).every((line) => line.includes(` ${level} `) && line.endsWith(': user'))).toBe(true);
});

test('planting changes no time, no service and no other line', () => {
  const { x, x_planted: places } = drawOne({ ...LOG, planted: { count: 9, text: 'disk is full' } });
  const [plain, planted] = [drawOne(LOG).x as string[], x as string[]];
  for (const [at, line] of planted.entries()) {
    if (!(places as number[]).includes(at)) expect(line).toBe(plain[at]);
    const [now, was] = [LINE.exec(line), LINE.exec(plain[at] ?? '')];
    expect([now?.[1], now?.[3]]).toEqual([was?.[1], was?.[3]]);
  }
  expect(drawOne(LOG)).not.toHaveProperty('x_planted');
});
