import { z } from 'zod';
import { ProctorError } from '../base/errors.ts';
import { looksLikeAddress } from './addresses.ts';
import { canonicalHost } from './hosts.ts';

/** What an entry without a port opens: plain HTTP and HTTPS. */
const DEFAULT_PORTS: readonly number[] = [80, 443];

/** The hosts and ports that one sandbox may reach. */
export interface AllowList {
  readonly isEmpty: boolean;
  /** Whether any port of this host is open; for a refusal that names the right rule. */
  allowsHost(host: string): boolean;
  allows(host: string, port: number): boolean;
}

interface Rule {
  readonly name: string;
  /** `*.name`: everything below the name at any depth, but not the name itself. */
  readonly below: boolean;
  readonly ports: readonly number[];
}

const entrySchema = z
  .string()
  .max(300)
  .regex(/^[^:[\]]+(?::\d{1,5})?$/);

/**
 * Reads entries `host`, `host:port`, `*.example.org` and `*.example.org:8080`; without a port 80 and 443 are open.
 * Names are compared in lower case, in punycode and without a trailing dot.
 *
 * @throws ProctorError `bad-request` that names the first entry which is none of these, or an IP literal
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const rules = entries.map(parseRule);
  const rulesOf = (host: string): readonly Rule[] => {
    const name = canonicalHost(host);
    return name === null ? [] : rules.filter((rule) => covers(rule, name));
  };
  return {
    isEmpty: rules.length === 0,
    allowsHost: (host) => rulesOf(host).length > 0,
    allows: (host, port) => rulesOf(host).some((rule) => rule.ports.includes(port)),
  };
}

function covers(rule: Rule, name: string): boolean {
  return rule.below ? name.endsWith(`.${rule.name}`) : name === rule.name;
}

function parseRule(entry: string): Rule {
  const text = entrySchema.safeParse(entry);
  if (looksLikeAddress(withoutPort(entry))) throw refused(entry, 'is an IP address; name a host');
  if (!text.success) throw refused(entry, 'is not of the form host, host:port, *.host or *.host:port');
  const [host = '', portText] = text.data.split(':');
  const below = host.startsWith('*.');
  const name = canonicalHost(below ? host.slice(2) : host);
  if (name === null) throw refused(entry, 'has no valid host name');
  const port = Number(portText);
  if (portText !== undefined && (port < 1 || port > 65_535)) throw refused(entry, 'has a port outside 1 to 65535');
  return { name, below, ports: portText === undefined ? DEFAULT_PORTS : [port] };
}

/** `host` of `host:port`; an IPv6 address has more than one colon and stays whole. */
function withoutPort(entry: string): string {
  return entry.replace(/^([^:]*):[^:]*$/, '$1');
}

function refused(entry: string, why: string): ProctorError {
  return new ProctorError('bad-request', `the egress entry ${JSON.stringify(entry)} ${why}`, { entry });
}
