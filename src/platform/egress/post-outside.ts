import { lookup as resolveName } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { messageOf, ProctorError } from '../base/errors.ts';
import { isPublicAddress } from './addresses.ts';

/** A message for somebody else's server. */
export interface OutsidePost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** Hosts that may be reached without TLS and inside; see {@link refuseTarget}. */
  readonly allow: readonly string[];
}

/** Addresses of one's own network (RFC 1918, RFC 4193) and of this machine: what an allowed host may have. Link-local ones never. */
const inside = new BlockList();
for (const [net, prefix] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  inside.addSubnet(net, prefix, 'ipv4');
inside.addAddress('::1', 'ipv6');
inside.addSubnet('fc00::', 7, 'ipv6');

/**
 * Refuses what a URL may not lead to: `bad-request` unless it is https with a public host, or names a host of `allow` (exactly as written
 * there). Names are resolved when they are used; see {@link postOutside}.
 */
export function refuseTarget(text: string, allow: readonly string[]): void {
  const url = URL.parse(text);
  if (url === null) throw new ProctorError('bad-request', 'the url is no URL');
  if (url.username !== '' || url.password !== '')
    throw new ProctorError('bad-request', 'the url must not hold a password');
  const host = bareHost(url);
  if (!['https:', 'http:'].includes(url.protocol)) throw new ProctorError('bad-request', 'the url must be https');
  if (allow.includes(host)) return;
  const mend = `name ${JSON.stringify(host)} in PROCTOR_WEBHOOK_ALLOW`;
  if (url.protocol !== 'https:') throw new ProctorError('bad-request', `the url must be https; or ${mend}`);
  if (isIP(host) !== 0 && !isPublicAddress(host)) {
    throw new ProctorError('bad-request', `the url leads to an address that is not public; or ${mend}`);
  }
}

/**
 * Posts and gives the status; what is answered beside it is not read, and no redirect is followed. Rejects with a text for people when there is no
 * answer in time, or when the name leads to an address that it must not: it is the vetted address that is connected to.
 */
export async function postOutside({ url: text, headers, body, timeoutMs, allow }: OutsidePost): Promise<number> {
  refuseTarget(text, allow);
  const url = new URL(text);
  const isAllowed = allow.includes(bareHost(url));
  const mayReach = (address: string) =>
    isPublicAddress(address) || (isAllowed && inside.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'));
  if (isIP(bareHost(url)) !== 0 && !mayReach(bareHost(url))) throw new Error('the address may not be reached');
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const sent = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: sent, lookup: vetted(mayReach), agent: false };
    const asking = start(url, { ...options, signal: AbortSignal.timeout(timeoutMs) }, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    asking.on('error', (thrown) => reject(new Error(messageOf(thrown), { cause: thrown })));
    asking.end(body);
  });
}

/** Resolves a name, and refuses it when any of its addresses may not be reached. */
function vetted(mayReach: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '');
      const bad = addresses.find(({ address }) => !mayReach(address));
      const [first] = addresses;
      if (bad !== undefined || first === undefined)
        return done(new Error('the host has an address that may not be reached'), '');
      if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
