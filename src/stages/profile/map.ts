/** A place on the map. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
  /** The cluster; null: none. */
  readonly label: string | null;
}

const ROUNDS = 200;
const SETTLED = 1e-10;

/**
 * The two directions in which points differ most, by power iteration on their covariance (principal components). Deterministic, also in sign: the
 * largest weight is positive. Zeros where there is nothing left to differ.
 */
export function principalAxes(points: readonly Float64Array[]): readonly Float64Array[] {
  const width = points[0]?.length ?? 0;
  const covariance = covarianceOf(points, width);
  const first = leadingAxis(covariance, width);
  for (let row = 0; row < width; row++) {
    for (let column = 0; column < width; column++) {
      const own = (first.axis[row] as number) * (first.axis[column] as number) * first.value;
      covariance[row * width + column] = (covariance[row * width + column] as number) - own;
    }
  }
  return [first.axis, leadingAxis(covariance, width).axis];
}

/** Where a point is on two axes. */
export function projected(
  axes: readonly Float64Array[],
  point: Float64Array,
): { readonly x: number; readonly y: number } {
  const along = (axis: Float64Array | undefined) =>
    axis === undefined ? 0 : point.reduce((sum, value, at) => sum + value * (axis[at] ?? 0), 0);
  return { x: along(axes[0]), y: along(axes[1]) };
}

function covarianceOf(points: readonly Float64Array[], width: number): Float64Array {
  const means = new Float64Array(width);
  for (const point of points)
    for (let at = 0; at < width; at++) means[at] = (means[at] as number) + (point[at] as number);
  for (let at = 0; at < width; at++) means[at] = (means[at] as number) / Math.max(1, points.length);
  const sums = new Float64Array(width * width);
  for (const point of points) {
    for (let row = 0; row < width; row++) {
      const apart = (point[row] as number) - (means[row] as number);
      if (apart === 0) continue;
      for (let column = 0; column < width; column++) {
        const other = (point[column] as number) - (means[column] as number);
        sums[row * width + column] = (sums[row * width + column] as number) + apart * other;
      }
    }
  }
  return sums.map((sum) => sum / Math.max(1, points.length));
}

function leadingAxis(matrix: Float64Array, width: number): { readonly axis: Float64Array; readonly value: number } {
  // no start is at right angles to every answer; one that rises along the columns is to few
  let axis = unit(Float64Array.from({ length: width }, (_, at) => 1 + at / Math.max(1, width)));
  let value = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(width);
    for (let row = 0; row < width; row++) {
      for (let column = 0; column < width; column++)
        next[row] = (next[row] as number) + (matrix[row * width + column] as number) * (axis[column] as number);
    }
    const length = Math.hypot(...next);
    if (length < SETTLED) return { axis: new Float64Array(width), value: 0 };
    const moved = Math.abs(length - value);
    value = length;
    axis = unit(next);
    if (moved < SETTLED * length) break;
  }
  const largest = axis.reduce((most, weight) => (Math.abs(weight) > Math.abs(most) ? weight : most), 0);
  return { axis: largest < 0 ? axis.map((weight) => -weight) : axis, value };
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((weight) => weight / length);
}
