import type { CaseRow, RulingRow } from '../../stages/review/review.ts';
import { ageOf, Badge, Moment } from '../badges.tsx';
import { KeysDialog } from '../keys-dialog.tsx';
import { Csrf, Layout, type Visit } from '../layout.tsx';
import { grouped, visible, visibleLine } from '../visible.ts';
import { CaseBody } from './case-body.tsx';
import type { Material } from './material.ts';
import { RulingForm } from './ruling-form.tsx';
import type { TimelineQuery } from './timeline.ts';

/** What the page of a case shows. */
export interface CasePageProps {
  readonly visit: Visit;
  readonly found: CaseRow;
  readonly material: Material;
  readonly rulings: readonly RulingRow[];
  readonly related: readonly CaseRow[];
  readonly query: TimelineQuery;
  /** Addresses; null: there is none. */
  readonly next: string | null;
  readonly previous: string | null;
  /** The case that was just ruled on before this one was shown. */
  readonly ruled: CaseRow | null;
  readonly idempotencyKey: string;
}

const PARTS = [
  { id: 'verdict', name: 'Verdict' },
  { id: 'signals', name: 'Signals' },
  { id: 'files', name: 'Work' },
  { id: 'tests', name: 'Tests' },
  { id: 'profile', name: 'Behaviour' },
  { id: 'map', name: 'Map' },
  { id: 'timeline', name: 'Timeline' },
] as const;

function partsOf({ profile, map }: Material) {
  return PARTS.filter(({ id }) => (id !== 'profile' || profile !== null) && (id !== 'map' || map !== null));
}

/** A case on one screen: why it is here, everything about it, and what can be ruled. */
export function CasePage(page: CasePageProps) {
  const { visit, found, material, query } = page;
  return (
    <Layout title={`${visibleLine(found.task, 80)}: ${found.cause}`} visit={visit} current="/review" wide>
      {page.ruled !== null && <RuledNote ruled={page.ruled} csrf={visit.csrf} />}
      <div class="row spread">
        <h1>{visibleLine(found.task, 120)}</h1>
        <nav class="row" aria-label="Cases">
          {page.previous !== null && (
            <a href={page.previous} data-key="k">
              ← Previous
            </a>
          )}
          {page.next !== null && (
            <a href={page.next} data-key="j">
              Next →
            </a>
          )}
          <button type="button" class="quiet" data-help hidden data-script>
            Keys <kbd>?</kbd>
          </button>
        </nav>
      </div>
      <p class="why">{visible(found.why, 1_000)}</p>
      <ul class="jump">
        {partsOf(material).map(({ id, name }) => (
          <li key={id}>
            <a href={`#${id}`}>{name}</a>
          </li>
        ))}
      </ul>
      <div class="case">
        <div>
          <CaseBody material={material} address={`/review/${found.id}`} query={query} />
        </div>
        <aside aria-label="Ruling">
          <Ruling page={page} />
          <CaseFacts found={found} material={material} />
          <Related found={found} related={page.related} />
        </aside>
      </div>
      <KeysDialog />
    </Layout>
  );
}

function Ruling({ page }: { readonly page: CasePageProps }) {
  const { found, rulings, visit, material } = page;
  return (
    <section class="card">
      <h2>{found.closedAt === null ? 'Your ruling' : 'Ruled'}</h2>
      {found.ruling === 'unsure' && found.closedAt === null && (
        <p class="note">Somebody was unsure: this asks for a second opinion.</p>
      )}
      <Claim found={found} visit={visit} />
      {found.closedAt === null ? (
        <RulingForm
          action={`/review/${found.id}/ruling`}
          csrf={visit.csrf}
          hidden={{ idempotency_key: page.idempotencyKey }}
        />
      ) : (
        <>
          <UndoForm id={found.id} csrf={visit.csrf} />
          <AppealForm verdictId={material.verdict.id} csrf={visit.csrf} />
        </>
      )}
      <History rulings={rulings} />
    </section>
  );
}

function Claim({ found, visit }: { readonly found: CaseRow; readonly visit: Visit }) {
  if (found.closedAt !== null) return null;
  const isMine = found.claimedBy === visit.viewer?.name;
  if (found.claimedBy !== null && !isMine) {
    return <p class="note warn">{`${visibleLine(found.claimedBy, 80)} is looking at this case.`}</p>;
  }
  return (
    <form method="post" action={`/review/${found.id}/${isMine ? 'release' : 'claim'}`} class="row">
      <Csrf csrf={visit.csrf} />
      <span class="dim">{isMine ? 'It is yours for 15 minutes.' : 'Nobody has it.'}</span>
      <button type="submit" class="quiet" data-key="c">
        {isMine ? 'Let it go' : 'Take it'} <kbd>c</kbd>
      </button>
    </form>
  );
}

/** Takes back what was ruled; who may and for how long, the review stage knows. */
export function UndoForm({ id, csrf }: { readonly id: string; readonly csrf: string }) {
  return (
    <form method="post" action={`/review/${id}/undo`}>
      <Csrf csrf={csrf} />
      <button type="submit" class="quiet" data-key="u">
        Undo <kbd>u</kbd>
      </button>
    </form>
  );
}

function RuledNote({ ruled, csrf }: { readonly ruled: CaseRow; readonly csrf: string }) {
  return (
    <div class="note good row spread" role="status">
      <span>
        <a href={`/review/${ruled.id}`}>{visibleLine(ruled.task, 80)}</a> is ruled: {ruled.ruling ?? 'open again'}
      </span>
      {ruled.ruling !== null && <UndoForm id={ruled.id} csrf={csrf} />}
    </div>
  );
}

/** Objects to a verdict, with a reason. */
export function AppealForm({ verdictId, csrf }: { readonly verdictId: string; readonly csrf: string }) {
  return (
    <details>
      <summary>Appeal</summary>
      <form method="post" action={`/verdict/${verdictId}/appeal`}>
        <Csrf csrf={csrf} />
        <label for="why">Why it is wrong</label>
        <textarea id="why" name="why" required maxLength={2_000} />
        <button type="submit" class="quiet">
          Open a case for somebody else
        </button>
      </form>
    </details>
  );
}

function History({ rulings }: { readonly rulings: readonly RulingRow[] }) {
  if (rulings.length === 0) return null;
  return (
    <>
      <h3>So far</h3>
      <ul>
        {rulings.map(({ id, ruling, technique, note, reviewer, undoes, at }) => (
          <li key={id}>
            {undoes === null ? <Badge word={ruling} /> : 'taken back'} {technique !== null && <code>{technique}</code>}{' '}
            by {visibleLine(reviewer, 80)}, <Moment at={at} />
            {note !== '' && <p>{visible(note, 4_000)}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}

function CaseFacts({ found, material }: { readonly found: CaseRow; readonly material: Material }) {
  return (
    <section class="card">
      <h2>The case</h2>
      <dl class="facts">
        <dt>Cause</dt>
        <dd>
          <Badge word={found.cause} />
        </dd>
        <dt>Waiting</dt>
        <dd>{ageOf(found.openedAt)}</dd>
        <dt>Severity</dt>
        <dd>{found.severity.toFixed(2)}</dd>
        <dt>Uncertainty</dt>
        <dd>{found.uncertainty.toFixed(2)}</dd>
        <dt>Run</dt>
        <dd>{found.runId === null ? '–' : visibleLine(found.runId, 80)}</dd>
        <dt>Verdict</dt>
        <dd>
          <a href={`/verdict/${material.verdict.id}`}>{material.verdict.id}</a>
        </dd>
        <dt>Session</dt>
        <dd class="mono">{material.sessionId ?? 'none'}</dd>
        <dt>Log</dt>
        <dd>
          <a href={`/review/audit?subject=${found.id}`}>who did what</a>
        </dd>
      </dl>
    </section>
  );
}

function Related({ found, related }: { readonly found: CaseRow; readonly related: readonly CaseRow[] }) {
  const others = related.filter(({ id }) => id !== found.id);
  return (
    <section class="card">
      <h2>Alike</h2>
      <p>
        <a href={`/review/group?key=${encodeURIComponent(found.group)}`}>{visibleLine(found.group, 160)}</a>{' '}
        <span class="dim">{`${grouped(found.waiting)} open`}</span>
      </p>
      <ul>
        {others.slice(0, 8).map(({ id, openedAt, why }) => (
          <li key={id}>
            <a href={`/review/${id}`}>{visibleLine(why, 90)}</a> <span class="dim">{ageOf(openedAt)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
