import { Csrf, Layout, type Visit } from '../layout.tsx';

/** Where people give their API key, or go to their issuer. */
export function LoginPage(page: {
  readonly visit: Visit;
  readonly next: string;
  readonly problem: string | null;
  readonly hasOidc: boolean;
}) {
  const { visit, next, problem, hasOidc } = page;
  return (
    <Layout title="Log in" visit={visit}>
      <div class="card narrow login">
        <h1>Log in</h1>
        <p class="dim">For reviewers and administrators.</p>
        {problem !== null && (
          <p class="note bad" role="alert">
            {problem}
          </p>
        )}
        <form method="post" action="/login">
          <Csrf csrf={visit.csrf} />
          <input type="hidden" name="next" value={next} />
          <label for="key">API key</label>
          <input id="key" name="key" type="password" autocomplete="current-password" required maxLength={200} />
          <button type="submit">Log in</button>
        </form>
        {hasOidc && (
          <p>
            <a class="button quiet" href="/login/oidc">
              Log in with your organisation
            </a>
          </p>
        )}
        <p class="dim">
          <code>proctor key create --name NAME --role reviewer</code> makes a key.
        </p>
      </div>
    </Layout>
  );
}
