/** A Beta distribution over a rate, with its mean and its central 95 %. */
export interface BetaPosterior {
  readonly a: number;
  readonly b: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

interface Shape {
  readonly a: number;
  readonly b: number;
}

/** Jeffreys' prior Beta(½, ½): its interval has nearly its nominal coverage (Brown, Cai, DasGupta 2001). */
const PRIOR = 0.5;
const TAIL = 0.025;

/** What is believed of a rate after `passed` of `of` tries. At 0 and at all of them the interval goes to the end. */
export function betaPosterior(passed: number, of: number): BetaPosterior {
  const shape = { a: passed + PRIOR, b: of - passed + PRIOR };
  const low = passed === 0 ? 0 : betaQuantile(TAIL, shape);
  const high = passed === of ? 1 : betaQuantile(1 - TAIL, shape);
  return { ...shape, mean: shape.a / (shape.a + shape.b), low, high };
}

/** The share of a Beta distribution below `x`: the regularised incomplete beta function. */
export function betaShare(x: number, { a, b }: Shape): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // the fraction converges fast on the side of the mean only
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, { a, b })) / a
    : 1 - (front * betaFraction(1 - x, { a: b, b: a })) / b;
}

/** Where a share of the distribution lies below, by halving: 60 times are more than a double can tell apart. */
export function betaQuantile(share: number, shape: Shape): number {
  let [low, high] = [0, 1];
  for (let tries = 0; tries < 60; tries++) {
    const middle = (low + high) / 2;
    if (betaShare(middle, shape) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const TINY = 1e-300;
const MOST_TERMS = 10_000;

/** Lentz's method for the continued fraction (Numerical Recipes, 6.4). */
function betaFraction(x: number, { a, b }: Shape): number {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < MOST_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-14) break;
  }
  return fraction;
}

const nonZero = (value: number) => (Math.abs(value) < TINY ? TINY : value);

const LANCZOS = [
  ...[76.18009172947146, -86.50532032941678, 24.01409824083091],
  ...[-1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5],
];

/** ln Γ(x) for x > 0, to about 1e-10 (Lanczos; Numerical Recipes, 6.1). */
function logGamma(x: number): number {
  const shifted = x + 5.5;
  const sum = LANCZOS.reduce((total, coefficient, index) => total + coefficient / (x + index + 1), 1.000000000190015);
  return Math.log((2.5066282746310007 * sum) / x) - (shifted - (x + 0.5) * Math.log(shifted));
}
