import type { QueueFilter, WaitingGroup } from '../../stages/review/queue-store.ts';
import { CAUSES, type CaseRow, RULINGS } from '../../stages/review/review.ts';
import { ageOf, Badge } from '../badges.tsx';
import { UndoForm } from '../case/case-page.tsx';
import { KeysDialog } from '../keys-dialog.tsx';
import { Layout, type Visit } from '../layout.tsx';
import { PlaceFields } from '../place-fields.tsx';
import { grouped, visibleLine } from '../visible.ts';

/** What the queue shows. */
export interface QueuePageProps {
  readonly visit: Visit;
  readonly cases: readonly CaseRow[];
  /** Address of the page after; null: this is the last. */
  readonly next: string | null;
  readonly filter: Omit<QueueFilter, 'limit'>;
  readonly groups: readonly WaitingGroup[];
  readonly counts: { readonly open: number; readonly secondOpinion: number; readonly claimed: number };
  readonly ruled: CaseRow | null;
}

/** The queue: what most needs a person first. */
export function QueuePage(page: QueuePageProps) {
  const { visit, cases, next, groups, counts, ruled } = page;
  return (
    <Layout title="Queue" visit={visit} current="/review" wide>
      {ruled !== null && (
        <div class="note good row spread" role="status">
          <span>{`${visibleLine(ruled.task, 80)} is ruled: ${ruled.ruling ?? 'open again'}`}</span>
          {ruled.ruling !== null && <UndoForm id={ruled.id} csrf={visit.csrf} />}
        </div>
      )}
      <div class="row spread">
        <h1>Queue</h1>
        <p class="row">
          <span class="badge info">{`${grouped(counts.open)} open`}</span>
          <span class="badge">{`${grouped(counts.secondOpinion)} for a second opinion`}</span>
          <span class="badge">{`${grouped(counts.claimed)} being looked at`}</span>
          <button type="button" class="quiet" data-help hidden data-script>
            Keys <kbd>?</kbd>
          </button>
        </p>
      </div>
      <Filters filter={page.filter} />
      <div class="case">
        <section class="card" aria-label="Cases">
          <CaseTable cases={cases} />
          {next !== null && <a href={next}>The next page</a>}
        </section>
        <aside class="card" aria-label="Groups">
          <h2>Alike</h2>
          <p class="dim">One ruling can serve a whole group.</p>
          <table>
            <tbody>
              {groups.map(({ group, waiting }) => (
                <tr key={group}>
                  <td>
                    <a href={groupAddress(group)}>{visibleLine(group, 120)}</a>
                  </td>
                  <td class="number">{grouped(waiting)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </aside>
      </div>
      <KeysDialog />
    </Layout>
  );
}

/** Where a group is shown. */
export const groupAddress = (group: string): string => `/review/group?key=${encodeURIComponent(group)}`;

function Filters({ filter }: Pick<QueuePageProps, 'filter'>) {
  return (
    <form class="filters" method="get" action="/review">
      <PlaceFields filter={filter} />
      <Select name="cause" label="Cause" none="any" values={CAUSES} chosen={filter.cause} />
      <Select name="ruling" label="Ruling" none="open cases" values={RULINGS} chosen={filter.ruling} />
      <label class="inline">
        <input type="checkbox" name="mine" value="yes" checked={filter.mine !== undefined} /> mine
      </label>
      <button type="submit" class="quiet">
        Show
      </button>
      <a href="/review">everything</a>
    </form>
  );
}

function Select(field: {
  readonly name: string;
  readonly label: string;
  readonly none: string;
  readonly values: readonly string[];
  readonly chosen: string | undefined;
}) {
  return (
    <div>
      <label for={field.name}>{field.label}</label>
      <select id={field.name} name={field.name}>
        <option value="">{field.none}</option>
        {field.values.map((value) => (
          <option key={value} value={value} selected={value === field.chosen}>
            {value}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Cases as a list, in the order that they are given in. */
export function CaseTable({ cases }: { readonly cases: readonly CaseRow[] }) {
  if (cases.length === 0) return <p class="dim">Nothing waits here.</p>;
  return (
    <div class="scroll">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">why</th>
            <th scope="col">task</th>
            <th scope="col">cause</th>
            <th scope="col" class="number">
              priority
            </th>
            <th scope="col" class="number">
              alike
            </th>
            <th scope="col" class="number">
              waiting
            </th>
          </tr>
        </thead>
        <tbody>
          {cases.map((row) => (
            <CaseLine key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CaseLine({ row }: { readonly row: CaseRow }) {
  return (
    <tr data-row>
      <td>
        <a href={`/review/${row.id}`}>{visibleLine(row.why, 240)}</a>{' '}
        {row.ruling !== null && <Badge word={row.ruling} />}{' '}
        {row.claimedBy !== null && <small class="dim">{`${visibleLine(row.claimedBy, 60)} has it`}</small>}
      </td>
      <td>
        {visibleLine(row.task, 80)}
        {row.runId !== null && <div class="dim">{visibleLine(row.runId, 60)}</div>}
      </td>
      <td>
        <Badge word={row.cause} />
      </td>
      <td class="number">{row.priority.toFixed(2)}</td>
      <td class="number">
        <a href={groupAddress(row.group)} aria-label={`${row.waiting} open cases that are alike`}>
          {grouped(row.waiting)}
        </a>
      </td>
      <td class="number">{ageOf(row.openedAt)}</td>
    </tr>
  );
}
