import { z } from 'zod';
import { PHASES } from '../stages/instance/instance.ts';

/** What an instance is asked for. */
export const phaseSchema = z
  .enum(PHASES)
  .default('train')
  .describe('`train`: to learn from; retired seeds are refused. `eval`: only to be measured by');
