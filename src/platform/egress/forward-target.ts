import type { IncomingMessage } from 'node:http';
import { looksLikeAddress } from './addresses.ts';
import type { EgressRefusal } from './attempt.ts';
import { canonicalHost, splitAuthority } from './hosts.ts';
import type { Wanted } from './upstream.ts';

/** The port of an http URL without one (RFC 9110 section 4.2.1). */
const HTTP_PORT = 80;

/** Where a forwarded request goes, or the rule that refuses it before anything is looked up. */
export interface ForwardTarget {
  readonly wanted: Wanted;
  /** Path and query as the upstream reads them. */
  readonly path: string;
  /** The Host header that the upstream gets. */
  readonly hostHeader: string;
  readonly refusal: EgressRefusal | null;
}

/** Reads the target of a request that is no CONNECT; its parts are filled in as far as they were understood. */
export function forwardTarget(request: IncomingMessage): ForwardTarget {
  const text = request.url ?? '';
  const hosts = headerValues(request, 'host');
  const unknown = { wanted: { host: hosts[0] ?? '', port: 0 }, path: '', hostHeader: '' };
  if (text.startsWith('/') || text === '*') return { ...unknown, refusal: 'not-a-proxy-request' };
  const authority = /^http:\/\/([^/?#\\]*)/i.exec(text)?.[1];
  const wanted = splitAuthority(authority ?? '', HTTP_PORT);
  if (wanted === null) {
    return { ...unknown, wanted: { host: authority ?? text, port: 0 }, refusal: 'malformed-request' };
  }
  const known = { ...unknown, wanted };
  if (looksLikeAddress(wanted.host)) return { ...known, refusal: 'address-literal' };
  const url = URL.canParse(text) ? new URL(text) : null;
  const name = canonicalHost(wanted.host);
  // two readers of one URL: if they disagree about the host, neither is believed
  if (url === null || name === null || canonicalHost(url.hostname) !== name || !framingIsPlain(request)) {
    return { ...known, refusal: 'malformed-request' };
  }
  const target = { wanted, path: url.pathname + url.search, hostHeader: hostHeader(name, wanted.port) };
  return { ...target, refusal: saysTheSame(hosts, name, wanted.port) ? null : 'host-header-mismatch' };
}

/** All values of a header, in order; node's own `headers` would drop or join repeated ones. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** Whether the body is framed in a way that can be handed on unchanged. */
function framingIsPlain(request: IncomingMessage): boolean {
  const codings = headerValues(request, 'transfer-encoding');
  return codings.length === 0 || (codings.length === 1 && codings[0]?.trim().toLowerCase() === 'chunked');
}

function saysTheSame(hosts: readonly string[], name: string, port: number): boolean {
  const said = splitAuthority(hosts[0]?.trim() ?? '', HTTP_PORT);
  return hosts.length === 1 && said !== null && said.port === port && canonicalHost(said.host) === name;
}

function hostHeader(name: string, port: number): string {
  return port === HTTP_PORT ? name : `${name}:${port}`;
}
