import { describe, expect, test } from 'vitest';
import { seeded } from '../../../test/support/behaviours.ts';
import { type MapPoint, principalAxes, projected } from './map.ts';
import { drawMap } from './map-draw.ts';

describe('the map', () => {
  test('its first axis lies along what differs most, its second at a right angle', () => {
    const random = seeded(4);
    const points = Array.from({ length: 200 }, () => {
      const along = 10 * (random() - 0.5);
      return Float64Array.from([along, along + random() - 0.5, 3 * (random() - 0.5), 0]);
    });
    const [first, second] = principalAxes(points) as [Float64Array, Float64Array];
    expect(first[0]).toBeCloseTo(Math.SQRT1_2, 1);
    expect(first[1]).toBeCloseTo(Math.SQRT1_2, 1);
    expect(Math.abs(second[2] ?? 0)).toBeGreaterThan(0.95);
    expect(first.reduce((sum, weight, at) => sum + weight * (second[at] ?? 0), 0)).toBeCloseTo(0);
  });

  test('points that do not differ lie on one place, and none at all on none', () => {
    const same = Array.from({ length: 5 }, () => Float64Array.from([1, 2]));
    expect(projected(principalAxes(same), same[0] as Float64Array)).toEqual({ x: 0, y: 0 });
    expect(principalAxes([])).toHaveLength(2);
  });
});

describe('its drawing', () => {
  const points: MapPoint[] = [
    { x: 0, y: 0, label: 'c1' },
    { x: 1, y: 1, label: 'c1' },
    { x: 2, y: 0, label: 'c2' },
    { x: 2, y: 2, label: null },
  ];

  test('says in words what it shows, and marks one session', () => {
    const svg = drawMap(points, { marked: { x: 1, y: 0, label: 'c2' }, names: new Map([['c2', 'more vcs reads']]) });
    expect(svg).toContain('role="img"');
    expect(svg).toContain('4 sessions in 2 clusters, 1 in none. The marked session is in c2.');
    expect(svg).toContain('c2 more vcs reads: 1');
    expect(svg).toContain('this session');
    expect(svg.match(/<(circle|rect|path)[^>]*fill-opacity/g)).toHaveLength(4 + 1 + 2);
  });

  test('lets no text out of its place, and holds nothing that a strict content policy refuses', () => {
    const evil = '"><script>alert(1)</script>\u0000\ud800';
    const svg = drawMap([{ x: 0, y: 0, label: evil }], {
      ...{ title: evil, id: evil, marked: { x: 0, y: 0, label: evil }, names: new Map([[evil, evil]]) },
    });
    expect(svg).not.toMatch(/<script|style=|<style|\son\w+=|href|url\(/i);
    expect(svg).not.toContain('<script');
    expect(svg).not.toContain('">alert');
    expect(svg).not.toContain('\u0000');
    expect(svg.isWellFormed()).toBe(true);
  });

  test('leaves out what is nowhere, and is a drawing still without any point', () => {
    const svg = drawMap([{ x: Number.NaN, y: 0, label: 'c1' }], {
      marked: { x: 0, y: Number.POSITIVE_INFINITY, label: null },
    });
    expect(svg).toContain('0 sessions in 0 clusters');
    expect(svg).not.toMatch(/NaN|Infinity|this session/);
  });
});
