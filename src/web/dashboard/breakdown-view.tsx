import type { Breakdown, BreakdownCell } from '../../stages/review/breakdown-store.ts';
import type { DayFacts } from '../../stages/review/dashboard-store.ts';
import { DayChart } from '../charts/day-chart.tsx';
import { grouped, visibleLine } from '../visible.ts';

const ABOUT = {
  rule: 'Of all rewards of a day, the share on which a rule fired, and the mean weight of those.',
  run: 'The share flagged and the mean weight of each run’s rewards.',
  task: 'The share flagged and the mean weight of each task’s rewards.',
} as const satisfies Record<Breakdown, string>;

/** A picture for each rule, run or task, all on the same days, so that they can be compared. */
export function BreakdownView(shown: {
  readonly by: Breakdown;
  readonly days: readonly DayFacts[];
  readonly cells: readonly BreakdownCell[];
}) {
  const { by, days, cells } = shown;
  const ordered = [...new Set(cells.map(({ key }) => key))]
    .map((key) => cells.filter((cell) => cell.key === key))
    .map((of) => ({ key: of[0]?.key ?? '', of, rewards: sumOf(of) }))
    .toSorted((one, other) => other.rewards - one.rewards);
  return (
    <section class="card across" id="over-time">
      <h2>{`Over time by ${by}`}</h2>
      <p class="dim">{`${ABOUT[by]} Those with the most rewards; a day without any is left open.`}</p>
      {ordered.length === 0 && <p class="dim">Nothing was decided in this time.</p>}
      <div class="multiples">
        {ordered.map(({ key, of, rewards }) => (
          <div key={key}>
            <h3 class="multiple">{visibleLine(key, 120)}</h3>
            <p class="dim">{`${grouped(rewards)} rewards`}</p>
            <DayChart
              title={`${visibleLine(key, 120)}: shares by day`}
              days={days.map(({ day }) => day)}
              lines={linesOf(by, days, of)}
              size="small"
            />
          </div>
        ))}
      </div>
    </section>
  );
}

function linesOf(by: Breakdown, days: readonly DayFacts[], cells: readonly BreakdownCell[]) {
  const byDay = new Map(cells.map((cell) => [cell.day, cell]));
  const share = ({ day, rewards }: DayFacts) => {
    const cell = byDay.get(day);
    // a rule that did not fire on a day with rewards fired on none of them; a run or task without rewards has no share
    if (by === 'rule') return Math.min(1, (cell?.rewards ?? 0) / Math.max(1, rewards));
    return cell?.flaggedShare ?? null;
  };
  return [
    { name: by === 'rule' ? 'fired' : 'flagged', values: days.map(share) },
    { name: 'mean weight', values: days.map(({ day }) => byDay.get(day)?.meanWeight ?? null) },
  ];
}

function sumOf(cells: readonly BreakdownCell[]): number {
  return cells.reduce((sum, { rewards }) => sum + rewards, 0);
}
