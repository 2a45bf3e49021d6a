import * as client from 'openid-client';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Viewer } from './login-store.ts';
import type { OidcSettings } from './oidc-settings.ts';

/** What is kept of a login between going to the issuer and coming back. */
export interface OidcAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** An issuer of OpenID Connect by which people log in: authorization code with PKCE (RFC 7636), state and nonce. */
export interface OidcLogin {
  /** Where to send somebody, and what to keep until they are back. `capability-missing` when it does not answer. */
  begin(): Promise<{ readonly address: string; readonly attempt: OidcAttempt }>;
  /** Who came back. `forbidden` for what is not the answer to that attempt, and for people without a role. */
  finish(attempt: OidcAttempt, query: string): Promise<Viewer>;
}

const CALLBACK = '/login/oidc/callback';
const MOST_NAME = 200;

/** Opens it; the issuer is asked when somebody logs in first, and again when it did not answer. */
export function openOidc(settings: OidcSettings, publicUrl: string): OidcLogin {
  const redirect_uri = `${publicUrl}${CALLBACK}`;
  let known: Promise<client.Configuration> | null = null;
  const configuration = () => {
    known ??= discover(settings);
    known.catch(() => {
      known = null;
    });
    return known;
  };
  return {
    async begin() {
      const attempt = {
        ...{ state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() },
      };
      const address = client.buildAuthorizationUrl(await configuration(), {
        ...{ redirect_uri, scope: 'openid profile email', state: attempt.state, nonce: attempt.nonce },
        code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, attempt };
    },
    async finish({ state, nonce, verifier }, query) {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const address = new URL(`${redirect_uri}?${query}`);
      const tokens = await client.authorizationCodeGrant(await configuration(), address, checks).catch((thrown) => {
        throw new ProctorError('forbidden', 'your organisation did not confirm this login', {}, { cause: thrown });
      });
      return viewerOf(tokens.claims() ?? {}, settings);
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<client.Configuration> {
  const server = new URL(issuer);
  // for an issuer on this machine, as in tests; anything else must be https
  const isLocal = server.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(server.hostname);
  // signatures of tokens are checked although they come straight from the issuer: a proxy between may be anybody's
  const signed = [client.enableNonRepudiationChecks];
  const options = { timeout: 10, execute: isLocal ? [...signed, client.allowInsecureRequests] : signed };
  return client.discovery(server, clientId, clientSecret, undefined, options).catch((thrown) => {
    throw new ProctorError('capability-missing', 'your organisation’s login does not answer', {}, { cause: thrown });
  });
}

/** Claims as a viewer; the first rule that fits gives the role. A claim may be a text or a list of texts. */
function viewerOf(claims: Readonly<Record<string, unknown>>, { roles }: OidcSettings): Viewer {
  const found = roles.find(({ claim, value }) => {
    const given = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    // anybody can give an address that is not theirs: it counts once the issuer says it is
    if (claim === 'email' && claims.email_verified !== true) return false;
    return Array.isArray(given) ? given.includes(value) : given === value;
  });
  const subject = String(claims.sub);
  if (found === undefined) throw new ProctorError('forbidden', 'your login has no role here');
  // never a name that people choose themselves: rulings stand under it
  return { name: `oidc:${subject}`.slice(0, MOST_NAME), role: found.role, keyId: null };
}
