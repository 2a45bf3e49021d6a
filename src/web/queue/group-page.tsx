import type { CaseRow } from '../../stages/review/review.ts';
import { RulingForm } from '../case/ruling-form.tsx';
import { KeysDialog } from '../keys-dialog.tsx';
import { Layout, type Visit } from '../layout.tsx';
import { grouped, visible, visibleLine } from '../visible.ts';
import { CaseTable } from './queue-page.tsx';

/** What became of one case of a ruling on many. */
export interface GroupResult {
  readonly caseId: string;
  readonly problem: { readonly message: string } | null;
}

/** Cases that are alike, and one ruling for all of them once enough of them were opened. */
export function GroupPage(page: {
  readonly visit: Visit;
  readonly group: string;
  readonly cases: readonly CaseRow[];
  readonly waiting: number;
  readonly opened: number;
  readonly needed: number;
  /** What a ruling that was just given came to; null: none was. */
  readonly results: readonly GroupResult[] | null;
}) {
  const { visit, group, cases, waiting, opened, needed, results } = page;
  return (
    <Layout title={`Alike: ${visibleLine(group, 80)}`} visit={visit} current="/review" wide>
      <h1>{visibleLine(group, 300)}</h1>
      {results !== null && <Results results={results} />}
      <div class="case">
        <section class="card" aria-label="Cases">
          <CaseTable cases={cases} />
          {waiting > cases.length && <p class="dim">{`… and ${grouped(waiting - cases.length)} more`}</p>}
        </section>
        <aside class="card" aria-label="Ruling">
          <h2>{`All ${grouped(waiting)} at once`}</h2>
          {waiting === 0 && <p class="dim">None is open.</p>}
          {waiting > 0 && opened < needed && (
            <p class="note">{`Open ${needed} of them first, so that you know what you rule on; you have opened ${opened}.`}</p>
          )}
          {waiting > 0 && opened >= needed && (
            <RulingForm action="/review/group" csrf={visit.csrf} hidden={{ key: group }} />
          )}
        </aside>
      </div>
      <KeysDialog />
    </Layout>
  );
}

function Results({ results }: { readonly results: readonly GroupResult[] }) {
  const failed = results.filter(({ problem }) => problem !== null);
  return (
    <div class={`note ${failed.length === 0 ? 'good' : 'warn'}`} role="status">
      <p>{`${grouped(results.length - failed.length)} of ${grouped(results.length)} are ruled.`}</p>
      {failed.length > 0 && (
        <ul>
          {failed.slice(0, 50).map(({ caseId, problem }) => (
            <li key={caseId}>
              <a href={`/review/${caseId}`}>{caseId}</a>: {visible(problem?.message ?? '', 300)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
