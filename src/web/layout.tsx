import type { ComponentChildren } from 'preact';
import type { Viewer } from './login/login-store.ts';
import { visibleLine } from './visible.ts';

/** Who looks, and what their forms send back. */
export interface Visit {
  readonly viewer: Viewer | null;
  readonly csrf: string;
}

const PAGES = [
  ['/review', 'Queue'],
  ['/dashboard', 'Dashboard'],
  ['/review/audit', 'Audit log'],
] as const;

/** The frame of every page. `current` is the address of the page in the navigation that this one belongs to. */
export function Layout(page: {
  readonly title: string;
  readonly visit: Visit;
  readonly current?: string;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
  /** Moves on to this address at once; of our own pages only. */
  readonly onwards?: string;
}) {
  const { title, visit, current, children, onwards } = page;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {onwards !== undefined && <meta http-equiv="refresh" content={`0;url=${onwards}`} />}
        <title>{`${title} · Proctor`}</title>
        <link rel="stylesheet" href="/web/app.css" />
        <link rel="icon" href="/web/icon.svg" />
        <script src="/web/app.js" defer />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <Header visit={visit} current={current} />
        <main id="main" class={page.wide ? 'wide' : undefined} tabIndex={-1}>
          {children}
        </main>
      </body>
    </html>
  );
}

function Header({ visit, current }: { readonly visit: Visit; readonly current: string | undefined }) {
  const { viewer, csrf } = visit;
  return (
    <header class="top">
      <a class="brand" href="/review">
        <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
          <path class="mark" d="M10 1 18 4v6c0 5-3.4 8-8 9-4.6-1-8-4-8-9V4z" />
          <path class="tick" d="m6 10 3 3 5-6" />
        </svg>
        Proctor
      </a>
      {viewer !== null && (
        <>
          <nav aria-label="Pages">
            {PAGES.map(([href, name]) => (
              <a key={href} href={href} aria-current={href === current ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
          <form class="who" method="post" action="/logout">
            <Csrf csrf={csrf} />
            <span>
              <a href="/account">{visibleLine(viewer.name, 60)}</a> <small class="dim">{viewer.role}</small>
            </span>
            <button type="submit" class="quiet">
              Log out
            </button>
          </form>
        </>
      )}
    </header>
  );
}

/** The token that every form carries. */
export function Csrf({ csrf }: { readonly csrf: string }) {
  return <input type="hidden" name="csrf" value={csrf} />;
}

/** Something that went wrong, as a page. */
export function ProblemPage(problem: {
  readonly visit: Visit;
  readonly title: string;
  readonly message: string;
  readonly mend: string;
  readonly requestId: string;
}) {
  return (
    <Layout title={problem.title} visit={problem.visit}>
      <div class="card narrow">
        <h1>{problem.title}</h1>
        <p>{visibleLine(problem.message, 1_000)}</p>
        <p class="dim">{problem.mend}</p>
        <p class="dim">
          Request <code>{problem.requestId}</code>
        </p>
        <p>
          <a class="button" href="/review">
            To the queue
          </a>
        </p>
      </div>
    </Layout>
  );
}
