import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isNumber } from './hosts.ts';

/**
 * IPv4 that is not the public internet: IANA's special-purpose registry (as of 2025, also the entries that are
 * "globally reachable" but belong to no server), multicast, and Azure's host address, which only its guests reach.
 */
const SPECIAL_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** IPv6 outside this is loopback, mapped, NAT64, link-local, ULA, multicast or not assigned (RFC 4291 section 2.4). */
const GLOBAL_V6 = ['2000::', 3] as const;

/** IPv6 inside {@link GLOBAL_V6} that is not public: Teredo and other IETF ranges, documentation, 6to4, AS112, 6bone. */
const SPECIAL_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3ffe::', 16],
  ['3fff::', 20],
];

// Never one list for both: a rule on ::ffff:0:0/96 would match every IPv4 address.
const specialV4 = new BlockList();
for (const [net, prefix] of SPECIAL_V4) specialV4.addSubnet(net, prefix, 'ipv4');
const specialV6 = new BlockList();
for (const [net, prefix] of SPECIAL_V6) specialV6.addSubnet(net, prefix, 'ipv6');
const globalV6 = new BlockList();
globalV6.addSubnet(GLOBAL_V6[0], GLOBAL_V6[1], 'ipv6');

/** Whether an address belongs to the public internet; false for everything else, also for what is no address. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false; // a zone makes it link-local
  const family = isIP(address);
  if (family === 4) return !specialV4.check(address, 'ipv4');
  return family === 6 && globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
}

/** Whether a host is an IP literal in any notation: dotted, short (`127.1`), decimal, hex, octal, IPv6, `[::1]`, mapped. */
export function looksLikeAddress(host: string): boolean {
  if (/[:[\]]/.test(host)) return true; // no host name has these
  // the second spelling is the one after full-width digits, ideographic dots and percent signs are resolved
  return [host, domainToASCII(host)].some((text) => isNumber(text.replace(/\.$/, '').split('.').at(-1)));
}
