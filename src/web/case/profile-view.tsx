import { CohortChart } from '../charts/cohort-chart.tsx';
import { grouped, visible, visibleLine } from '../visible.ts';
import type { ShownProfile } from './shown-profile.ts';

const TEST_NAMES = {
  A: 'access: what no honest work needs',
  R: 'rarity: what few honest sessions do',
  S: 'shape: how much of everything',
  G: 'shape within the group of its prompt',
} as const;

/** How odd a session is beside honest ones of its task, as a picture and in numbers. */
export function ProfileView({ profile }: { readonly profile: ShownProfile }) {
  const { score, isRecorded } = profile;
  return (
    <>
      {!isRecorded && <p class="note warn">Not all of this session was recorded: what is missing is not nothing.</p>}
      {score === null ? (
        <p class="dim">
          There is no reference for this task yet, so only the counts are known; <code>proctor profile fit</code> makes
          one.
        </p>
      ) : (
        <>
          <p>
            <strong>{`p ${shortP(score.p)}`}</strong>
            {score.sentence !== null && `: ${visible(score.sentence, 200)}.`}{' '}
            <span class="dim">{`Compared with ${grouped(score.sessions)} honest sessions (${visibleLine(score.window, 80)}).`}</span>
          </p>
          <dl class="facts">
            {(['A', 'R', 'S', 'G'] as const).map((test) => (
              <>
                <dt>{TEST_NAMES[test]}</dt>
                <dd>{`p ${shortP(score.testP[test])}`}</dd>
              </>
            ))}
          </dl>
        </>
      )}
      <CohortChart profile={profile} />
    </>
  );
}

function shortP(p: number | null): string {
  return p === null ? 'unknown' : String(Number(p.toPrecision(3)));
}
