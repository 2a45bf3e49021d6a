import { visible } from '../visible.ts';
import { eventOfPlace } from './anchors.ts';
import { FilesView } from './files-view.tsx';
import { MapView } from './map-view.tsx';
import type { Material } from './material.ts';
import { OpinionView } from './opinion-view.tsx';
import { ProfileView } from './profile-view.tsx';
import { TestsView } from './tests-view.tsx';
import type { TimelineQuery } from './timeline.ts';
import { TimelineView } from './timeline-view.tsx';
import { VerdictView } from './verdict-view.tsx';

/** Everything about one verdict, on one page: what was judged and why, the work, the tests, what was done, how odd that is. */
export function CaseBody(shown: {
  readonly material: Material;
  readonly address: string;
  readonly query: TimelineQuery;
}) {
  const { material, address, query } = shown;
  const { timeline, profile, artifact } = material;
  return (
    <>
      {material.problems.map((problem) => (
        <p key={problem} class="note warn">
          {visible(problem, 500)}
        </p>
      ))}
      <section class="card" aria-labelledby="verdict">
        <h2 id="verdict">What was judged</h2>
        <VerdictView material={material} address={address} />
      </section>
      {material.opinion !== null && (
        <section class="card" aria-labelledby="opinion">
          <h2 id="opinion">A judge’s opinion</h2>
          <OpinionView opinion={material.opinion} />
        </section>
      )}
      <section class="card" aria-labelledby="files">
        <h2 id="files">The work, beside the start</h2>
        <FilesView files={material.files} />
        <LeftBehind manifest={artifact.manifest} />
        {!material.maySeeReference && <p class="dim">The reference solution is shown to administrators.</p>}
      </section>
      <section class="card" aria-labelledby="tests">
        <h2 id="tests">Tests</h2>
        <TestsView body={material.grade.body} />
      </section>
      {profile !== null && (
        <section class="card" aria-labelledby="profile">
          <h2 id="profile">Behaviour beside honest sessions</h2>
          <ProfileView profile={profile} address={address} />
        </section>
      )}
      {material.map !== null && (
        <section class="card" aria-labelledby="map">
          <h2 id="map">Among the sessions of its task</h2>
          <MapView map={material.map} task={material.task} />
        </section>
      )}
      <section class="card" aria-labelledby="timeline">
        <h2 id="timeline">Timeline</h2>
        {timeline === null ? (
          <p class="dim">This was handed in without a session: there is no record of how it was made.</p>
        ) : (
          <TimelineView timeline={timeline} query={query} address={address} marked={markedIn(material)} />
        )}
      </section>
      {material.instruction !== null && (
        <details class="card">
          <summary>The task’s instruction</summary>
          <pre>{visible(material.instruction, 20_000)}</pre>
        </details>
      )}
    </>
  );
}

function LeftBehind({ manifest: { leftBehind, refusal } }: Pick<Material['artifact'], 'manifest'>) {
  return (
    <>
      {refusal !== null && (
        <p class="note bad">{`Refused as a whole: ${refusal.reason}, ${visible(refusal.detail, 300)}`}</p>
      )}
      {leftBehind.length > 0 && (
        <details>
          <summary>{`${leftBehind.length} entries of the workspace did not cross`}</summary>
          <ul>
            {leftBehind.map(({ path, reason, detail }) => (
              <li key={path}>
                <code>{visible(path, 160)}</code> {reason} <span class="dim">{visible(detail, 160)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Events that a signal points at. */
function markedIn({ screening }: Material): ReadonlySet<number> {
  const places = (screening?.signals ?? []).flatMap(({ evidence }) => evidence.map(({ path }) => eventOfPlace(path)));
  return new Set(places.filter((seq) => seq !== null));
}
