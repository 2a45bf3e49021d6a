import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApi } from '../support/api-client.ts';

type Api = Awaited<ReturnType<typeof testApi>>;
let api: Api;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.dispose());

/** A browser without script: keeps cookies, sends forms. */
function browser(address = '203.0.113.1') {
  const jar = new Map<string, string>();
  const send = async (method: 'GET' | 'POST', url: string, form?: Record<string, string>) => {
    const reply = await api.app.inject({
      method,
      url,
      remoteAddress: address,
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { payload: new URLSearchParams(form).toString() }),
    });
    for (const { name, value } of reply.cookies) {
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return reply;
  };
  const csrf = async (url: string) => /name="csrf" value="([^"]+)"/.exec((await send('GET', url)).body)?.[1] ?? '';
  const login = async (key: string, next = '/review') =>
    send('POST', '/login', { csrf: await csrf('/login'), key, next });
  return { jar, send, csrf, login };
}

describe('logging in to the pages', () => {
  test('a page that needs a login leads there, and back afterwards', async () => {
    const { send, login } = browser();
    const first = await send('GET', '/account?task=a');
    expect([first.statusCode, first.headers.location]).toEqual([303, '/login?next=%2Faccount%3Ftask%3Da']);
    const done = await login(api.keys.reviewer, '/account?task=a');
    expect([done.statusCode, done.headers.location]).toEqual([303, '/account?task=a']);
    expect(done.headers['set-cookie']).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^proctor_login=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/),
      ]),
    );
  });

  test('only digests of cookies are stored', async () => {
    const { jar, login } = browser();
    await login(api.keys.admin);
    const rows = JSON.stringify(await api.service.parts.database.query('SELECT * FROM web_sessions'));
    expect(rows).not.toContain(jar.get('proctor_login'));
  });

  test.each([
    ['a wrong key', () => api.keys.reviewer.replace(/.$/, (last) => (last === '0' ? '1' : '0')), 401],
    ['no key at all', () => "' OR 1=1 --", 401],
    ["a trainer's key", () => api.keys.trainer, 403],
  ])('%s opens nothing', async (_name, key, status) => {
    const { jar, login } = browser('203.0.113.2');
    expect((await login(key())).statusCode).toBe(status);
    expect(jar.has('proctor_login')).toBe(false);
  });

  test('a form without its token, or with another’s, is refused', async () => {
    const [one, other] = [browser(), browser()];
    expect((await one.send('POST', '/login', { key: api.keys.reviewer })).statusCode).toBe(403);
    const csrf = await other.csrf('/login');
    await one.csrf('/login');
    expect((await one.send('POST', '/login', { key: api.keys.reviewer, csrf })).statusCode).toBe(403);
  });

  test('after ten wrong keys from one address no more are looked at there, elsewhere they are', async () => {
    const { login } = browser('203.0.113.3');
    for (let tried = 0; tried < 10; tried++) expect((await login('wrong')).statusCode).toBe(401);
    const refused = await login(api.keys.reviewer);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await browser('203.0.113.4').login(api.keys.reviewer)).statusCode).toBe(303);
  });

  test('logging out ends it, whoever has the cookie', async () => {
    const { jar, send, csrf, login } = browser();
    await login(api.keys.reviewer);
    const kept = jar.get('proctor_login') ?? '';
    expect((await send('POST', '/logout', { csrf: await csrf('/account') })).statusCode).toBe(303);
    jar.set('proctor_login', kept);
    expect((await send('GET', '/account')).statusCode).toBe(303);
  });

  test('a login ends when its key is revoked, and when its time is over', async () => {
    const [revoked, old] = [browser(), browser()];
    const made = await api.call('admin', { method: 'POST', url: '/v1/keys', payload: { name: 'x', role: 'reviewer' } });
    await revoked.login(made.body.key);
    expect((await revoked.send('GET', '/account')).statusCode).toBe(200);
    await api.call('admin', { method: 'DELETE', url: `/v1/keys/${made.body.key_id}` });
    expect((await revoked.send('GET', '/account')).statusCode).toBe(303);
    await old.login(api.keys.reviewer);
    await api.service.parts.database.query('UPDATE web_sessions SET expires_at = now()');
    expect((await old.send('GET', '/account')).statusCode).toBe(303);
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/reviewer.evil',
    'javascript:alert(1)',
    '/v1/keys',
  ])('nobody is led to %s', async (next) => {
    expect((await browser().login(api.keys.reviewer, next)).headers.location).toBe('/review');
  });

  test('every page says what may run on it: nothing but ours', async () => {
    const page = await browser().send('GET', '/login');
    expect(page.headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none';.*script-src 'self';.*frame-ancestors 'none'/,
      ),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(page.body).not.toMatch(/<script(?! src="\/web\/app\.js")|style=|\son\w+=/);
  });

  test('a cookie of the pages opens nothing of the API, and a key nothing of the pages', async () => {
    const { send, login } = browser();
    await login(api.keys.admin);
    expect((await send('GET', '/v1/keys')).statusCode).toBe(401);
    expect((await api.call('admin', { url: '/account' })).status).toBe(303);
  });
});
