import { Moment } from '../badges.tsx';
import { CohortChart, rounded } from '../charts/cohort-chart.tsx';
import { grouped, visible, visibleLine } from '../visible.ts';
import { eventAnchor } from './anchors.ts';
import type { ShownProfile } from './shown-profile.ts';

const TEST_NAMES = {
  A: 'access: what no honest work needs',
  R: 'rarity: what few honest sessions do',
  S: 'shape: how much of everything',
  G: 'shape within the group of its prompt',
} as const;

/** How odd a session is beside honest ones of its task, as a picture and in numbers. `address`: of the page, without a query. */
export function ProfileView({ profile, address }: { readonly profile: ShownProfile; readonly address: string }) {
  const { score, isRecorded, problem } = profile;
  return (
    <>
      {!isRecorded && <p class="note warn">Not all of this session was recorded: what is missing is not nothing.</p>}
      {problem !== null && (
        <p class="note warn">{`What it was compared with cannot be shown: ${visible(problem, 300)}`}</p>
      )}
      {score === null ? (
        <p class="dim">
          This was compared with nothing, so only the counts are known; <code>proctor profile fit</code> makes a
          reference.
        </p>
      ) : (
        <Scored score={score} address={address} isStored={profile.storedAt !== null} />
      )}
      <Origin profile={profile} />
      <CohortChart profile={profile} />
    </>
  );
}

function Scored(shown: {
  readonly score: NonNullable<ShownProfile['score']>;
  readonly address: string;
  readonly isStored: boolean;
}) {
  const { score, address, isStored } = shown;
  return (
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
        {isStored && (
          <>
            <dt>proposed</dt>
            <dd>{`weight ${rounded(score.weight)} (${score.reason}${score.review ? ', for a person' : ''})`}</dd>
          </>
        )}
      </dl>
      {score.reasons.length > 0 && <Reasons reasons={score.reasons} address={address} />}
    </>
  );
}

function Reasons(given: Pick<NonNullable<ShownProfile['score']>, 'reasons'> & { readonly address: string }) {
  return (
    <>
      <h3>What it rests on</h3>
      <ul>
        {given.reasons.map(({ test, feature, unit, value, median, range: [low, high], seq }) => (
          <li key={`${test} ${feature}`}>
            <strong>{visibleLine(feature, 60).replaceAll('_', ' ')}</strong>
            {test === 'G'
              ? `: ${rounded(value)} from the middle of its group; honest ones ${rounded(low)} to ${rounded(high)}`
              : `: ${rounded(value)} ${visibleLine(unit, 20)}; honest ones ${rounded(low)} to ${rounded(high)}, median ${rounded(median)}`}
            {seq > 0 && (
              <>
                {', '}
                <a href={`${given.address}?after=${Math.max(0, seq - 40)}#${eventAnchor(seq)}`}>{`event ${seq}`}</a>
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Origin({ profile: { storedAt } }: Pick<Parameters<typeof ProfileView>[0], 'profile'>) {
  if (storedAt === null) return <p class="dim">No profile is stored: this was made out for this page.</p>;
  return (
    <p class="dim">
      The profile as it was stored, <Moment at={storedAt} />. A decision before that saw an earlier one or none.
    </p>
  );
}

function shortP(p: number | null): string {
  return p === null ? 'unknown' : String(Number(p.toPrecision(3)));
}
