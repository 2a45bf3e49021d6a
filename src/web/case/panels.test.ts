import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../platform/base/digest.ts';
import { MapView } from './map-view.tsx';
import { OpinionView } from './opinion-view.tsx';
import { RulesView } from './rules-view.tsx';

const HOSTILE = '<img src=x onerror=alert(1)>\u202e';
const OPINION = {
  ...{ model: HOSTILE, prompt: { name: 'judge-1', digest: digestOf('p') }, transcript: digestOf('t'), error: '' },
  ...{ answer: { suspicion: 0.7, technique: HOSTILE, step: 3, reason: HOSTILE }, inputTokens: 1, outputTokens: 1 },
};

describe('the rules of a decision', () => {
  test('are told with their kind, their part of what was taken, and what they saw', () => {
    const rule = { id: 'odd', about: 'is odd', weight: 0.4, kind: 'soft' as const, share: 0.25 };
    const html = renderToString(
      h(RulesView, { rules: [{ ...rule, because: { 'profile.p': 0.0004, signals: ['decoy-used (suspect)'] } }] }),
    );
    for (const told of ['soft', '25 %', 'profile.p</code> 0.0004', 'decoy-used (suspect)'])
      expect(html).toContain(told);
  });

  test('of older decisions, and laws, say that it is not told', () => {
    const html = renderToString(h(RulesView, { rules: [{ id: 'law:unknown', about: null, weight: 0 }] }));
    expect(html).toContain('above the rules');
    expect(html.match(/not told/g)).toHaveLength(2);
  });

  test('show what is hostile as text, and long lists cut', () => {
    const because = { [HOSTILE]: HOSTILE, many: Array.from({ length: 30 }, (_, at) => `s${at}`) };
    const html = renderToString(
      h(RulesView, { rules: [{ id: 'r', about: HOSTILE, weight: 1, because, error: HOSTILE }] }),
    );
    expect(html).not.toContain('<img');
    expect(html).not.toContain('\u202e');
    expect(html).toContain('s11 and 18 more');
  });
});

describe('the opinion of a judge', () => {
  test('is shown as text, and says that it decides nothing', () => {
    const html = renderToString(h(OpinionView, { opinion: OPINION }));
    for (const told of ['decides nothing', '0.7 of 1', 'judge-1', '⟦U+202E⟧']) expect(html).toContain(told);
    expect(html).not.toContain('<img');
  });

  test('without an answer says why there is none', () => {
    const html = renderToString(h(OpinionView, { opinion: { ...OPINION, answer: null, error: 'it took too long' } }));
    expect(html).toContain('it took too long');
    expect(html).not.toContain('Suspicion');
  });
});

describe('the map of a task', () => {
  test('says how to make one where there is none', () => {
    expect(renderToString(h(MapView, { map: 'never-clustered', task: 'a/b' }))).toContain(
      'proctor profile cluster a/b',
    );
  });

  test('marks its session, and names and numbers that are hostile stay text', () => {
    const cluster = { label: 'c1', name: HOSTILE, sessions: 2, state: 'reviewed-cheat' as const };
    const marked = { x: 1, y: 2, label: 'c1' };
    const judged = {
      session: 's',
      verdict: 'ver_1',
      outcome: 'passed',
      integrity: 'clean',
      case: 'case_1',
      ruling: null,
    };
    const neighbours = [
      { session: 's', judged },
      { session: 't', judged: { ...judged, case: null } },
      { session: HOSTILE, judged: null },
    ];
    const map = {
      points: [marked, { x: 0, y: 0, label: null }],
      marked,
      isMember: true,
      clusters: [cluster],
      neighbours,
    };
    const html = renderToString(h(MapView, { map, task: 'a/b' }));
    for (const told of ['this session', 'reviewed-cheat', 'href="/review/case_1"', 'href="/verdict/ver_1"']) {
      expect(html).toContain(told);
    }
    expect(html).not.toContain('<img');
    expect(html).not.toContain('\u202e');
  });
});
