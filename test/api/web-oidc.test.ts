import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApi } from '../support/api-client.ts';
import { type Issuer, startIssuer } from '../support/oidc-issuer.ts';

let issuer: Issuer;
let api: Awaited<ReturnType<typeof testApi>>;
beforeAll(async () => {
  issuer = await startIssuer();
  api = await testApi({
    environment: {
      PROCTOR_PUBLIC_URL: 'https://proctor.example',
      PROCTOR_OIDC_ISSUER: issuer.address,
      PROCTOR_OIDC_CLIENT_ID: 'proctor',
      PROCTOR_OIDC_CLIENT_SECRET: 'secret',
      PROCTOR_OIDC_ROLES: 'email:chris@example.org=admin,groups:graders=reviewer',
    },
  });
});
afterAll(async () => {
  await api.dispose();
  await issuer.close();
});

/** Goes to the issuer and gives where it sends people back to, with the cookie that was kept. */
async function begin(): Promise<{ back: URL; cookie: string }> {
  const begun = await api.app.inject({ url: '/login/oidc' });
  const cookie = begun.cookies.find(({ name }) => name === '__Host-proctor_oidc');
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax' });
  const sent = await fetch(String(begun.headers.location), { redirect: 'manual' });
  return { back: new URL(String(sent.headers.get('location'))), cookie: `${cookie?.name}=${cookie?.value}` };
}

const comeBack = (back: URL, cookie: string) =>
  api.app.inject({ url: `${back.pathname}${back.search}`, headers: { cookie } });

async function loggedIn(claims: Record<string, unknown>, sign = true) {
  issuer.next = { claims: { sub: 'u1', ...claims }, sign };
  const { back, cookie } = await begin();
  return comeBack(back, cookie);
}

describe('logging in by OpenID Connect', () => {
  test('a member of a group that reviews gets in, and stays in by a strict cookie of this host', async () => {
    const done = await loggedIn({ groups: ['staff', 'graders'] });
    expect(done.statusCode).toBe(200);
    const cookie = done.cookies.find(({ name }) => name === '__Host-proctor_login');
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict' });
    const page = await api.app.inject({ url: '/account', headers: { cookie: `${cookie?.name}=${cookie?.value}` } });
    expect(page.body).toContain('oidc:u1');
    expect(page.body).toContain('reviewer');
  });

  test.each([
    ['without a role', { groups: ['staff'] }, true],
    ['with an address that the issuer has not verified', { email: 'chris@example.org', email_verified: false }, true],
    ['with a token that another key signed', { groups: ['graders'] }, false],
    ['with a token for another client', { groups: ['graders'], aud: 'other' }, true],
    ['with a token that is over', { groups: ['graders'], exp: 1 }, true],
    ['with a token of another login', { groups: ['graders'], nonce: 'other' }, true],
  ])('nobody gets in %s', async (_name, claims, sign) => {
    const done = await loggedIn(claims, sign);
    expect(done.statusCode).toBe(403);
    expect(done.cookies.map(({ name }) => name)).not.toContain('__Host-proctor_login');
  });

  test('a verified address may be an administrator’s', async () => {
    expect((await loggedIn({ email: 'chris@example.org', email_verified: true })).statusCode).toBe(200);
  });

  test('an answer to somebody else’s login, or to none, is refused', async () => {
    issuer.next = { claims: { sub: 'u1', groups: ['graders'] }, sign: true };
    const [one, other] = [await begin(), await begin()];
    expect((await comeBack(one.back, other.cookie)).statusCode).toBe(403);
    expect((await comeBack(one.back, '')).statusCode).toBe(403);
    expect((await comeBack(one.back, '__Host-proctor_oidc=bm9uc2Vuc2U')).statusCode).toBe(403);
  });
});
