import { expect, it } from 'vitest';
import { programPath } from './system-program.ts';

it('finds a program of the system by its absolute path', () => {
  expect(programPath({ name: 'sh', debianPackage: 'dash' })).toMatch(/^\/(usr\/)?bin\/sh$/);
});

it('says how to install one that is missing', () => {
  const find = () => programPath({ name: 'nft', debianPackage: 'nftables', folders: ['/nonexistent'] });
  expect(find).toThrow(expect.objectContaining({ code: 'capability-missing' }));
  expect(find).toThrow('apt-get install -y --no-install-recommends nftables');
});
