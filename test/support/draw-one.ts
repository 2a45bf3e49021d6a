import type { z } from 'zod';
import { drawParameters } from '../../src/stages/instance/generators.ts';
import type { ParameterValue } from '../../src/stages/instance/instance.ts';
import { parameterSchema } from '../../src/stages/task/parameters.ts';

/** A parameter as an author writes it. */
export type RawParameter = z.input<typeof parameterSchema>;

/** The values that a single parameter `x` brings: itself, and what tells what is planted in it. */
export function drawOne(raw: RawParameter, seed = 'golden'): Record<string, ParameterValue> {
  return drawParameters({ parameters: { x: parameterSchema.parse(raw) }, constraints: [] }, { seed }).values;
}

/** The parameter itself, for each of so many seeds. */
export function drawMany(raw: RawParameter, seeds: number): ParameterValue[] {
  return Array.from({ length: seeds }, (_, seed) => drawOne(raw, `seed-${seed}`).x as ParameterValue);
}

/** A parameter that is a table, for one seed. */
export function drawRows(raw: RawParameter, seed = 'golden'): Record<string, string | number>[] {
  return drawOne(raw, seed).x as Record<string, string | number>[];
}
