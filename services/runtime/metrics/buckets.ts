/** The bounds of all histograms of durations. */

/** The bounds in seconds: from a statement of a warm Postgres to the copy of a large video. */
export const DURATION_BUCKETS: number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120,
];
