import { domainToASCII } from 'node:url';

/** Longest host name in text form (RFC 1035 section 2.3.4, without the root's dot). */
const MAX_NAME_LENGTH = 253;
/** A label as DNS software accepts it (RFC 1123; underscores are common in practice), at most 63 octets. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Letters that are no part of a name but that a URL parser would act on. */
const NOT_IN_A_NAME = /[%/\\@?#:[\]<>^|\p{Cc}\p{Z}]/u;
/** Longest text of a host that an attempt may carry: everything in it comes from a sandbox. */
const MAX_SHOWN_LENGTH = 255;

/**
 * A host name in the one form in which names are compared: lower case, punycode, without the trailing dot.
 * Null when it is no host name; an IP literal in any notation is none either.
 */
export function canonicalHost(text: string): string | null {
  if (text.length > MAX_SHOWN_LENGTH || NOT_IN_A_NAME.test(text)) return null;
  const name = domainToASCII(text).replace(/\.$/, '');
  if (name === '' || name.length > MAX_NAME_LENGTH) return null;
  const labels = name.split('.');
  return labels.every((label) => LABEL.test(label)) && !isNumber(labels.at(-1)) ? name : null;
}

/** A host and a port as `host:port` says it; null when it is not of that form. A missing port is `defaultPort`'s. */
export function splitAuthority(text: string, defaultPort: number | null): { host: string; port: number } | null {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text);
  const port = match?.[2] === undefined ? defaultPort : Number(match[2]);
  if (!match?.[1] || port === null || port < 1 || port > 65_535) return null;
  return { host: match[1], port };
}

/** Hostile text as a log line may show it: printable ASCII, the rest escaped, at most 255 characters. */
export function shownHost(text: string): string {
  const escaped = text
    .slice(0, MAX_SHOWN_LENGTH)
    .replace(/[^\x20-\x5b\x5d-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return escaped.slice(0, MAX_SHOWN_LENGTH);
}

/** Whether this label makes the whole name an IPv4 address for a URL parser or for inet_aton(3). */
export function isNumber(label: string | undefined): boolean {
  return label !== undefined && /^(?:\d+|0x[0-9a-f]*)$/i.test(label);
}
