import { drawMap } from '../../stages/profile/map-draw.ts';
import { Badge } from '../badges.tsx';
import { grouped, visibleLine } from '../visible.ts';
import type { Neighbour, ShownMap } from './shown-map.ts';

/** The sessions of a task on a map with this one marked, and those that behaved like it. */
export function MapView({ map, task }: { readonly map: ShownMap | 'never-clustered'; readonly task: string }) {
  if (map === 'never-clustered') {
    return (
      <p class="dim">
        The sessions of this task were never grouped; <code>{`proctor profile cluster ${visibleLine(task, 120)}`}</code>{' '}
        does it and draws their map here.
      </p>
    );
  }
  const { points, marked, clusters } = map;
  const names = new Map(clusters.map(({ label, name }) => [label, name]));
  const drawn = drawMap(points, { marked, names, id: 'cohort-map', title: 'Sessions of this task by their behaviour' });
  return (
    <>
      <p>
        <Where map={map} />
      </p>
      {/* drawn by us, every text in it escaped; see drawMap */}
      <div class="map" dangerouslySetInnerHTML={{ __html: drawn }} />
      <Clusters map={map} />
      <Neighbours map={map} />
    </>
  );
}

function Where({ map: { marked, clusters, isMember } }: { readonly map: ShownMap }) {
  const cluster = clusters.find(({ label }) => label === marked.label);
  const since = isMember ? '' : ' The groups are older than this session: it was placed in them.';
  if (cluster === undefined) return <>{`This session is in no group.${since}`}</>;
  return (
    <>
      {`This session is in group ${cluster.label}, `}
      <strong>{visibleLine(cluster.name, 160)}</strong>
      {`, with ${grouped(cluster.sessions)} sessions. What people say of it: `}
      <Badge word={cluster.state} />
      {since}
    </>
  );
}

function Clusters({ map: { clusters, marked, points } }: { readonly map: ShownMap }) {
  const alone = points.filter(({ label }) => label === null).length;
  return (
    <details>
      <summary>As numbers</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">group</th>
            <th scope="col">what sets it apart</th>
            <th scope="col" class="number">
              sessions
            </th>
            <th scope="col">people say</th>
          </tr>
        </thead>
        <tbody>
          {clusters.map(({ label, name, sessions, state }) => (
            <tr key={label}>
              <td>{label === marked.label ? <strong>{`${label} (this session)`}</strong> : label}</td>
              <td>{visibleLine(name, 160)}</td>
              <td class="number">{grouped(sessions)}</td>
              <td>
                <Badge word={state} />
              </td>
            </tr>
          ))}
          <tr>
            <td>none</td>
            <td />
            <td class="number">{grouped(alone)}</td>
            <td />
          </tr>
        </tbody>
      </table>
    </details>
  );
}

function Neighbours({ map: { neighbours, marked } }: { readonly map: ShownMap }) {
  if (neighbours.length === 0) return <p class="dim">No other session is near it.</p>;
  return (
    <>
      <h3>{marked.label === null ? 'The nearest sessions' : 'The nearest of its group'}</h3>
      <ul class="neighbours">
        {neighbours.map((neighbour) => (
          <li key={neighbour.session}>
            <Near neighbour={neighbour} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Near({ neighbour: { session, judged } }: { readonly neighbour: Neighbour }) {
  const name = <code>{visibleLine(session, 80)}</code>;
  if (judged === null) return <>{name} has no verdict</>;
  const address = judged.case === null ? `/verdict/${judged.verdict}` : `/review/${judged.case}`;
  return (
    <>
      <a href={address}>{name}</a> <Badge word={judged.outcome} /> <Badge word={judged.integrity} />{' '}
      {judged.ruling !== null && (
        <>
          ruled <Badge word={judged.ruling} />
        </>
      )}
    </>
  );
}
