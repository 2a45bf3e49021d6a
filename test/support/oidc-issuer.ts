import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An issuer of OpenID Connect on this machine that lets in whoever the test says. */
export interface Issuer {
  readonly address: string;
  /** What the next token says; `sign: false` signs it with another key. */
  next: { claims: Readonly<Record<string, unknown>>; sign: boolean };
  close(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { privateKey: foreign } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { nonce: string; challenge: string }>();
  const issuer: Issuer = {
    address: '',
    next: { claims: {}, sign: true },
    close: () => new Promise((done) => server.close(() => done())),
  };
  const token = (nonce: string) => {
    const now = Math.floor(Date.now() / 1000);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: issuer.address, aud: 'proctor', iat: now, exp: now + 60, nonce, ...issuer.next.claims };
    const text = `${part({ alg: 'RS256', kid: '1' })}.${part(claims)}`;
    const key = issuer.next.sign ? privateKey : foreign;
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
  };
  const server = createServer(async (request, reply) => {
    const url = new URL(request.url ?? '/', issuer.address);
    const json = (value: unknown, status = 200) =>
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (url.pathname === '/.well-known/openid-configuration') {
      const at = (path: string) => `${issuer.address}${path}`;
      return json({
        ...{ issuer: issuer.address, authorization_endpoint: at('/authorize'), token_endpoint: at('/token') },
        ...{
          jwks_uri: at('/keys'),
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: ['RS256'],
        },
      });
    }
    if (url.pathname === '/keys')
      return json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig' }] });
    if (url.pathname === '/authorize') {
      const code = randomUUID();
      const { nonce = '', code_challenge = '', state = '', redirect_uri = '' } = Object.fromEntries(url.searchParams);
      codes.set(code, { nonce, challenge: code_challenge });
      return reply.writeHead(302, { location: `${redirect_uri}?${new URLSearchParams({ code, state })}` }).end();
    }
    const given = new URLSearchParams(await bodyOf(request));
    const begun = codes.get(given.get('code') ?? '');
    codes.delete(given.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    if (begun === undefined || begun.challenge !== challenge) return json({ error: 'invalid_grant' }, 400);
    return json({ access_token: 'x', token_type: 'Bearer', id_token: token(begun.nonce) });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(issuer, { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
