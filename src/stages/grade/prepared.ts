import type { Prepared } from '../../platform/sandbox/sandbox.ts';

/** A process that has loaded the program itself and nothing more: it serves whoever runs that program. */
export const PROGRAM_AHEAD: Prepared = { key: '', arguments: [], files: [] };
