import type { AuditRow } from '../../stages/review/audit-store.ts';
import { Moment } from '../badges.tsx';
import { Layout, type Visit } from '../layout.tsx';
import { visibleLine } from '../visible.ts';

/** Who did what, the newest first. */
export function AuditPage(page: {
  readonly visit: Visit;
  readonly rows: readonly AuditRow[];
  readonly subject: string | undefined;
  readonly next: string | null;
}) {
  const { visit, rows, subject, next } = page;
  return (
    <Layout title="Audit log" visit={visit} current="/review/audit">
      <h1>Audit log</h1>
      <form class="filters" method="get" action="/review/audit">
        <div>
          <label for="subject">Of case</label>
          <input id="subject" name="subject" type="search" value={subject ?? ''} maxLength={100} />
        </div>
        <button type="submit" class="quiet">
          Show
        </button>
      </form>
      <section class="card" aria-label="Entries">
        {rows.length === 0 && <p class="dim">Nothing was done yet.</p>}
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">when (UTC)</th>
                <th scope="col">who</th>
                <th scope="col">what</th>
                <th scope="col">case</th>
                <th scope="col">details</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ seq, at, who, action, subject: of, detail }) => (
                <tr key={seq}>
                  <td class="number">
                    <Moment at={at} />
                  </td>
                  <td>{visibleLine(who, 80)}</td>
                  <td>{action}</td>
                  <td class="mono">
                    {of.startsWith('case_') ? <a href={`/review/${of}`}>{of}</a> : visibleLine(of, 80)}
                  </td>
                  <td class="mono">
                    {Object.keys(detail).length === 0 ? '' : visibleLine(JSON.stringify(detail), 300)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {next !== null && <a href={next}>Earlier</a>}
      </section>
    </Layout>
  );
}
