import type { CaseRow } from '../../stages/review/review.ts';
import { Badge, Moment } from '../badges.tsx';
import { Layout, type Visit } from '../layout.tsx';
import { visibleLine } from '../visible.ts';
import { CaseBody } from './case-body.tsx';
import { AppealForm } from './case-page.tsx';
import type { Material } from './material.ts';
import type { TimelineQuery } from './timeline.ts';

/** Any verdict, whether it has a case or not; it can be appealed. */
export function VerdictPage(page: {
  readonly visit: Visit;
  readonly material: Material;
  readonly cases: readonly CaseRow[];
  readonly standing: string;
  readonly query: TimelineQuery;
}) {
  const { visit, material, cases, standing, query } = page;
  const { verdict } = material;
  return (
    <Layout title={`Verdict on ${visibleLine(material.task, 80)}`} visit={visit} wide>
      <h1>{visibleLine(material.task, 120)}</h1>
      <p class="dim">
        <code>{verdict.id}</code>, <Moment at={verdict.createdAt} />
      </p>
      {standing !== verdict.id && (
        <p class="note warn">
          A ruling has amended this verdict: <a href={`/verdict/${standing}`}>the one that stands</a>.
        </p>
      )}
      <div class="case">
        <div>
          <CaseBody material={material} address={`/verdict/${verdict.id}`} query={query} />
        </div>
        <aside class="card" aria-label="Cases">
          <h2>Cases</h2>
          {cases.length === 0 && <p class="dim">Nobody was asked to look.</p>}
          <ul>
            {cases.map(({ id, cause, ruling }) => (
              <li key={id}>
                <a href={`/review/${id}`}>{cause}</a> <Badge word={ruling ?? 'open'} />
              </li>
            ))}
          </ul>
          <AppealForm verdictId={standing} csrf={visit.csrf} />
        </aside>
      </div>
    </Layout>
  );
}
