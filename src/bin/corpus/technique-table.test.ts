import { expect, test } from 'vitest';
import {
  byTechnique,
  type ComparedCheat,
  driftOf,
  type TechniqueRecord,
  techniqueMarkdown,
  techniquesFooling,
} from './technique-table.ts';

const cheat = (submission: string, technique: string, fooled: Partial<ComparedCheat> = {}): ComparedCheat => ({
  ...{ task: 't', submission, technique },
  ...{ plain: 'none', hardened: 'none', proctor: 'none' },
  ...fooled,
});
const record = (...cheats: ComparedCheat[]): TechniqueRecord => ({ seed: 's', python: '3', pytest: '7', cheats });

test('cheats are counted by technique, whole runs and single tests apart', () => {
  const rows = byTechnique([cheat('a', 'x', { plain: 'whole' }), cheat('b', 'x', { plain: 'some' }), cheat('c', 'w')]);
  expect(rows.map(({ technique, cheats, fooled }) => [technique, cheats, fooled.plain])).toEqual([
    ['w', 1, { whole: 0, some: 0 }],
    ['x', 2, { whole: 1, some: 1 }],
  ]);
  expect(techniquesFooling(rows, 'plain')).toEqual({ any: 1, whole: 1 });
});

test('the table says what fooled whom, and sums it up', () => {
  const text = techniqueMarkdown(record(cheat('a', 'x', { plain: 'whole', hardened: 'some' })));
  expect(text).toContain('| `x` | 1 | **1 whole** | 1 some | – |');
  expect(text).toContain('| **techniques that fooled it** | 1 | 1 (1 whole) | 1 (0 whole) | 0 (0 whole) |');
});

test('a cheat that came or went, or that Proctor sees otherwise, is drift; what ordinary graders make of it may vary', () => {
  const kept = record(cheat('a', 'x'), cheat('b', 'x'));
  expect(driftOf(kept, record(cheat('a', 'x', { plain: 'some' }), cheat('b', 'x')))).toEqual([]);
  expect(driftOf(kept, record(cheat('a', 'x', { proctor: 'some' }), cheat('c', 'x')))).toEqual([
    't/b is in the record only',
    't/a: Proctor some instead of none',
    't/c is not in the record',
  ]);
});
