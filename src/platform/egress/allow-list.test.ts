import { describe, expect, it } from 'vitest';
import { ProctorError } from '../base/errors.ts';
import { parseAllowList } from './allow-list.ts';

describe('the allow list', () => {
  it('opens 80 and 443 of an entry without a port, and only the named port of one with it', () => {
    const list = parseAllowList(['pypi.org', 'mirror.example.org:8080']);
    expect([80, 443, 22].map((port) => list.allows('pypi.org', port))).toEqual([true, true, false]);
    expect([80, 8080].map((port) => list.allows('mirror.example.org', port))).toEqual([false, true]);
    expect(list.allowsHost('mirror.example.org')).toBe(true);
  });

  it('compares names in lower case, in punycode and without the trailing dot', () => {
    const list = parseAllowList(['Bücher.Example.ORG.']);
    expect(list.allows('xn--bcher-kva.example.org', 443)).toBe(true);
    expect(list.allows('BÜCHER.example.org.', 443)).toBe(true);
  });

  it('takes a star for everything below a name, but not for the name and not for its look-alikes', () => {
    const list = parseAllowList(['*.example.org', '*.cdn.net:8080']);
    const hosts = ['a.example.org', 'a.b.example.org', 'example.org', 'badexample.org', 'a.example.org.evil.net'];
    expect(hosts.map((host) => list.allowsHost(host))).toEqual([true, true, false, false, false]);
    expect(list.allows('x.cdn.net', 8080)).toBe(true);
    expect(list.allows('x.cdn.net', 80)).toBe(false);
  });

  it('is empty without entries, and then opens nothing', () => {
    expect(parseAllowList([]).isEmpty).toBe(true);
    expect(parseAllowList(['a.org']).isEmpty).toBe(false);
    expect(parseAllowList([]).allowsHost('a.org')).toBe(false);
  });

  it.each([
    ...['1.2.3.4', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '1.2.3.4:80', '::1', '[::1]', '[::1]:443'],
    ...['', '*', '*:80', '*.', '.', 'a..b', '.a', 'a.org..', 'a.org:0', 'a.org:65536', 'a.org:', 'a.org:x', 'a b.org'],
    ...[
      'http://a.org',
      'a.org/path',
      'u@a.org',
      'a.*.org',
      '*.*.org',
      'ex%61mple.org',
      '-a.org',
      `${'a'.repeat(64)}.org`,
    ],
    ...[`${'a.'.repeat(150)}org`, 'a.org\n', '\uff11\uff12\uff17.0.0.1'],
  ])('refuses the entry %j and names it', (entry) => {
    const read = () => parseAllowList(['fine.org', entry]);
    expect(read).toThrow(ProctorError);
    expect(read).toThrow(expect.objectContaining({ code: 'bad-request', details: { entry } }));
    expect(read).toThrow(JSON.stringify(entry));
  });
});
