import { Badge } from '../badges.tsx';
import { visible, visibleLine } from '../visible.ts';
import { eventAnchor, eventOfPlace, fileAnchor } from './anchors.ts';
import type { Material } from './material.ts';
import { RulesView } from './rules-view.tsx';

const MOST_DETAIL = 500;

/** What was ruled by the program, on what evidence, and which rule took how much of the weight. */
export function VerdictView({ material, address }: { readonly material: Material; readonly address: string }) {
  const { verdict, decision, policy, rules } = material;
  const { body } = verdict;
  return (
    <>
      <dl class="facts">
        <dt>Verdict</dt>
        <dd class="row">
          <Badge word={body.outcome} /> <Badge word={body.integrity} />
          <span class="dim">
            {`${body.cases.passed} of ${body.cases.total} tests, score ${body.score}`}
            {body.assurance !== null && `, ${body.assurance}`}
            {body.fault !== 'none' && `, fault: ${body.fault}`}
          </span>
        </dd>
        {body.reason !== null && (
          <>
            <dt>Reason</dt>
            <dd>{visible(body.reason, MOST_DETAIL)}</dd>
          </>
        )}
        <dt>Decision</dt>
        <dd class="row">
          {decision === null ? (
            <span class="dim">none yet</span>
          ) : (
            <>
              <Badge word={decision.action} />
              <span>{`weight ${decision.weight}${decision.mask ? ', masked' : ''}`}</span>
              {policy !== null && <span class="dim">{`policy ${visibleLine(policy, 80)}`}</span>}
            </>
          )}
        </dd>
        <dt>Rules</dt>
        <dd>
          {rules.length === 0 && <span class="dim">none fired</span>}
          <RulesView rules={rules} />
        </dd>
      </dl>
      <Signals material={material} address={address} />
    </>
  );
}

function Signals({ material, address }: { readonly material: Material; readonly address: string }) {
  const signals = material.screening?.signals ?? [];
  const broken = (material.screening?.detectors ?? []).filter(({ ran }) => !ran);
  const measured = material.verdict.body.signals.filter(({ kind }) => !signals.some((signal) => signal.kind === kind));
  return (
    <>
      <h2 id="signals">Signals</h2>
      {material.screening === null && <p class="note warn">This hand-in was not screened.</p>}
      {broken.map(({ name, error }) => (
        <p
          key={name}
          class="note warn"
        >{`Detector ${visibleLine(name, 60)} could not run: ${visibleLine(error, 200)}`}</p>
      ))}
      {signals.length + measured.length === 0 && <p class="dim">Nothing was found.</p>}
      {signals.map(({ kind, severity, summary, evidence }) => (
        <section key={`${kind}-${severity}`}>
          <h3 class="row">
            <Badge word={severity} /> {visibleLine(kind, 80)}
          </h3>
          <p>{visible(summary, MOST_DETAIL)}</p>
          <ul>
            {evidence.map(({ path, detail }) => (
              <li key={`${path} ${detail}`}>
                <Place path={path} detail={detail} material={material} address={address} />{' '}
                <span class="mono">{visibleLine(detail, MOST_DETAIL)}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {measured.map(({ kind, severity }) => (
        <h3 key={kind} class="row">
          <Badge word={severity} /> {visibleLine(kind, 80)} <small class="dim">measured while grading</small>
        </h3>
      ))}
    </>
  );
}

/** Where a piece of evidence is: a link to the event or to the line, where the page has it. */
function Place(of: {
  readonly path: string;
  readonly detail: string;
  readonly material: Material;
  readonly address: string;
}) {
  const { path, detail, material, address } = of;
  const shown = <code>{visibleLine(path, 160)}</code>;
  const seq = eventOfPlace(path);
  if (seq !== null) return <a href={`${address}?after=${Math.max(0, seq - 40)}#${eventAnchor(seq)}`}>{shown}</a>;
  const file = material.files.find((each) => each.path === path);
  if (file === undefined) return shown;
  const [, line] = /^line (\d{1,7}):/.exec(detail) ?? [];
  const isShown = line !== undefined && file.rows?.some((row) => row.kind !== 'gap' && row.right === Number(line));
  return <a href={`#${fileAnchor(path)}${isShown ? `-${line}` : ''}`}>{shown}</a>;
}
