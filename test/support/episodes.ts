import type { Digest } from '../../src/platform/base/digest.ts';
import { digestOf } from '../../src/platform/base/digest.ts';
import type { Episode, EpisodeStep } from '../../src/stages/dataset/episode.ts';
import { NO_LABELS, type RunLabels } from '../../src/stages/run/run.ts';
import type { VerdictBody } from '../../src/stages/verdict/verdict.ts';

const AT = new Date('2026-01-01T00:00:00Z');

/** One step that ran a command. */
export function stepOf(given: { command: string; exitCode?: number; text?: string; status?: string }): EpisodeStep {
  const { command, exitCode = 0, text = '' } = given;
  const status = given.status ?? (exitCode === 0 ? 'ok' : 'failed');
  return {
    ...{ step: 1, at: AT.toISOString(), messageId: null, tokens: null, wallMs: 1, mark: null },
    action: { environment: 'shell', action: 'run', parameters: { command } },
    observation: { status, exitCode, text, outputs: [], error: null },
  };
}

/** What an episode of tests is; all else is made up. */
export interface GivenEpisode {
  /** A small number that names it. */
  readonly n: number;
  readonly task?: string;
  /** Name of its instance: episodes of one are of one prompt. */
  readonly prompt?: string;
  readonly commands?: readonly string[];
  readonly outcome?: VerdictBody['outcome'];
  readonly integrity?: VerdictBody['integrity'];
  readonly score?: number;
  readonly signals?: VerdictBody['signals'];
  readonly mask?: boolean;
  readonly labels?: Partial<RunLabels>;
  readonly isEvaluated?: boolean;
}

const idOf = (kind: string, n: number) => `${kind}_${String(n).padStart(9, '0')}${'0'.repeat(20)}`;

/** An episode that never was. */
export function episodeOf(given: GivenEpisode): Episode {
  const { n, task = 'test/double', prompt = 'p', commands = ['ls', 'cat double.py'], outcome = 'passed' } = given;
  const { integrity = 'clean', score = outcome === 'passed' ? 1 : 0, signals = [], mask = false } = given;
  const fault = outcome === 'passed' ? 'none' : 'subject';
  const policy: Digest = digestOf('policy');
  const action = mask ? 'quarantine' : 'accept';
  const summary = { outcome, integrity, assurance: 'oracle', fault } as const;
  return {
    ...{ id: idOf('sess', n), origin: 'workspace', artifactId: idOf('sub', n), openedAt: AT },
    endedAt: new Date(AT.getTime() + 60_000),
    task: { name: task, digest: digestOf(task) },
    instance: { id: idOf('inst', n), digest: digestOf(`${task}/${prompt}`), difficulty: null },
    labels: { ...NO_LABELS, ...given.labels },
    end: {
      ...{ outcome: 'finished', fault: 'none', reason: null, retry: false, steps: commands.length },
      ...{ events: 9, log: digestOf('log'), archive: digestOf('archive') },
    },
    ...{ isEvaluated: given.isEvaluated ?? false, isRetired: false, profile: null, isCut: false },
    verdict: {
      id: idOf('ver', n),
      body: {
        ...{ ...summary, score, signals, cases: { passed: 0, total: 5 }, pinned: true, reason: null },
        basis: { artifact: digestOf('a'), grade: digestOf('g'), screening: null },
      },
    },
    decision: { id: idOf('dec', n), policy, body: { action, weight: mask ? 0 : 1, mask, flags: [], rules: [] } },
    reward: {
      id: idOf('rew', n),
      body: {
        ...{ status: mask ? 'quarantined' : 'scored', reward: mask ? 0 : score, score, trainWeight: mask ? 0 : 1 },
        ...{ maskSample: mask, failureKind: '', failureReason: '', action, flags: [], verdict: summary },
      },
    },
    steps: commands.map((command, index) => ({ ...stepOf({ command, text: `out ${index}` }), step: index + 1 })),
  };
}
