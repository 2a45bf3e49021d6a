import { BREAKDOWNS, type Breakdown, type BreakdownCell } from '../../stages/review/breakdown-store.ts';
import type { dashboardFacts } from '../../stages/review/dashboard-store.ts';
import { BarChart } from '../charts/bar-chart.tsx';
import { DayChart } from '../charts/day-chart.tsx';
import { IntervalChart } from '../charts/interval-chart.tsx';
import { Layout, type Visit } from '../layout.tsx';
import { PlaceFields } from '../place-fields.tsx';
import { grouped, visibleLine } from '../visible.ts';
import { BreakdownView } from './breakdown-view.tsx';

interface Filter {
  readonly run?: string | undefined;
  readonly task?: string | undefined;
  readonly days: number;
  readonly by: Breakdown;
}
type Facts = Awaited<ReturnType<typeof dashboardFacts>>;
const MOST_ROWS = 20;

/** What came of it all: shares over time, how often each rule is right, what waits, how people cheat, which tasks are sound. */
export function DashboardPage(page: {
  readonly visit: Visit;
  readonly facts: Facts;
  readonly filter: Filter;
  readonly cells: readonly BreakdownCell[];
}) {
  const { visit, facts, filter, cells } = page;
  return (
    <Layout title="Dashboard" visit={visit} current="/dashboard" wide>
      <h1>Dashboard</h1>
      <Filters filter={filter} />
      <Tiles facts={facts} />
      <div class="columns">
        <section class="card">
          <h2>Shares by day</h2>
          <DayChart title="Flagged and masked shares and the mean weight, by day" {...daysOf(facts)} />
        </section>
        <section class="card">
          <h2>How often each rule is right</h2>
          <p class="dim">Of what it flagged and people ruled on, how much was a cheat; with the 95 % interval.</p>
          {facts.rules.length === 0 ? (
            <p class="dim">No ruling yet.</p>
          ) : (
            <IntervalChart title="Precision of each rule" rows={facts.rules.slice(0, MOST_ROWS).map(intervalOf)} />
          )}
        </section>
        <BreakdownView by={filter.by} days={facts.days} cells={cells} />
        <section class="card">
          <h2>Techniques</h2>
          {facts.techniques.length === 0 ? (
            <p class="dim">No cheat was confirmed yet.</p>
          ) : (
            <BarChart
              title="Confirmed cheats by technique"
              rows={facts.techniques
                .slice(0, MOST_ROWS)
                .map(({ technique, cheats }) => ({ name: technique, count: cheats }))}
            />
          )}
        </section>
        <section class="card">
          <h2>Tasks</h2>
          <Tasks tasks={facts.tasks} />
        </section>
      </div>
    </Layout>
  );
}

function Filters({ filter }: { readonly filter: Filter }) {
  return (
    <form class="filters" method="get" action="/dashboard">
      <PlaceFields filter={filter} />
      <div>
        <label for="days">Days</label>
        <select id="days" name="days">
          {[7, 30, 90].map((days) => (
            <option key={days} value={days} selected={days === filter.days}>
              {days}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="by">Over time by</label>
        <select id="by" name="by">
          {BREAKDOWNS.map((by) => (
            <option key={by} value={by} selected={by === filter.by}>
              {by}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class="quiet">
        Show
      </button>
    </form>
  );
}

function Tiles({ facts: { queue, days, techniques } }: { readonly facts: Facts }) {
  const rewards = days.reduce((sum, day) => sum + day.rewards, 0);
  const cheats = techniques.reduce((sum, each) => sum + each.cheats, 0);
  const tiles = [
    [grouped(queue.open), 'cases open'],
    [`${queue.oldestHours.toFixed(1)} h`, 'the oldest waits'],
    [`${queue.medianHours.toFixed(1)} h`, 'half wait longer'],
    [grouped(rewards), 'rewards in this time'],
    [grouped(cheats), 'cheats confirmed'],
  ] as const;
  return (
    <div class="tiles">
      {tiles.map(([number, name]) => (
        <div key={name} class="tile">
          <strong>{number}</strong>
          <span class="dim">{name}</span>
        </div>
      ))}
    </div>
  );
}

function Tasks({ tasks }: Pick<Facts, 'tasks'>) {
  if (tasks.length === 0) return <p class="dim">No ruling yet.</p>;
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">task</th>
            {['cheats', 'honest', 'task defects', 'environment faults'].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tasks.slice(0, MOST_ROWS).map(({ task, cheats, honest, defects, faults }) => (
            <tr key={task}>
              <td>{visibleLine(task, 120)}</td>
              <td class="number">{grouped(cheats)}</td>
              <td class="number">{grouped(honest)}</td>
              <td class="number">{grouped(defects)}</td>
              <td class="number">{grouped(faults)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function daysOf({ days }: Facts) {
  return {
    days: days.map(({ day }) => day),
    lines: [
      { name: 'flagged', values: days.map(({ flaggedShare }) => flaggedShare) },
      { name: 'masked', values: days.map(({ maskedShare }) => maskedShare) },
      { name: 'mean weight', values: days.map(({ meanWeight }) => meanWeight) },
    ],
  };
}

function intervalOf({ rule, cheats, of, precision, low, high }: Facts['rules'][number]) {
  return { name: rule, value: precision, low, high, of: `${cheats} of ${of}` };
}
