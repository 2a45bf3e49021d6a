import { describe, expect, it } from 'vitest';
import { isPublicAddress, looksLikeAddress } from './addresses.ts';

describe('public addresses', () => {
  it.each(['1.1.1.1', '8.8.8.8', '151.101.0.223', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a04:4e42::223'])(
    'holds %s for public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.1.2.3',
      '100.64.0.1',
      '100.127.255.255',
      '127.0.0.1',
      '127.255.0.1',
      '169.254.169.254',
    ],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1'],
    ...['198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
    ...['168.63.129.16', '::', '::1', '::ffff:8.8.8.8', '::ffff:127.0.0.1', '::8.8.8.8', '::ffff:0:8.8.8.8'],
    ...[
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::1',
      '100::1',
      '2001::1',
      '2001:2::1',
      '2001:10::1',
      '2001:20::1',
      '2001:db8::1',
    ],
    ...['2002:7f00:1::', '3ffe::1', '3fff::1', '5f00::1', 'fc00::1', 'fd12::1', 'fe80::1', 'fe80::1%lo', 'fec0::1'],
    ...['ff02::1', '4000::1', '2606:4700::1111%eth0', '', 'example.org', '127.1', '[::1]'],
  ])('does not hold %j for public', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('IP literals', () => {
  it.each([
    ...['1.2.3.4', '1.2.3.4.', '127.1', '127.0.1', '2130706433', '0x7f.1', '0x7f000001', '0177.0.0.1', '017700000001'],
    ...['0', '0x', '1.2.3.4.5', '999', '::1', '[::1]', '::ffff:127.0.0.1', '[::ffff:7f00:1]', 'fe80::1%lo'],
    ...['\uff11\uff12\uff17.0.0.1', '127\u3002\u0030.0.1', '127%2e0.0.1', 'example.0x7f', 'example.1'],
  ])('sees one in %j', (host) => expect(looksLikeAddress(host)).toBe(true));

  it.each(['example.org', '1.example.org', '127.0.0.1.nip.io', 'a1', '0x7f.org', 'x0', '', 'deadbeef'])(
    'sees none in %j',
    (host) => expect(looksLikeAddress(host)).toBe(false),
  );
});
