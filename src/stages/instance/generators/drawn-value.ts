import type { ParameterSpec } from '../../task/parameters.ts';
import type { ParameterValue, Scalar } from '../instance.ts';

/** Where the numbers of a parameter come from: the label keeps its streams apart from all others. */
export interface DrawSource {
  readonly seed: string;
  readonly label: string;
}

export type Row = Record<string, Scalar>;

/** A drawn value, and what the parameter beside it tells of what is planted or named in it. */
export interface DrawnValue {
  readonly value: ParameterValue;
  readonly told?: ParameterValue;
}

/** The specification of one type. */
export type SpecOf<Type extends ParameterSpec['type']> = Extract<ParameterSpec, { type: Type }>;
