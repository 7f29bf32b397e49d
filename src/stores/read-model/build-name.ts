import type { Projection } from './projection.js';

/** `<name>.v<version>.<run>`; builds of one projection are independent of each other. */
export type BuildName = string;

/** One version of a projection: each has its own builds, lease and rebuilds. */
export const viewOf = ({ name, version }: Projection): string => `${name}.v${version}`;

export const buildName = (projection: Projection, run: string): BuildName => `${viewOf(projection)}.${run}`;
